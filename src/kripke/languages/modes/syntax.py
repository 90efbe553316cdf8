"""The syntax tree of a ``.modes`` file: what was written, not yet checked."""

from __future__ import annotations

from dataclasses import dataclass, field

from kripke.model.source import NOWHERE, Span


@dataclass(frozen=True, slots=True)
class Expression:
    """``kind`` is an operator, or one of: number, name, element (of the array ``text``), list (start values of an
    array), inside (is control there?), choice."""

    kind: str
    text: str
    operands: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class TypeText:
    """``bool``, the name of an enumeration, or a range; with a ``length`` an array of these."""

    name: str
    low: Expression | None
    high: Expression | None
    span: Span
    length: Expression | None = None


@dataclass(frozen=True, slots=True)
class Name:
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class VariableText:
    name: Name
    type: TypeText
    start: Expression | None
    read: bool = True
    write: bool = True


@dataclass(frozen=True, slots=True)
class Place:
    """``instance`` may be empty; ``point`` may be empty: the border of the instance."""

    instance: str
    point: str
    span: Span

    def __str__(self) -> str:
        return ".".join(part for part in (self.instance, self.point) if part)


@dataclass(frozen=True, slots=True)
class AssignmentText:
    name: Name
    index: Expression | None
    value: Expression


@dataclass(frozen=True, slots=True)
class TransitionText:
    name: str
    source: Place
    target: Place
    guard: Expression | None
    actions: tuple[AssignmentText, ...]
    pause: bool
    span: Span
    text: str
    overrides: bool = False


@dataclass(frozen=True, slots=True)
class InstanceText:
    name: Name
    mode: Name
    bindings: tuple[tuple[Name, Expression], ...]
    initialised: bool = False


@dataclass(slots=True)
class ModeText:
    name: Name
    parameters: list[VariableText] = field(default_factory=list)
    locals: list[VariableText] = field(default_factory=list)
    entries: list[Name] = field(default_factory=list)
    exits: list[Name] = field(default_factory=list)
    points: list[Name] = field(default_factory=list)
    instances: list[InstanceText] = field(default_factory=list)
    transitions: list[TransitionText] = field(default_factory=list)
    #: its last brace
    end: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class PropertyText:
    """``kind``: invariant (``expression``) or ltl (``text``)."""

    kind: str
    name: Name
    expression: Expression | None
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class RefinementText:
    """Every trace of one mode is a trace of the other; or of modes that run together. ``premises``: what the
    assume-guarantee rule asks for is checked instead."""

    name: Name
    implementation: tuple[Name, ...]
    specification: tuple[Name, ...]
    text: str
    span: Span
    premises: bool = False


@dataclass(slots=True)
class File:
    constants: list[tuple[Name, Expression]] = field(default_factory=list)
    enumerations: list[tuple[Name, tuple[Name, ...]]] = field(default_factory=list)
    variables: list[VariableText] = field(default_factory=list)
    modes: list[ModeText] = field(default_factory=list)
    system: list[InstanceText] = field(default_factory=list)
    properties: list[PropertyText] = field(default_factory=list)
    refinements: list[RefinementText] = field(default_factory=list)
