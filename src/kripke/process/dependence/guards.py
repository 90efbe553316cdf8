"""Conditions of guards taken apart: what each part reads, and for a test of one variable, which values pass.

A guard that is a conjunction blocks because of one false part, so only what can make that part true is necessary.
Where a part compares one variable with something fixed, the values that pass tell more: a write of a passing value
cannot disable it, a write of another cannot enable it, and two tests without a common value are never true together.
"""

from __future__ import annotations

from dataclasses import dataclass

from kripke.process.dependence.footprint import Footprint, Scalar, Setting
from kripke.process.evaluation import StepFailed, apply_binary
from kripke.process.expressions import (
    AskChannel,
    Binary,
    BinaryOperator,
    ChannelQuestion,
    Constant,
    Expression,
    Place,
    Poll,
    Read,
    Unary,
    UnaryOperator,
)
from kripke.process.program import MAX_CAPACITY


@dataclass(frozen=True, slots=True)
class Test:
    """One part of a condition. ``disabling``: the objects whose change may make it false, ``enabling``: true."""

    condition: Expression
    disabling: int
    enabling: int
    wild: bool = False
    scalar: Scalar | None = None
    #: what is tested, and the values that pass, as spans from the least to the largest
    place: Place | None = None
    passing: tuple[tuple[int, int], ...] = ()
    filling: Filling | None = None

    def admits(self, values: frozenset[int]) -> bool:
        """Do all of these values pass?"""
        return all(self._passes(value) for value in values)

    def admits_some(self, values: frozenset[int]) -> bool:
        return any(self._passes(value) for value in values)

    def _passes(self, value: int) -> bool:
        return any(least <= value <= largest for least, largest in self.passing)

    def excludes(self, other: Test) -> bool:
        """Two tests of the same variable: is there no value that passes both?"""
        return not any(
            max(mine[0], theirs[0]) <= min(mine[1], theirs[1]) for mine in self.passing for theirs in other.passing
        )


def conjuncts(condition: Expression) -> list[Expression]:
    """The parts that must all be true."""
    match condition:
        case Binary(BinaryOperator.LOGICAL_AND, left, right):
            return conjuncts(left) + conjuncts(right)
        case Unary(UnaryOperator.NOT, Binary(BinaryOperator.LOGICAL_OR, left, right)):
            return conjuncts(Unary(UnaryOperator.NOT, left)) + conjuncts(Unary(UnaryOperator.NOT, right))
        case Unary(UnaryOperator.NOT, Unary(UnaryOperator.NOT, inner)):
            return conjuncts(inner)
        case _:
            return [condition]


def test_of(condition: Expression, setting: Setting) -> Test:
    """One part of a guard in a configuration."""
    found = Footprint()
    setting.read(condition, found)
    place, passing = _comparison(condition, setting) or (None, ())
    if place is not None and not found.wild:
        objects, scalar = setting.place(place)
        if scalar is not None and not found.reads & ~objects & ~setting.settled:  # nor does its subscript change
            return Test(condition, objects, objects, scalar=scalar, place=place, passing=passing)
    disabling = found.reads
    filling = filling_of(condition, setting)
    match condition:
        case AskChannel(ChannelQuestion.NOT_EMPTY, channel) | Poll(channel, _, _):
            # While a message is there, only a receive changes the answer.
            disabling &= ~(setting.ends(channel).send & ~setting.ends(channel).receive)
        case AskChannel(ChannelQuestion.NOT_FULL, channel):
            disabling &= ~(setting.ends(channel).receive & ~setting.ends(channel).send)
        case _ if filling is not None:
            disabling &= ~filling.harmless
        case _:
            pass
    return Test(condition, disabling, found.reads, found.wild, place=place, passing=passing, filling=filling)


@dataclass(frozen=True, slots=True)
class Filling:
    """A condition about the number of messages in a channel: from the least to the largest that pass.

    ``harmless``: the end of the channel at which nothing can make it false.
    """

    identity: int
    least: int
    largest: int
    harmless: int = 0

    def excludes(self, other: Filling) -> bool:
        """Are the two never true together?"""
        return self.identity == other.identity and (self.largest < other.least or other.largest < self.least)


def filling_of(condition: Expression, setting: Setting) -> Filling | None:
    """For a test of the number of messages in one known buffer against a constant: which numbers pass."""
    match condition:
        case AskChannel(ChannelQuestion.NOT_EMPTY, channel):
            channel, operator, fixed = channel, BinaryOperator.GREATER, 0
        case AskChannel(ChannelQuestion.EMPTY, channel):
            channel, operator, fixed = channel, BinaryOperator.EQUAL, 0
        case Binary(operator, AskChannel(ChannelQuestion.LENGTH, channel), Constant(fixed)):
            pass
        case Binary(operator, Constant(fixed), AskChannel(ChannelQuestion.LENGTH, channel)) if operator in _MIRRORED:
            operator = _MIRRORED[operator]
        case _:
            return None
    ends = setting.ends(channel)
    if ends.identity is None or ends.may_meet:
        return None
    match operator:
        case BinaryOperator.LESS:
            least, largest = 0, fixed - 1
        case BinaryOperator.LESS_EQUAL:
            least, largest = 0, fixed
        case BinaryOperator.GREATER:
            least, largest = fixed + 1, MAX_CAPACITY
        case BinaryOperator.GREATER_EQUAL:
            least, largest = fixed, MAX_CAPACITY
        case BinaryOperator.EQUAL:
            least, largest = fixed, fixed
        case _:
            return None
    send, receive = ends.send & ~ends.receive, ends.receive & ~ends.send
    return Filling(
        ends.identity, least, largest, (receive if least <= 0 else 0) | (send if largest == MAX_CAPACITY else 0)
    )


_MIRRORED = {
    BinaryOperator.LESS: BinaryOperator.GREATER,
    BinaryOperator.LESS_EQUAL: BinaryOperator.GREATER_EQUAL,
    BinaryOperator.GREATER: BinaryOperator.LESS,
    BinaryOperator.GREATER_EQUAL: BinaryOperator.LESS_EQUAL,
    BinaryOperator.EQUAL: BinaryOperator.EQUAL,
    BinaryOperator.NOT_EQUAL: BinaryOperator.NOT_EQUAL,
}
#: values of variables of no more bits than this are tried one by one
_FEW_BITS = 8


def _comparison(condition: Expression, setting: Setting) -> tuple[Place, tuple[tuple[int, int], ...]] | None:
    """For a test of one variable against a fixed value: which values pass."""
    wanted = True
    while isinstance(condition, Unary) and condition.operator is UnaryOperator.NOT:
        wanted, condition = not wanted, condition.operand
    sides = _sides(condition, setting)
    if sides is None:
        return None
    read, operator, fixed = sides
    kept = read.place.type
    least = -(1 << kept.bits - 1) if kept.signed else 0
    largest = least + (1 << kept.bits) - 1
    if operator in _MIRRORED:  # below the fixed value, or beyond it, all pass or none
        spans = ((least, fixed - 1), (fixed, fixed), (fixed + 1, largest))
        candidates = [(max(low, least), min(high, largest)) for low, high in spans]
    elif kept.bits <= _FEW_BITS:
        candidates = [(value, value) for value in range(least, largest + 1)]
    else:
        return None
    try:
        passing = [
            (low, high)
            for low, high in candidates
            if low <= high and (apply_binary(operator, low, fixed) != 0) == wanted
        ]
    except StepFailed:
        return None
    return read.place, tuple(passing)


def _sides(condition: Expression, setting: Setting) -> tuple[Read, BinaryOperator, int] | None:
    """What is compared, how, and with what."""
    match condition:
        case Read():
            return condition, BinaryOperator.NOT_EQUAL, 0
        case Binary(operator, Read() as read, other) if (fixed := setting.constant(other)) is not None:
            return read, operator, fixed
        case Binary(operator, other, Read() as read) if (
            operator in _MIRRORED and (fixed := setting.constant(other)) is not None
        ):
            return read, _MIRRORED[operator], fixed
        case _:
            return None
