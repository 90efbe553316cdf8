"""The syntax tree of an SMV file: what stands in the text, with its places, before names mean anything."""

from __future__ import annotations

from dataclasses import dataclass, field

from kripke.model.source import Span


@dataclass(frozen=True, slots=True)
class Name:
    text: str
    span: Span


# --- expressions ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Expression:
    span: Span


@dataclass(frozen=True, slots=True)
class Number(Expression):
    value: int


@dataclass(frozen=True, slots=True)
class Truth(Expression):
    value: bool


@dataclass(frozen=True, slots=True)
class WordConstant(Expression):
    value: int
    width: int
    signed: bool


@dataclass(frozen=True, slots=True)
class Identifier(Expression):
    """One name; ``self`` is one, too."""

    text: str


@dataclass(frozen=True, slots=True)
class Member(Expression):
    """``of.name``"""

    of: Expression
    name: Name


@dataclass(frozen=True, slots=True)
class Index(Expression):
    """``of[at]``: an element of an array."""

    of: Expression
    at: Expression


@dataclass(frozen=True, slots=True)
class Bits(Expression):
    """``of[high:low]`` of a word."""

    of: Expression
    high: Expression
    low: Expression


@dataclass(frozen=True, slots=True)
class Operation(Expression):
    """An operator or a function by its name: ``! & | xor -> = + next toint EF U ...``."""

    operator: str
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Bounded(Expression):
    """A temporal operator with bounds: ``F [low, high] operand`` (``high`` None: without an end)."""

    operator: str
    low: int
    high: int | None
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Case(Expression):
    branches: tuple[tuple[Expression, Expression], ...]


@dataclass(frozen=True, slots=True)
class Set(Expression):
    """``{a, b}``"""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Interval(Expression):
    """``low..high``"""

    low: Expression
    high: Expression


@dataclass(frozen=True, slots=True)
class ArrayOf(Expression):
    """``[a, b]`` in a definition: an array from 0 on."""

    items: tuple[Expression, ...]


# --- types ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TypeText:
    span: Span


@dataclass(frozen=True, slots=True)
class BooleanText(TypeText):
    pass


@dataclass(frozen=True, slots=True)
class RangeText(TypeText):
    low: Expression
    high: Expression


@dataclass(frozen=True, slots=True)
class EnumerationText(TypeText):
    values: tuple[Number | Identifier | Truth | Member, ...]


@dataclass(frozen=True, slots=True)
class WordText(TypeText):
    width: Expression
    signed: bool


@dataclass(frozen=True, slots=True)
class ArrayText(TypeText):
    low: Expression
    high: Expression
    element: TypeText


@dataclass(frozen=True, slots=True)
class InstanceText(TypeText):
    module: Name
    arguments: tuple[Expression, ...]


# --- declarations -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Declaration:
    """``kind``: VAR, IVAR or FROZENVAR."""

    kind: str
    name: Name
    type: TypeText


@dataclass(frozen=True, slots=True)
class Assignment:
    """``when``: init, next, or nothing, for all states alike."""

    when: str
    target: Expression
    value: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Constraint:
    """``kind``: INIT, TRANS, INVAR, JUSTICE, COMPASSION. Only the last has two expressions."""

    kind: str
    expressions: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Specification:
    """``kind``: INVARSPEC, CTLSPEC, LTLSPEC. ``name``: None where it has none. ``text`` as it is written."""

    kind: str
    name: Name | None
    expression: Expression
    text: str
    span: Span


@dataclass(slots=True)
class Module:
    name: Name
    parameters: tuple[Name, ...]
    end: Span
    declarations: list[Declaration] = field(default_factory=list)
    definitions: list[tuple[Name, Expression]] = field(default_factory=list)
    constants: list[Name] = field(default_factory=list)
    assignments: list[Assignment] = field(default_factory=list)
    constraints: list[Constraint] = field(default_factory=list)
    specifications: list[Specification] = field(default_factory=list)
