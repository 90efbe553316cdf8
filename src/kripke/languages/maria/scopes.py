"""Names of a net or sub-net, and the types its declarations stand for."""

from __future__ import annotations

from dataclasses import dataclass, field

from kripke.languages.maria.syntax import FunctionDeclaration, Range, Syntax, TransitionDeclaration, TypeSyntax
from kripke.model.source import ModelError, Sources, Span
from kripke.nets.high_level.terms import Term
from kripke.nets.high_level.types import (
    BOOL,
    CHAR,
    INT,
    UNSIGNED,
    ArrayType,
    BufferType,
    NumberType,
    Ranges,
    StructType,
    Type,
    UnionType,
    united,
)

PREDEFINED: dict[str, Type] = {"unsigned": UNSIGNED, "int": INT, "bool": BOOL, "char": CHAR}
_MOST_ITEMS = 4096  # of an array or a buffer
_MOST_BITS = 100_000  # of the number of values of a type
_MOST_IDENTIFIERS = (1 << 32) - 1


@dataclass
class Scope:
    """What a net declares. A sub-net sees the types and functions of those around it, its places are its own."""

    name: str = ""
    parent: Scope | None = None
    types: dict[str, Type] = field(default_factory=dict)
    functions: dict[str, FunctionDeclaration] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)
    propositions: dict[str, Syntax] = field(default_factory=dict)
    transitions: dict[str, TransitionDeclaration] = field(default_factory=dict)
    macros: dict[str, TransitionDeclaration] = field(default_factory=dict)
    #: labels of the net around it that transitions here take part in: label to transitions
    partners: dict[str, list[TransitionDeclaration]] = field(default_factory=dict)
    subnets: list[Scope] = field(default_factory=list)

    def type(self, name: str) -> Type | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.types:
                return scope.types[name]
            scope = scope.parent
        return PREDEFINED.get(name)

    def function(self, name: str) -> tuple[FunctionDeclaration, Scope] | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.functions:
                return scope.functions[name], scope
            scope = scope.parent
        return None

    @property
    def module(self) -> Scope | None:
        """The sub-net of the whole net that this is, or is in; None for the net itself."""
        scope: Scope | None = self
        while scope is not None and scope.parent is not None and scope.parent.parent is not None:
            scope = scope.parent
        return scope if scope is not None and scope.parent is not None else None

    @property
    def path(self) -> str:
        if self.parent is None:
            return ""
        return f"{self.parent.path}{self.name}."


class TypeResolver:
    """Types from their syntax. ``constant`` evaluates an expression to a constant term of a type."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources

    def constant(self, syntax: Syntax, type_: Type, scope: Scope) -> Term:
        raise NotImplementedError

    def error(self, message: str, span: Span, hint: str | None = None) -> ModelError:
        return self.sources.error(message, span, hint)

    def number(self, syntax: Syntax, scope: Scope) -> int:
        return int(self.constant(syntax, UNSIGNED, scope).detail)

    def named_type(self, name: str, scope: Scope, span: Span) -> Type:
        type_ = scope.type(name)
        if type_ is None:
            raise self.error(f"there is no type {name}", span)
        return type_

    def type(self, syntax: TypeSyntax, scope: Scope, name: str) -> Type:
        type_ = self._type(syntax, scope, name)
        if type_.count.bit_length() > _MOST_BITS:
            raise self.error("this type has too many values", syntax.span)
        if type_.count < 1:
            raise self.error("this type has no values", syntax.span)
        return type_

    def _type(self, syntax: TypeSyntax, scope: Scope, name: str) -> Type:
        match syntax.kind:
            case "name":
                return self.named_type(syntax.name, scope, syntax.span)
            case "enum":
                return self._enumeration(syntax, scope, name)
            case "id":
                assert syntax.number is not None
                count = self.number(syntax.number, scope)
                if not 1 <= count <= _MOST_IDENTIFIERS:
                    raise self.error("a type of identifiers needs at least one", syntax.span)
                return NumberType("id", name, ((0, count - 1),))
            case "struct" | "union":
                components: list[tuple[str, Type]] = []
                for type_, component in syntax.components:
                    if any(component == known for known, _ in components):
                        raise self.error(f"two components are called {component}", type_.span)
                    components.append((component, self.type(type_, scope, f"{name}.{component}")))
                return StructType(name, components) if syntax.kind == "struct" else UnionType(name, components)
        assert syntax.base is not None
        base = self.type(syntax.base, scope, name)
        if syntax.kind == "constrained":
            if base.kind == "id":
                raise self.error("a type of identifiers has no order: it cannot be constrained", syntax.span)
            return base.constrained(self.ranges(syntax.ranges, base, scope), name)
        if syntax.kind == "array":
            assert syntax.indices is not None
            indices = self.type(syntax.indices, scope, f"{name}[]")
            if not indices.ordered:
                raise self.error("an array is indexed by an ordered type, not by identifiers", syntax.span)
            self._limited(indices.count, base, syntax.span)
            return ArrayType(name, base, indices)
        assert syntax.number is not None
        capacity = self.number(syntax.number, scope)
        if capacity < 1:
            raise self.error("a buffer needs room for an item", syntax.span)
        self._limited(capacity, base, syntax.span)
        return BufferType(syntax.kind, name, base, capacity)

    def _limited(self, items: int, base: Type, span: Span) -> None:
        if items > _MOST_ITEMS or items * base.count.bit_length() > _MOST_BITS:
            raise self.error("this type has too many values", span)

    def _enumeration(self, syntax: TypeSyntax, scope: Scope, name: str) -> Type:
        names: dict[str, int] = {}
        number = 0
        for item, value in syntax.items:
            if item in names:
                raise self.error(f"two constants are called {item}", syntax.span)
            if value is not None:
                number = self.number(value, scope)
            if number in names.values():
                raise self.error(f"two constants have the number {number}", syntax.span)
            names[item] = number
            number += 1
        return NumberType("enum", name, ((min(names.values()), max(names.values())),), names)

    def ranges(self, ranges: tuple[Range, ...], base: Type, scope: Scope) -> Ranges:
        """The keys that a constraint leaves."""
        first, last = base.ranges[0][0], base.ranges[-1][1]
        result = []
        for item in ranges:
            low = first if item.low is None else base.key(self.constant(item.low, base, scope).detail)
            if item.high is item.low:
                high = low
            else:
                high = last if item.high is None else base.key(self.constant(item.high, base, scope).detail)
            if low > high:
                syntax = item.low or item.high
                assert syntax is not None
                raise self.error("this range is empty", syntax.span)
            result.append((low, high))
        return united(result)
