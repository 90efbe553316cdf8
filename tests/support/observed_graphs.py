"""Random graphs with random observers of two of their atoms."""

from __future__ import annotations

import random

from kripke.logic.automaton import Cube
from kripke.model.observer import Observer, ObserverEdge
from tests.native.graphs import Graph, GraphModel

_ATOMS = (0, 65)  # in different words


def random_observed_graph(choose: random.Random, sets: int | None = None) -> tuple[GraphModel, Observer]:
    """``sets``: of the observer; None: any number up to four."""
    nodes = choose.randint(1, 40)
    density = choose.choice((1, 1, 2, 3))
    edges = {
        node: [(choose.randrange(nodes), choose.randrange(3)) for _ in range(choose.randint(0, density))]
        for node in range(nodes)
    }
    false = {node: [atom for atom in _ATOMS if choose.random() < 0.5] for node in range(nodes)}
    graph = Graph({**edges, nodes - 1: edges[nodes - 1]}, (0,), false=false)
    sets = choose.randint(0, 4) if sets is None else sets
    count = choose.randint(1, 4)
    rows = []
    for _ in range(count):
        row = []
        for _ in range(choose.randint(1, 3)):
            positive = sum(1 << atom for atom in _ATOMS if choose.random() < 0.3)
            negative = sum(1 << atom for atom in _ATOMS if choose.random() < 0.3) & ~positive
            marks = sum(1 << mark for mark in range(sets) if choose.random() < 0.3)
            row.append(ObserverEdge((Cube(positive, negative),), choose.randrange(count), marks))
        rows.append(tuple(row))
    return GraphModel(graph), Observer("random", "ltl", (0,), tuple(rows), sets, stutters=choose.random() < 0.5)
