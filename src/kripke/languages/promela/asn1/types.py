"""What ASN.1 types mean: sets of values that a state can hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from kripke.process.value_set import EVERYTHING, ValueSet


@dataclass(frozen=True, slots=True)
class Scalar:
    """INTEGER, ENUMERATED, BOOLEAN or NULL (``keyword``); ``names`` of some of the values."""

    keyword: str
    values: ValueSet
    names: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Field:
    """A component of a record, or an alternative. A ``default`` is what it is where nothing else is said."""

    name: str
    type: DataType
    optional: bool = False
    default: Data | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """SEQUENCE or SET (``keyword``)."""

    keyword: str
    fields: tuple[Field, ...]

    def field(self, name: str) -> Field | None:
        return next((item for item in self.fields if item.name == name), None)


@dataclass(frozen=True, slots=True)
class Choice:
    alternatives: tuple[Field, ...]

    def field(self, name: str) -> Field | None:
        return next((item for item in self.alternatives if item.name == name), None)


@dataclass(frozen=True, slots=True)
class ListOf:
    """SEQUENCE OF; ``sizes`` are the lengths that it may have."""

    element: DataType
    sizes: ValueSet = EVERYTHING


DataType: TypeAlias = Scalar | Record | Choice | ListOf

Data: TypeAlias = "int | dict[str, Data] | list[Data] | tuple[str, Data]"
"""A value: a number, the components of a record that are there, elements, an alternative with its value."""


def cardinality(type_: DataType) -> int:
    """How many values the type has."""
    match type_:
        case Scalar(_, values):
            return len(values)
        case Record(_, fields):
            product = 1
            for item in fields:
                product *= cardinality(item.type) + item.optional
            return product
        case Choice(alternatives):
            return sum(cardinality(item.type) for item in alternatives)
        case ListOf(element, sizes):
            return sum(cardinality(element) ** size for size in sizes)
