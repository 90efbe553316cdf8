"""Names and what they stand for."""

from __future__ import annotations

from dataclasses import dataclass, field

from kripke.actions.program import Base, Scalar
from kripke.languages.lf.syntax import ProcessDeclaration
from kripke.languages.lf.types import ChannelType, NumberType, SetLiteralType, Type
from kripke.model.source import ModelError, Sources, Span


@dataclass(slots=True)
class ConstantEntity:
    value: int
    type: Scalar | NumberType | SetLiteralType


@dataclass(slots=True)
class TypeEntity:
    type: Type | ChannelType


@dataclass(slots=True, eq=False)
class VariableEntity:
    """``level``: 0 for a global variable, else how deep the process that has it is nested. ``offset`` is -1 until a
    variable of a module that the system has is used. ``shared``: others than its process may change it.
    ``created``: the program makes a channel for it."""

    name: str
    type: Type
    level: int
    offset: int
    reference: bool = False
    shared: bool = False
    is_system: bool = False
    created: bool = False

    def base(self, level: int) -> Base:
        """Seen from a process at this level."""
        if self.level == 0:
            return Base(None, self.offset)
        return Base(level - self.level, self.offset, self.reference)


@dataclass(slots=True, eq=False)
class ProcessEntity:
    """``parameters``: name, type, by reference, offset in the record of each. ``level``: of its own variables."""

    name: str
    number: int
    level: int
    declaration: ProcessDeclaration
    parameters: list[tuple[str, Type, bool, int]] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class OutputEntity:
    """A process of the module Out: it prints."""

    kind: str


@dataclass(slots=True, eq=False)
class ModuleEntity:
    name: str
    exports: dict[str, Entity]
    hidden: frozenset[str] = frozenset()


Entity = ConstantEntity | TypeEntity | VariableEntity | ProcessEntity | OutputEntity | ModuleEntity

_WHAT = {
    ConstantEntity: "a constant",
    TypeEntity: "a type",
    VariableEntity: "a variable",
    ProcessEntity: "a process",
    OutputEntity: "a process",
    ModuleEntity: "a module",
}


def what(entity: Entity) -> str:
    return _WHAT[type(entity)]


class Scope:
    """Names, and around them those of the process or module outside."""

    def __init__(self, outer: Scope | None, sources: Sources) -> None:
        self.outer = outer
        self.names: dict[str, Entity] = {}
        self.spans: dict[str, Span] = {}
        self.sources = sources

    def declare(self, name: str, entity: Entity, span: Span) -> None:
        if name in self.names:
            before = self.spans[name]
            where = f" in line {before.line}" if before.line and before.file == span.file else ""
            raise self.sources.error(f"{name} is already declared{where}", span)
        self.names[name] = entity
        self.spans[name] = span

    def find(self, name: str) -> Entity | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return None

    def unknown(self, name: str, span: Span) -> ModelError:
        from difflib import get_close_matches

        known: list[str] = []
        scope: Scope | None = self
        while scope is not None:
            known += scope.names
            scope = scope.outer
        close = get_close_matches(name, known, n=1)
        hint = f"did you mean {close[0]}?" if close else None
        return self.sources.error(f"{name} is not declared", span, hint=hint)
