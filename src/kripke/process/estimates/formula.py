"""How many steps it is until a formula holds, or until it does not: H_f and its dual, by the structure of the formula.

The table of the paper (section 5.2), with ``len`` for the messages in a queue and D for local distance tables:

    f            until it holds              until it does not
    true         0                           never
    not g        until g does not            until g holds
    g or h       min                         sum (bound: max)
    g and h      sum (bound: max)            min
    full(q)      capacity - len              full ? 1 : 0
    empty(q)     len                         empty ? 1 : 0
    q?[t]        messages before the first t q?[t] ? 1 : 0
    a < b        holds ? 0 : 1, or b's distance where a is counted in single steps
    i@s          D_i(where i is, s)          i@s ? 1 : 0

A bound takes the longer of two ways instead of both, and lengths and differences only where no step can change them by
more than one.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from kripke.model.capabilities.estimate import UNREACHABLE, Combine
from kripke.process.estimates.control_flow import distances_to
from kripke.process.estimates.distance import Combined, Distance, Fixed, LocalDistance, Position, Value, combined
from kripke.process.estimates.unit_steps import UnitSteps
from kripke.process.expressions import (
    AskChannel,
    AtLocation,
    Binary,
    BinaryOperator,
    ChannelElement,
    ChannelIdentity,
    ChannelQuestion,
    Conditional,
    Constant,
    Expression,
    IntType,
    Poll,
    Read,
    Timeout,
    Unary,
    UnaryOperator,
)
from kripke.process.intervals import interval_of_type
from kripke.process.nodes import nodes_of
from kripke.process.program import ProcessType

_OPPOSITE = {
    BinaryOperator.LESS: BinaryOperator.GREATER_EQUAL,
    BinaryOperator.LESS_EQUAL: BinaryOperator.GREATER,
    BinaryOperator.GREATER: BinaryOperator.LESS_EQUAL,
    BinaryOperator.GREATER_EQUAL: BinaryOperator.LESS,
    BinaryOperator.EQUAL: BinaryOperator.NOT_EQUAL,
    BinaryOperator.NOT_EQUAL: BinaryOperator.EQUAL,
}
_MIRRORED = {
    BinaryOperator.LESS: BinaryOperator.GREATER,
    BinaryOperator.LESS_EQUAL: BinaryOperator.GREATER_EQUAL,
    BinaryOperator.GREATER: BinaryOperator.LESS,
    BinaryOperator.GREATER_EQUAL: BinaryOperator.LESS_EQUAL,
    BinaryOperator.EQUAL: BinaryOperator.EQUAL,
    BinaryOperator.NOT_EQUAL: BinaryOperator.NOT_EQUAL,
}


class FormulaDistance:
    """``created``: processes of these types appear in the course of a run. ``bounding``: the estimate is never more
    than the steps that are needed."""

    def __init__(self, units: UnitSteps, created: AbstractSet[ProcessType], *, bounding: bool) -> None:
        self.units = units
        self.created = created
        self.bounding = bounding
        self.both: Combine = "max" if bounding else "sum"

    def until_true(self, formula: Expression) -> Distance:
        return self._until(formula, wanted=True)

    def until_false(self, formula: Expression) -> Distance:
        return self._until(formula, wanted=False)

    def _until(self, formula: Expression, *, wanted: bool) -> Distance:
        if any(isinstance(node, Timeout) for node in nodes_of(formula)):
            return Fixed(0)  # it is about what can happen, not about the state
        match formula:
            case Constant(value):
                return Fixed(0 if bool(value) is wanted else UNREACHABLE)
            case Unary(UnaryOperator.NOT, operand):
                return self._until(operand, wanted=not wanted)
            case Binary(BinaryOperator.LOGICAL_AND | BinaryOperator.LOGICAL_OR as operator, left, right):
                both = (operator is BinaryOperator.LOGICAL_AND) is wanted
                parts = [self._until(left, wanted=wanted), self._until(right, wanted=wanted)]
                return combined(self.both if both else "min", parts)
            case Binary(operator, left, right) if operator in _OPPOSITE:
                return self._until_related(operator if wanted else _OPPOSITE[operator], left, right)
            case Conditional(condition, then, otherwise):
                branches = [
                    combined(self.both, [self._until(condition, wanted=chosen), self._until(branch, wanted=wanted)])
                    for chosen, branch in ((True, then), (False, otherwise))
                ]
                return combined("min", branches)
            case AskChannel(question, channel):
                return self._until_asked(formula, question, channel, wanted=wanted)
            case Poll(channel, _, _) if wanted:
                counts = self._counts(channel) and not (self.bounding and self.units.sorts)
                return Position(formula) if counts else _truth(formula, wanted=True)
            case AtLocation(process, pid, locations) if wanted:
                # One that does not exist yet must be created.
                table = distances_to(process, frozenset(locations), begins_again=process in self.created)
                return LocalDistance(process, pid, table, 1)
        return _truth(formula, wanted=wanted)

    def _until_asked(
        self, formula: AskChannel, question: ChannelQuestion, channel: Expression, *, wanted: bool
    ) -> Distance:
        match question:
            case ChannelQuestion.LENGTH:
                question = ChannelQuestion.NOT_EMPTY
            case ChannelQuestion.NOT_EMPTY | ChannelQuestion.EMPTY | ChannelQuestion.FULL | ChannelQuestion.NOT_FULL:
                pass
        empty = (question is ChannelQuestion.EMPTY and wanted) or (question is ChannelQuestion.NOT_EMPTY and not wanted)
        full = (question is ChannelQuestion.FULL and wanted) or (question is ChannelQuestion.NOT_FULL and not wanted)
        if empty and self._counts(channel):
            return Value(AskChannel(ChannelQuestion.LENGTH, channel))
        if full and self._counts(channel) and (capacity := capacity_of(channel)):
            length = AskChannel(ChannelQuestion.LENGTH, channel)
            return Value(Binary(BinaryOperator.SUBTRACT, Constant(capacity), length))
        return _truth(formula, wanted=wanted)

    def _counts(self, channel: Expression) -> bool:
        """Is the number of messages a number of steps?"""
        if not self.bounding:
            return capacity_of(channel) != 0
        return self.units.channels and self.units.is_settled(channel) and bool(capacity_of(channel))

    def _until_related(self, operator: BinaryOperator, left: Expression, right: Expression) -> Distance:
        if isinstance(left, Constant):
            operator, left, right = _MIRRORED[operator], right, left
        related = _truth(Binary(operator, left, right), wanted=True)
        if not isinstance(right, Constant) or not isinstance(left, Read):
            return related
        if not self.units.is_counter(left):
            return related
        type_ = left.place.type
        match operator:
            case BinaryOperator.LESS:
                return _until_below(left, right.value, type_)
            case BinaryOperator.LESS_EQUAL:
                return _until_below(left, right.value + 1, type_)
            case BinaryOperator.GREATER:
                return _until_above(left, right.value + 1, type_)
            case BinaryOperator.GREATER_EQUAL:
                return _until_above(left, right.value, type_)
            case BinaryOperator.EQUAL:
                # From either side, or round the end of the type.
                below = _until_below(left, right.value + 1, type_)
                above = _until_above(left, right.value, type_)
                return Combined("max", (below, above))
        return related


def _truth(formula: Expression, *, wanted: bool) -> Value:
    """One step where it is not so, none where it is."""
    return Value(Conditional(formula, Constant(int(not wanted)), Constant(int(wanted))))


def _until_below(counter: Expression, limit: int, type_: IntType) -> Distance:
    """Steps until ``counter < limit``: down to there, or up over the last value of its type."""
    _, last = interval_of_type(type_)
    down = Value(_sum(counter, 1 - limit))
    over = Value(Binary(BinaryOperator.SUBTRACT, Constant(last), _sum(counter, -1)))
    return _unless(Binary(BinaryOperator.LESS, counter, Constant(limit)), [down, over], type_)


def _until_above(counter: Expression, limit: int, type_: IntType) -> Distance:
    """Steps until ``counter >= limit``."""
    first, _ = interval_of_type(type_)
    up = Value(Binary(BinaryOperator.SUBTRACT, Constant(limit), counter))
    under = Value(_sum(counter, 1 - first))
    return _unless(Binary(BinaryOperator.GREATER_EQUAL, counter, Constant(limit)), [up, under], type_)


def _unless(holds: Expression, ways: list[Distance], type_: IntType) -> Distance:
    """No step where it holds; else the shorter way, of which an integer has only the first."""
    if type_.bits >= 32:
        return ways[0]
    # Nothing is negative: where it holds, the first way is 0.
    return Combined("min", tuple(ways))


def _sum(expression: Expression, constant: int) -> Expression:
    return Binary(BinaryOperator.ADD, expression, Constant(constant)) if constant else expression


def capacity_of(channel: Expression) -> int | None:
    """None: nobody knows."""
    match channel:
        case ChannelIdentity(one):
            return one.capacity
        case ChannelElement(channels, _):
            return channels[0].capacity
        case _:
            return None
