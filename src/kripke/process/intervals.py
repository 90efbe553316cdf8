"""Bounds on the value of an expression, so that no check is emitted where nothing can go wrong."""

from __future__ import annotations

from kripke.process.expressions import (
    CHECKS,
    Accepting,
    AskChannel,
    AtLocation,
    Binary,
    BinaryOperator,
    ChannelQuestion,
    Conditional,
    Constant,
    Enabled,
    Expression,
    IntType,
    NoProgress,
    OwnPid,
    Poll,
    Priority,
    ProcessCount,
    Read,
    RemoteRead,
    Timeout,
    Unary,
    UnaryOperator,
)
from kripke.process.program import MAX_CAPACITY, MAX_PROCESSES

Interval = tuple[int, int]

ANY: Interval = (-(2**31), 2**31 - 1)
_TRUTH: Interval = (0, 1)
_COMPARISONS = {
    BinaryOperator.LESS,
    BinaryOperator.LESS_EQUAL,
    BinaryOperator.GREATER,
    BinaryOperator.GREATER_EQUAL,
    BinaryOperator.EQUAL,
    BinaryOperator.NOT_EQUAL,
    BinaryOperator.LOGICAL_AND,
    BinaryOperator.LOGICAL_OR,
}


def fits(interval: Interval) -> bool:
    """Does the interval lie inside 32-bit signed integers?"""
    return ANY[0] <= interval[0] and interval[1] <= ANY[1]


def interval_of(expression: Expression) -> Interval:
    """The least and the greatest value the expression can have, or more."""
    match expression:
        case Constant(value):
            return (value, value) if fits((value, value)) else ANY
        case Read(place) | RemoteRead(_, _, place):
            return interval_of_type(place.type)
        case Unary(operator, operand):
            return _unary(operator, interval_of(operand))
        case Binary(operator, left, right):
            return _TRUTH if operator in _COMPARISONS else _binary(operator, interval_of(left), interval_of(right))
        case Conditional(_, then, otherwise):
            a, b = interval_of(then), interval_of(otherwise)
            return min(a[0], b[0]), max(a[1], b[1])
        case AskChannel(question, _):
            return (0, MAX_CAPACITY) if question is ChannelQuestion.LENGTH else _TRUTH
        case Poll() | Timeout() | AtLocation() | Enabled() | NoProgress() | Accepting():
            return _TRUTH
        case OwnPid():
            return 0, MAX_PROCESSES - 1
        case Priority():
            return 0, 255
        case ProcessCount():
            return 0, MAX_PROCESSES
        case _:
            return ANY


def interval_of_type(type_: IntType) -> Interval:
    if type_.bits >= 32:
        return ANY
    if type_.signed:
        return -(1 << (type_.bits - 1)), (1 << (type_.bits - 1)) - 1
    return 0, (1 << type_.bits) - 1


def arithmetic_interval(operator: BinaryOperator, a: Interval, b: Interval) -> Interval | None:
    """The exact bounds of a sum, difference or product, not cut to 32 bits; None for other operators."""
    match operator:
        case BinaryOperator.ADD:
            return a[0] + b[0], a[1] + b[1]
        case BinaryOperator.SUBTRACT:
            return a[0] - b[1], a[1] - b[0]
        case BinaryOperator.MULTIPLY:
            corners = [x * y for x in a for y in b]
            return min(corners), max(corners)
        case _:
            return None


def _unary(operator: UnaryOperator, a: Interval) -> Interval:
    match operator:
        case UnaryOperator.NOT:
            return _TRUTH
        case UnaryOperator.COMPLEMENT:
            return ~a[1], ~a[0]
        case UnaryOperator.NEGATE:
            negated = (-a[1], -a[0])
            return negated if fits(negated) else ANY


def _binary(operator: BinaryOperator, a: Interval, b: Interval) -> Interval:
    if operator in CHECKS:
        return b
    exact = arithmetic_interval(operator, a, b)
    if exact is not None:
        return exact if fits(exact) else ANY
    constant = b[0] if b[0] == b[1] else None
    if operator is BinaryOperator.REMAINDER and constant:
        largest = abs(constant) - 1
        return (0 if a[0] >= 0 else -largest), (0 if a[1] <= 0 else min(largest, max(a[1], 0)))
    if operator is BinaryOperator.DIVIDE and constant is not None and constant > 0 and a[0] >= 0:
        return a[0] // constant, a[1] // constant
    if operator is BinaryOperator.AND and (a[0] >= 0 or b[0] >= 0):
        return 0, min(x[1] for x in (a, b) if x[0] >= 0)
    if operator is BinaryOperator.SHIFT_RIGHT and a[0] >= 0:
        return 0, a[1]
    return ANY
