"""Branching time on random graphs: the native operators, the reference ones, and the definition of paths."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("kripke._native")

from kripke.compilation.compile import compile_model
from kripke.engines.branching.ctl import Labelling
from kripke.engines.branching.graph import GraphLimits, build
from kripke.engines.explicit.native import open_model
from kripke.logic.ctl import (
    And,
    Atom,
    ExistsGlobally,
    ExistsNext,
    ExistsUntil,
    Not,
    Or,
    StateFormula,
    always_finally,
    always_globally,
    always_next,
    always_until,
    exists_finally,
)
from kripke.model.source import Sources
from kripke.nets.model import NetModel
from kripke.nets.place_transition import Arc, Place, PlaceTransitionNet, Transition
from kripke.nets.predicates import AtLeastZero


def graph_model(source: random.Random, size: int) -> NetModel:
    """A graph as a net with one token: places are states, transitions edges; atoms are sets of places."""
    edges = [(source.randrange(size), source.randrange(size)) for _ in range(source.randint(size, 2 * size))]
    net = PlaceTransitionNet(
        "graph",
        tuple(Place(f"s{n}", int(n == 0)) for n in range(size)),
        tuple(Transition(f"e{n}", (Arc(a, 1),), (Arc(b, 1),)) for n, (a, b) in enumerate(edges)),
    )
    atoms = {
        name: AtLeastZero(tuple((n, 1) for n in range(size) if source.random() < 0.5) or ((0, 1),), -1)
        for name in ("a", "b", "c")
    }
    return NetModel(net, "graph.pnml", "pnml", Sources(), atoms)


def random_formula(source: random.Random, depth: int) -> StateFormula:
    if depth == 0:
        return Atom(source.choice("abc"))
    one, two = (random_formula(source, depth - 1) for _ in range(2))
    return source.choice(
        (
            Not(one),
            And((one, two)),
            Or((one, two)),
            ExistsNext(one),
            ExistsUntil(one, two),
            ExistsGlobally(one),
            always_next(one),
            always_until(one, two),
            always_finally(one),
            always_globally(one),
            exists_finally(one),
        )
    )


@pytest.mark.parametrize("seed", range(12))
def test_native_and_reference_agree(seed: int) -> None:
    source = random.Random(seed)
    model = graph_model(source, source.choice((3, 6, 70)))
    library = open_model(compile_model(model.emit_c()).path)
    native, reference = build(model, model.atoms, library=library), build(model, model.atoms)
    assert (native.states, native.edges, native.reason) == (reference.states, reference.edges, reference.reason)
    assert [native.state(n) for n in range(native.states)] == [reference.state(n) for n in range(native.states)]
    assert all(list(native.successors(n)) == list(reference.successors(n)) for n in range(native.states))
    fast, slow = Labelling(native), Labelling(reference)
    for _ in range(40):
        formula = random_formula(source, 3)
        assert fast.states(formula) == slow.states(formula), formula


def line() -> NetModel:
    """0 -> 1 -> 2, where it ends; a holds in 0 and 1, b in 2, c nowhere."""
    net = PlaceTransitionNet(
        "line",
        (Place("s0", 1), Place("s1"), Place("s2"), Place("never")),
        (Transition("x", (Arc(0, 1),), (Arc(1, 1),)), Transition("y", (Arc(1, 1),), (Arc(2, 1),))),
    )
    atoms = {
        "a": AtLeastZero(((0, 1), (1, 1)), -1),
        "b": AtLeastZero(((2, 1),), -1),
        "c": AtLeastZero(((3, 1),), -1),
    }
    return NetModel(net, "line.pnml", "pnml", Sources(), atoms)


@pytest.mark.parametrize(
    ("formula", "states"),
    [
        (ExistsNext(Atom("a")), 0b001),
        (always_next(Atom("c")), 0b100),  # nothing follows the last state
        (always_finally(Atom("b")), 0b111),
        (ExistsGlobally(Atom("b")), 0b100),  # the path that ends there is maximal
        (ExistsGlobally(Atom("a")), 0b000),
        (always_until(Atom("a"), Atom("b")), 0b111),
        (always_until(Atom("c"), Atom("b")), 0b100),
        (always_globally(Atom("a")), 0b000),
        (exists_finally(Atom("c")), 0b000),
    ],
)
def test_paths_may_end(formula: StateFormula, states: int) -> None:
    assert Labelling(build(line(), "abc")).states(formula) == states


def test_limits() -> None:
    model = line()
    library = open_model(compile_model(model.emit_c()).path)
    for graph in (
        build(model, (), GraphLimits(max_states=2)),
        build(model, (), GraphLimits(max_states=2), library),
    ):
        assert (graph.states, graph.reason) == (2, "states")
