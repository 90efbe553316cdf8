"""Expressions of action programs as text, for the names of conditions."""

from __future__ import annotations

from kripke.actions.program import Cast, Constant, Expression, InRange, Load, Operation, Place, Program

_SIGNS = {"and": "&", "or": "OR", "union": "+", "minus": "-", "intersection": "*", "difference": "/", "in": "IN"}


def write(expression: Expression, program: Program) -> str:
    """An expression over global variables."""
    match expression:
        case Constant(value):
            return str(value)
        case Load(place, _):
            return _place(place, program)
        case Cast(operand, type_):
            return f"{type_.name}({write(operand, program)})"
        case InRange(operand, _):
            return write(operand, program)
        case Operation(operator, (one,), _):
            return f"~{_inner(one, program)}" if operator == "not" else f"{operator}({write(one, program)})"
        case Operation(operator, (left, right), _):
            sign = _SIGNS.get(operator, operator)
            return f"{_inner(left, program)} {sign} {_inner(right, program)}"
    raise AssertionError(expression)


def _inner(expression: Expression, program: Program) -> str:
    text = write(expression, program)
    return f"({text})" if isinstance(expression, Operation) and len(expression.operands) > 1 else text


def _place(place: Place, program: Program) -> str:
    offset = place.base.offset + place.offset
    name = next((one.name for one in program.shown if one.offset == offset), f"offset {offset}")
    for step in place.indexing:
        name = name.replace("[0]", f"[{write(step.index, program)}]", 1)
    return name
