"""What names stand for in a Promela model, and the types of variables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING

from kripke.languages.promela import syntax
from kripke.languages.promela.habits import CONSTANTS
from kripke.process.expressions import IntType
from kripke.process.program import Channel, Component, Variable
from kripke.process.program import Scope as Reach

if TYPE_CHECKING:
    from kripke.languages.promela.asn1.types import DataType

BASIC_TYPES = {
    "bit": IntType("bit", 1, False),
    "bool": IntType("bool", 1, False),
    "byte": IntType("byte", 8, False),
    "pid": IntType("pid", 8, False),
    "mtype": IntType("mtype", 8, False),
    "chan": IntType("chan", 8, False),
    "short": IntType("short", 16, True),
    "int": IntType("int", 32, True),
}


#: Fields of imported types (``data.py``) that no name in a model can be: the elements of a list, its length, which
#: alternative was chosen.
ELEMENTS, LENGTH, TAG = "", "length", "#"

#: a process of some type
REFERENCE = IntType("ref", 8, False)


def unsigned(width: int) -> IntType:
    return IntType("unsigned", width, False)


@dataclass(frozen=True, slots=True)
class FieldType:
    """A field of a structure: where it starts, of what type, and how many elements if it is an array.

    ``initial`` are its start values, one per element. ``channel``: every structure gets channels of its own here.
    """

    type: IntType | StructType
    offset: int
    count: int | None
    enumeration: dict[int, str] | None = None
    initial: tuple[int, ...] = ()
    channel: syntax.ChannelInitializer | None = None
    #: is ``initial`` what it is where a value does not mention it?
    default: bool = False

    def initial_of_type(self) -> list[int]:
        """The start values of its type, whatever its own are."""
        return start_values(self.type, self.count)

    @property
    def stride(self) -> int:
        return self.type.size

    @property
    def size(self) -> int:
        return self.type.size * (1 if self.count is None else self.count)


@dataclass(frozen=True, slots=True)
class StructType:
    """A typedef, or an imported type."""

    name: str
    fields: dict[str, FieldType]
    size: int
    #: what it is in ASN.1, where it was imported
    data: DataType | None = None

    def all_scalars(self) -> list[IntType]:
        """The types of all scalars in order, those of arrays of structures included."""
        found: list[IntType] = []
        for item in self.fields.values():
            inner = item.type.all_scalars() if isinstance(item.type, StructType) else [item.type]
            found += inner * (1 if item.count is None else item.count)
        return found

    def scalars(self) -> list[IntType] | None:
        """The types of the scalars in order, nested structures included; None where there is an array of structures."""
        found: list[IntType] = []
        for item in self.fields.values():
            if isinstance(item.type, StructType):
                inner = item.type.scalars() if item.count is None else None
                if inner is None:
                    return None
                found.extend(inner)
            else:
                found.extend([item.type] * (item.count or 1))
        return found

    def has_array(self) -> bool:
        return any(
            item.count is not None or (isinstance(item.type, StructType) and item.type.has_array())
            for item in self.fields.values()
        )


def components(type_: IntType | StructType, count: int | None, path: str = "", offset: int = 0) -> list[Component]:
    """The scalars inside a variable of a type, with their paths and offsets."""
    found: list[Component] = []
    for i in range(1 if count is None else count):
        name = path if count is None else f"{path}[{i}]"
        start = offset + i * type_.size
        if isinstance(type_, StructType):
            for field_name, item in type_.fields.items():
                inner = f"{name}.{field_name}" if field_name else name
                found += components(item.type, item.count, inner, start + item.offset)
        else:
            found.append(Component(name, type_, start))
    return found


def start_values(type_: IntType | StructType, count: int | None) -> list[int]:
    """The start values of the scalars inside a variable of a type, in the order of ``components``."""
    if isinstance(type_, IntType):
        return [type_.start] * (count or 1)
    found: list[int] = []
    for item in type_.fields.values():
        found += item.initial or start_values(item.type, item.count)
    return found * (count or 1)


def names_of_scalars(type_: StructType) -> list[dict[int, str] | None]:
    """The names of the values of every scalar of ``StructType.scalars``, where they have names."""
    found: list[dict[int, str] | None] = []
    for item in type_.fields.values():
        if isinstance(item.type, StructType):
            found += names_of_scalars(item.type)
        else:
            found += [item.enumeration if type_.data is not None else None] * (item.count or 1)
    return found


def declared_channels(
    type_: StructType, count: int | None, path: str, offset: int = 0
) -> Iterator[tuple[str, int, syntax.ChannelInitializer]]:
    """The channels inside a variable of a type, each with its name and the offset of the field that holds it."""
    for i in range(count or 1):
        name = path if count is None else f"{path}[{i}]"
        start = offset + i * type_.size
        for field_name, item in type_.fields.items():
            at = start + item.offset
            if isinstance(item.type, StructType):
                yield from declared_channels(item.type, item.count, f"{name}.{field_name}", at)
            elif item.channel is not None:
                for j in range(item.count or 1):
                    element = f"{name}.{field_name}" + ("" if item.count is None else f"[{j}]")
                    yield element, at + j * item.type.size, item.channel


@dataclass(slots=True, eq=False)
class Symbol:
    """A declared variable or channel.

    ``channels`` is set when the name stands for declared channels and is never assigned: then there is no variable.
    ``read`` is set when its value is used anywhere (printing does not count). ``private``: declared ``local``.
    ``exclusive``: claims made with ``xr`` and ``xs``. ``message``: the types of the fields of a channel's messages.
    ``start``: the start value, where it is written as a number.
    """

    name: str
    type: IntType | StructType
    count: int | None
    variable: Variable | None = None
    channels: tuple[Channel, ...] = ()
    is_channel: bool = False
    private: bool = False
    read: bool = False
    exclusive: set[str] = field(default_factory=set)
    message: tuple[IntType | StructType, ...] | None = None
    start: int | None = None

    @property
    def is_local(self) -> bool:
        declared = self.variable if self.variable is not None else self.channels[0]
        return declared.scope is Reach.LOCAL


class Scope:
    """Names declared in a block, inside the names of the enclosing blocks."""

    def __init__(self, parent: Scope | None, path: tuple[int, ...] = ()) -> None:
        self.parent = parent
        self.path = path
        self.symbols: dict[str, Symbol] = {}
        self._blocks = 0

    def block(self) -> Scope:
        """A new scope inside this one."""
        self._blocks += 1
        return Scope(self, (*self.path, self._blocks))

    def find(self, name: str) -> Symbol | None:
        scope: Scope | None = self
        while scope is not None:
            symbol = scope.symbols.get(name)
            if symbol is not None:
                return symbol
            scope = scope.parent
        return None

    def names(self) -> list[str]:
        found: list[str] = []
        scope: Scope | None = self
        while scope is not None:
            found.extend(scope.symbols)
            scope = scope.parent
        return found


def suggestion(name: str, known: list[str]) -> str | None:
    """A hint with the nearest known name."""
    if name in CONSTANTS:
        return f"did you mean '{CONSTANTS[name]}'?"
    near = get_close_matches(name, known, n=1)
    return f"did you mean '{near[0]}'?" if near else None
