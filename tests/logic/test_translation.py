"""Automata against the direct evaluation of formulas on lassos, and against the automata of the negated formulas."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kripke.logic import hoa
from kripke.logic.automaton import Automaton, Edge
from kripke.logic.components import components
from kripke.logic.formula import Formula, Kind
from kripke.logic.guards import Guards
from kripke.logic.lasso import Lasso
from kripke.logic.parser import parse
from kripke.logic.rewriting import simplified
from kripke.logic.translation import TranslationTooLarge, buchi, generalised
from tests.support.random_formulas import ATOMS, assert_agrees, formulas, lassos

many_lassos = st.lists(lassos(), min_size=10, max_size=10)


@given(formulas, many_lassos)
def test_automata_accept_what_satisfies_the_formula(formula: Formula, runs: list[Lasso]) -> None:
    for negated in (False, True):
        for automaton in (
            generalised(formula, negated=negated, atoms=ATOMS),
            buchi(formula, negated=negated, atoms=ATOMS),
        ):
            assert_agrees(formula, negated, automaton, runs)


@given(formulas)
def test_state_based_automata_have_one_set_at_most(formula: Formula) -> None:
    automaton = buchi(formula)
    assert automaton.state_based and automaton.sets <= 1 and len(automaton.initial) <= 1


@given(formulas)
def test_no_run_satisfies_a_formula_and_its_negation(formula: Formula) -> None:
    for make in (generalised, buchi):
        assert is_empty(product(make(formula, atoms=ATOMS), make(formula, negated=True, atoms=ATOMS)))


def product(left: Automaton, right: Automaton) -> Automaton:
    guards = Guards()
    names = {(a, b): 0 for a in left.initial for b in right.initial}
    order = list(names)
    edges = []
    for number, (a, b) in enumerate(order):
        for one in left.edges_from(a):
            for other in right.edges_from(b):
                guard = guards.both(guards.from_cubes(one.guard), guards.from_cubes(other.guard))
                key = (one.target, other.target)
                if guards.cubes(guard):
                    if key not in names:
                        names[key] = len(order)
                        order.append(key)
                    marks = one.marks | other.marks << left.sets
                    edges.append(Edge(number, guards.cubes(guard), names[key], marks))
    return Automaton(ATOMS, len(order), range(min(1, len(order))), edges, left.sets + right.sets)


def is_empty(automaton: Automaton) -> bool:
    out = [automaton.edges_from(state) for state in range(automaton.states)]
    for component in components([[edge.target for edge in edges] for edges in out]):
        marks = [edge.marks for state in component for edge in out[state] if edge.target in component]
        gathered = 0
        for mark in marks:
            gathered |= mark
        if marks and gathered == automaton.all_marks:
            return False
    return True


def test_next_to_a_promise_the_promise_stays() -> None:
    """G X F a implies F a, but an automaton that forgets the one beside the other accepts runs without a."""
    for text in ("[](b || X<>a) && !<>b", "[] X <>a", "b && []X(<>a && X<>a)"):
        formula = parse(text)
        assert_agrees(formula, False, generalised(formula, atoms=ATOMS), [Lasso((2, 0), 1), Lasso((2, 1, 0), 1)])


@pytest.mark.parametrize(
    ("text", "generalised_size", "buchi_size"),
    [
        # (states, acceptance sets) and states
        ("true", (1, 0), 1),
        ("false", (1, 0), 1),
        ("[]p", (1, 0), 1),
        ("<>p", (2, 1), 2),
        ("p U q", (2, 1), 2),
        ("[]<>p", (1, 1), 2),
        ("<>[]p", (2, 1), 2),
        ("[](p -> <>q)", (2, 1), 2),
        ("![](p -> <>q)", (2, 1), 2),
        ("[]<>p && []<>q", (1, 2), 3),
        ("<>[]p && []<>q", (2, 1), 3),
        ("[](p -> X X q)", (4, 0), 4),
        ("<>p && <>q && <>r", (8, 1), 8),
    ],
)
def test_sizes(text: str, generalised_size: tuple[int, int], buchi_size: int) -> None:
    automaton = generalised(parse(text))
    assert (automaton.states, automaton.sets) == generalised_size
    assert buchi(parse(text)).states == buchi_size


def premises(kind: str, count: int) -> Formula:
    return parse(" && ".join(f"({kind.replace('#', str(i))})" for i in range(count)) + " -> [](q -> <>r)")


@pytest.mark.parametrize("kind", ["[]<>p#", "<>[]e# -> []<>x#", "[]([]e# -> <>x#)", "[]<>e# -> []<>x#"])
@pytest.mark.parametrize("negated", [False, True])
def test_fairness_premises_are_no_burden(kind: str, negated: bool) -> None:
    for count, seconds in ((3, 0.1), (5, 2.0)):
        formula = premises(kind, count)
        taken = []
        for _ in range(3):  # the machine may be busy with something else
            start = time.process_time()
            automaton = generalised(formula, negated=negated)
            taken.append(time.process_time() - start)
            if taken[-1] < seconds:
                break
        assert min(taken) < seconds
        assert automaton.states <= 2**count + 2


def test_obligations_are_deterministic() -> None:
    automaton = buchi(parse("(p U q) || [](r -> X p)"))
    guards = Guards()
    for state in range(automaton.states):
        edges = automaton.edges_from(state)
        for index, edge in enumerate(edges):
            for other in edges[:index]:
                assert guards.both(guards.from_cubes(edge.guard), guards.from_cubes(other.guard)) == 1
    assert simplified(parse("(p U q) || [](r -> X p)")).has(Kind.OBLIGATION)


def test_atoms_keep_the_numbers_they_are_given() -> None:
    automaton = generalised(parse("<>q"), atoms=("p", "q", "r"))
    assert automaton.atoms == ("p", "q", "r")
    assert hoa.written(automaton).count("[1]") == 1


def test_many_atoms() -> None:
    text = "[](" + " && ".join(f"(a{i} || b{i})" for i in range(40)) + ")"
    assert buchi(parse(text), negated=True).states == 2
    with pytest.raises(TranslationTooLarge, match="more than 4,096 alternatives"):
        generalised(parse(text))


def test_too_large_is_said() -> None:
    text = " && ".join(f"<>(a{i} && X X b{i})" for i in range(12))
    with pytest.raises(TranslationTooLarge, match="thousands of states"):
        generalised(parse(text))
