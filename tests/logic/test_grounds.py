"""Why a formula is false of a run: exact examples, and agreement with the direct definition on random ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kripke.logic.formula import Formula, negation
from kripke.logic.grounds import Ground, ObservedRun, grounds
from kripke.logic.lasso import Lasso, holds
from kripke.logic.parser import parse

ATOMS = ("p", "q")


def formula(text: str) -> Formula:
    return parse(text)


def run(text: str) -> ObservedRun:
    """``p . pq | q .``: the letters, with a bar before the loop; a beginning has none."""
    letters, loop = [], None
    for word in text.split():
        if word == "|":
            loop = len(letters)
        else:
            letters.append(sum(1 << ATOMS.index(name) for name in word if name != "."))
    return ObservedRun(tuple(letters), loop)


def shown(found: tuple[Ground, ...]) -> list[str]:
    return [f"{g.formula} {str(g.truth).lower()}{' from' if g.lasting else ' at'} {g.position}" for g in found]


@pytest.mark.parametrize(
    ("text", "letters", "expected"),
    [
        ("[] p", "p p . |p p".replace("|p", "| p"), ["p false at 2"]),
        ("<> q", "p | p p", ["q false from 0"]),
        ("[] (p -> <> q)", "q . p | . p", ["p true at 2", "q false from 2"]),
        ("[] <> q", "q | p p", ["q false from 1"]),
        ("<> [] p", "p | p .", ["p false at 2"]),
        ("p U q", "p p . | q", ["q false at 2", "p false at 2"]),
        ("p U q", "p | p", ["q false from 0"]),
        ("q V p", "p . | pq", ["p false at 1"]),
        ("X q", "q | p", ["q false at 1"]),
        ("!(<> q)", "p q | p", ["q true at 1"]),
        ("![] p", "p | p", ["p true from 0"]),
        ("p && q", "q | q", ["p false at 0"]),
        ("p || q", ". | q", ["p false at 0", "q false at 0"]),
        ("p <-> q", "p | q", ["p <-> q false at 0"]),
        ("[] p && <> q", "p .", ["p false at 1"]),
        ("<> q && [] p", "p .", ["p false at 1"]),
        ("[] (p -> X q)", "p p", ["p true at 0", "q false at 1"]),
        ("[] p", "p p | p", []),
        ("<> q", "p p", []),
    ],
)
def test_grounds(text: str, letters: str, expected: list[str]) -> None:
    found = shown(grounds(formula(text), run(letters), ATOMS))
    if text == "[] (p -> <> q)":
        found = sorted(found)
        expected = sorted(expected)
    assert found == expected


FORMULAS = [
    "p U q", "q V p", "p W q", "[] (p -> <> q)", "<> [] p", "[] <> p -> [] <> q", "X (p || X q)", "!(p U q)",
    "!(p W q) || <> q", "[] (p -> X (q U !p))", "(p <-> X q) U (p && q)", "<> (p && X [] q)",
]  # fmt: skip


@given(st.sampled_from(FORMULAS), st.lists(st.integers(0, 3), min_size=1, max_size=7), st.data())
def test_there_are_grounds_exactly_where_the_formula_is_false(
    text: str, letters: list[int], data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(letters) - 1))
    lasso = Lasso(tuple(letters), start)
    for wanted in (formula(text), negation(formula(text))):
        found = grounds(wanted, ObservedRun(lasso.letters, start), ATOMS)
        assert bool(found) == (not holds(wanted, lasso, ATOMS))
        for ground in found:  # each of them is a fact
            at = (
                [*range(ground.position, len(letters)), *range(start, ground.position)]
                if ground.lasting
                else [ground.position]
            )
            for position in at:
                rest = Lasso(tuple(letters[position:]) + tuple(letters[start:]), len(letters) - position)
                assert holds(ground.formula, rest, ATOMS) == ground.truth


@given(st.sampled_from(FORMULAS), st.lists(st.integers(0, 3), min_size=1, max_size=5), st.data())
def test_a_beginning_has_grounds_only_if_no_continuation_is_right(
    text: str, letters: list[int], data: st.DataObject
) -> None:
    more = data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=4))
    whole = Lasso((*letters, *more), data.draw(st.integers(0, len(letters) + len(more) - 1)))
    for wanted in (formula(text), negation(formula(text))):
        if grounds(wanted, ObservedRun(tuple(letters), None), ATOMS):
            assert not holds(wanted, whole, ATOMS)
