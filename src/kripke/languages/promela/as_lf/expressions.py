"""Expressions of a Promela model as those of LF: numbers are INTEGER, conditions BOOLEAN."""

from __future__ import annotations

from collections.abc import Callable

from kripke.languages.promela.as_lf.names import ArrayShape, Names, RecordShape, Refusals, scalar_type, shape_of
from kripke.process.expressions import (
    AskChannel,
    Binary,
    BinaryOperator,
    Bind,
    ChannelQuestion,
    Conditional,
    Constant,
    Expression,
    Ignore,
    IntType,
    Match,
    OwnPid,
    Place,
    Poll,
    Read,
    Unary,
    UnaryOperator,
)
from kripke.process.intervals import interval_of, interval_of_type
from kripke.process.passes.slice import can_fail

_RELATIONS = {
    BinaryOperator.LESS: "<",
    BinaryOperator.LESS_EQUAL: "<=",
    BinaryOperator.GREATER: ">",
    BinaryOperator.GREATER_EQUAL: ">=",
    BinaryOperator.EQUAL: "=",
    BinaryOperator.NOT_EQUAL: "#",
}
_SETS = {BinaryOperator.AND: "*", BinaryOperator.OR: "+", BinaryOperator.XOR: "/"}
_LOGIC = {BinaryOperator.LOGICAL_AND: "&", BinaryOperator.LOGICAL_OR: "OR"}
_WORDS = {
    "Timeout": "timeout",
    "ProcessCount": "_nr_pr",
    "AtLocation": "a label of another process",
    "RemoteRead": "a variable of another process",
    "CValue": "embedded C",
    "Enabled": "enabled()",
    "ProgramCounter": "pc_value()",
    "Priority": "get_priority()",
    "NoProgress": "np_",
    "ChannelIdentity": "a channel as a number",
    "ChannelElement": "a channel as a number",
}


class Expressions:
    """``me``: the parameter that holds the number of the process, where it has one. ``buffer``: the arrays of a
    buffered channel (length, one for each field), from the operand of a channel operation."""

    def __init__(
        self,
        names: Names,
        refusals: Refusals,
        me: str | None,
        buffer: Callable[[Expression], tuple[str, list[str], int]],
    ) -> None:
        self.names = names
        self.refusals = refusals
        self.me = me
        self.buffer = buffer

    # --- places -------------------------------------------------------------------------------------------------------

    def place(self, place: Place) -> str:
        variable = place.variable
        text, shape, offset = self.names.of(variable), shape_of(variable), place.offset
        indices = list(place.indices)
        while True:
            if isinstance(shape, ArrayShape):
                stride = shape.element.size
                if indices and (indices[0].stride, indices[0].count) == (stride, shape.count):
                    text += f"[{self.number(indices.pop(0).value)}]"
                else:
                    text += f"[{offset // stride}]"
                    offset %= stride
                shape = shape.element
            elif isinstance(shape, RecordShape):
                name, start, inner = next(one for one in reversed(shape.fields) if one[1] <= offset)
                text, shape, offset = f"{text}.{name}", inner, offset - start
            else:
                return text

    # --- numbers ------------------------------------------------------------------------------------------------------

    def number(self, expression: Expression) -> str:
        """Of type INTEGER, or a constant."""
        match expression:
            case Constant(value):
                return str(value) if value >= 0 else f"({value})"
            case Read(place):
                if place.variable.is_channel:
                    raise self.refusals.refuse("a channel cannot be compared or computed with")
                text = self.place(place)
                if place.type.name == "bool":
                    return f"ORD({text})"
                return text if scalar_type(place.type) == "INT32" else f"INTEGER({text})"
            case Unary(UnaryOperator.NEGATE, operand):
                return f"(-{self.number(operand)})"
            case Unary(UnaryOperator.COMPLEMENT, operand):
                return f"(-{self.number(operand)} - 1)"
            case Binary(operator, left, right) if operator not in _RELATIONS and operator not in _LOGIC:
                return self._arithmetic(operator, left, right)
            case Conditional(condition, then, otherwise):
                if can_fail(then) or can_fail(otherwise):
                    raise self.refusals.refuse("a conditional expression whose branches can fail")
                chosen = self.truth(condition)
                return f"(ORD({chosen}) * {self.number(then)} + ORD(~{chosen}) * {self.number(otherwise)})"
            case AskChannel(ChannelQuestion.LENGTH, channel):
                return f"INTEGER({self.buffer(channel)[0]})"
            case OwnPid():
                if self.me is None:
                    raise self.refusals.refuse("_pid of a process that is started by run")
                return self.me
            case Unary() | Binary() | AskChannel() | Poll():
                return f"ORD({self.truth(expression)})"
        raise self.refusals.refuse(f"LF has no {_WORDS.get(type(expression).__name__, type(expression).__name__)}")

    def _arithmetic(self, operator: BinaryOperator, left: Expression, right: Expression) -> str:
        a, b = self.number(left), self.number(right)
        match operator:
            case BinaryOperator.ADD | BinaryOperator.SUBTRACT | BinaryOperator.MULTIPLY:
                return f"({a} {operator.value} {b})"
            case BinaryOperator.AND | BinaryOperator.OR | BinaryOperator.XOR:
                return f"INTEGER(SET32({a}) {_SETS[operator]} SET32({b}))"
            case BinaryOperator.SHIFT_LEFT | BinaryOperator.SHIFT_RIGHT:
                if not isinstance(right, Constant) or not 0 <= right.value < 31:
                    raise self.refusals.refuse("a shift by a number that is not constant")
                return f"({a} {'*' if operator is BinaryOperator.SHIFT_LEFT else 'DIV'} {1 << right.value})"
        # Division of Promela cuts towards zero, that of LF rounds down: where something is negative they differ.
        if interval_of(right)[0] < 0:
            raise self.refusals.refuse(f"{operator.value} by a number that may be negative")
        if interval_of(left)[0] >= 0:
            return f"({a} {'DIV' if operator is BinaryOperator.DIVIDE else 'MOD'} {b})"
        rounded = f"ORD(({a} < 0) & ({a} MOD {b} # 0))"
        if operator is BinaryOperator.DIVIDE:
            return f"({a} DIV {b} + {rounded})"
        return f"({a} MOD {b} - {b} * {rounded})"

    # --- conditions ---------------------------------------------------------------------------------------------------

    def truth(self, expression: Expression) -> str:
        """Of type BOOLEAN."""
        match expression:
            case Constant(value):
                return "TRUE" if value else "FALSE"
            case Read(place) if place.type.name == "bool":
                return self.place(place)
            case Unary(UnaryOperator.NOT, operand):
                return f"(~{self.truth(operand)})"
            case Binary(operator, left, right) if operator in _LOGIC:
                return f"({self.truth(left)} {_LOGIC[operator]} {self.truth(right)})"
            case Binary(operator, left, right) if operator in _RELATIONS:
                a, b = self._compared(left, right)
                return f"({a} {_RELATIONS[operator]} {b})"
            case Conditional(condition, then, otherwise):
                chosen = self.truth(condition)
                return f"(({chosen} & {self.truth(then)}) OR ((~{chosen}) & {self.truth(otherwise)}))"
            case AskChannel(question, channel) if question is not ChannelQuestion.LENGTH:
                length, _, capacity = self.buffer(channel)
                return {
                    ChannelQuestion.EMPTY: f"({length} = 0)",
                    ChannelQuestion.NOT_EMPTY: f"({length} # 0)",
                    ChannelQuestion.FULL: f"({length} = {capacity})",
                    ChannelQuestion.NOT_FULL: f"({length} # {capacity})",
                }[question]
            case Poll(channel, patterns, anywhere):
                if anywhere:
                    raise self.refusals.refuse("?? looks at all messages of a buffer")
                return self.matches(channel, patterns)
        return f"({self.number(expression)} # 0)"

    def _compared(self, left: Expression, right: Expression) -> tuple[str, str]:
        """Both sides; variables of one type, and what they are compared with, need no cast."""
        for one, other in ((left, right), (right, left)):
            if not isinstance(one, Read) or one.place.type.name == "bool" or one.place.variable.is_channel:
                continue
            low, high = interval_of_type(one.place.type)
            constant = isinstance(other, Constant) and low <= other.value <= high
            alike = isinstance(other, Read) and scalar_type(other.place.type) == scalar_type(one.place.type)
            if constant or (alike and isinstance(other, Read) and not other.place.variable.is_channel):
                texts = [self.place(e.place) if isinstance(e, Read) else self.number(e) for e in (left, right)]
                return texts[0], texts[1]
        return self.number(left), self.number(right)

    def matches(self, channel: Expression, patterns: tuple[Match | Bind | Ignore, ...]) -> str:
        """Is there a first message, and is it such a one?"""
        length, fields, _ = self.buffer(channel)
        parts = [f"({length} # 0)"]
        for field, pattern in zip(fields, patterns, strict=False):
            if isinstance(pattern, Match):
                parts.append(f"(INTEGER({field}[0]) = {self.number(pattern.value)})")
        return parts[0] if len(parts) == 1 else "(" + " & ".join(parts) + ")"

    # --- values that fit ----------------------------------------------------------------------------------------------

    def fitted(self, expression: Expression, type_: IntType) -> str:
        """The value as a variable of this type takes it: its lowest bits."""
        if type_.name == "bool":
            low, high = interval_of(expression)
            return self.truth(expression) if low >= 0 and high <= 1 else f"ODD({self.number(expression)})"
        if isinstance(expression, Constant):
            return str(type_.wrap(expression.value))
        if isinstance(expression, Read) and expression.place.type == type_ and not expression.place.variable.is_channel:
            return self.place(expression.place)
        text, name = self.number(expression), scalar_type(type_)
        (low, high), (least, most) = interval_of(expression), interval_of_type(type_)
        if type_.bits != 8 * type_.size and not (least <= low and high <= most):
            if type_.signed or type_.bits > 30:
                raise self.refusals.refuse(f"a variable of {type_.bits} bits")
            text = f"{text} MOD {1 << type_.bits}"
        return text if name == "INT32" else f"{name}({text})"
