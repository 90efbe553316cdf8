"""Types of LF: scalars, arrays, records, and ports, which are typed by the messages of their channel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kripke.actions.program import BOOLEAN, INT32, Scalar


@dataclass(frozen=True, slots=True)
class ArrayType:
    length: int
    element: Type

    def __str__(self) -> str:
        return f"ARRAY {self.length} OF {self.element}"


@dataclass(eq=False, slots=True)
class RecordType:
    """Types are the same only if they come from the same declaration. ``fields``: name, offset and type of each."""

    name: str
    fields: dict[str, tuple[int, Type]]
    size: int

    def __str__(self) -> str:
        return self.name or "RECORD"


@dataclass(eq=False, slots=True)
class ChannelType:
    """Messages by name: their number and the types of their data."""

    name: str
    messages: dict[str, tuple[int, tuple[Type, ...]]]

    def __str__(self) -> str:
        return self.name or "[" + ", ".join(self.messages) + "]"


@dataclass(frozen=True, slots=True)
class PortType:
    """``direction``: "!" may only send, "?" only receive, "" both."""

    channel: ChannelType
    direction: str = ""

    def __str__(self) -> str:
        return f"{self.channel}{self.direction}"


@dataclass(frozen=True, slots=True)
class NumberType:
    """An integer constant, which belongs to every integer type that has it."""

    def __str__(self) -> str:
        return "a number"


@dataclass(frozen=True, slots=True)
class SetLiteralType:
    """A set display of constants, which belongs to every type of bit sets that is wide enough."""

    def __str__(self) -> str:
        return "a set"


Type = Scalar | ArrayType | RecordType | PortType | NumberType | SetLiteralType

NUMBER = NumberType()
SET_LITERAL = SetLiteralType()
INTEGER = INT32._replace(name="INTEGER")
CHAR = Scalar("CHAR", 1, 0, 255, "character")
SET = Scalar("SET", 4, 0, (1 << 32) - 1, "set")
PORT_BYTE = Scalar("PORT", 1, 0, 255, "port")

PREDEFINED: dict[str, Scalar] = {
    "INTEGER": INTEGER,
    "INT8": Scalar("INT8", 1, -128, 127),
    "INT16": Scalar("INT16", 2, -(1 << 15), (1 << 15) - 1),
    "INT32": INT32,
    "UINT8": Scalar("UINT8", 1, 0, 255),
    "UINT16": Scalar("UINT16", 2, 0, (1 << 16) - 1),
    "UINT32": Scalar("UINT32", 4, 0, (1 << 32) - 1),
    "BOOLEAN": BOOLEAN,
    "CHAR": CHAR,
    "SET": SET,
    "SET8": Scalar("SET8", 1, 0, 255, "set"),
    "SET16": Scalar("SET16", 2, 0, (1 << 16) - 1, "set"),
    "SET32": Scalar("SET32", 4, 0, (1 << 32) - 1, "set"),
}


def size_of(type_: Type) -> int:
    match type_:
        case Scalar():
            return type_.size
        case ArrayType(length, element):
            return length * size_of(element)
        case RecordType():
            return type_.size
        case PortType():
            return PORT_BYTE.size
    raise AssertionError(type_)


def scalars(type_: Type, name: str = "", offset: int = 0) -> Iterator[tuple[str, int, Scalar]]:
    """The scalars that a value consists of: their names (``.x``, ``[2].y``), offsets and types."""
    match type_:
        case Scalar():
            yield name, offset, type_
        case PortType():
            yield name, offset, PORT_BYTE
        case ArrayType(length, element):
            size = size_of(element)
            for index in range(length):
                yield from scalars(element, f"{name}[{index}]", offset + index * size)
        case RecordType():
            for field, (at, inner) in type_.fields.items():
                yield from scalars(inner, f"{name}.{field}", offset + at)
        case _:
            raise AssertionError(type_)


def same(left: Type, right: Type) -> bool:
    """May a value of one stand for one of the other? INTEGER and INT32 are two names of one type."""
    if isinstance(left, Scalar) and isinstance(right, Scalar):
        return (left.size, left.low, left.high, left.kind) == (right.size, right.low, right.high, right.kind)
    if isinstance(left, ArrayType) and isinstance(right, ArrayType):
        return left.length == right.length and same(left.element, right.element)
    return left == right
