"""What an ASN.1 module says: types, values, constraints, as they are written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from kripke.model.source import Span

# Values


@dataclass(frozen=True, slots=True)
class Number:
    value: int
    span: Span


@dataclass(frozen=True, slots=True)
class Truth:
    value: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Null:
    span: Span


@dataclass(frozen=True, slots=True)
class Named:
    """A name: an enumeration item, a named number, or another value."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Braces:
    """``{ a 1, b 2 }`` or ``{ 1, 2 }``: names are None in the second form."""

    items: tuple[tuple[str | None, Value], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Chosen:
    """``alternative : value``"""

    name: str
    value: Value
    span: Span


Value: TypeAlias = Number | Truth | Null | Named | Braces | Chosen

# Constraints


@dataclass(frozen=True, slots=True)
class Range:
    """``low..high``; None is MIN or MAX. An open end does not belong to it."""

    low: Value | None
    high: Value | None
    above: bool
    below: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Single:
    value: Value
    span: Span


@dataclass(frozen=True, slots=True)
class Contained:
    """All values of another type."""

    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Size:
    """``SIZE (...)``"""

    constraint: Constraint
    span: Span


@dataclass(frozen=True, slots=True)
class Component:
    """What is asked of one component: a constraint, and whether it is there ("PRESENT", "ABSENT", "OPTIONAL")."""

    name: str
    constraint: Constraint | None
    presence: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Components:
    """``WITH COMPONENTS { ..., a (0..3) PRESENT }``; ``partial`` with the dots."""

    items: tuple[Component, ...]
    partial: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Elements:
    """``WITH COMPONENT (...)``: of every element of a list."""

    constraint: Constraint
    span: Span


@dataclass(frozen=True, slots=True)
class Union:
    parts: tuple[Constraint, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Intersection:
    parts: tuple[Constraint, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Except:
    """``whole EXCEPT without``; ``ALL EXCEPT without`` where there is no whole."""

    whole: Constraint | None
    without: Constraint
    span: Span


Constraint: TypeAlias = Range | Single | Contained | Size | Components | Elements | Union | Intersection | Except

# Types


@dataclass(frozen=True, slots=True)
class Boolean:
    span: Span


@dataclass(frozen=True, slots=True)
class NullType:
    span: Span


@dataclass(frozen=True, slots=True)
class Integer:
    """INTEGER, perhaps with names for some numbers."""

    names: tuple[tuple[str, Value], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Enumerated:
    """Items in the order of the text, perhaps with their numbers; ``root`` of them stand before the dots."""

    items: tuple[tuple[str, Value | None], ...]
    root: int
    span: Span


@dataclass(frozen=True, slots=True)
class Field:
    """A component of a SEQUENCE or SET. Without a name: COMPONENTS OF the type."""

    name: str | None
    type: Type
    optional: bool
    default: Value | None
    span: Span


@dataclass(frozen=True, slots=True)
class Record:
    """SEQUENCE or SET (``keyword``)."""

    keyword: str
    fields: tuple[Field, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ListOf:
    """SEQUENCE OF"""

    element: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Choice:
    alternatives: tuple[Field, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Reference:
    name: str
    module: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Constrained:
    """A type and what follows it in parentheses."""

    type: Type
    constraint: Constraint
    span: Span


Type: TypeAlias = Boolean | NullType | Integer | Enumerated | Record | ListOf | Choice | Reference | Constrained


@dataclass(frozen=True, slots=True)
class TypeAssignment:
    name: str
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class ValueAssignment:
    name: str
    type: Type
    value: Value
    span: Span


@dataclass(frozen=True, slots=True)
class Import:
    """Names and the module they come from."""

    names: tuple[str, ...]
    module: str
    span: Span


@dataclass(frozen=True, slots=True)
class Module:
    name: str
    imports: tuple[Import, ...]
    types: tuple[TypeAssignment, ...]
    values: tuple[ValueAssignment, ...]
    span: Span
