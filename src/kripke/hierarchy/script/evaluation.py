"""The value of an expression. Names, assignments and the few functions there are belong to whoever asks."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection
from typing import Protocol

from kripke.hierarchy.script.syntax import (
    ArrayLiteral,
    Assign,
    Binary,
    Call,
    Conditional,
    Expression,
    Lambda,
    Literal,
    Member,
    Name,
    ObjectLiteral,
    Sequence,
    Unary,
)
from kripke.hierarchy.script.values import (
    UNDEFINED,
    Element,
    Function,
    Record,
    ScriptError,
    Undefined,
    Value,
    add,
    arithmetic,
    kind,
    less,
    loosely_equal,
    numeral,
    strictly_equal,
    to_number,
    to_text,
    truth,
)

_LONGEST = 100_000  # of texts and arrays


class Scope(Protocol):
    """What names stand for."""

    def read(self, name: str) -> Value:
        """ScriptError where there is no such variable."""

    def write(self, name: str, value: Value) -> None:
        """ScriptError where there is none, or it must not be changed."""

    def is_in(self, state: str) -> bool:
        """Is the state active? ScriptError where there is no such state."""


def evaluate(expression: Expression, scope: Scope) -> Value:
    match expression:
        case Literal(_, value):
            return value
        case Name(_, name):
            return scope.read(name)
        case Member(_, object_, key):
            return member(evaluate(object_, scope), to_text(evaluate(key, scope)))
        case Binary(_, operator, left, right):
            return _binary(operator, left, right, scope)
        case Unary(_, operator, operand):
            return _unary(operator, operand, scope)
        case Conditional(_, condition, then, otherwise):
            return evaluate(then if truth(evaluate(condition, scope)) else otherwise, scope)
        case Call(_, object_, name, arguments):
            values = [evaluate(argument, scope) for argument in arguments]
            if object_ is None:
                return _function(name, values, scope)
            if isinstance(object_, Name) and object_.name == "Math":
                return _mathematics(name, values)
            if isinstance(object_, Name) and object_.name in OBJECTS:
                return _of_an_object(name, values)
            if name in CHANGING:
                return _changed(object_, name, values, scope)
            return _method(evaluate(object_, scope), name, values)
        case Assign(_, target, operator, value, after):
            old = evaluate(target, scope) if operator else UNDEFINED
            new = evaluate(value, scope)
            if operator:
                old = to_number(old) if after else old
                new = add(old, new) if operator == "+" else arithmetic(operator, old, new)
            assign(target, new, scope)
            return old if after else new
        case Lambda(_, _, _, text):
            return Function(text)
        case ArrayLiteral(_, items):
            return tuple(evaluate(item, scope) for item in items)
        case ObjectLiteral(_, pairs):
            record = Record()
            for name, item in pairs:
                record = record.put(name, evaluate(item, scope))
            return record
        case Sequence(_, items):
            value = UNDEFINED
            for item in items:
                value = evaluate(item, scope)
            return value
    raise TypeError(expression)


_DEEPEST_CALL = 50


class _Called:
    """What names stand for in a function: its parameters first. It changes nothing."""

    def __init__(self, values: dict[str, Value], outer: Scope, depth: int) -> None:
        self.values, self.outer, self.depth = values, outer, depth

    def read(self, name: str) -> Value:
        return self.values[name] if name in self.values else self.outer.read(name)

    def write(self, name: str, value: Value) -> None:
        raise ScriptError("a function changes nothing here")

    def is_in(self, state: str) -> bool:
        return self.outer.is_in(state)


def _call(function: Function, values: list[Value], scope: Scope) -> Value:
    from kripke.hierarchy.script.parser import parse

    tree = parse(function.text)
    assert isinstance(tree, Lambda)
    depth = scope.depth + 1 if isinstance(scope, _Called) else 1
    if depth > _DEEPEST_CALL:
        raise ScriptError("functions call each other too deeply")
    given = dict(zip(tree.parameters, [*values, *[UNDEFINED] * len(tree.parameters)], strict=False))
    return evaluate(tree.body, _Called(given, scope, depth))


def assign(target: Expression, value: Value, scope: Scope) -> None:
    """A variable, or a part of one: the whole gets a new value."""
    match target:
        case Name(_, name):
            scope.write(name, value)
        case Member(_, object_, key):
            whole = evaluate(object_, scope)
            assign(object_, _with(whole, to_text(evaluate(key, scope)), value), scope)
        case _:
            raise ScriptError("only a variable or a part of one can be assigned to")


def _with(whole: Value, key: str, value: Value) -> Value:
    if isinstance(whole, Record):
        return whole.put(key, value)
    if isinstance(whole, tuple):
        if not key.isdecimal() or int(key) > min(len(whole), _LONGEST):
            raise ScriptError(f"an array of {len(whole)} has no place {key}")
        return (*whole[: int(key)], value, *whole[int(key) + 1 :])
    raise ScriptError(f"{kind(whole)} has no parts to assign to")


def member(value: Value, key: str) -> Value:
    match value:
        case Record():
            return value.get(key)
        case tuple() | str():
            if key == "length":
                return len(value)
            return value[int(key)] if key.isdecimal() and len(key) < 10 and int(key) < len(value) else UNDEFINED
        case Undefined() | None:
            raise ScriptError(f"{to_text(value)} has no part {key}")
        case _:
            return UNDEFINED


def _unary(operator: str, operand: Expression, scope: Scope) -> Value:
    if operator == "typeof":
        if isinstance(operand, Name):
            try:
                return kind(scope.read(operand.name))
            except ScriptError:
                return "undefined"
        return kind(evaluate(operand, scope))
    value = evaluate(operand, scope)
    match operator:
        case "!":
            return not truth(value)
        case "-":
            return numeral(-to_number(value))
        case "+":
            return to_number(value)
        case "~":
            return arithmetic("^", value, -1)
        case _:
            return UNDEFINED


def _binary(operator: str, left: Expression, right: Expression, scope: Scope) -> Value:
    if operator == "instanceof":
        return _is_a(evaluate(left, scope), right)
    a = evaluate(left, scope)
    match operator:
        case "&&":
            return evaluate(right, scope) if truth(a) else a
        case "||":
            return a if truth(a) else evaluate(right, scope)
        case "??":
            return evaluate(right, scope) if a is None or a is UNDEFINED else a
    b = evaluate(right, scope)
    match operator:
        case "+":
            total = add(a, b)
            if isinstance(total, str) and len(total) > _LONGEST:
                raise ScriptError("the text is too long")
            return total
        case "==":
            return loosely_equal(a, b)
        case "!=":
            return not loosely_equal(a, b)
        case "===":
            return strictly_equal(a, b)
        case "!==":
            return not strictly_equal(a, b)
        case "<":
            return less(a, b) is True
        case ">":
            return less(b, a) is True
        case "<=":
            return less(b, a) is False
        case ">=":
            return less(a, b) is False
        case "in":
            if isinstance(b, Record):
                return b.has(to_text(a))
            if isinstance(b, tuple):
                key = to_text(a)
                return key == "length" or (key.isdecimal() and int(key) < len(b))
            raise ScriptError("'in' asks for a part of an object")
        case _:
            return arithmetic(operator, a, b)


def _is_a(value: Value, kind_: Expression) -> bool:
    match kind_:
        case Name(_, "Array"):
            return isinstance(value, tuple)
        case Name(_, "Object"):
            return isinstance(value, (tuple, Record))
    raise ScriptError("instanceof knows Array and Object")


def _function(name: str, values: list[Value], scope: Scope) -> Value:
    first = values[0] if values else UNDEFINED
    match name:
        case "In":
            return scope.is_in(to_text(first))
        case _ if name not in FUNCTIONS:
            found = scope.read(name)
            if not isinstance(found, Function):
                raise ScriptError(f"{name} is no function")
            return _call(found, values, scope)
        case "Number":
            return to_number(first) if values else 0
        case "String":
            return to_text(first) if values else ""
        case "Boolean":
            return truth(first)
        case "isNaN":
            number = to_number(first)
            return number != number
        case "parseInt":
            return _parsed_integer(to_text(first), to_number(values[1]) if len(values) > 1 else 0)
        case "parseFloat":
            digits = _FLOAT.match(to_text(first).strip())
            return to_number(digits[0]) if digits else math.nan
    raise ScriptError(f"there is no function {name}")


_FLOAT = re.compile(r"[+-]?(?:Infinity|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)")


def _parsed_integer(text: str, radix: float) -> Value:
    """As many digits as there are at the beginning."""
    text = text.strip().lower()
    sign = -1 if text.startswith("-") else 1
    text = text[1:] if text[:1] in ("+", "-") else text
    base = int(radix) if math.isfinite(radix) else 0
    if base in (0, 16) and text.startswith("0x"):
        text, base = text[2:], 16
    base = base or 10
    if not 2 <= base <= 36:
        return math.nan
    digits = 0
    while digits < len(text) and text[digits].isascii() and text[digits].isalnum() and int(text[digits], 36) < base:
        digits += 1
    return numeral(sign * int(text[:digits], base)) if digits else math.nan


_MATHEMATICS: dict[str, Callable[..., float]] = {"abs": abs, "min": min, "max": max}


def _mathematics(name: str, values: list[Value]) -> Value:
    numbers = [to_number(value) for value in values]
    if not numbers or any(number != number for number in numbers):
        return math.nan
    match name:
        case "abs" | "min" | "max":
            return _MATHEMATICS[name](*numbers)
        case "floor" | "ceil" | "trunc" | "round":
            if not math.isfinite(numbers[0]):
                return numbers[0]
            return math.floor(numbers[0] + 0.5) if name == "round" else getattr(math, name)(numbers[0])
        case "sqrt":
            return numeral(math.sqrt(numbers[0])) if numbers[0] >= 0 else math.nan
        case "pow":
            return arithmetic("**", numbers[0], numbers[1])
    raise ScriptError(f"there is no Math.{name} here")


def _of_an_object(name: str, values: list[Value]) -> Value:
    first = values[0] if values else UNDEFINED
    if name == "isArray":
        return isinstance(first, tuple)
    match first:
        case Record(items):
            return tuple(key for key, _ in items)
        case tuple():
            return tuple(str(number) for number in range(len(first)))
    raise ScriptError("keys are of an object")


def _changed(place: Expression, name: str, values: list[Value], scope: Scope) -> Value:
    """An array in a variable, or in a part of one, gets another value."""
    array = evaluate(place, scope)
    if not isinstance(array, tuple):
        raise ScriptError(f"{kind(array)} has no method {name} here")
    result: Value = UNDEFINED
    match name:
        case "push":
            array = (*array, *values)
            result = len(array)
        case "unshift":
            array = (*values, *array)
            result = len(array)
        case "pop":
            result, array = (array[-1], array[:-1]) if array else (UNDEFINED, array)
        case _:
            result, array = (array[0], array[1:]) if array else (UNDEFINED, array)
    if len(array) > _LONGEST:
        raise ScriptError("the array is too long")
    assign(place, array, scope)
    return result


def _method(value: Value, name: str, values: list[Value]) -> Value:
    first = values[0] if values else UNDEFINED
    match value, name:
        case Element(), "getElementsByTagName":
            return value.inside(to_text(first))
        case Element(), "getAttribute":
            return dict(value.attributes).get(to_text(first))
        case tuple(), "concat":
            joined = value
            for item in values:
                joined = (*joined, *item) if isinstance(item, tuple) else (*joined, item)
            if len(joined) > _LONGEST:
                raise ScriptError("the array is too long")
            return joined
        case tuple(), "indexOf":
            return next((i for i, item in enumerate(value) if _same(item, first)), -1)
        case tuple(), "includes":
            return any(_same(item, first) for item in value)
        case tuple(), "join":
            return ("," if first is UNDEFINED else to_text(first)).join(to_text(item) for item in value)
        case tuple() | str(), "slice":
            bounds = [int(to_number(bound)) for bound in values[:2]]
            return value[slice(*(bounds if len(bounds) == 2 else [*bounds, len(value)]))]
        case str(), "indexOf" | "search":
            return value.find(to_text(first))
        case str(), "includes":
            return to_text(first) in value
        case str(), "startsWith":
            return value.startswith(to_text(first))
        case str(), "endsWith":
            return value.endswith(to_text(first))
        case str(), "charAt":
            found = member(value, "0" if first is UNDEFINED else to_text(first))
            return found if isinstance(found, str) else ""
        case str(), "split":
            return tuple(value.split(to_text(first)) if to_text(first) else value) if values else (value,)
        case Record(), "hasOwnProperty":
            return value.has(to_text(first))
        case str(), "substring":
            low, high = (max(0, int(to_number(bound))) for bound in (*values[:2], len(value))[:2])
            return value[min(low, high) : max(low, high)]
        case str(), "toUpperCase":
            return value.upper()
        case str(), "toLowerCase":
            return value.lower()
        case str(), "trim":
            return value.strip()
        case ((Undefined() | None), _):
            raise ScriptError(f"{to_text(value)} has no method {name}")
        case _, "toString":
            return to_text(value)
    raise ScriptError(f"{kind(value)} has no method {name} here")


def _same(one: Value, other: Value) -> bool:
    return kind(one) == kind(other) and one == other


FUNCTIONS = frozenset({"In", "Number", "String", "Boolean", "isNaN", "parseInt", "parseFloat"})
METHODS = frozenset(
    {
        "concat", "indexOf", "includes", "join", "slice", "search", "startsWith", "endsWith", "charAt", "substring",
        "toUpperCase", "toLowerCase", "trim", "toString", "getElementsByTagName", "getAttribute", "split",
        "hasOwnProperty",
    }
)  # fmt: skip
#: methods of arrays that change them
CHANGING = frozenset({"push", "pop", "shift", "unshift"})
OBJECTS = {"Array": frozenset({"isArray"}), "Object": frozenset({"keys"})}
MATHEMATICS = frozenset({"abs", "min", "max", "floor", "ceil", "trunc", "round", "sqrt", "pow"})


def unknown_call(expression: Expression, variables: Collection[str] = ()) -> tuple[str, int] | None:
    """A function or method that is not ours, in words, and where it stands. A variable may have a function as value."""
    for part in parts(expression):
        match part:
            case Call(at, None, name, _) if name not in FUNCTIONS and name not in variables:
                return f"the function {name} is not supported", at
            case Call(at, Name(_, "Math"), name, _):
                if name not in MATHEMATICS:
                    return f"Math.{name} is not supported", at
            case Call(at, Name(_, object_), name, _) if object_ in OBJECTS:
                if name not in OBJECTS[object_]:
                    return f"{object_}.{name} is not supported", at
            case Call(at, Expression() as place, name, _) if name in CHANGING:
                if not isinstance(place, (Name, Member)):
                    return f"{name} is for an array in a variable", at
            case Call(at, Expression(), name, _) if name not in METHODS:
                return f"the method {name} is not supported", at
            case Binary(at, "instanceof", _, right) if not (
                isinstance(right, Name) and right.name in ("Array", "Object")
            ):
                return "instanceof is supported for Array and Object only", at
    return None


def parts(expression: Expression) -> list[Expression]:
    """The expression and everything in it."""
    found: list[Expression] = []
    pending = [expression]
    while pending:
        one = pending.pop()
        found.append(one)
        match one:
            case Member(_, object_, key):
                pending += [object_, key]
            case Binary(_, _, left, right):
                pending += [left, right]
            case Unary(_, _, operand):
                pending.append(operand)
            case Conditional(_, condition, then, otherwise):
                pending += [condition, then, otherwise]
            case Call(_, object_, _, arguments):
                pending += [*arguments] if object_ is None else [object_, *arguments]
            case Assign(_, target, _, value, _):
                pending += [target, value]
            case Lambda(_, _, body, _):
                pending.append(body)
            case ArrayLiteral(_, items) | Sequence(_, items):
                pending += items
            case ObjectLiteral(_, pairs):
                pending += [item for _, item in pairs]
    return found
