"""Modes, checked: the form of R. Alur, R. Grosu, M. McDougall, "Efficient reachability analysis of hierarchical
reactive machines" (CAV 2000), in which a language hands them over.

A definition stands once, however many instances refer to it. Control of an instance is at one of its positions, which
are numbered from 1 (0: the instance is not there): the default entry, the entry points, the points inside, the
exit points of the instances inside, and, for each of these, being inside of it (its default exit).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from kripke.hierarchy.terms import OutOfBounds, Term, evaluator
from kripke.hierarchy.types import Type
from kripke.model.source import Span

ABSENT = 0
DEFAULT_ENTRY = 1


@dataclass(frozen=True, slots=True)
class Parameter:
    """A global variable of a mode: one of whoever uses the mode, by the name it has here."""

    name: str
    type: Type
    read: bool
    write: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Local:
    name: str
    type: Type
    start: int
    span: Span


@dataclass(frozen=True, slots=True)
class Assignment:
    """To the variable of this number in scope; with an ``index`` to one of ``length`` that start there."""

    variable: int
    type: Type
    value: Term
    index: Term | None = None
    length: int = 1

    @property
    def targets(self) -> range:
        """The variables it may change."""
        return range(self.variable, self.variable + self.length)

    @property
    def terms(self) -> tuple[Term, ...]:
        """What it reads."""
        return (self.value,) if self.index is None else (self.value, self.index)

    def execution(self) -> Callable[[list[int], Sequence[int]], bool]:
        """What changes the values of all places, given the place of each variable in scope; False where the new value
        is not of the type. NoValue where there is none."""
        first, low, high, value = self.variable, self.type.low, self.type.high, evaluator(self.value)
        index, length = None if self.index is None else evaluator(self.index), self.length

        def execute(values: list[int], places: Sequence[int]) -> bool:
            at = 0 if index is None else index(values, places)
            if not 0 <= at < length:
                raise OutOfBounds
            new = value(values, places)
            if not low <= new <= high:
                return False
            values[places[first + at]] = new
            return True

        return execute


@dataclass(frozen=True, slots=True)
class Target:
    """Where a transition leads: a ``position`` here, the entry ``position`` of the instance ``instance``, that one's
    default entry, the exit point of number ``position``, or the default exit."""

    kind: Literal["position", "entry", "default entry", "exit", "default exit"]
    position: int = 0
    instance: int = 0


@dataclass(frozen=True, slots=True)
class ModeTransition:
    """``pause``: with it the macro step ends, whatever is enabled at its target. ``overrides``: from the default entry,
    also where the mode would go on where it was left (section 2 of the paper, "History and closure")."""

    name: str
    source: int
    target: Target
    guard: Term
    actions: tuple[Assignment, ...]
    pause: bool
    span: Span
    text: str
    source_name: str
    target_name: str
    overrides: bool = False


@dataclass(frozen=True, slots=True)
class Binding:
    """What a parameter of an instance stands for: a variable in the scope of its owner, or a constant."""

    variable: int | None
    constant: int = 0


@dataclass(frozen=True, slots=True)
class Instance:
    """``keeps``: what is inside can be entered again where it was left."""

    name: str
    definition: int
    bindings: tuple[Binding, ...]
    keeps: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Definition:
    """``positions[number]`` is the name of a position; ``inside[i]`` the one inside of instance i, ``exits_of[i]`` the
    first of its exit points. ``outgoing[position]``: the transitions from there, in the order of the text;
    ``overriding``: those from the default entry that override the way back."""

    name: str
    parameters: tuple[Parameter, ...]
    locals: tuple[Local, ...]
    entries: tuple[str, ...]
    exits: tuple[str, ...]
    points: tuple[str, ...]
    instances: tuple[Instance, ...]
    positions: tuple[str, ...]
    inside: tuple[int, ...]
    exits_of: tuple[int, ...]
    transitions: tuple[ModeTransition, ...]
    outgoing: tuple[tuple[int, ...], ...]
    overriding: tuple[int, ...]
    span: Span

    @property
    def wide(self) -> bool:
        """Does a position need two bytes?"""
        return len(self.positions) > 256

    def is_entry(self, position: int) -> bool:
        return DEFAULT_ENTRY <= position <= DEFAULT_ENTRY + len(self.entries)


@dataclass(frozen=True, slots=True)
class Top:
    """A mode of the system: its bindings are to the global variables. ``initialised``: it starts behind its entry."""

    name: str
    definition: int
    bindings: tuple[Binding, ...]
    initialised: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Condition:
    """Something about states: its variables are the globals."""

    name: str
    term: Term
    span: Span


@dataclass(slots=True)
class ModeSystem:
    """Top-level modes, run in parallel by interleaving their macro steps."""

    name: str
    globals: tuple[Local, ...]
    definitions: Sequence[Definition]
    tops: Sequence[Top]
    invariants: list[Condition] = field(default_factory=list)
