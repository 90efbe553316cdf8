"""Predicates on markings: linear comparisons, enabledness, and what is made of them with and, or, not.

The same tree is evaluated by the interpreter, emitted as C, and read by structural analysis; hence the normal form of
comparisons, a sum of places against zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from kripke.nets.place_transition import MOST_TOKENS, PlaceTransitionNet

#: Sums stay below this, so that compiled predicates cannot overflow.
LARGEST_SUM = 1 << 62


class Predicate:
    """A boolean function of the marking."""


@dataclass(frozen=True, slots=True)
class Constant(Predicate):
    value: bool


TRUE = Constant(True)
FALSE = Constant(False)


@dataclass(frozen=True, slots=True)
class AtLeastZero(Predicate):
    """``sum of coefficient * tokens + constant >= 0``; terms are sorted by place, coefficients are not zero."""

    terms: tuple[tuple[int, int], ...]
    constant: int


@dataclass(frozen=True, slots=True)
class Fireable(Predicate):
    """One of these transitions is enabled."""

    transitions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Not(Predicate):
    operand: Predicate


@dataclass(frozen=True, slots=True)
class And(Predicate):
    operands: tuple[Predicate, ...]
    word: ClassVar[str] = "and"


@dataclass(frozen=True, slots=True)
class Or(Predicate):
    operands: tuple[Predicate, ...]
    word: ClassVar[str] = "or"


class TooLarge(Exception):
    """A sum that could overflow a machine word."""


class Linear:
    """A sum of places with coefficients and a constant, while an expression is being read."""

    __slots__ = ("constant", "terms")

    def __init__(self, terms: Mapping[int, int] | None = None, constant: int = 0) -> None:
        self.terms = dict(terms or {})
        self.constant = constant

    @classmethod
    def tokens(cls, places: Sequence[int]) -> Linear:
        """All tokens on some places; one named twice counts twice."""
        sum_ = cls()
        for place in places:
            sum_.terms[place] = sum_.terms.get(place, 0) + 1
        return sum_

    def plus(self, other: Linear, factor: int = 1) -> Linear:
        sum_ = Linear(self.terms, self.constant + factor * other.constant)
        for place, coefficient in other.terms.items():
            sum_.terms[place] = sum_.terms.get(place, 0) + factor * coefficient
        return sum_

    def at_least_zero(self) -> Predicate:
        terms = tuple((place, self.terms[place]) for place in sorted(self.terms) if self.terms[place])
        if not terms:
            return Constant(self.constant >= 0)
        if sum(abs(coefficient) for _, coefficient in terms) * MOST_TOKENS + abs(self.constant) >= LARGEST_SUM:
            raise TooLarge
        return AtLeastZero(terms, self.constant)


def compare(left: Linear, operator: str, right: Linear) -> Predicate:
    """``left operator right`` in normal form. TooLarge where the numbers are."""
    difference = right.plus(left, -1)
    match operator:
        case "<=":
            return difference.at_least_zero()
        case "<":
            return difference.plus(Linear(constant=-1)).at_least_zero()
        case ">=" | ">":
            return compare(right, "<=" if operator == ">=" else "<", left)
        case "==" | "=":
            return conjunction((compare(left, "<=", right), compare(right, "<=", left)))
        case "!=":
            return negation(compare(left, "==", right))
        case _:
            raise ValueError(operator)


def negation(predicate: Predicate) -> Predicate:
    match predicate:
        case Constant(value):
            return Constant(not value)
        case Not(operand):
            return operand
        case AtLeastZero(terms, constant):
            return AtLeastZero(tuple((place, -coefficient) for place, coefficient in terms), -constant - 1)
        case _:
            return Not(predicate)


def conjunction(operands: Sequence[Predicate]) -> Predicate:
    kept = [operand for operand in operands if operand != TRUE]
    if FALSE in kept:
        return FALSE
    return kept[0] if len(kept) == 1 else And(tuple(kept)) if kept else TRUE


def disjunction(operands: Sequence[Predicate]) -> Predicate:
    kept = [operand for operand in operands if operand != FALSE]
    if TRUE in kept:
        return TRUE
    return kept[0] if len(kept) == 1 else Or(tuple(kept)) if kept else FALSE


def length(predicate: Predicate) -> int:
    """The number of parts, those that occur twice counted twice."""
    match predicate:
        case And(operands) | Or(operands):
            return 1 + sum(map(length, operands))
        case Not(operand):
            return 1 + length(operand)
        case _:
            return 1


def enabled(net: PlaceTransitionNet, transition: int, tokens: Sequence[int]) -> bool:
    return all(tokens[place] >= weight for place, weight in net.transitions[transition].preset)


def holds(predicate: Predicate, net: PlaceTransitionNet, tokens: Sequence[int]) -> bool:
    """The truth of a predicate in a marking."""
    match predicate:
        case Constant(value):
            return value
        case AtLeastZero(terms, constant):
            return sum(coefficient * tokens[place] for place, coefficient in terms) + constant >= 0
        case Fireable(transitions):
            return any(enabled(net, transition, tokens) for transition in transitions)
        case Not(operand):
            return not holds(operand, net, tokens)
        case And(operands):
            return all(holds(operand, net, tokens) for operand in operands)
        case Or(operands):
            return any(holds(operand, net, tokens) for operand in operands)
        case _:
            raise TypeError(predicate)


def places_of(predicate: Predicate, net: PlaceTransitionNet) -> frozenset[int]:
    """The places whose tokens decide a predicate."""
    match predicate:
        case AtLeastZero(terms, _):
            return frozenset(place for place, _ in terms)
        case Fireable(transitions):
            return frozenset(arc.place for transition in transitions for arc in net.transitions[transition].preset)
        case Not(operand):
            return places_of(operand, net)
        case And(operands) | Or(operands):
            return frozenset().union(*(places_of(operand, net) for operand in operands))
        case _:
            return frozenset()


def before(predicate: Predicate, net: PlaceTransitionNet, transition: int) -> Predicate:
    """What must hold for the predicate to hold after a transition that is enabled has fired."""
    match predicate:
        case AtLeastZero(terms, constant):
            changes = dict(net.transitions[transition].changes)
            return AtLeastZero(terms, constant + sum(factor * changes.get(place, 0) for place, factor in terms))
        case Fireable(transitions):
            presets = (net.transitions[number].preset for number in transitions)
            return disjunction(
                [
                    conjunction(
                        [before(AtLeastZero(((place, 1),), -weight), net, transition) for place, weight in preset]
                    )
                    for preset in presets
                ]
            )
        case Not(operand):
            return negation(before(operand, net, transition))
        case And(operands):
            return conjunction([before(operand, net, transition) for operand in operands])
        case Or(operands):
            return disjunction([before(operand, net, transition) for operand in operands])
        case _:
            return predicate
