"""Terms evaluated in Python: the reference semantics of expressions.

``evaluator`` makes a function of an environment and a marking from a term. The environment is a list with the values
of variables by slot (None: unbound); slot 0 holds what the input arcs take from each place. A marking is a list with a
dictionary per place, from the values of tokens to how many there are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kripke.nets.high_level.terms import Term
from kripke.nets.high_level.types import (
    NUMERIC,
    ArrayType,
    BufferType,
    StructType,
    Type,
    UnionType,
    Value,
    component_for,
)

Tokens = dict[Value, int]
Marking = list[Tokens]
Evaluator = Callable[[list[Any], Marking], Any]

#: what evaluation can break; ``code`` of a violation is the position here
ERRORS = {
    "overflow": "arithmetic overflow",
    "division": "division by zero",
    "shift": "shift by 32 bits or more",
    "constraint": "a value outside its type",
    "union": "an inactive component of a union",
    "buffer": "a buffer that is too full or too empty",
    "unbound": "a variable without a value",
    "undefined": "an undefined expression",
    "fatal": "a fatal expression",
}
MOST_COPIES = (1 << 32) - 1  # of one token in a multi-set


class EvaluationError(Exception):
    """``name`` is a key of ``ERRORS``."""

    def __init__(self, name: str) -> None:
        super().__init__(ERRORS[name])
        self.name = name


def convert(source: Type, target: Type, value: Value) -> Value:
    """A value as one of another type."""
    if source is target:
        return value
    if source.kind in NUMERIC and target.kind in NUMERIC:
        return _checked(target, value)
    match source, target:
        case (StructType() | ArrayType(), StructType() | ArrayType()):
            items = zip(source.types, target.types, value, strict=True)
            return _checked(target, tuple(convert(one, other, item) for one, other, item in items))
        case (BufferType(), BufferType()):
            if len(value) > target.capacity:
                raise EvaluationError("buffer")
            return _checked(target, tuple(convert(source.item, target.item, item) for item in value))
        case (UnionType(), UnionType()):
            tag = value[0]
            return _checked(target, (tag, convert(source.components[tag][1], target.components[tag][1], value[1])))
        case (_, UnionType()):
            at = component_for(target, source)
            if at is not None:
                return _checked(target, (at, convert(source, target.components[at][1], value)))
        case (UnionType(), _):
            at = component_for(source, target)
            if at is not None:
                if value[0] != at:
                    raise EvaluationError("union")
                return convert(source.components[at][1], target, value[1])
    raise EvaluationError("constraint")


def _checked(type_: Type, value: Value) -> Value:
    if not type_.contains(value):
        raise EvaluationError("constraint")
    return value


def _divide(left: int, right: int) -> int:
    if right == 0:
        raise EvaluationError("division")
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def _shifted(left: int, right: int, type_: Type, by: int) -> int:
    if not 0 <= right < 32:
        raise EvaluationError("shift")
    if by < 0:
        return left >> right
    number = (left << right) & 0xFFFFFFFF
    return number - (1 << 32) if type_.kind == "int" and number >= 1 << 31 else number


_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _divide,
    "%": lambda a, b: a - b * _divide(a, b),
    "&": lambda a, b: a & b,
    "^": lambda a, b: a ^ b,
    "|": lambda a, b: a | b,
}


def evaluator(term: Term) -> Evaluator:
    """The function a term stands for; what it raises is an EvaluationError."""
    make = _MAKERS.get(term.operator)
    if make is not None:
        return make(term, *(evaluator(operand) for operand in term.operands))
    if term.operator in _ARITHMETIC:
        return _arithmetic(term, *(evaluator(operand) for operand in term.operands))
    raise TypeError(term.operator)


def _arithmetic(term: Term, left: Evaluator, right: Evaluator) -> Evaluator:
    function = _ARITHMETIC[term.operator]
    ((low, high),) = term.type.ranges

    def run(env: list[Any], marking: Marking) -> int:
        result = function(left(env, marking), right(env, marking))
        if not low <= result <= high:
            raise EvaluationError("overflow")
        return result

    return run


def _const(term: Term) -> Evaluator:
    value = term.detail
    return lambda env, marking: value


def _var(term: Term) -> Evaluator:
    slot = term.detail

    def run(env: list[Any], marking: Marking) -> Value:
        value = env[slot]
        if value is None:
            raise EvaluationError("unbound")
        return value

    return run


def _raise(term: Term) -> Evaluator:
    name = term.operator

    def run(env: list[Any], marking: Marking) -> Value:
        raise EvaluationError(name)

    return run


def _negative(term: Term, operand: Evaluator) -> Evaluator:
    ((low, high),) = term.type.ranges

    def run(env: list[Any], marking: Marking) -> int:
        result: int = -operand(env, marking)
        if not low <= result <= high:
            raise EvaluationError("overflow")
        return result

    return run


def _complement(term: Term, operand: Evaluator) -> Evaluator:
    if term.type.kind == "int":
        return lambda env, marking: ~operand(env, marking)
    return lambda env, marking: operand(env, marking) ^ 0xFFFFFFFF


def _neighbour(term: Term, operand: Evaluator) -> Evaluator:
    type_, step = term.type, 1 if term.operator == "succ" else -1
    return lambda env, marking: type_.value((type_.index(operand(env, marking)) + step) % type_.count)


def _shift(term: Term, left: Evaluator, right: Evaluator) -> Evaluator:
    type_, by = term.type, 1 if term.operator == "<<" else -1
    return lambda env, marking: _shifted(left(env, marking), right(env, marking), type_, by)


def _less(term: Term, left: Evaluator, right: Evaluator) -> Evaluator:
    type_ = term.operands[0].type
    if type_.kind in NUMERIC:
        return lambda env, marking: int(left(env, marking) < right(env, marking))
    return lambda env, marking: int(type_.key(left(env, marking)) < type_.key(right(env, marking)))


def _if(term: Term, condition: Evaluator, *branches: Evaluator) -> Evaluator:
    type_, last = term.operands[0].type, len(branches) - 1
    return lambda env, marking: branches[last - type_.index(condition(env, marking))](env, marking)


def _cast(term: Term, operand: Evaluator) -> Evaluator:
    source, target = term.operands[0].type, term.type
    return lambda env, marking: convert(source, target, operand(env, marking))


def _checks(type_: Type) -> Callable[[Value], Value]:
    """A compound value can break a constraint on its type as a whole only where there is one."""
    if isinstance(type_, StructType | ArrayType | BufferType | UnionType):
        bare = _bare_count(type_)
        if type_.count < bare:
            return lambda value: _checked(type_, value)
    return lambda value: value


def _bare_count(type_: Type) -> int:
    match type_:
        case StructType() | ArrayType():
            total = 1
            for part in type_.types:
                total *= part.count
            return total
        case UnionType():
            return sum(part.count for _, part in type_.components)
        case BufferType():
            return type_.offsets[-1]
        case _:
            return type_.count


def _tuple(term: Term, *items: Evaluator) -> Evaluator:
    check = _checks(term.type)
    return lambda env, marking: check(tuple([item(env, marking) for item in items]))


def _component(term: Term, operand: Evaluator) -> Evaluator:
    at = term.detail
    return lambda env, marking: operand(env, marking)[at]


def _replaced(value: Value, at: int, item: Value) -> Value:
    return (*value[:at], item, *value[at + 1 :])


def _replace(term: Term, operand: Evaluator, item: Evaluator) -> Evaluator:
    at, check = term.detail, _checks(term.type)
    return lambda env, marking: check(_replaced(operand(env, marking), at, item(env, marking)))


def _item(term: Term, array: Evaluator, index: Evaluator) -> Evaluator:
    type_ = term.operands[0].type
    assert isinstance(type_, ArrayType)
    indices = type_.indices
    return lambda env, marking: array(env, marking)[indices.index(index(env, marking))]


def _put(term: Term, array: Evaluator, index: Evaluator, item: Evaluator) -> Evaluator:
    assert isinstance(term.type, ArrayType)
    indices, check = term.type.indices, _checks(term.type)
    return lambda env, marking: check(
        _replaced(array(env, marking), indices.index(index(env, marking)), item(env, marking))
    )


def _rotate(term: Term, array: Evaluator, number: Evaluator) -> Evaluator:
    direction, check = term.detail, _checks(term.type)

    def run(env: list[Any], marking: Marking) -> Value:
        value = array(env, marking)
        by = number(env, marking) * direction % len(value)
        return check(value[by:] + value[:by])

    return run


def _inject(term: Term, operand: Evaluator) -> Evaluator:
    tag, check = term.detail, _checks(term.type)
    return lambda env, marking: check((tag, operand(env, marking)))


def _is(term: Term, operand: Evaluator) -> Evaluator:
    tag = term.detail
    return lambda env, marking: int(operand(env, marking)[0] == tag)


def _select(term: Term, operand: Evaluator) -> Evaluator:
    wanted = term.detail

    def run(env: list[Any], marking: Marking) -> Value:
        tag, value = operand(env, marking)
        if tag != wanted:
            raise EvaluationError("union")
        return value

    return run


def _write(term: Term, buffer: Evaluator, item: Evaluator, at: Evaluator) -> Evaluator:
    type_, check = term.type, _checks(term.type)
    assert isinstance(type_, BufferType)

    def run(env: list[Any], marking: Marking) -> Value:
        value = buffer(env, marking)
        new, place = item(env, marking), at(env, marking)
        if len(value) >= type_.capacity or not 0 <= place <= len(value):
            raise EvaluationError("buffer")
        if type_.kind == "queue":
            place = len(value) - place
        return check((*value[:place], new, *value[place:]))

    return run


def _peek(term: Term, buffer: Evaluator, at: Evaluator) -> Evaluator:
    def run(env: list[Any], marking: Marking) -> Value:
        value, place = buffer(env, marking), at(env, marking)
        if not 0 <= place < len(value):
            raise EvaluationError("buffer")
        return value[place]

    return run


def _remove(term: Term, buffer: Evaluator, number: Evaluator, at: Evaluator) -> Evaluator:
    check = _checks(term.type)

    def run(env: list[Any], marking: Marking) -> Value:
        value = buffer(env, marking)
        removed, place = number(env, marking), at(env, marking)
        if removed < 0 or place < 0 or place + removed > len(value):
            raise EvaluationError("buffer")
        return check(value[:place] + value[place + removed :])

    return run


def _free(term: Term, buffer: Evaluator) -> Evaluator:
    type_ = term.operands[0].type
    assert isinstance(type_, BufferType)
    capacity = type_.capacity
    return lambda env, marking: capacity - len(buffer(env, marking))


# --- multi-sets -------------------------------------------------------------------------------------------------------


def _more(value: int) -> int:
    if value > MOST_COPIES:
        raise EvaluationError("overflow")
    return value


def _tokens(term: Term, multiplicity: Evaluator, value: Evaluator) -> Evaluator:
    def run(env: list[Any], marking: Marking) -> Tokens:
        copies = multiplicity(env, marking)
        if copies < 0:
            raise EvaluationError("constraint")
        return {value(env, marking): copies} if copies else {}

    return run


def _times(term: Term, multiplicity: Evaluator, tokens: Evaluator) -> Evaluator:
    def run(env: list[Any], marking: Marking) -> Tokens:
        copies = multiplicity(env, marking)
        if copies < 0:
            raise EvaluationError("constraint")
        return {value: _more(count * copies) for value, count in tokens(env, marking).items()} if copies else {}

    return run


def added(total: Tokens, more: Tokens, factor: int = 1) -> None:
    for value, count in more.items():
        total[value] = _more(total.get(value, 0) + count * factor)


def _sum(term: Term, *parts: Evaluator) -> Evaluator:
    def run(env: list[Any], marking: Marking) -> Tokens:
        total: Tokens = {}
        for part in parts:
            added(total, part(env, marking))
        return total

    return run


def _place(term: Term) -> Evaluator:
    number = term.detail
    return lambda env, marking: marking[number]


def _taken(term: Term) -> Evaluator:
    number = term.detail
    return lambda env, marking: env[0][number]


def _intersect(term: Term, left: Evaluator, right: Evaluator) -> Evaluator:
    def run(env: list[Any], marking: Marking) -> Tokens:
        one, other = left(env, marking), right(env, marking)
        return {value: min(count, other[value]) for value, count in one.items() if value in other}

    return run


def _minus(term: Term, left: Evaluator, right: Evaluator) -> Evaluator:
    def run(env: list[Any], marking: Marking) -> Tokens:
        one, other = left(env, marking), right(env, marking)
        return {value: count - other.get(value, 0) for value, count in one.items() if count > other.get(value, 0)}

    return run


def _filter(term: Term, tokens: Evaluator, condition: Evaluator) -> Evaluator:
    slot = term.detail

    def run(env: list[Any], marking: Marking) -> Tokens:
        kept: Tokens = {}
        for value, count in tokens(env, marking).items():
            env[slot] = value
            if condition(env, marking):
                kept[value] = count
        return kept

    return run


def _map(term: Term, tokens: Evaluator, image: Evaluator) -> Evaluator:
    slot = term.detail

    def run(env: list[Any], marking: Marking) -> Tokens:
        total: Tokens = {}
        for value, count in tokens(env, marking).items():
            env[slot] = value
            added(total, {image(env, marking): count})
        return total

    return run


def _mapeach(term: Term, tokens: Evaluator, image: Evaluator) -> Evaluator:
    number, slot = term.detail

    def run(env: list[Any], marking: Marking) -> Tokens:
        total: Tokens = {}
        for value, count in tokens(env, marking).items():
            env[number], env[slot] = count, value
            added(total, image(env, marking))
        return total

    return run


def _subset(term: Term, left: Evaluator, right: Evaluator) -> Evaluator:
    def run(env: list[Any], marking: Marking) -> int:
        other = right(env, marking)
        return int(all(count <= other.get(value, 0) for value, count in left(env, marking).items()))

    return run


def _equals(term: Term, left: Evaluator, right: Evaluator) -> Evaluator:
    return lambda env, marking: int(left(env, marking) == right(env, marking))


def _cardinality(term: Term, tokens: Evaluator) -> Evaluator:
    return lambda env, marking: _more(sum(tokens(env, marking).values()))


def _and(term: Term, *parts: Evaluator) -> Evaluator:
    return lambda env, marking: int(all(part(env, marking) for part in parts))


def _or(term: Term, *parts: Evaluator) -> Evaluator:
    return lambda env, marking: int(any(part(env, marking) for part in parts))


_MAKERS: dict[str, Callable[..., Evaluator]] = {
    "const": _const,
    "var": _var,
    "undefined": _raise,
    "fatal": _raise,
    "neg": _negative,
    "~": _complement,
    "succ": _neighbour,
    "pred": _neighbour,
    "<<": _shift,
    ">>": _shift,
    "==": lambda term, left, right: lambda env, marking: int(left(env, marking) == right(env, marking)),
    "<": _less,
    "not": lambda term, operand: lambda env, marking: int(not operand(env, marking)),
    "and": _and,
    "or": _or,
    "if": _if,
    "multiif": _if,
    "cast": _cast,
    "tuple": _tuple,
    "buffer": _tuple,
    "component": _component,
    "replace": _replace,
    "item": _item,
    "put": _put,
    "rotate": _rotate,
    "inject": _inject,
    "is": _is,
    "select": _select,
    "write": _write,
    "peek": _peek,
    "remove": _remove,
    "used": lambda term, buffer: lambda env, marking: len(buffer(env, marking)),
    "free": _free,
    "empty": lambda term: lambda env, marking: {},
    "tokens": _tokens,
    "times": _times,
    "sum": _sum,
    "place": _place,
    "taken": _taken,
    "union": _sum,
    "intersect": _intersect,
    "minus": _minus,
    "filter": _filter,
    "map": _map,
    "mapeach": _mapeach,
    "subset": _subset,
    "equals": _equals,
    "cardinality": _cardinality,
    "max": lambda term, tokens: lambda env, marking: max(tokens(env, marking).values(), default=0),
    "min": lambda term, tokens: lambda env, marking: min(tokens(env, marking).values(), default=MOST_COPIES),
}


def fold(term: Term) -> Term:
    """The constant a term without variables and places stands for, where evaluating it succeeds."""
    if term.multi or not term.operands or any(operand.operator != "const" for operand in term.operands):
        return term
    try:
        value = evaluator(term)([], [])
    except EvaluationError:
        return term
    return Term("const", term.type, (), value, span=term.span)
