"""``SynchronousSystem``: variables, what they are at the start, and how they change, all at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from kripke.model.source import Span
from kripke.synchronous.expressions import Node
from kripke.synchronous.types import Type

Kind = Literal["state", "input", "frozen"]


@dataclass(frozen=True, slots=True)
class Variable:
    """An ``input`` is no part of a state: every step has one of its own. What is ``frozen`` never changes."""

    name: str
    type: Type
    kind: Kind
    span: Span


@dataclass(frozen=True, slots=True)
class Assignment:
    """One variable gets one of the values of an expression."""

    variable: int
    value: Node
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Constraint:
    condition: Node
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Fairness:
    """``condition`` is true again and again; with ``if_often``: only if that is."""

    condition: Node
    text: str
    span: Span
    if_often: Node | None = None


@dataclass(slots=True)
class SynchronousSystem:
    """``always`` are assignments in every state, ``first`` those at the start, ``following`` those of the next state.

    ``init`` constrain the first state, ``invar`` all states, ``trans`` pairs of states. A step needs a pair of states
    for which all of it holds; a state with no such pair has no step.
    """

    variables: list[Variable] = field(default_factory=list)
    always: list[Assignment] = field(default_factory=list)
    first: list[Assignment] = field(default_factory=list)
    following: list[Assignment] = field(default_factory=list)
    init: list[Constraint] = field(default_factory=list)
    invar: list[Constraint] = field(default_factory=list)
    trans: list[Constraint] = field(default_factory=list)
    fairness: list[Fairness] = field(default_factory=list)

    def statements(self) -> list[Assignment | Constraint]:
        """What a step may fail at, in the order of their numbers: 1, 2, ... (0 is the step itself)."""
        return [*self.always, *self.following, *self.invar, *self.trans]
