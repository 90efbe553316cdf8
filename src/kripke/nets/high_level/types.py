"""Types of tokens: finite sets of values, ordered and numbered.

Every value has a *key*, an integer that keeps the order: a number is its own key, the key of a compound value is its
position among all values of its shape, counted in a mixed radix with the last component most significant. A constraint
is a union of ranges of keys; the *index* of a value is its position among those the constraint leaves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

Value = Any  # an int, a tuple of values (struct, array, buffer) or a pair of tag and value (union)
Ranges = tuple[tuple[int, int], ...]


class Type:
    """A set of values. Types are compared by identity: two that look alike are two."""

    kind = ""

    def __init__(self, name: str, ranges: Ranges) -> None:
        self.name = name
        self.ranges = ranges
        self.count = sum(high - low + 1 for low, high in ranges)

    #: has the type an order that a model may use?
    ordered = True

    def key(self, value: Value) -> int:
        raise NotImplementedError

    def of_key(self, key: int) -> Value:
        raise NotImplementedError

    def show(self, value: Value) -> str:
        raise NotImplementedError

    def has_key(self, key: int) -> bool:
        return any(low <= key <= high for low, high in self.ranges)

    def contains(self, value: Value) -> bool:
        return self.has_key(self.key(value))

    def index_of_key(self, key: int) -> int:
        before = 0
        for low, high in self.ranges:
            if low <= key <= high:
                return before + key - low
            before += high - low + 1
        raise ValueError(key)

    def key_of_index(self, index: int) -> int:
        for low, high in self.ranges:
            if index <= high - low:
                return low + index
            index -= high - low + 1
        raise ValueError(index)

    def index(self, value: Value) -> int:
        return self.index_of_key(self.key(value))

    def value(self, index: int) -> Value:
        return self.of_key(self.key_of_index(index))

    def values(self) -> Iterator[Value]:
        for low, high in self.ranges:
            for key in range(low, high + 1):
                yield self.of_key(key)

    @property
    def bits(self) -> int:
        return (self.count - 1).bit_length()

    def constrained(self, ranges: Ranges, name: str) -> Type:
        """The same values, less those outside the ranges of keys."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name}>"


class NumberType(Type):
    """Numbers, truth values, characters, enumerations and identifiers: a value is an int and its own key.

    ``kind`` is "unsigned", "int", "bool", "char", "enum" or "id".
    """

    def __init__(self, kind: str, name: str, ranges: Ranges, names: dict[str, int] | None = None) -> None:
        super().__init__(name, ranges)
        self.kind = kind
        self.names = names or {}
        self.ordered = kind != "id"
        self._shown = {number: text for text, number in reversed(self.names.items())}

    def key(self, value: Value) -> int:
        number: int = value
        return number

    def of_key(self, key: int) -> Value:
        return key

    def show(self, value: Value) -> str:
        if self.kind == "bool":
            return "true" if value else "false"
        if self.kind == "char":
            return repr(chr(value))
        return self._shown.get(value) or str(value)

    def constrained(self, ranges: Ranges, name: str) -> Type:
        return NumberType(self.kind, name, intersection(self.ranges, ranges), self.names)


class StructType(Type):
    kind = "struct"

    def __init__(self, name: str, components: Sequence[tuple[str, Type]], ranges: Ranges | None = None) -> None:
        self.components = tuple(components)
        self.types = tuple(type_ for _, type_ in components)
        super().__init__(name, ((0, product(self.types) - 1),) if ranges is None else ranges)

    def key(self, value: Value) -> int:
        return radix_key(self.types, value)

    def of_key(self, key: int) -> Value:
        return radix_value(self.types, key)

    def show(self, value: Value) -> str:
        return "{" + ", ".join(type_.show(item) for type_, item in zip(self.types, value, strict=True)) + "}"

    def position(self, name: str) -> int | None:
        return next((at for at, (known, _) in enumerate(self.components) if known == name), None)

    def constrained(self, ranges: Ranges, name: str) -> Type:
        return StructType(name, self.components, intersection(self.ranges, ranges))


class UnionType(Type):
    """One of several components; a value is a pair of the component's position and its value."""

    kind = "union"

    def __init__(self, name: str, components: Sequence[tuple[str, Type]], ranges: Ranges | None = None) -> None:
        self.components = tuple(components)
        self.offsets: list[int] = []
        total = 0
        for _, type_ in components:
            self.offsets.append(total)
            total += type_.count
        super().__init__(name, ((0, total - 1),) if ranges is None else ranges)

    def key(self, value: Value) -> int:
        tag: int = value[0]
        return self.offsets[tag] + self.components[tag][1].index(value[1])

    def of_key(self, key: int) -> Value:
        tag = max(at for at, offset in enumerate(self.offsets) if offset <= key)
        return tag, self.components[tag][1].value(key - self.offsets[tag])

    def show(self, value: Value) -> str:
        name, type_ = self.components[value[0]]
        return f"{name}={type_.show(value[1])}"

    def position(self, name: str) -> int | None:
        return next((at for at, (known, _) in enumerate(self.components) if known == name), None)

    def constrained(self, ranges: Ranges, name: str) -> Type:
        return UnionType(name, self.components, intersection(self.ranges, ranges))


class ArrayType(Type):
    """An item for every value of the index type, in their order."""

    kind = "array"

    def __init__(self, name: str, item: Type, indices: Type, ranges: Ranges | None = None) -> None:
        self.item = item
        self.indices = indices
        self.types = (item,) * indices.count
        super().__init__(name, ((0, item.count**indices.count - 1),) if ranges is None else ranges)

    def key(self, value: Value) -> int:
        return radix_key(self.types, value)

    def of_key(self, key: int) -> Value:
        return radix_value(self.types, key)

    def show(self, value: Value) -> str:
        return "{" + ", ".join(self.item.show(item) for item in value) + "}"

    def constrained(self, ranges: Ranges, name: str) -> Type:
        return ArrayType(name, self.item, self.indices, intersection(self.ranges, ranges))


class BufferType(Type):
    """Up to ``capacity`` items in reading order; ``kind`` is "queue" or "stack". Shorter ones come first."""

    def __init__(self, kind: str, name: str, item: Type, capacity: int, ranges: Ranges | None = None) -> None:
        self.kind = kind
        self.item = item
        self.capacity = capacity
        self.offsets = [0]
        for length in range(capacity + 1):
            self.offsets.append(self.offsets[-1] + item.count**length)
        super().__init__(name, ((0, self.offsets[-1] - 1),) if ranges is None else ranges)

    def key(self, value: Value) -> int:
        return int(self.offsets[len(value)]) + radix_key((self.item,) * len(value), value)

    def of_key(self, key: int) -> Value:
        length = max(at for at, offset in enumerate(self.offsets[:-1]) if offset <= key)
        return radix_value((self.item,) * length, key - self.offsets[length])

    def show(self, value: Value) -> str:
        return "{" + ", ".join(self.item.show(item) for item in value) + "}"

    def constrained(self, ranges: Ranges, name: str) -> Type:
        return BufferType(self.kind, name, self.item, self.capacity, intersection(self.ranges, ranges))


UNSIGNED = NumberType("unsigned", "unsigned", ((0, (1 << 32) - 1),))
INT = NumberType("int", "int", ((-(1 << 31), (1 << 31) - 1),))
BOOL = NumberType("bool", "bool", ((0, 1),))
CHAR = NumberType("char", "char", ((0, 255),))
NUMERIC = ("unsigned", "int", "bool", "char", "enum")  # kinds whose values can be cast into each other


def product(types: Sequence[Type]) -> int:
    total = 1
    for type_ in types:
        total *= type_.count
    return total


def radix_key(types: Sequence[Type], value: Value) -> int:
    key = 0
    for type_, item in zip(reversed(types), reversed(value), strict=True):
        key = key * type_.count + type_.index(item)
    return key


def radix_value(types: Sequence[Type], key: int) -> Value:
    items = []
    for type_ in types:
        key, index = divmod(key, type_.count)
        items.append(type_.value(index))
    return tuple(items)


def intersection(left: Ranges, right: Ranges) -> Ranges:
    both = [
        (max(low, other_low), min(high, other_high))
        for low, high in left
        for other_low, other_high in right
        if max(low, other_low) <= min(high, other_high)
    ]
    return united(both)


def united(ranges: Sequence[tuple[int, int]]) -> Ranges:
    """The same keys in ranges that are sorted and do not touch."""
    result: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if result and low <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(high, result[-1][1]))
        else:
            result.append((low, high))
    return tuple(result)


def castable(source: Type, target: Type) -> bool:
    """Can some values of one type be taken for values of the other?"""
    if source is target:
        return True
    if source.kind in NUMERIC and target.kind in NUMERIC:
        return True
    if isinstance(source, StructType) and isinstance(target, StructType):
        return [name for name, _ in source.components] == [name for name, _ in target.components] and all(
            castable(one, other) for one, other in zip(source.types, target.types, strict=True)
        )
    if isinstance(source, ArrayType) and isinstance(target, ArrayType):
        return source.indices.count == target.indices.count and castable(source.item, target.item)
    if isinstance(source, BufferType) and isinstance(target, BufferType):
        return source.kind == target.kind and castable(source.item, target.item)
    if isinstance(source, UnionType) and isinstance(target, UnionType):
        return [name for name, _ in source.components] == [name for name, _ in target.components] and all(
            castable(one, other) for (_, one), (_, other) in zip(source.components, target.components, strict=True)
        )
    if isinstance(target, UnionType):
        return component_for(target, source) is not None
    if isinstance(source, UnionType):
        return component_for(source, target) is not None
    return source.kind == "id" and target.kind == "id" and source.count == target.count and source.name == target.name


def component_for(union: UnionType, type_: Type) -> int | None:
    """The first component of a union that the type can be cast to or from; the very type where there is one."""
    for at, (_, component) in enumerate(union.components):
        if component is type_:
            return at
    return next((at for at, (_, component) in enumerate(union.components) if castable(type_, component)), None)
