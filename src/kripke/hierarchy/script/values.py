"""Values of expressions, and what the operators of ECMAScript make of them.

Numbers are Python integers where they are whole (within 2**53) and floats elsewhere. Arrays and objects are values, not
references: two variables never share one, so that a state is what it shows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, TypeAlias


class Undefined:
    """Of a variable that has no value yet."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "undefined"


@dataclass(frozen=True, slots=True)
class Record:
    """An object: names and values, in the order they were given."""

    items: tuple[tuple[str, Value], ...] = ()

    def get(self, name: str) -> Value:
        return next((value for key, value in self.items if key == name), UNDEFINED)

    def has(self, name: str) -> bool:
        return any(key == name for key, _ in self.items)

    def put(self, name: str, value: Value) -> Record:
        if self.has(name):
            return Record(tuple((key, value if key == name else old) for key, old in self.items))
        return Record((*self.items, (name, value)))


@dataclass(frozen=True, slots=True)
class Function:
    """``function (parameters) { return body; }``, by its text: functions are equal where their texts are."""

    text: str


@dataclass(frozen=True, slots=True)
class Element:
    """A node of XML data."""

    tag: str
    attributes: tuple[tuple[str, str], ...] = ()
    children: tuple[Element, ...] = ()
    text: str = ""

    def inside(self, tag: str) -> tuple[Element, ...]:
        """All elements of this tag within it, in the order of the document."""
        found: tuple[Element, ...] = ()
        for child in self.children:
            found += ((child,) if child.tag == tag or tag == "*" else ()) + child.inside(tag)
        return found


Value: TypeAlias = "Undefined | bool | int | float | str | tuple[Value, ...] | Record | Function | Element | None"

UNDEFINED: Final = Undefined()
_EXACT: Final = 2**53


class ScriptError(Exception):
    """An expression has no value: ECMAScript would throw."""


def numeral(value: float) -> int | float:
    """A number in its canonical form."""
    if isinstance(value, int):
        return value if -_EXACT <= value <= _EXACT else numeral(float(value))
    if math.isfinite(value) and value == int(value) and abs(value) <= _EXACT:
        return int(value)
    return value


def truth(value: Value) -> bool:
    if isinstance(value, (Undefined, type(None))):
        return False
    if isinstance(value, (tuple, Record, Function, Element)):
        return True
    if isinstance(value, float):
        return value != 0 and not math.isnan(value)
    return bool(value)


def to_number(value: Value) -> int | float:
    match value:
        case Undefined():
            return math.nan
        case None:
            return 0
        case bool():
            return int(value)
        case int() | float():
            return value
        case str():
            text = value.strip()
            if not text:
                return 0
            try:
                sign = text[0] in "+-"
                if text[sign : sign + 2].lower() in ("0x", "0o", "0b"):
                    return numeral(int(text, 0)) if not sign else math.nan
                if "_" in text or text.lower().lstrip("+-") in ("inf", "infinity", "nan"):
                    return {"Infinity": math.inf, "+Infinity": math.inf, "-Infinity": -math.inf}.get(text, math.nan)
                return numeral(float(text))
            except (ValueError, OverflowError):
                return math.nan
        case _:
            return to_number(to_text(value))


def to_text(value: Value) -> str:
    match value:
        case Undefined():
            return "undefined"
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            if math.isnan(value):
                return "NaN"
            if math.isinf(value):
                return "Infinity" if value > 0 else "-Infinity"
            return _float_text(value)
        case str():
            return value
        case tuple():
            return ",".join("" if item is None or item is UNDEFINED else to_text(item) for item in value)
        case Function(text):
            return text
        case Element(_, _, _, text):
            return text
        case Record():
            return "[object Object]"
    raise TypeError(value)


def _float_text(value: float) -> str:
    """As ECMAScript writes it: without an exponent from 1e-6 up to 1e21."""
    text = repr(value)
    if "e" not in text:
        return text
    digits, _, exponent = text.partition("e")
    if -7 < int(exponent) < 21:
        return format(value, "f").rstrip("0").rstrip(".") if int(exponent) > 0 else format(value, ".20f").rstrip("0")
    return f"{digits}e{int(exponent):+d}"


def shown(value: Value) -> str:
    """For people, and canonical: equal values have equal texts, others have others."""
    match value:
        case str():
            return "'" + value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"
        case tuple():
            return "[" + ", ".join(map(shown, value)) + "]"
        case Element(tag, attributes, children, text):
            given = "".join(f" {name}={shown(item)}" for name, item in attributes)
            return f"<{tag}{given}>{''.join(map(shown, children))}{text}</{tag}>"
        case Record(items):
            return "{" + ", ".join(f"{shown(name)}: {shown(item)}" for name, item in items) + "}"
        case _:
            return to_text(value)


def kind(value: Value) -> str:
    """What ``typeof`` says."""
    match value:
        case Undefined():
            return "undefined"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case Function():
            return "function"
        case _:
            return "object"


def strictly_equal(left: Value, right: Value) -> bool:
    if kind(left) != kind(right) or (left is None) != (right is None):
        return False
    # Arrays and objects are values here: equal ones are the same.
    return left == right


def loosely_equal(left: Value, right: Value) -> bool:
    nothing = (Undefined, type(None))
    if isinstance(left, nothing) or isinstance(right, nothing):
        return isinstance(left, nothing) and isinstance(right, nothing)
    if kind(left) == kind(right):
        return strictly_equal(left, right)
    if isinstance(left, (tuple, Record, Function, Element)):
        return loosely_equal(to_text(left), right)
    if isinstance(right, (tuple, Record, Function, Element)):
        return loosely_equal(left, to_text(right))
    return to_number(left) == to_number(right)


def add(left: Value, right: Value) -> Value:
    if isinstance(left, (str, tuple, Record, Function, Element)) or isinstance(
        right, (str, tuple, Record, Function, Element)
    ):
        return to_text(left) + to_text(right)
    return numeral(to_number(left) + to_number(right))


def arithmetic(operator: str, left: Value, right: Value) -> Value:
    """``- * / % **`` and the operators on bits."""
    a, b = to_number(left), to_number(right)
    if operator in ("&", "|", "^", "<<", ">>", ">>>"):
        return _bits(operator, _int32(a), _int32(b))
    try:
        match operator:
            case "-":
                return numeral(a - b)
            case "*":
                return numeral(a * b)
            case "**":
                return numeral(float(a) ** b) if not isinstance(float(a) ** b, complex) else math.nan
            case "/":
                if b == 0:
                    if a == 0 or math.isnan(a):
                        return math.nan
                    return math.copysign(math.inf, a) * math.copysign(1, b)
                return numeral(a / b)
            case _:
                if b == 0 or math.isinf(a):
                    return math.nan
                return numeral(math.fmod(a, b))
    except (OverflowError, ZeroDivisionError):
        return math.inf


def _int32(value: float) -> int:
    if not math.isfinite(value):
        return 0
    return (int(value) + 2**31) % 2**32 - 2**31


def _bits(operator: str, a: int, b: int) -> int:
    match operator:
        case "&":
            return a & b
        case "|":
            return a | b
        case "^":
            return a ^ b
        case "<<":
            return _int32(a << (b & 31))
        case ">>":
            return a >> (b & 31)
        case _:
            return (a % 2**32) >> (b & 31)


def less(left: Value, right: Value) -> bool | None:
    """``left < right``; None where one of them is no number."""
    if isinstance(left, str) and isinstance(right, str):
        return left < right
    a, b = to_number(left), to_number(right)
    return None if math.isnan(a) or math.isnan(b) else a < b
