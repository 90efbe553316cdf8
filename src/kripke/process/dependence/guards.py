"""Conditions of guards taken apart: what each part reads, and for a test of one small variable, which values pass.

A guard that is a conjunction blocks because of one false part, so only what can make that part true is necessary.
Where a part is a test of one byte against something fixed, the values that pass tell more: a write of a passing value
cannot disable it, a write of another cannot enable it, and two tests without a common value are never true together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kripke.process.dependence.footprint import Footprint, Scalar, Setting
from kripke.process.dependence.objects import Objects
from kripke.process.evaluation import StepFailed, apply_binary
from kripke.process.expressions import (
    AskChannel,
    Binary,
    BinaryOperator,
    ChannelQuestion,
    Expression,
    Poll,
    Read,
    Unary,
    UnaryOperator,
)
from kripke.process.program import Scope


@dataclass(frozen=True, slots=True)
class Test:
    """One part of a condition. ``disabling``: the objects whose change may make it false, ``enabling``: true."""

    condition: Expression
    disabling: int
    enabling: int
    wild: bool = False
    scalar: Scalar | None = None
    #: bit v: the value v passes
    passing: int = 0

    def admits(self, values: frozenset[int]) -> bool:
        """Do all of these values pass?"""
        return all(value >= 0 and self.passing >> value & 1 for value in values)

    def admits_some(self, values: frozenset[int]) -> bool:
        return any(value >= 0 and self.passing >> value & 1 for value in values)


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
    small = _small(condition, setting)
    if small is not None and not found.wild:
        scalar, passing = small
        objects = Objects.bytes_at(*scalar)
        return Test(condition, objects, objects, scalar=scalar, passing=passing)
    disabling = found.reads
    match condition:
        case AskChannel(ChannelQuestion.NOT_EMPTY, channel) | Poll(channel, _, _):
            # While a message is there, only a receive changes the answer.
            disabling &= ~(setting.ends(channel).send & ~setting.ends(channel).receive)
        case AskChannel(ChannelQuestion.NOT_FULL, channel):
            disabling &= ~(setting.ends(channel).receive & ~setting.ends(channel).send)
        case _:
            pass
    return Test(condition, disabling, found.reads, found.wild)


def _small(condition: Expression, setting: Setting) -> tuple[Scalar, int] | None:
    """For a test of one unsigned byte of the global block against a fixed value: which values pass."""
    wanted = True
    while isinstance(condition, Unary) and condition.operator is UnaryOperator.NOT:
        wanted, condition = not wanted, condition.operand
    parts = _sides(condition, setting)
    if parts is None:
        return None
    read, passes = parts
    place = read.place
    if place.variable.scope is Scope.LOCAL or place.type.size != 1 or place.type.signed:
        return None
    _, scalar = setting.place(place)
    if scalar is None:
        return None
    try:
        values = [value for value in range(1 << place.type.bits) if passes(value) == wanted]
    except StepFailed:
        return None
    return scalar, sum(1 << value for value in values)


def _sides(condition: Expression, setting: Setting) -> tuple[Read, Callable[[int], bool]] | None:
    match condition:
        case Read():
            return condition, lambda value: value != 0
        case Binary(operator, Read() as read, other):
            fixed = setting.value(other)
            if fixed is not None:
                return read, lambda value: apply_binary(operator, value, fixed) != 0
        case Binary(operator, other, Read() as read):
            fixed = setting.value(other)
            if fixed is not None:
                return read, lambda value: apply_binary(operator, fixed, value) != 0
        case _:
            pass
    return None
