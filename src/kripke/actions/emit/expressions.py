"""Expressions and places of action programs as C.

Where something fails, a function of the run-time part notes it in ``w->failed`` and gives some harmless value; whoever
uses the result looks at it first. ``w`` is the memory, ``s`` the state in it, ``self`` the process, ``f`` its record.
"""

from __future__ import annotations

from kripke.actions.program import Base, Cast, Constant, Expression, InRange, Load, Operation, Place, Scalar

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
        case InRange():
            return True
        case Operation(operator, operands, _):
            if operator in ("+", "-", "*", "DIV", "MOD", "negate", "abs", "element", "elements"):
                return True
            return any(can_fail(one) for one in operands)


def place_can_fail(place: Place) -> bool:
    return bool(place.indexing)


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
        text += f" + checked_index(w, {value(step.index)}, {step.length}) * {step.stride}"
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
        case InRange(operand, type_):
            failure = "INDEX" if type_.name == "index" else "RANGE"
            return f"in_range(w, {value(operand)}, {number(type_.low)}, {number(type_.high)}, {failure})"
        case Operation(operator, operands, type_):
            return _operation(operator, [value(one) for one in operands], type_)


def _operation(operator: str, parts: list[str], type_: Scalar) -> str:
    if operator in _BINARY:
        return f"(int64_t)({parts[0]} {_BINARY[operator]} {parts[1]})"
    limits = f"{number(type_.low)}, {number(type_.high)}, RANGE"
    match operator:
        case "+" | "-" | "*":
            return f"in_range(w, {parts[0]} {operator} {_operand(parts[1])}, {limits})"
        case "DIV" | "MOD":
            return f"in_range(w, {'divided' if operator == 'DIV' else 'modulo'}(w, {parts[0]}, {parts[1]}), {limits})"
        case "negate":
            return f"in_range(w, -({parts[0]}), {limits})"
        case "abs":
            return f"in_range(w, absolute({parts[0]}), {limits})"
        case "not":
            return f"(int64_t)!({parts[0]})"
        case "odd":
            return f"({parts[0]} & 1)"
        case "complement":
            return f"(~({parts[0]}) & {number(type_.high)})"
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
