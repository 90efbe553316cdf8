"""Patterns: what a value must look like, and the names that get its parts."""

from __future__ import annotations

from collections.abc import Callable

from kripke.languages.cspm.scopes import Binding, Env, Scope
from kripke.languages.cspm.sets import Values
from kripke.languages.cspm.syntax import (
    Binary,
    Both,
    Character,
    Collection,
    Dots,
    Expr,
    Name,
    Number,
    Text,
    TupleOf,
    Unary,
    Wildcard,
)
from kripke.languages.cspm.values import FALSE, TRUE, Char, Dot, Seq, Value, force, text
from kripke.model.source import ModelError

#: does the value match? the environment gets its parts
Match = Callable[[Value, Env], bool]
#: of a concatenation: what matches one item, or with a length a part of so many items
Piece = tuple[int | None, Match]


def exact(pattern: Expr) -> Value:
    """The value of a pattern that is a number, a character or a truth value; None for others."""
    match pattern:
        case Number(value=number):
            return number
        case Unary(operator="-", operand=Number(value=number)):
            return -number
        case Character(value=content):
            return Char(content)
        case Name(name="true" | "false" as name):
            return TRUE if name == "true" else FALSE
        case TupleOf(items=[inner]):
            return exact(inner)
    return None


class Patterns:
    """Makes matchers in a scope; new names are declared in it."""

    def __init__(
        self,
        scope: Scope,
        refer: Callable[[Name, Binding], Callable[[Env], Value]],
        wrong: Callable[[str, Expr], ModelError],
    ) -> None:
        self.scope = scope
        self._refer = refer
        self._wrong = wrong
        self.bound: list[str] = []

    def make(self, pattern: Expr) -> Match:
        match pattern:
            case Wildcard():
                return lambda value, env: True
            case Name():
                return self._name(pattern)
            case Number(value=number):
                return lambda value, env: force(value) == number
            case Unary(operator="-", operand=Number(value=number)):
                return lambda value, env: force(value) == -number
            case Text(value=content):
                expected = text(content)
                return lambda value, env: force(value) == expected
            case Character(value=content):
                char = Char(content)
                return lambda value, env: force(value) == char
            case TupleOf(items=[inner]):
                return self.make(inner)
            case TupleOf(items=items):
                return self._tuple([self.make(item) for item in items])
            case Collection(bracket="seq", items=items):
                return self._sequence([self.make(item) for item in items])
            case Collection(bracket="set", items=items):
                return self._set([self.make(item) for item in items])
            case Binary(operator="^", left=left, right=right):
                return self._concatenation(left, right)
            case Both(left=left, right=right):
                one, other = self.make(left), self.make(right)
                return lambda value, env: one(value, env) and other(value, env)
            case Dots(items=items):
                return self._dots(items)
        raise self._wrong("this is no pattern", pattern)

    def _name(self, pattern: Name) -> Match:
        name = pattern.name
        if name == "true" or name == "false":
            expected = TRUE if name == "true" else FALSE
            return lambda value, env: force(value) is expected
        known = self.scope.find(name)
        if known is not None and known.maker:
            refer = self._refer(pattern, known)
            return lambda value, env: bool(force(value) == refer(env))
        if name in self.bound:
            raise self._wrong(f"{name} stands twice in one pattern", pattern)
        self.bound.append(name)
        place = self.scope.declare(name, defined=False).place

        def bind(value: Value, env: Env) -> bool:
            env[place] = value
            return True

        return bind

    def _tuple(self, parts: list[Match]) -> Match:
        size = len(parts)

        def match(value: Value, env: Env) -> bool:
            value = force(value)
            if type(value) is not tuple or len(value) != size:
                return False
            return all(part(item, env) for part, item in zip(parts, value, strict=True))

        return match

    def _sequence(self, parts: list[Match]) -> Match:
        size = len(parts)

        def match(value: Value, env: Env) -> bool:
            value = force(value)
            if not isinstance(value, Seq):
                return False
            if size == 0:
                return value.empty()
            items = value.items()
            return len(items) == size and all(part(item, env) for part, item in zip(parts, items, strict=True))

        return match

    def _set(self, parts: list[Match]) -> Match:
        def match(value: Value, env: Env) -> bool:
            value = force(value)
            if not isinstance(value, Values) or value.infinite() or value.size() != len(parts):
                return False
            return all(part(item, env) for part, item in zip(parts, value.items(), strict=True))

        return match

    def _concatenation(self, left: Expr, right: Expr) -> Match:
        """At most one part of a concatenation has no fixed length."""
        parts: list[Expr] = []

        def spread(part: Expr) -> None:
            if isinstance(part, TupleOf) and len(part.items) == 1:
                part = part.items[0]
            if isinstance(part, Binary) and part.operator == "^":
                spread(part.left)
                spread(part.right)
            else:
                parts.append(part)

        spread(left)
        spread(right)
        before: list[Piece] = []
        after: list[Piece] = []
        middle: Match | None = None
        for part in parts:
            pieces = before if middle is None else after
            if isinstance(part, Collection) and part.bracket == "seq":
                pieces.extend((None, self.make(item)) for item in part.items)
            elif isinstance(part, Text):
                pieces.extend((None, letter) for letter in self._letters(part.value))
            elif (length := _length(part)) is not None:
                pieces.append((length, self.make(part)))
            elif middle is None:
                middle = self.make(part)
            else:
                raise self._wrong("two parts of this concatenation have no fixed length", part)
        return _joined(before, middle, after)

    def _letters(self, content: str) -> list[Match]:
        def letter(char: Char) -> Match:
            return lambda value, env: force(value) == char

        return [letter(Char(c)) for c in content]

    def _dots(self, items: list[Expr]) -> Match:
        flat = _flatten(items)
        parts = [self.make(item) for item in flat]
        makers = [self._maker(item) for item in flat]
        widths = [_width(item) for item in flat]

        def match(value: Value, env: Env) -> bool:
            return _match_dots(force(value), parts, makers, widths, env)

        return match

    def fields(self, pattern: Expr) -> Callable[[Env], int]:
        """How many fields of a channel an input with this pattern takes, if others follow it: ``c?x.y!z``.

        A constructor takes its own fields with it: ``A.x`` is one value of a datatype.
        """
        flat = _flatten([pattern])
        makers = {
            at: self._refer(item, known)
            for at, item in enumerate(flat)
            if isinstance(item, Name) and (known := self._known_maker(item)) is not None
        }

        def count(env: Env) -> int:
            found, at = 0, 0
            while at < len(flat):
                found += 1 if at in makers else _width(flat[at])
                at = after(at, env)
            return found

        def after(at: int, env: Env) -> int:
            refer = makers.get(at)
            at += 1
            for _ in range(0 if refer is None else force(refer(env)).arity):
                if at < len(flat):
                    at = after(at, env)
            return at

        return count if len(flat) > 1 else (lambda env: 1)

    def _known_maker(self, item: Expr) -> Binding | None:
        known = self.scope.find(item.name) if isinstance(item, Name) else None
        return known if known is not None and known.maker else None

    def _maker(self, item: Expr) -> bool:
        return self._known_maker(item) is not None


def _flatten(items: list[Expr]) -> list[Expr]:
    found: list[Expr] = []
    for item in items:
        if isinstance(item, Dots):
            found.extend(_flatten(item.items))
        else:
            found.append(item)
    return found


def _length(pattern: Expr) -> int | None:
    """How many items a pattern for sequences matches; None where that is open."""
    match pattern:
        case Collection(bracket="seq", items=items):
            return len(items)
        case Text(value=content):
            return len(content)
        case TupleOf(items=[inner]):
            return _length(inner)
        case Both(left=left, right=right):
            return left_length if (left_length := _length(left)) is not None else _length(right)
        case Binary(operator="^", left=left, right=right):
            one, other = _length(left), _length(right)
            return None if one is None or other is None else one + other
    return None


def _joined(before: list[Piece], middle: Match | None, after: list[Piece]) -> Match:
    def match(value: Value, env: Env) -> bool:
        value = force(value)
        if not isinstance(value, Seq):
            return False
        if not after and middle is not None:  # a lazy rest stays lazy
            for length, part in before:
                taken: list[Value] = []
                for _ in range(1 if length is None else length):
                    if value.empty():
                        return False
                    taken.append(value.head())
                    value = value.tail()
                if not part(taken[0] if length is None else Seq(tuple(taken)), env):
                    return False
            return middle(value, env)
        items = value.items()
        first, last = _items_of(before), _items_of(after)
        rest = len(items) - first - last
        if rest < 0 or (middle is None and rest):
            return False
        return (
            _pieces_match(before, items[:first], env)
            and _pieces_match(after, items[len(items) - last :], env)
            and (middle is None or middle(Seq(items[first : first + rest]), env))
        )

    return match


def _items_of(pieces: list[Piece]) -> int:
    return sum(1 if length is None else length for length, _ in pieces)


def _pieces_match(pieces: list[Piece], items: tuple[Value, ...], env: Env) -> bool:
    at = 0
    for length, part in pieces:
        if not part(items[at] if length is None else Seq(items[at : at + length]), env):
            return False
        at += 1 if length is None else length
    return True


def _components(value: Value) -> tuple[Value, ...]:
    """A dotted value as it was written, one item after the other."""
    if isinstance(value, Dot):
        return value.items
    return (value,)


def _width(item: Expr) -> int:
    """How many dotted items a pattern takes in the middle of others."""
    match item:
        case TupleOf(items=[inner]):
            return _width(inner)
        case Dots(items=items):
            return sum(_width(part) for part in items)
        case Both(left=left, right=right):
            return max(_width(left), _width(right))
    return 1


def _match_dots(value: Value, parts: list[Match], makers: list[bool], widths: list[int], env: Env) -> bool:
    """The parts against a value, item by item; the last one gets all that is left."""
    items = list(_components(value))
    at = 0
    while True:
        if not items:
            return False
        if at == len(parts) - 1:
            return parts[at](items[0] if len(items) == 1 else Dot(tuple(items)), env)
        first = items[0]
        if makers[at] and isinstance(first, Dot):
            # The value of a datatype: open it, its fields come next.
            items = [*first.items, *items[1:]]
            continue
        width = widths[at]
        if width > 1:
            first = Dot(tuple(items[:width]))
        if not parts[at](first, env):
            return False
        items = items[width:]
        at += 1


__all__ = ["Match", "Patterns"]
