"""``SymmetricNet``: places that hold multisets of colours, transitions with variables, guards and inscribed arcs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kripke.model.source import NOWHERE, Span
from kripke.nets.symmetric.sorts import Sort
from kripke.nets.symmetric.terms import Guard, Multiset, Term


@dataclass(frozen=True, slots=True)
class ColouredPlace:
    identifier: str
    name: str
    sort: Sort
    initial: Multiset
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class ColouredArc:
    """By the number of the place. The term has the sort of the place."""

    place: int
    term: Term
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class ColouredTransition:
    """``variables`` are those of the guard and the arcs, with their sorts."""

    identifier: str
    name: str
    variables: Mapping[str, Sort]
    guard: Guard
    inputs: tuple[ColouredArc, ...]
    outputs: tuple[ColouredArc, ...]
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class SymmetricNet:
    name: str
    places: tuple[ColouredPlace, ...]
    transitions: tuple[ColouredTransition, ...]
    variable_names: Mapping[str, str]
