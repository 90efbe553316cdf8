"""Expressions over the variables of a machine, checked and typed: their value, and the same as C.

A variable is a number in the scope of the mode it is used in. Where its value is kept differs from instance to
instance: ``places[number]`` says it. Every value is an integer; interval arithmetic at the time of checking keeps all
of them within 64 bits, so that Python and C agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from kripke.hierarchy.types import BOOL, Type

Evaluator = Callable[[Sequence[int], Sequence[int]], int]
"""Of the values of all places, and the place of each variable in scope."""

WIDEST = 2**62


#: codes of violations
DIVISION, INDEX = 1, 4


class NoValue(ArithmeticError):
    """An expression has no value. ``code``: of the violation that this is."""

    code = -1


class DivisionByZero(NoValue):
    """Of a division or a remainder."""

    code = DIVISION


class OutOfBounds(NoValue):
    """An array has no such element."""

    code = INDEX


@dataclass(frozen=True, slots=True)
class Term:
    """The bounds of the type are those of the value."""

    type: Type


@dataclass(frozen=True, slots=True)
class Number(Term):
    value: int


@dataclass(frozen=True, slots=True)
class Variable(Term):
    number: int
    name: str


@dataclass(frozen=True, slots=True)
class Element(Term):
    """An element of an array, whose elements are ``length`` variables in scope, from ``first`` on."""

    first: int
    length: int
    index: Term
    name: str


@dataclass(frozen=True, slots=True)
class Inside(Term):
    """Is the value at a place one of these? (Where is control?) The place is one of the whole machine."""

    place: int
    values: tuple[int, ...]
    name: str


@dataclass(frozen=True, slots=True)
class Unary(Term):
    """``!`` or ``-``."""

    operator: str
    operand: Term


@dataclass(frozen=True, slots=True)
class Binary(Term):
    """``+ - * / % == != < <= > >= && || =>``; division truncates towards zero, as in C."""

    operator: str
    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class Choice(Term):
    """``condition ? then : otherwise``."""

    condition: Term
    then: Term
    otherwise: Term


def number(value: int) -> Number:
    return Number(Type(value, value), value)


def quotient(left: int, right: int) -> int:
    if right == 0:
        raise DivisionByZero
    result = abs(left) // abs(right)
    return result if (left < 0) == (right < 0) else -result


def arithmetic_type(operator: str, left: Type, right: Type) -> Type | None:
    """The bounds of a sum, difference, product, quotient or remainder; None where they are too wide."""
    match operator:
        case "+":
            low, high = left.low + right.low, left.high + right.high
        case "-":
            low, high = left.low - right.high, left.high - right.low
        case "*":
            corners = [a * b for a in (left.low, left.high) for b in (right.low, right.high)]
            low, high = min(corners), max(corners)
        case "/":
            most = max(abs(left.low), abs(left.high))
            low, high = -most, most
        case _:
            most = max(abs(right.low), abs(right.high))
            low, high = (-most if left.low < 0 else 0), most
    return Type(low, high) if low >= -WIDEST and high <= WIDEST else None


def parts(term: Term) -> Iterator[Term]:
    """The term and everything in it."""
    yield term
    match term:
        case Unary(_, _, operand) | Element(_, _, _, operand, _):
            yield from parts(operand)
        case Binary(_, _, left, right):
            yield from parts(left)
            yield from parts(right)
        case Choice(_, condition, then, otherwise):
            for part in (condition, then, otherwise):
                yield from parts(part)


def variables(term: Term) -> Iterator[Variable]:
    """Those it may read: of an array all elements."""
    for part in parts(term):
        match part:
            case Variable():
                yield part
            case Element(type_, first, length, _, name):
                for number in range(length):
                    yield Variable(type_, first + number, f"{name}[{number}]")


def evaluator(term: Term) -> Evaluator:
    """The value of a term; NoValue where it has none."""
    match term:
        case Number(_, value):
            return lambda values, places: value
        case Variable(_, index, _):
            return lambda values, places: values[places[index]]
        case Element(_, first, length, at, _):
            return _element(first, length, evaluator(at))
        case Inside(_, place, wanted, _):
            return lambda values, places: int(values[place] in wanted)
        case Unary(_, "-", operand):
            inner = evaluator(operand)
            return lambda values, places: -inner(values, places)
        case Unary(_, _, operand):
            inner = evaluator(operand)
            return lambda values, places: int(not inner(values, places))
        case Choice(_, condition, then, otherwise):
            test, yes, no = evaluator(condition), evaluator(then), evaluator(otherwise)
            return lambda values, places: yes(values, places) if test(values, places) else no(values, places)
        case Binary(_, operator, left, right):
            return _binary(operator, evaluator(left), evaluator(right))
    raise TypeError(term)


def _element(first: int, length: int, index: Evaluator) -> Evaluator:
    def value(values: Sequence[int], places: Sequence[int]) -> int:
        at = index(values, places)
        if not 0 <= at < length:
            raise OutOfBounds
        return values[places[first + at]]

    return value


def _binary(operator: str, left: Evaluator, right: Evaluator) -> Evaluator:
    match operator:
        case "&&":
            return lambda v, p: int(bool(left(v, p)) and bool(right(v, p)))
        case "||":
            return lambda v, p: int(bool(left(v, p)) or bool(right(v, p)))
        case "=>":
            return lambda v, p: int(not left(v, p) or bool(right(v, p)))
        case "+":
            return lambda v, p: left(v, p) + right(v, p)
        case "-":
            return lambda v, p: left(v, p) - right(v, p)
        case "*":
            return lambda v, p: left(v, p) * right(v, p)
        case "/":
            return lambda v, p: quotient(left(v, p), right(v, p))
        case "%":
            return lambda v, p: _remainder(left(v, p), right(v, p))
        case "==":
            return lambda v, p: int(left(v, p) == right(v, p))
        case "!=":
            return lambda v, p: int(left(v, p) != right(v, p))
        case "<":
            return lambda v, p: int(left(v, p) < right(v, p))
        case "<=":
            return lambda v, p: int(left(v, p) <= right(v, p))
        case ">":
            return lambda v, p: int(left(v, p) > right(v, p))
        case _:
            return lambda v, p: int(left(v, p) >= right(v, p))


def _remainder(left: int, right: int) -> int:
    return left - right * quotient(left, right)


def c_text(term: Term) -> str:
    """A C expression of type int64_t over ``v`` (the values), ``p`` (the places of the variables in scope) and
    ``failed``, a pointer to 1 + the code of what goes wrong."""
    match term:
        case Number(_, value):
            return f"INT64_C({value})" if value >= 0 else f"(-INT64_C({-value}))"
        case Variable(_, index, _):
            return f"(int64_t)v[p[{index}]]"
        case Element(_, first, length, at, _):
            return f"element(v, p + {first}, {c_text(at)}, {length}, failed)"
        case Inside(_, place, values, _):
            return "(" + (" || ".join(f"v[{place}] == {value}" for value in values) or "0") + ")"
        case Unary(_, operator, operand):
            return f"({operator}{c_text(operand)})"
        case Choice(_, condition, then, otherwise):
            return f"({c_text(condition)} ? {c_text(then)} : {c_text(otherwise)})"
        case Binary(_, "=>", left, right):
            return f"(!{c_text(left)} || {c_text(right)})"
        case Binary(_, "/", left, right):
            return f"quotient({c_text(left)}, {c_text(right)}, failed)"
        case Binary(_, "%", left, right):
            return f"remainder_of({c_text(left)}, {c_text(right)}, failed)"
        case Binary(_, operator, left, right):
            return f"({c_text(left)} {operator} {c_text(right)})"
    raise TypeError(term)


TRUE = Number(BOOL, 1)
