"""What operators make of numbers. ``Undefined``: nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from kripke.synchronous.types import Type, Word
from kripke.terms.build import truncated_quotient, truncated_remainder, wrapped


class Undefined(Exception):
    """An expression has no value."""


#: a shift by more places than these makes a value that no word holds
MOST_PLACES = 1 << 10


def _shifted_left(a: int, count: int) -> int:
    if count < 0:
        raise Undefined
    return a << min(count, MOST_PLACES)


def _shifted_right(a: int, count: int) -> int:
    if count < 0:
        raise Undefined
    return a >> count


def _quotient(a: int, b: int) -> int:
    if b == 0:
        raise Undefined
    return truncated_quotient(a, b)


def _remainder(a: int, b: int) -> int:
    if b == 0:
        raise Undefined
    return truncated_remainder(a, b)


_BINARY: dict[str, Callable[[int, int], int]] = {
    "=": lambda a, b: int(a == b),
    "iff": lambda a, b: int(a == b),
    "<": lambda a, b: int(a < b),
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _quotient,
    "mod": _remainder,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<<": _shifted_left,
    ">>": _shifted_right,
}


def applied(operator: str, values: list[int], type_: Type) -> int:
    """Of all operators but ``and`` and ``or``, which may be decided by some of their operands."""
    match operator:
        case "not":
            return 1 - values[0]
        case "+":
            return reduce(int.__add__, values)
        case "as":
            return values[0]
        case "wrap":
            assert isinstance(type_, Word)
            return wrapped(values[0], type_.width, type_.signed)
        case _:
            return _BINARY[operator](*values)
