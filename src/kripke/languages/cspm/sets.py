"""Sets of values: finite ones as frozensets, others by what can be asked of them.

Sets of events such as ``{|c|}`` and unions of them are kept as they were written and enumerated only when somebody
needs every member: a channel of ten thousand values costs nothing until then.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any, ClassVar

from kripke.languages.cspm.effort import ask
from kripke.languages.cspm.values import (
    FALSE,
    MOST_ITEMS,
    TRUE,
    Char,
    Dot,
    Maker,
    MapValue,
    Seq,
    Value,
    Wrong,
    dot,
    force,
    missing,
    rank,
    show,
    weight,
)

#: after so many members the deadline and the memory are asked
_SOME = (1 << 15) - 1


class Values:
    """A set. ``contains`` and ``each`` are what a kind of set must answer; ``items`` are all members in order."""

    __slots__ = ("_hash", "_items", "_members", "_weight")
    #: do all members begin with a channel or constructor?
    headed: ClassVar[bool] = False

    def __init__(self) -> None:
        self._items: tuple[Value, ...] | None = None
        self._members: frozenset[Value] | None = None
        self._hash: int | None = None
        self._weight: int | None = None

    def contains(self, value: Value) -> bool:
        return value in self.members()

    def each(self) -> Iterator[Value]:
        raise NotImplementedError

    def infinite(self) -> bool:
        return False

    def members(self) -> frozenset[Value]:
        if self._members is None:
            if self.infinite():
                raise Wrong(f"the set {self.shown()} is infinite and cannot be enumerated")
            found: set[Value] = set()
            for item in self.each():
                found.add(item)
                if not len(found) & _SOME:
                    ask()
                if len(found) > MOST_ITEMS:
                    raise Wrong(f"a set of more than {MOST_ITEMS} members is asked for as a whole")
            self._members = frozenset(found)
        return self._members

    def items(self) -> tuple[Value, ...]:
        if self._items is None:
            self._items = _in_order(self.members())
        return self._items

    def weight(self) -> int:
        """How many parts the members have in all, where they are known."""
        if self._weight is None:
            self._weight = 1 + sum(map(weight, self._members or ()))
        return self._weight

    def size(self) -> int:
        return len(self.members())

    def covers(self, prefix: Value) -> bool:
        """Surely all events that begin with this? False: perhaps not."""
        return False

    def avoids(self, prefix: Value) -> bool:
        """Surely no event that begins with this? False: perhaps not."""
        return False

    def subset_of(self, other: Values) -> bool:
        return all(other.contains(item) for item in self.items())

    def shown(self) -> str:
        if self.infinite():
            return type(self).__name__
        items = self.items()
        return "{" + ", ".join(show(item) for item in items[:200]) + (", ..." if len(items) > 200 else "") + "}"

    def __eq__(self, other: object) -> bool:
        other = force(other)
        if self is other:
            return True
        if not isinstance(other, Values):
            return False
        if self.infinite() or other.infinite():
            return self.shown() == other.shown() and self.infinite() == other.infinite()
        mine, its = self.members(), other.members()
        if mine is its:
            return True
        same = mine == its
        if same:
            other._members = mine
        return same

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(self.shown()) if self.infinite() else hash(self.members())
        return self._hash


def _in_order(members: frozenset[Value]) -> tuple[Value, ...]:
    if len(members) < 2:
        return tuple(members)
    if len(members) <= _SOME:
        return tuple(sorted(members, key=rank))
    ranks: list[tuple[Any, int]] = []
    known = list(members)
    for number, member in enumerate(known):
        if not number & _SOME:
            ask()
        ranks.append((rank(member), number))
    ranks.sort()
    return tuple(known[number] for _, number in ranks)


class Finite(Values):
    __slots__ = ()

    def __init__(self, members: Iterable[Value]) -> None:
        super().__init__()
        self._members = members if isinstance(members, frozenset) else frozenset(members)

    def each(self) -> Iterator[Value]:
        return iter(self.items())

    def avoids(self, prefix: Value) -> bool:
        return not any(begins(item, prefix) for item in self.members())


class Numbers(Values):
    """All numbers from ``low`` on; all numbers at all if it is None."""

    __slots__ = ("low",)

    def __init__(self, low: int | None) -> None:
        super().__init__()
        self.low = low

    def contains(self, value: Value) -> bool:
        return isinstance(value, int) and (self.low is None or value >= self.low)

    def infinite(self) -> bool:
        return True

    def each(self) -> Iterator[Value]:
        at = self.low or 0
        while True:
            yield at
            at += 1

    def shown(self) -> str:
        return "Int" if self.low is None else f"{{{self.low}..}}"


class Interval(Values):
    __slots__ = ("high", "low")

    def __init__(self, low: int, high: int) -> None:
        super().__init__()
        self.low, self.high = low, high

    def contains(self, value: Value) -> bool:
        return isinstance(value, int) and self.low <= value <= self.high

    def each(self) -> Iterator[Value]:
        return iter(range(self.low, self.high + 1))

    def items(self) -> tuple[Value, ...]:
        if self._items is None:
            if self.size() > MOST_ITEMS:
                raise Wrong(f"a set of {self.size()} members is asked for as a whole")
            self._items = tuple(range(self.low, self.high + 1))
        return self._items

    def size(self) -> int:
        return max(0, self.high - self.low + 1)


class Described(Values):
    """A set known by a test and, where it is finite, an enumeration."""

    __slots__ = ("_each", "_name", "_test")

    def __init__(self, name: str, test: Callable[[Value], bool], each: Callable[[], Iterator[Value]] | None) -> None:
        super().__init__()
        self._name, self._test, self._each = name, test, each

    def contains(self, value: Value) -> bool:
        return self._test(value)

    def infinite(self) -> bool:
        return self._each is None

    def each(self) -> Iterator[Value]:
        if self._each is None:
            raise Wrong(f"the set {self._name} is infinite and cannot be enumerated")
        return self._each()

    def shown(self) -> str:
        return self._name if self._each is None else super().shown()


class Closure(Values):
    """``{| c, d.0 |}``: all events that begin with one of these."""

    __slots__ = ("prefixes",)
    headed = True

    def __init__(self, prefixes: Iterable[Value]) -> None:
        super().__init__()
        self.prefixes = tuple(dict.fromkeys(prefixes))

    def contains(self, value: Value) -> bool:
        if self._members is not None:
            return value in self._members
        return missing(value) == 0 and any(begins(value, prefix) for prefix in self.prefixes)

    def covers(self, prefix: Value) -> bool:
        return any(begins(prefix, mine) for mine in self.prefixes)

    def avoids(self, prefix: Value) -> bool:
        return not any(begins(prefix, mine) or begins(mine, prefix) for mine in self.prefixes)

    def infinite(self) -> bool:
        return any(math.isinf(count_productions(prefix)) for prefix in self.prefixes)

    def shown(self) -> str:
        if not self.infinite():
            return super().shown()
        return "{|" + ", ".join(show(prefix) for prefix in self.prefixes) + "|}"

    def each(self) -> Iterator[Value]:
        for prefix in self.prefixes:
            yield from productions(prefix)


class Joined(Values):
    """A union of sets some of which are not enumerated yet."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Values, ...]) -> None:
        super().__init__()
        self.parts = parts

    def contains(self, value: Value) -> bool:
        return any(part.contains(value) for part in self.parts)

    def covers(self, prefix: Value) -> bool:
        return any(part.covers(prefix) for part in self.parts)

    def avoids(self, prefix: Value) -> bool:
        return all(part.avoids(prefix) for part in self.parts)

    def infinite(self) -> bool:
        return any(part.infinite() for part in self.parts)

    def each(self) -> Iterator[Value]:
        for part in self.parts:
            yield from part.each()

    def shown(self) -> str:
        return "{" + " + ".join(part.shown() for part in self.parts) + "}" if self.infinite() else super().shown()


class Reduced(Values):
    """Members of one set that are (``keep``) or are not members of another."""

    __slots__ = ("base", "keep", "other")

    def __init__(self, base: Values, other: Values, keep: bool) -> None:
        super().__init__()
        self.base, self.other, self.keep = base, other, keep

    def contains(self, value: Value) -> bool:
        return self.base.contains(value) and self.other.contains(value) == self.keep

    def covers(self, prefix: Value) -> bool:
        return self.base.covers(prefix) and (self.other.covers(prefix) if self.keep else self.other.avoids(prefix))

    def avoids(self, prefix: Value) -> bool:
        return self.base.avoids(prefix) or (self.other.avoids(prefix) if self.keep else self.other.covers(prefix))

    def infinite(self) -> bool:
        return self.base.infinite()

    def each(self) -> Iterator[Value]:
        return (value for value in self.base.each() if self.other.contains(value) == self.keep)


EMPTY = Finite(())
BOOLEANS = Finite((FALSE, TRUE))
INTEGERS = Numbers(None)
CHARACTERS = Described("Char", lambda value: isinstance(value, Char), None)


def union(sets: Iterable[Values]) -> Values:
    parts: list[Values] = []
    for part in sets:
        parts.extend(part.parts if isinstance(part, Joined) else (part,))
    parts = [part for part in parts if not (isinstance(part, Finite) and not part.size())]
    if not parts:
        return EMPTY
    if len(parts) == 1:
        return parts[0]
    if all(isinstance(part, Finite | Interval) for part in parts):
        return Finite(frozenset().union(*(part.members() for part in parts)))
    return Joined(tuple(parts))


def intersection(left: Values, right: Values) -> Values:
    if left.infinite() and not right.infinite():
        left, right = right, left
    if isinstance(left, Finite) or isinstance(right, Finite):
        base, other = (left, right) if isinstance(left, Finite) else (right, left)
        return Finite(frozenset(value for value in base.members() if other.contains(value)))
    return Reduced(left, right, True)


def difference(left: Values, right: Values) -> Values:
    if isinstance(left, Finite | Interval):
        return Finite(frozenset(value for value in left.members() if not right.contains(value)))
    return Reduced(left, right, False)


class Sequences(Values):
    """``Seq(S)``: all finite sequences. Not enumerated, and S is not looked at before it is needed."""

    __slots__ = ("base",)

    def __init__(self, base: Values) -> None:
        super().__init__()
        self.base = base

    def contains(self, value: Value) -> bool:
        return isinstance(value, Seq) and all(self.base.contains(item) for item in value.items())

    def infinite(self) -> bool:
        return self.base.infinite() or self.base.size() > 0

    def each(self) -> Iterator[Value]:
        return iter((Seq(()),))

    def shown(self) -> str:
        return f"Seq({self.base.shown()})"


def sequences(base: Values) -> Values:
    return Sequences(base)


def subsets(base: Values) -> Values:
    """``Set(S)``: all subsets."""

    def test(value: Value) -> bool:
        return isinstance(value, Values) and value.subset_of(base)

    def each() -> Iterator[Value]:
        items = base.items()
        if len(items) > 21:
            raise Wrong(f"all subsets of a set of {len(items)} members are asked for")
        for mask in range(1 << len(items)):
            yield Finite(item for at, item in enumerate(items) if mask >> at & 1)

    return Described(f"Set({base.shown()})" if base.infinite() else "Set", test, None if base.infinite() else each)


class Tuples(Values):
    """``(A, B)`` where a type is meant: all pairs. The parts are not looked at before they are needed: one of them may
    be of the type that is being defined."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Values, ...]) -> None:
        super().__init__()
        self.parts = parts

    def contains(self, value: Value) -> bool:
        if not isinstance(value, tuple) or len(value) != len(self.parts):
            return False
        return all(part.contains(force(item)) for part, item in zip(self.parts, value, strict=True))

    def infinite(self) -> bool:
        return any(part.infinite() for part in self.parts)

    def each(self) -> Iterator[Value]:
        return iter(product(*(part.items() for part in self.parts)))

    def shown(self) -> str:
        return "(" + ", ".join(part.shown() for part in self.parts) + ")" if self.infinite() else super().shown()


def maps(keys: Values, images: Values) -> Values:
    """``Map(K, V)``: all partial functions."""

    def test(value: Value) -> bool:
        return isinstance(value, MapValue) and all(
            keys.contains(force(k)) and images.contains(force(v)) for k, v in value.entries.items()
        )

    def each() -> Iterator[Value]:
        names, options = keys.items(), [None, *images.items()]
        for chosen in product(options, repeat=len(names)):
            yield MapValue({k: v for k, v in zip(names, chosen, strict=True) if v is not None})

    endless = keys.infinite() or (images.infinite() and keys.size() > 0)
    return Described("Map", test, None if endless else each)


def dotted(parts: tuple[Values, ...]) -> Values:
    """``A.B`` where a type is meant: all dotted values."""

    def split(value: Value) -> bool:
        return isinstance(value, Dot) and _fits(value.items, parts)

    def each() -> Iterator[Value]:
        for items in product(*(part.items() for part in parts)):
            value = items[0]
            for item in items[1:]:
                value = dot(value, item)
            yield value

    return Described("dotted", split, None if any(part.infinite() for part in parts) else each)


def _fits(items: tuple[Value, ...], parts: tuple[Values, ...]) -> bool:
    return len(items) == len(parts) and all(part.contains(force(item)) for part, item in zip(parts, items, strict=True))


# ---- dotted values and the sets of their fields ----


def begins(value: Value, prefix: Value) -> bool:
    """Does a dotted value begin with another one?"""
    if isinstance(prefix, Maker):
        return value is prefix or (isinstance(value, Dot) and value.items[0] is prefix)
    if not isinstance(prefix, Dot):
        return bool(value == prefix)
    if not isinstance(value, Dot) or len(value.items) < len(prefix.items):
        return False
    last = len(prefix.items) - 1
    if value.items[:last] != prefix.items[:last]:
        return False
    if value.items[last] == prefix.items[last]:
        return True
    return missing(prefix.items[last]) != 0 and begins(value.items[last], prefix.items[last])


def next_field(value: Value) -> Values | None:
    """The set of what may follow a dotted value; None where it is complete."""
    if isinstance(value, Maker):
        return value.fields[0] if value.arity else None
    if isinstance(value, Dot):
        head = value.items[0]
        if isinstance(head, Maker):
            inner = next_field(value.items[-1]) if len(value.items) > 1 else None
            if inner is not None:
                return inner
            at = len(value.items) - 1
            return head.fields[at] if at < head.arity else None
        return next_field(value.items[-1])
    return None


def complete(value: Value) -> bool:
    return next_field(value) is None


def valid(value: Value) -> bool:
    """Is every field of a complete dotted value in its set?"""
    if isinstance(value, Dot) and isinstance(value.items[0], Maker):
        fields = value.items[0].fields
        return len(fields) == len(value.items) - 1 and all(
            part.contains(force(item)) for part, item in zip(fields, value.items[1:], strict=True)
        )
    return isinstance(value, Maker) and value.arity == 0


def productions(prefix: Value) -> Iterator[Value]:
    """All complete values that begin with this one."""
    following = next_field(prefix)
    if following is None:
        yield prefix
        return
    for item in following.each() if following.infinite() else following.items():
        yield from productions(dot(prefix, item))


def extensions(prefix: Value) -> Iterator[Value]:
    """What completes a dotted value, as dotted values of their own."""

    def walk(value: Value, taken: tuple[Value, ...]) -> Iterator[Value]:
        following = next_field(value)
        if following is None:
            if not taken:
                return
            yield taken[0] if len(taken) == 1 else Dot(taken)
            return
        for item in following.each() if following.infinite() else following.items():
            yield from walk(dot(value, item), (*taken, item))

    return walk(prefix, ())


def count_productions(prefix: Value) -> float:
    """How many events begin like this, without looking at them."""
    total = 1.0
    value = prefix
    while isinstance(value, Dot):
        head = value.items[0]
        if isinstance(head, Maker):
            for part in head.fields[len(value.items) - 1 :]:
                total *= float("inf") if part.infinite() else part.size()
        value = value.items[-1]
    if isinstance(value, Maker):
        for part in value.fields:
            total *= float("inf") if part.infinite() else part.size()
    return total


def split_fields(value: Value) -> list[Values]:
    """The sets of the fields of a channel or constructor, from what was written behind its name.

    A set of dotted values stands for several fields, if it has all combinations of them.
    """
    if isinstance(value, Dot):
        found: list[Values] = []
        for item in value.items:
            found.extend(split_fields(item))
        return found
    kind = as_set(value)
    if isinstance(kind, Finite | Reduced | Joined | Described) and not kind.headed and not kind.infinite():
        items = kind.items()
        headless = [item for item in items if isinstance(item, Dot) and not isinstance(item.items[0], Maker)]
        if headless:
            if len(headless) != len(items) or len({len(item.items) for item in headless}) != 1:
                raise Wrong("the values of this set have different numbers of dots", "a field needs values of one form")
            width = len(headless[0].items)
            columns = [Finite(frozenset(item.items[at] for item in headless)) for at in range(width)]
            size = 1
            for column in columns:
                size *= column.size()
            if size != len(headless):
                raise Wrong(
                    f"the set {kind.shown()} is not rectangular: it lacks combinations of its fields",
                    "the fields of a channel or datatype are independent of each other",
                )
            return list(columns)
    return [kind]


def as_set(value: Value) -> Values:
    """A set, or what stands for one where a type is meant: a tuple of sets, dotted sets."""
    value = force(value)
    if isinstance(value, Values):
        return value
    if isinstance(value, tuple):
        return Tuples(tuple(as_set(item) for item in value))
    if isinstance(value, Dot):
        return dotted(tuple(as_set(item) for item in value.items))
    raise Wrong(f"{show(value)} is no set")
