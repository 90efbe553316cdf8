"""Formulas and lassos for Hypothesis, and how the two are compared with automata."""

from __future__ import annotations

from hypothesis import strategies as st

from kripke.logic.automaton import Automaton
from kripke.logic.formula import FALSE, TRUE, Formula, atom, made
from kripke.logic.lasso import Lasso, accepts, holds

ATOMS = ("a", "b", "c")

_leaves = st.sampled_from([*(atom(name) for name in ATOMS), *(atom(name) for name in ATOMS), TRUE, FALSE])


def _larger(parts: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    unary = st.builds(lambda operator, part: made(operator, [part]), st.sampled_from(["not", "X", "F", "G"]), parts)
    operators = st.sampled_from(["and", "or", "U", "R", "W", "M", "->", "<->"])
    binary = st.builds(lambda operator, left, right: made(operator, [left, right]), operators, parts, parts)
    return st.one_of(unary, binary)


formulas = st.recursive(_leaves, _larger, max_leaves=6)


@st.composite
def lassos(draw: st.DrawFn) -> Lasso:
    letters = draw(st.lists(st.integers(0, (1 << len(ATOMS)) - 1), min_size=1, max_size=6))
    return Lasso(tuple(letters), draw(st.integers(0, len(letters) - 1)))


def assert_agrees(formula: Formula, negated: bool, automaton: Automaton, runs: list[Lasso]) -> None:
    for run in runs:
        assert accepts(automaton, run) == (holds(formula, run, ATOMS) != negated), (str(formula), negated, run)
