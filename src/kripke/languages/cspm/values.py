"""The values of CSP-M programs.

Numbers are Python's, tuples are Python's tuples; everything else is a class of its own, so that ``1`` and ``true``, a
sequence and a tuple, are never equal by accident. All values are hashable. A dotted value keeps the head and its
fields; a field that is itself a value of a datatype is one item, however many dots it was written with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from kripke.model.source import ModelError

if TYPE_CHECKING:
    from kripke.languages.cspm.sets import Values

Value = Any
MOST_ITEMS = 4_000_000
#: SHARED. A value that has another one twice as its parts has 2^n parts after n such steps, and takes no memory for
#: them. So hashes are kept, two parts that were found equal become one, and what writes a value out, or puts it in
#: order, looks first how many parts it has.
MOST_PARTS = 10_000_000


class Wrong(ModelError):
    """Something cannot be evaluated; whoever knows the place makes a ModelError with it of this one."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)

    def __reduce__(self) -> Any:
        return (Wrong, (self.message, self.hint))


class Truth:
    __slots__ = ("value",)

    def __init__(self, value: bool) -> None:
        self.value = value

    def __bool__(self) -> bool:
        return self.value

    def __repr__(self) -> str:
        return "true" if self.value else "false"


TRUE, FALSE = Truth(True), Truth(False)


class Char:
    __slots__ = ("value",)

    def __init__(self, value: str) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        other = force(other)
        return isinstance(other, Char) and self.value == other.value

    def __hash__(self) -> int:
        return hash(("char", self.value))


class Seq:
    """A sequence: items and, where more of them are computed when asked for, what gives the rest."""

    __slots__ = ("_hash", "_items", "_rest", "_weight")

    def __init__(self, items: tuple[Value, ...] = (), rest: Thunk | None = None) -> None:
        self._items = items
        self._rest = rest
        self._hash: int | None = None
        self._weight = 0

    def lazy(self) -> bool:
        return self._rest is not None

    def items(self) -> tuple[Value, ...]:
        """All items."""
        if self._rest is not None:
            found: list[Value] = []
            at: Seq | None = self
            while at is not None:
                found.extend(at._items)
                if len(found) > MOST_ITEMS:
                    raise Wrong(f"a sequence of more than {MOST_ITEMS} items is asked for as a whole")
                at = None if at._rest is None else at._rest.force()
            self._items, self._rest = tuple(found), None
        return self._items

    def __iter__(self) -> Iterator[Value]:
        at: Seq | None = self
        while at is not None:
            yield from at._items
            at = None if at._rest is None else at._rest.force()

    def _start(self) -> Seq:
        """The same sequence, with a first item at hand if it has one."""
        at = self
        while not at._items and at._rest is not None:
            at = at._rest.force()
        return at

    def empty(self) -> bool:
        return not self._start()._items

    def head(self) -> Value:
        start = self._start()
        if not start._items:
            raise Wrong("head of an empty sequence")
        return start._items[0]

    def tail(self) -> Seq:
        start = self._start()
        if not start._items:
            raise Wrong("tail of an empty sequence")
        return Seq(start._items[1:], start._rest)

    def __eq__(self, other: object) -> bool:
        other = force(other)
        if self is other:
            return True
        if not isinstance(other, Seq):
            return False
        mine, its = self.items(), other.items()
        if mine is its:
            return True
        same = mine == its
        if same:
            other._items = mine
        return same

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(("seq", self.items()))
        return self._hash

    def __lt__(self, other: Seq) -> bool:  # a proper prefix
        mine, its = self.items(), other.items()
        return len(mine) < len(its) and its[: len(mine)] == mine

    def __le__(self, other: Seq) -> bool:
        mine, its = self.items(), other.items()
        return len(mine) <= len(its) and its[: len(mine)] == mine


def lazy_sequence(source: Iterator[Value]) -> Seq:
    """Items as an iterator gives them, one at a time."""
    for item in source:
        return Seq((item,), Thunk(lambda: lazy_sequence(source)))
    return Seq(())


class Maker:
    """A channel or a constructor of a datatype: what dotted values begin with."""

    __slots__ = ("_fields", "datatype", "describe", "index", "name")
    _count = 0

    def __init__(self, name: str, datatype: str | None, describe: Callable[[], list[Values]]) -> None:
        Maker._count += 1
        self.index = Maker._count
        self.name = name
        #: the type it belongs to, None: a channel
        self.datatype = datatype
        self.describe = describe
        self._fields: list[Values] | None = None

    @property
    def fields(self) -> list[Values]:
        """The set of every field."""
        if self._fields is None:
            self._fields = self.describe()
        return self._fields

    @property
    def arity(self) -> int:
        return len(self.fields)

    def __repr__(self) -> str:
        return self.name


class Dot:
    """``items[0].items[1]...``: with a maker as first item a value, an event or the beginning of one."""

    __slots__ = ("_hash", "_weight", "items", "valid")

    def __init__(self, items: tuple[Value, ...]) -> None:
        self.items = items
        self._hash: int | None = None
        self._weight = 0
        #: it has been found to be a value of its datatype
        self.valid = False

    def __eq__(self, other: object) -> bool:
        other = force(other)
        if self is other:
            return True
        if not isinstance(other, Dot):
            return False
        mine, its = self.items, other.items
        if mine is its:
            return True
        same = mine == its
        if same:
            other.items = mine
        return same

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(("dot", self.items))
        return self._hash


def missing(value: Value) -> int:
    """How many fields a dotted value still lacks at its top; those of its last field count first (-1)."""
    if isinstance(value, Maker):
        return value.arity
    if isinstance(value, Dot) and value.items:
        head = value.items[0]
        if isinstance(head, Maker):
            if len(value.items) > 1 and missing(value.items[-1]):
                return -1
            return head.arity - (len(value.items) - 1)
        return -1 if missing(value.items[-1]) else 0
    return 0


def dot(left: Value, right: Value) -> Value:
    """``left.right``: what ``left`` still lacks is taken from ``right``, field by field."""
    if isinstance(right, Dot) and not (right.items and isinstance(right.items[0], Maker)):
        for item in right.items:
            left = dot(left, item)
        return left
    lacking = missing(left)
    if isinstance(left, Maker):
        return Dot((left, right))
    if isinstance(left, Dot):
        if lacking == -1:
            return Dot((*left.items[:-1], dot(left.items[-1], right)))
        if lacking or not isinstance(left.items[0], Maker):
            return Dot((*left.items, right))
    return Dot((left, right))


def checked_dot(left: Value, right: Value) -> Value:
    """The same, and every field that is complete by it must be in its set."""
    value = dot(left, right)
    check_fields(value)
    return value


def check_fields(value: Value) -> None:
    if not isinstance(value, Dot):
        return
    head = value.items[0]
    if not isinstance(head, Maker):
        return
    fields = head.fields
    for at, item in enumerate(value.items[1:]):
        if at >= len(fields):
            raise Wrong(f"{head.name} has {len(fields)} fields, but {show(value)} gives it {len(value.items) - 1}")
        if missing(item):
            check_fields(item)
        elif not fields[at].contains(item):
            what = "channel" if head.datatype is None else "constructor"
            raise Wrong(f"{show(item)} is not in the type of field {at + 1} of {what} {head.name}: {show(fields[at])}")


class MapValue:
    __slots__ = ("_hash", "_weight", "entries")

    def __init__(self, entries: dict[Value, Value]) -> None:
        self.entries = entries
        self._hash: int | None = None
        self._weight = 0

    def __eq__(self, other: object) -> bool:
        other = force(other)
        if not isinstance(other, MapValue):
            return False
        if self.entries is other.entries:
            return True
        same = self.entries == other.entries
        if same:
            other.entries = self.entries
        return same

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(("map", frozenset(self.entries.items())))
        return self._hash

    def __le__(self, other: MapValue) -> bool:
        return all(k in other.entries and less_equal(v, other.entries[k]) for k, v in self.entries.items())


class Function:
    """What can be applied; two are equal if they are the same text with the same values of its free names."""

    __slots__ = ("_key", "arity", "call", "key", "name")

    def __init__(self, name: str, arity: int, call: Callable[..., Value], key: Callable[[], Any] | None = None) -> None:
        self.name = name
        self.arity = arity
        self.call = call
        self.key = key
        self._key: Any = None

    def identity(self) -> Any:
        if self.key is None:
            return id(self)
        if self._key is None:
            self._key = self.key()
        return self._key

    def __eq__(self, other: object) -> bool:
        other = force(other)
        return self is other or (isinstance(other, Function) and self.identity() == other.identity())

    def __hash__(self) -> int:
        return hash(self.identity())


class Thunk:
    """A value that is computed when it is asked for, once."""

    __slots__ = ("_busy", "_hash", "_make", "_value", "_weight", "name")

    def __init__(self, make: Callable[[], Value] | None, name: str = "", value: Value = None) -> None:
        """Without ``make`` it is the ``value``."""
        self._make = make
        self._value = value
        self._busy = False
        self._hash: int | None = None
        self._weight = 0
        self.name = name

    def force(self) -> Value:
        if self._make is not None:
            if self._busy:
                what = f"{self.name} needs" if self.name else "a value needs"
                raise Wrong(f"{what} its own value", "a process must do an event before it comes back to itself")
            self._busy = True
            try:
                value = self._make()
                while type(value) is Thunk:
                    value = value.force()
                self._value = value
            finally:
                self._busy = False
            self._make = None
        return self._value

    def done(self) -> bool:
        return self._make is None

    def __eq__(self, other: object) -> bool:
        mine = self.force()
        if type(other) is not Thunk:
            return bool(mine == other)
        its = other.force()
        if mine is its:
            return True
        same = bool(mine == its)
        if same:
            other._value = mine  # compared once: see SHARED
        return same

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(self.force())
        return self._hash


def force(value: Value) -> Value:
    return value.force() if type(value) is Thunk else value


def text(value: str) -> Seq:
    return Seq(tuple(Char(c) for c in value))


def truth(value: object) -> Truth:
    return TRUE if value else FALSE


# ---- order ----


def weight(value: Value) -> int:
    """How many parts a value has, counting shared ones as often as they are met."""
    match value:
        case tuple():
            return 1 + sum(map(weight, value))
        case Thunk() | Dot() | Seq() | MapValue():
            if not value._weight:
                value._weight = _counted(value)
            return value._weight
    return int(value.weight()) if hasattr(value, "weight") else 1


def _counted(value: Thunk | Dot | Seq | MapValue) -> int:
    match value:
        case Thunk():
            return weight(value.force())
        case Dot():
            return 1 + sum(map(weight, value.items))
        case Seq():
            return 1 + sum(map(weight, value.items()))
    return 1 + sum(weight(one) + weight(other) for one, other in value.entries.items())


def _not_too_large(value: Value, deed: str) -> None:
    if weight(value) > MOST_PARTS:
        raise Wrong(f"{kind_of(force(value))} of {weight(value):,} parts is too large to be {deed}")


def rank(value: Value) -> Any:
    """Values in an order that is the same in every run."""
    _not_too_large(value, "put in order")
    return _rank(value)


def _rank(value: Value) -> Any:
    match value:
        case int():
            return (0, value)
        case Truth():
            return (1, value.value)
        case Char():
            return (2, value.value)
        case tuple():
            return (3, tuple(_rank(force(v)) for v in value))
        case Seq():
            return (4, tuple(_rank(v) for v in value.items()))
        case Dot():
            return (6, tuple(_rank(v) for v in value.items))
        case Maker():
            return (6, ((5, value.index),))
        case MapValue():
            return (8, tuple(sorted((_rank(k), _rank(v)) for k, v in value.entries.items())))
        case Function():
            return (10, value.name, id(value))
    from kripke.languages.cspm.sets import Values

    if isinstance(value, Values):
        return (7, tuple(_rank(v) for v in value.items()))
    number = getattr(value, "number", None)
    return (9, number if number is not None else id(value))


def less(left: Value, right: Value) -> bool:
    """``<`` as CSP-M has it: of sequences it is being a proper prefix, of sets a proper subset."""
    from kripke.languages.cspm.sets import Values

    match left, right:
        case (int(), int()):
            return bool(left < right)
        case (Char(), Char()):
            return bool(left.value < right.value)
        case (Truth(), Truth()):
            return bool(left.value < right.value)
        case (tuple(), tuple()):
            for a, b in zip(map(force, left), map(force, right), strict=False):
                if less(a, b):
                    return True
                if a != b:
                    return False
            return len(left) < len(right)
        case (Seq(), Seq()):
            return bool(left < right)
        case (MapValue(), MapValue()):
            return left <= right and left != right
    if isinstance(left, Values) and isinstance(right, Values):
        return left.subset_of(right) and left != right
    raise Wrong(f"{show(left)} and {show(right)} cannot be ordered")


def less_equal(left: Value, right: Value) -> bool:
    return bool(left == right) or less(left, right)


# ---- words ----


def show(value: Value) -> str:
    """A value as CSP-M writes it."""
    _not_too_large(value, "shown")
    return _show(value)


def _show(value: Value) -> str:
    match value:
        case Truth():
            return "true" if value.value else "false"
        case int():
            return str(value)
        case Char():
            return f"'{value.value}'"
        case tuple():
            return "(" + ", ".join(_show(v) for v in value) + ")"
        case Seq():
            items = value.items()
            if items and all(isinstance(item, Char) for item in items):
                return '"' + "".join(item.value for item in items) + '"'
            return "<" + ", ".join(_show(v) for v in items) + ">"
        case Dot():
            return ".".join(f"({_show(v)})" if _grouped(v) else _show(v) for v in value.items)
        case Maker():
            return value.name
        case MapValue():
            inner = ", ".join(
                f"{_show(k)} => {_show(v)}" for k, v in sorted(value.entries.items(), key=lambda e: _rank(e[0]))
            )
            return f"(| {inner} |)" if inner else "(| |)"
        case Function():
            return value.name or "\\ ..."
        case Thunk():
            return _show(value.force())
    from kripke.languages.cspm.sets import Values

    if isinstance(value, Values):
        return value.shown()
    words = getattr(value, "words", None)
    return words() if words is not None else str(value)


def _grouped(value: Value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value < 0


def kind_of(value: Value) -> str:
    """For messages: what sort of value this is."""
    match value:
        case Truth():
            return "a truth value"
        case int():
            return "a number"
        case Char():
            return "a character"
        case tuple():
            return "a tuple"
        case Seq():
            return "a sequence"
        case Dot() | Maker():
            return "a dotted value"
        case MapValue():
            return "a map"
        case Function():
            return "a function"
    from kripke.languages.cspm.sets import Values

    return "a set" if isinstance(value, Values) else "a process"


def chain(parts: Iterable[Iterable[Value]]) -> Iterator[Value]:
    for part in parts:
        yield from part


__all__ = [
    "FALSE",
    "TRUE",
    "Char",
    "Dot",
    "Function",
    "Maker",
    "MapValue",
    "ModelError",
    "Seq",
    "Thunk",
    "Truth",
    "Wrong",
]
