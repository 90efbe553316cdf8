"""What names stand for in a Promela model, and the types of variables."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches

from kripke.process.expressions import IntType
from kripke.process.program import Channel, Component, Variable
from kripke.process.program import Scope as Reach

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


def unsigned(width: int) -> IntType:
    return IntType("unsigned", width, False)


@dataclass(frozen=True, slots=True)
class FieldType:
    """A field of a structure: where it starts, of what type, and how many elements if it is an array."""

    type: IntType | StructType
    offset: int
    count: int | None
    enumeration: dict[int, str] | None = None

    @property
    def stride(self) -> int:
        return self.type.size

    @property
    def size(self) -> int:
        return self.type.size * (1 if self.count is None else self.count)


@dataclass(frozen=True, slots=True)
class StructType:
    """A typedef."""

    name: str
    fields: dict[str, FieldType]
    size: int

    def scalars(self) -> list[IntType] | None:
        """The types of the fields in order, nested structures included; None where there is an array."""
        found: list[IntType] = []
        for item in self.fields.values():
            if item.count is not None:
                return None
            if isinstance(item.type, StructType):
                inner = item.type.scalars()
                if inner is None:
                    return None
                found.extend(inner)
            else:
                found.append(item.type)
        return found


def components(type_: IntType | StructType, count: int | None, path: str = "", offset: int = 0) -> list[Component]:
    """The scalars inside a variable of a type, with their paths and offsets."""
    found: list[Component] = []
    for i in range(1 if count is None else count):
        name = path if count is None else f"{path}[{i}]"
        start = offset + i * type_.size
        if isinstance(type_, StructType):
            for field_name, item in type_.fields.items():
                found += components(item.type, item.count, f"{name}.{field_name}", start + item.offset)
        else:
            found.append(Component(name, type_, start))
    return found


@dataclass(slots=True, eq=False)
class Symbol:
    """A declared variable or channel.

    ``channels`` is set when the name stands for declared channels and is never assigned: then there is no variable.
    ``read`` is set when its value is used anywhere (printing does not count). ``private``: declared ``local``.
    ``exclusive``: claims made with ``xr`` and ``xs``.
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
    near = get_close_matches(name, known, n=1)
    return f"did you mean '{near[0]}'?" if near else None
