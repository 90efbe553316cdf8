"""Computation tree logic: formulas over the atoms of a model.

Three path operators are enough (``EX``, ``EU``, ``EG``); the others are made from them. Paths are maximal: one that
ends in a state without a successor counts, and has no next state there.
"""

from __future__ import annotations

from dataclasses import dataclass


class StateFormula:
    """True or false in a state."""


@dataclass(frozen=True, slots=True)
class Truth(StateFormula):
    value: bool


@dataclass(frozen=True, slots=True)
class Atom(StateFormula):
    """An atom of the model, by its name."""

    name: str


@dataclass(frozen=True, slots=True)
class Not(StateFormula):
    operand: StateFormula


@dataclass(frozen=True, slots=True)
class And(StateFormula):
    operands: tuple[StateFormula, ...]


@dataclass(frozen=True, slots=True)
class Or(StateFormula):
    operands: tuple[StateFormula, ...]


@dataclass(frozen=True, slots=True)
class ExistsNext(StateFormula):
    operand: StateFormula


@dataclass(frozen=True, slots=True)
class ExistsUntil(StateFormula):
    """Some path stays in ``through`` until it is in ``reached``."""

    through: StateFormula
    reached: StateFormula


@dataclass(frozen=True, slots=True)
class ExistsGlobally(StateFormula):
    operand: StateFormula


TRUE = Truth(True)
FALSE = Truth(False)


def negation(operand: StateFormula) -> StateFormula:
    match operand:
        case Truth(value):
            return Truth(not value)
        case Not(inner):
            return inner
        case _:
            return Not(operand)


def exists_finally(operand: StateFormula) -> StateFormula:
    return ExistsUntil(TRUE, operand)


def always_next(operand: StateFormula) -> StateFormula:
    return negation(ExistsNext(negation(operand)))


def always_finally(operand: StateFormula) -> StateFormula:
    return negation(ExistsGlobally(negation(operand)))


def always_globally(operand: StateFormula) -> StateFormula:
    return negation(exists_finally(negation(operand)))


def always_until(through: StateFormula, reached: StateFormula) -> StateFormula:
    """No path avoids ``reached`` for ever, and none leaves ``through`` before it."""
    late = negation(reached)
    leaves = ExistsUntil(late, And((late, negation(through))))
    return And((negation(leaves), negation(ExistsGlobally(late))))


def atoms_of(formula: StateFormula) -> frozenset[str]:
    match formula:
        case Atom(name):
            return frozenset((name,))
        case Not(operand) | ExistsNext(operand) | ExistsGlobally(operand):
            return atoms_of(operand)
        case And(operands) | Or(operands):
            return frozenset().union(*(atoms_of(operand) for operand in operands))
        case ExistsUntil(through, reached):
            return atoms_of(through) | atoms_of(reached)
        case _:
            return frozenset()
