"""Expressions and places of action programs as C.

Where something fails, a function of the run-time part notes it in ``w->failed`` and gives some harmless value; whoever
uses the result looks at it first. ``w`` is the memory, ``s`` the state in it, ``self`` the process, ``f`` its record.
"""

from __future__ import annotations

from kripke.actions.program import INT32, Base, Cast, Constant, Expression, InRange, Load, Operation, Place, Scalar

_BINARY = {
    "=": "==",
    "#": "!=",
    "<": "<",
    "<=": "<=",
    ">": ">",
    ">=": ">=",
    "and": "&&",
    "or": "||",
    "union": "|",
    "intersection": "&",
    "difference": "^",
}


def number(value: int) -> str:
    return str(value) if abs(value) < 1 << 31 else f"INT64_C({value})"


def kind(type_: Scalar) -> str:
    """What tells how a scalar lies in memory: i8, u32, ..."""
    return f"{'i' if type_.signed else 'u'}{8 * type_.size}"


def can_fail(expression: Expression) -> bool:
    match expression:
        case Constant():
            return False
        case Load(place, _):
            return place_can_fail(place)
        case Cast(operand, _):
            return can_fail(operand)
        case InRange(operand, type_):
            return can_fail(operand) or not is_within(operand, type_.low, type_.high)
        case Operation(operator, operands, type_):
            if operator in ("element", "elements"):
                return True
            if operator in ("DIV", "MOD") and not is_within(operands[1], 1, INT32.high):
                return True
            if operator in _CHECKED and not _keeps_range(expression):
                return True
            return any(can_fail(one) for one in operands)


def place_can_fail(place: Place) -> bool:
    return any(can_fail(step.index) or not is_within(step.index, 0, step.length - 1) for step in place.indexing)


_TRUTHS = ("=", "#", "<", "<=", ">", ">=", "and", "or", "not", "in", "odd")
#: results that must be in the range of their type
_CHECKED = ("+", "-", "*", "DIV", "MOD", "negate", "abs")


def is_within(expression: Expression, low: int, high: int) -> bool:
    """Can it be seen from the types that a value is from ``low`` to ``high``?"""
    least, most = bounds(expression)
    return low <= least and most <= high


def bounds(expression: Expression) -> tuple[int, int]:
    """Between these a value lies, unless its evaluation fails."""
    match expression:
        case Constant(value):
            return value, value
        case Load(_, type_) | Cast(_, type_):
            return type_.low, type_.high
        case InRange(operand, type_):
            least, most = bounds(operand)
            return max(least, type_.low), min(most, type_.high)
        case Operation(operator, operands, type_):
            least, most = _result(operator, operands, type_)
            return (max(least, type_.low), min(most, type_.high)) if operator in _CHECKED else (least, most)


def _keeps_range(operation: Operation) -> bool:
    least, most = _result(operation.operator, operation.operands, operation.type)
    return operation.type.low <= least and most <= operation.type.high


def _result(operator: str, operands: tuple[Expression, ...], type_: Scalar) -> tuple[int, int]:
    """Bounds of a result before it is checked."""
    if operator in _TRUTHS:
        return 0, 1
    parts = [bounds(one) for one in operands]
    match operator, parts:
        case "+", [(a, b), (c, d)]:
            return a + c, b + d
        case "-", [(a, b), (c, d)]:
            return a - d, b - c
        case "*", [(a, b), (c, d)]:
            corners = (a * c, a * d, b * c, b * d)
            return min(corners), max(corners)
        case "MOD", [_, (c, d)] if c > 0:
            return 0, d - 1
        case "DIV", [(a, b), (c, _)] if c > 0:
            return min(a, 0), max(b, 0)
        case "negate", [(a, b)]:
            return -b, -a
        case "abs", [(a, b)]:
            return 0, max(abs(a), abs(b))
        case (("DIV" | "MOD"), _):
            return INT32.low - 1, INT32.high + 1
        case "complement", _:
            return 0, type_.high
    return 0, (1 << 32) - 1  # sets


def record(base: Base) -> str:
    """The record in which something lies."""
    assert base.hops is not None
    return "f" if base.hops == 0 else f"outer(w, f, {base.hops})"


def address(place: Place) -> str:
    base = place.base
    if base.hops is None:
        text = f"s + {base.offset + place.offset}"
    elif base.reference:
        text = f"referred(w, {record(base)} + {base.offset}) + {place.offset}"
    else:
        text = f"{record(base)} + {base.offset + place.offset}"
    for step in place.indexing:
        index = value(step.index)
        if not is_within(step.index, 0, step.length - 1):
            index = f"checked_index(w, {index}, {step.length})"
        text += f" + {index} * {step.stride}"
    return f"({text})"


def value(expression: Expression) -> str:
    """An expression of type int64_t."""
    match expression:
        case Constant(constant):
            return number(constant)
        case Load(place, type_):
            return f"get_{kind(type_)}({address(place)})"
        case Cast(operand, type_):
            inner = value(operand)
            if type_.kind == "boolean":
                return f"({inner} != 0)"
            return f"(int64_t)({'u' if not type_.signed else ''}int{8 * type_.size}_t)({inner})"
        case InRange(operand, type_) if is_within(operand, type_.low, type_.high):
            return value(operand)
        case InRange(operand, type_):
            failure = "INDEX" if type_.name == "index" else "RANGE"
            return f"in_range(w, {value(operand)}, {number(type_.low)}, {number(type_.high)}, {failure})"
        case Operation("DIV" | "MOD" as operator, operands, _) if is_within(operands[1], 1, INT32.high):
            divided = f"{'divided' if operator == 'DIV' else 'modulo'}_by"
            return _checked(expression, f"{divided}({value(operands[0])}, {value(operands[1])})")
        case Operation(operator, operands, type_):
            return _operation(expression, [value(one) for one in operands])


def _checked(operation: Operation, text: str) -> str:
    """A result that must be in the range of its type."""
    type_ = operation.type
    if _keeps_range(operation):
        return f"({text})"
    return f"in_range(w, {text}, {number(type_.low)}, {number(type_.high)}, RANGE)"


def _operation(operation: Operation, parts: list[str]) -> str:
    operator, high = operation.operator, operation.type.high
    if operator in _BINARY:
        return f"(int64_t)({parts[0]} {_BINARY[operator]} {parts[1]})"
    match operator:
        case "+" | "-" | "*":
            return _checked(operation, f"{parts[0]} {operator} {_operand(parts[1])}")
        case "DIV" | "MOD":
            return _checked(operation, f"{'divided' if operator == 'DIV' else 'modulo'}(w, {parts[0]}, {parts[1]})")
        case "negate":
            return _checked(operation, f"-({parts[0]})")
        case "abs":
            return _checked(operation, f"absolute({parts[0]})")
        case "not":
            return f"(int64_t)!({parts[0]})"
        case "odd":
            return f"({parts[0]} & 1)"
        case "complement":
            return f"(~({parts[0]}) & {number(high)})"
        case "minus":
            return f"({parts[0]} & ~{_operand(parts[1])})"
        case "in":
            return f"is_in({parts[0]}, {parts[1]})"
        case "element":
            return f"element(w, {parts[0]})"
        case "elements":
            return f"elements(w, {parts[0]}, {parts[1]})"
    raise AssertionError(operator)


def _operand(text: str) -> str:
    return f"({text})" if text.startswith("-") else text
