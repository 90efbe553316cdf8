"""Formulas of branching time: fix-points beside the operators they say, and runs that show the answer."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

pytest.importorskip("kripke._native")

from kripke.compilation.compile import compile_model
from kripke.engines.branching.branching import Actions
from kripke.engines.branching.ctl import Labelling
from kripke.engines.branching.graph import build
from kripke.engines.branching.witness import GraphGround, shown
from kripke.engines.explicit.native import open_model
from kripke.logic.ctl import (
    And,
    Atom,
    ExistsGlobally,
    ExistsNext,
    ExistsStep,
    FixPoint,
    Not,
    Or,
    StateFormula,
    Variable,
    always_finally,
    always_globally,
    exists_finally,
)
from kripke.logic.ctl_text import parse
from tests.engines.test_ctl import graph_model, random_formula


def labellings(model, labelled: bool = True):
    library = open_model(compile_model(model.emit_c()).path)
    for graph in (build(model, model.atoms, library=library, labelled=labelled), build(model, model.atoms)):
        yield Labelling(graph, Actions(model))


# A fix-point, and the operator that says the same.
SAME = [
    ("mu X. a || <> X", "EF a"),
    ("mu X. b || (a && <> X)", "E[a U b]"),
    ("nu X. a && [] X", "AG a"),
    ("nu X. a && (b || [] X)", "A[b R a]"),
    ("mu X. b || (a && [] X && <> true)", "A[a U b]"),
    ("nu X. a && (<> X || [] false)", "EG a"),
    ("mu X. a || ([] X && <> true)", "AF a"),
    ("nu X. mu Y. <> ((a && X) || Y)", None),  # a again and again: two fix-points of different kinds
]


@pytest.mark.parametrize("seed", range(6))
def test_fix_points_say_what_operators_say(seed: int) -> None:
    source = random.Random(seed)
    model = graph_model(source, source.choice((4, 9, 70)))
    results = []
    for labelling in labellings(model):
        found = []
        for text, same in SAME:
            states = labelling.states(parse(text, "mu"))
            found.append(states)
            if same is not None:
                assert states == labelling.states(parse(same, "ctl")), text
        results.append(found)
    assert results[0] == results[1]
    again = results[0][-1]
    labelling = next(iter(labellings(model)))
    assert again == _again_and_again(labelling)


def _again_and_again(labelling: Labelling) -> int:
    """Where a path begins on which a is true again and again, by reachability alone."""
    graph = labelling.graph
    true = labelling.states(Atom("a"))
    reach = []
    for state in range(graph.states):
        met, waiting = 0, [state]
        while waiting:
            for target in graph.successors(waiting.pop()):
                if not met >> target & 1:
                    met |= 1 << target
                    waiting.append(target)
        reach.append(met)
    looping = sum(1 << n for n in range(graph.states) if true >> n & 1 and reach[n] >> n & 1)
    return sum(1 << n for n in range(graph.states) if reach[n] & looping)


def random_fix_point(source: random.Random, depth: int, variables: tuple[str, ...] = ()) -> StateFormula:
    if depth == 0 or source.random() < 0.1:
        name = source.choice((*variables, *variables, "a", "b"))
        return Variable(name) if name in variables else Atom(name)
    kind = source.randrange(6)
    name = f"X{len(variables)}"
    if kind < 2:
        return FixPoint(name, random_fix_point(source, depth - 1, (*variables, name)), kind == 0)
    one, two = (random_fix_point(source, depth - 1, variables) for _ in range(2))
    every_step = Not(ExistsStep(("e0", "e1", "e2"), source.random() < 0.5, Not(one)))
    return (And((one, two)), Or((one, two)), ExistsNext(one), every_step)[kind - 2]


@pytest.mark.parametrize("seed", range(6))
def test_random_fix_points(seed: int) -> None:
    source = random.Random(seed)
    model = graph_model(source, source.choice((4, 7, 66)))
    fast, slow = labellings(model)
    for _ in range(25):
        formula = random_fix_point(source, 4)
        assert fast.states(formula) == slow.states(formula) == _defined(fast, formula, {})


def _defined(labelling: Labelling, formula: StateFormula, values: dict[str, int]) -> int:
    """A fix-point by its definition, with nothing remembered or recognised."""
    graph = labelling.graph

    def part(inner: StateFormula) -> int:
        return _defined(labelling, inner, values)

    match formula:
        case Atom(name):
            return graph.atom(name)
        case Variable(name):
            return values[name]
        case Not(operand):
            return labelling.all & ~part(operand)
        case And((one, two)):
            return part(one) & part(two)
        case Or((one, two)):
            return part(one) | part(two)
        case ExistsNext(operand) | ExistsStep(_, _, operand):
            inside = part(operand)
            wanted = None
            if isinstance(formula, ExistsStep):
                wanted = labelling.chosen(formula.actions, formula.others)
            return sum(
                1 << n
                for n in range(graph.states)
                if any(
                    inside >> target & 1 and (wanted is None or label in wanted)
                    for label, target in zip(graph.labels(n), graph.successors(n), strict=True)
                )
            )
        case FixPoint(name, body, greatest):
            value, before = (labelling.all if greatest else 0), None
            while value != before:
                before = value
                value = _defined(labelling, body, {**values, name: value})
            return value
    raise TypeError(formula)


@pytest.mark.parametrize("seed", range(8))
def test_runs_show_the_answer(seed: int) -> None:
    """A run is one of the graph; a short one, and of the plain formulas it shows just what it is to show."""
    source = random.Random(seed)
    model = graph_model(source, source.choice((4, 9, 30)))
    labelling = next(iter(labellings(model)))
    graph = labelling.graph

    def steps(number: int) -> list[tuple[int, int]]:
        return list(zip(graph.labels(number), graph.successors(number), strict=True))

    ground = GraphGround(labelling, steps)
    a = labelling.states(Atom("a"))
    for number in range(graph.states):
        for formula in (exists_finally(Atom("a")), ExistsGlobally(Atom("a"))):
            run = shown(ground, formula, number)
            assert (run is not None) == bool(labelling.states(formula) >> number & 1)
        for formula in (always_globally(Atom("a")), always_finally(Atom("a"))):
            run = shown(ground, formula, number)
            assert (run is None) == bool(labelling.states(formula) >> number & 1)
        way = shown(ground, always_globally(Atom("a")), number)
        if way is not None:
            assert not a >> way.states[-1] & 1 and all(a >> n & 1 for n in way.states[:-1])
        loop = shown(ground, always_finally(Atom("a")), number)
        if loop is not None:
            assert not any(a >> n & 1 for n in loop.states)
            last = loop.states[-1]
            assert last == loop.states[loop.loop] if loop.loop is not None else not graph.successors(last)
    for _ in range(60):
        run = shown(ground, random_formula(source, 3), source.randrange(graph.states))
        if run is not None:
            assert all(after in graph.successors(before) for before, after in pairwise(run.states))
            assert run.loop is None or run.states[run.loop] == run.states[-1]
