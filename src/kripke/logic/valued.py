"""Formulas of many-valued logic: atoms have values from 0 (false) to ``top`` (true), not only those two.

``and`` is the minimum, ``or`` the maximum, ``!a`` is top - a; ``f U g`` has the greatest value j such that g has it at
some position, and f before. Excluded middle does not hold: a formula is made with the functions here, which keep
negations at the atoms, and never with those of ``formula.py`` that know that p or not p is true. Chechik, Devereux,
Gurfinkel, *Model-checking infinite state-space systems with fine-grained abstractions using SPIN* (SPIN 2001).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Final, NamedTuple

from kripke.logic import formula as classical
from kripke.logic.formula import FALSE, TRUE, Formula, conjunction, disjunction, made

_DUAL: Final = {"and": "or", "or": "and", "X": "X", "F": "G", "G": "F", "U": "R", "R": "U", "W": "M", "M": "W"}

NAMES: Final[Mapping[int, Sequence[str]]] = {
    2: ("false", "true"),
    3: ("false", "maybe", "true"),
    5: ("false", "unlikely", "maybe", "likely", "true"),
}
"""What the values are called, by how many there are."""


class Literal(NamedTuple):
    """An atom with its value, or with the value of its negation."""

    atom: Hashable
    positive: bool


def atom(meaning: Hashable) -> Formula:
    return classical.atom(Literal(meaning, True))


def negation(formula: Formula) -> Formula:
    if formula is TRUE or formula is FALSE:
        return FALSE if formula is TRUE else TRUE
    if formula.operator == "atom":
        assert isinstance(formula.atom, Literal)
        return classical.atom(formula.atom._replace(positive=not formula.atom.positive))
    return made(_DUAL[formula.operator], [negation(operand) for operand in formula.operands])


def implication(left: Formula, right: Formula) -> Formula:
    return disjunction((negation(left), right))


def equivalence(left: Formula, right: Formula) -> Formula:
    return conjunction((implication(left, right), implication(right, left)))


def cut(
    formula: Formula,
    level: int,
    top: int,
    at_least: Callable[[Hashable, int], Formula],
    at_most: Callable[[Hashable, int], Formula],
) -> Formula:
    """The formula of ordinary logic that is true where this one has at least a value, made from conditions on atoms.

    ``!a`` has at least the value where a has at most its complement; both may be true at once.
    """
    meanings: dict[Hashable, Formula] = {}
    for literal in formula.atoms():
        assert isinstance(literal, Literal)
        meanings[literal] = at_least(literal.atom, level) if literal.positive else at_most(literal.atom, top - level)
    return classical.substituted(formula, meanings)


def value(formula: Formula, run: Sequence[Mapping[Hashable, int]], loop_start: int, top: int) -> int:
    """The value of a formula on a run that ends in a loop: the definition, position by position."""
    return _values(formula, run, loop_start, top)[0]


def _values(formula: Formula, run: Sequence[Mapping[Hashable, int]], loop_start: int, top: int) -> list[int]:
    after = [*range(1, len(run)), loop_start]
    parts = [_values(operand, run, loop_start, top) for operand in formula.operands]

    def fixed(start: int, step: Callable[[int, int], int]) -> list[int]:
        now = [start] * len(run)
        while True:
            then = [step(i, now[after[i]]) for i in range(len(run))]
            if then == now:
                return now
            now = then

    match formula.operator:
        case "true" | "false":
            return [top if formula is TRUE else 0] * len(run)
        case "atom":
            literal = formula.atom
            assert isinstance(literal, Literal)
            here = [max(0, min(top, position[literal.atom])) for position in run]
            return here if literal.positive else [top - number for number in here]
        case "and" | "or" as operator:
            return [min(column) if operator == "and" else max(column) for column in zip(*parts, strict=True)]
        case "X":
            return [parts[0][after[i]] for i in range(len(run))]
        case "F":
            return fixed(0, lambda i, later: max(parts[0][i], later))
        case "G":
            return fixed(top, lambda i, later: min(parts[0][i], later))
        case "U":
            return fixed(0, lambda i, later: max(parts[1][i], min(parts[0][i], later)))
        case "R":
            return fixed(top, lambda i, later: min(parts[1][i], max(parts[0][i], later)))
        case "W":
            return fixed(top, lambda i, later: max(parts[1][i], min(parts[0][i], later)))
        case "M":
            return fixed(0, lambda i, later: min(parts[1][i], max(parts[0][i], later)))
    raise ValueError(formula.operator)


def value_name(number: int, values: int) -> str:
    """``likely (3 of 0 to 4)``."""
    place = f"{number} of 0 to {values - 1}"
    return f"{NAMES[values][number]} ({place})" if values in NAMES else place
