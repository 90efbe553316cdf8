"""A chart: the tree of its states, its transitions, and what they execute.

States are numbered in document order, the root is 0; the order matters (W3C, *State Chart XML*, 2015, appendix D). An
expression is a text with its syntax tree, or with the fault that keeps it from having one: a chart finds that out when
it comes to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from kripke.hierarchy.script.syntax import Expression
from kripke.hierarchy.script.values import Value
from kripke.model.source import Span

#: a choice, of UML, is passed through: its transitions say where to
StateKind = Literal["root", "state", "parallel", "final", "shallow", "deep", "choice"]


@dataclass(frozen=True, slots=True)
class Script:
    """An expression; ``fault`` says why it has no tree."""

    text: str
    tree: Expression | None
    fault: str
    span: Span


@dataclass(frozen=True, slots=True)
class Action:
    """Executable content. ``number`` is that of its statement."""

    span: Span
    number: int


@dataclass(frozen=True, slots=True)
class Raise(Action):
    event: str


@dataclass(frozen=True, slots=True)
class AssignTo(Action):
    location: Script
    value: Script


@dataclass(frozen=True, slots=True)
class Execute(Action):
    """An expression for its effects."""

    script: Script


@dataclass(frozen=True, slots=True)
class Log(Action):
    label: str
    value: Script | None


@dataclass(frozen=True, slots=True)
class If(Action):
    """Conditions with what follows them; the last may have none (``else``)."""

    branches: tuple[tuple[Script | None, tuple[Action, ...]], ...]


@dataclass(frozen=True, slots=True)
class ForEach(Action):
    array: Script
    item: str
    index: str
    body: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class Payload:
    """The data of an event: single parameters, or one value as a whole."""

    parameters: tuple[tuple[str, Script], ...] = ()
    content: Script | None = None
    value: Value | None = None  # of a text between the tags
    has_value: bool = False


@dataclass(frozen=True, slots=True)
class Send(Action):
    """Either a text or an expression for each of these; ``names``: variables whose values go with it."""

    event: str | Script
    target: str | Script
    type: str | Script
    id: str
    id_location: Script | None
    delay: int | Script
    names: tuple[Script, ...]
    payload: Payload


@dataclass(frozen=True, slots=True)
class Emit(Action):
    """An event for the chart itself, or for the environment (UML)."""

    event: str
    output: bool


@dataclass(frozen=True, slots=True)
class Cancel(Action):
    id: str | Script


@dataclass(slots=True)
class Transition:
    """``events``: descriptors, empty where it needs none. ``number`` is that of its statement."""

    source: int
    events: tuple[str, ...]
    condition: Script | None
    targets: tuple[int, ...]
    internal: bool
    body: tuple[Action, ...]
    span: Span
    number: int = -1


@dataclass(slots=True)
class State:
    number: int
    id: str
    kind: StateKind
    parent: int
    span: Span
    children: list[int] = field(default_factory=list)
    transitions: list[Transition] = field(default_factory=list)
    initial: Transition | None = None
    on_entry: list[tuple[Action, ...]] = field(default_factory=list)
    on_exit: list[tuple[Action, ...]] = field(default_factory=list)
    done: Payload | None = None
    data: list[int] = field(default_factory=list)
    deferred: tuple[str, ...] = ()  # events that wait while it is active (UML)
    last: int = 0  # the number of its last descendant


@dataclass(frozen=True, slots=True)
class Variable:
    """``value`` as an expression, or as the value of a text between the tags."""

    name: str
    script: Script | None
    value: Value
    span: Span


@dataclass(slots=True)
class Chart:
    name: str
    states: list[State]
    variables: list[Variable]
    late: bool
    has_ids: bool  # may a number of a sent event be asked for?
    has_data: bool = True
    bounded: bool = False  # to numbers of 32 bits
    by_id: dict[str, int] = field(default_factory=dict)
    #: what the text itself asks to be checked: invariants and formulas, each with its name, text and place
    invariants: list[tuple[str, str, Span]] = field(default_factory=list)
    formulas: list[tuple[str, str, Span]] = field(default_factory=list)
    statements: list[tuple[str, Span, str]] = field(default_factory=list)

    def descendant(self, inner: int, outer: int) -> bool:
        """Is the one strictly inside the other?"""
        return outer < inner <= self.states[outer].last

    def is_history(self, number: int) -> bool:
        """Is it no state that can be active?"""
        return self.states[number].kind in ("shallow", "deep", "choice")

    def atomic(self, number: int) -> bool:
        state = self.states[number]
        return state.kind == "final" or (
            state.kind in ("state", "root") and not any(not self.is_history(child) for child in state.children)
        )

    def compound(self, number: int) -> bool:
        return self.states[number].kind in ("state", "root") and not self.atomic(number)

    def ancestors(self, number: int, until: int = -1) -> list[int]:
        """Proper ancestors, from the inside out, without ``until`` and what is outside of it."""
        found = []
        at = self.states[number].parent
        while at >= 0 and at != until:
            found.append(at)
            at = self.states[at].parent
        return found


def matches(descriptors: tuple[str, ...], name: str) -> bool:
    """Does a descriptor stand for the event? ``a.b`` for ``a.b`` and ``a.b.c``; ``*`` for all."""
    for descriptor in descriptors:
        if descriptor == "*":
            return True
        stem = descriptor.removesuffix("*").removesuffix(".")
        if name == stem or name.startswith(stem + "."):
            return True
    return False
