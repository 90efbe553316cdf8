"""Branching time: computation tree logic and the modal mu-calculus, formulas over the atoms of a model.

Three path operators are enough (``EX``, ``EU``, ``EG``); the others are made from them. Paths are maximal: one that
ends in a state without a successor counts, and has no next state there. The mu-calculus (D. Kozen, Results on the
propositional mu-calculus, 1983) has fix-points instead, and steps that are told apart by their actions.
"""

from __future__ import annotations

from collections.abc import Iterator
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
class Same(StateFormula):
    """Both are true, or both are false."""

    left: StateFormula
    right: StateFormula


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


@dataclass(frozen=True, slots=True)
class ExistsStep(StateFormula):
    """Some step whose action is one of these (``others``: is none of these) leads to the operand."""

    actions: tuple[str, ...]
    others: bool
    operand: StateFormula


@dataclass(frozen=True, slots=True)
class Variable(StateFormula):
    """The set of states that the fix-point around it is about."""

    name: str


@dataclass(frozen=True, slots=True)
class FixPoint(StateFormula):
    """The least or greatest set that is what the body makes of it."""

    variable: str
    body: StateFormula
    greatest: bool


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


def exists_release(releasing: StateFormula, held: StateFormula) -> StateFormula:
    """On some path ``held`` up to and including the first state with ``releasing``, or for ever."""
    return negation(always_until(negation(releasing), negation(held)))


def always_release(releasing: StateFormula, held: StateFormula) -> StateFormula:
    return negation(ExistsUntil(negation(releasing), negation(held)))


def exists_weak_until(through: StateFormula, reached: StateFormula) -> StateFormula:
    return Or((ExistsUntil(through, reached), ExistsGlobally(through)))


def always_weak_until(through: StateFormula, reached: StateFormula) -> StateFormula:
    late = negation(reached)
    return negation(ExistsUntil(late, And((late, negation(through)))))


def parts_of(formula: StateFormula) -> tuple[StateFormula, ...]:
    """The formulas a formula is made of."""
    match formula:
        case Not(operand) | ExistsNext(operand) | ExistsGlobally(operand) | ExistsStep(_, _, operand):
            return (operand,)
        case And(operands) | Or(operands):
            return operands
        case ExistsUntil(one, other) | Same(one, other):
            return (one, other)
        case FixPoint(_, body):
            return (body,)
        case _:
            return ()


def walk(formula: StateFormula) -> Iterator[StateFormula]:
    """The formula and everything in it."""
    waiting = [formula]
    while waiting:
        part = waiting.pop()
        yield part
        waiting.extend(parts_of(part))


def atoms_of(formula: StateFormula) -> frozenset[str]:
    return frozenset(part.name for part in walk(formula) if isinstance(part, Atom))


def free_variables(formula: StateFormula) -> frozenset[str]:
    match formula:
        case Variable(name):
            return frozenset((name,))
        case FixPoint(variable, body):
            return free_variables(body) - {variable}
        case _:
            return frozenset().union(*map(free_variables, parts_of(formula)))


def is_monotone(formula: StateFormula, variable: str, positive: bool = True) -> bool:
    """Does the variable stand under an even number of negations only?"""
    match formula:
        case Variable(name):
            return name != variable or positive
        case Not(operand):
            return is_monotone(operand, variable, not positive)
        case FixPoint(bound, _) if bound == variable:
            return True
        case Same():
            return variable not in free_variables(formula)
        case _:
            return all(is_monotone(part, variable, positive) for part in parts_of(formula))
