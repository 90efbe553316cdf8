"""Sets of values as decision diagrams, and the search by control points (``native/symbolic/located_search.h``).

Levels of states are even: on the odd ones a set of pairs has a second state. Every operation keeps to the limits of
time and memory and ends in ``OutOfBudget`` where one is reached; the sets made before stay good.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from kripke import _native
from kripke.deadline import Deadline
from kripke.memory import default_limit

NEVER, ALWAYS = 0, 1  # relations
NOW, BEFORE = 0, 1  # the sides of a pair
DONE, RINGS, CONTROL, SPOT, ERROR, WRONG = range(6)  # kinds of events
_NOTHING = 0

_T = TypeVar("_T")


class OutOfBudget(Exception):
    """``reason``: memory, time or depth (of the stack)."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Choice(NamedTuple):
    """A transition at a spot: numbers of relations and moves, as ``native/symbolic/located_search.h`` has them."""

    guard: int
    keep: int
    failed: int
    errors: tuple[tuple[int, int], ...]
    whole: int
    move: int
    target: int
    label: int


class Event(NamedTuple):
    """Why a search or a macro step ended, and what it is about."""

    kind: int
    number: int
    code: int
    where: int
    actor: int
    set: ValueSet


class ValueSet:
    """Made by ``LocatedSets`` only."""

    __slots__ = ("handle", "sets")

    def __init__(self, sets: LocatedSets, handle: int) -> None:
        self.sets, self.handle = sets, handle

    def __del__(self) -> None:
        self.sets.native.release(self.handle)

    def __bool__(self) -> bool:
        return self.handle != _NOTHING

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ValueSet) and other.sets is self.sets and other.handle == self.handle

    def __hash__(self) -> int:
        return self.handle

    def __or__(self, other: ValueSet) -> ValueSet:
        return self.sets.run(self.sets.native.unite, self.handle, other.handle)

    def __and__(self, other: ValueSet) -> ValueSet:
        return self.sets.run(self.sets.native.intersect, self.handle, other.handle)

    def __sub__(self, other: ValueSet) -> ValueSet:
        return self.sets.run(self.sets.native.subtract, self.handle, other.handle)

    def count(self) -> int:
        return int.from_bytes(self.sets.measured(self.sets.native.count, self.handle), "little")

    def pick(self) -> dict[int, int]:
        """A member, as values by levels where they are not 0; of a set that is not empty."""
        return dict(self.sets.native.pick(self.handle))

    def image(self, relation: int, move: int) -> ValueSet:
        return self.sets.run(self.sets.native.image, self.handle, relation, move)

    def mirrored(self) -> ValueSet:
        """Every member with itself, as pairs."""
        return self.sets.run(self.sets.native.mirrored, self.handle)

    def select(self, states: ValueSet, side: int) -> ValueSet:
        """Of pairs: those whose state on this side is one of these."""
        return self.sets.run(self.sets.native.select, self.handle, states.handle, side)

    def project(self, side: int) -> ValueSet:
        """Of pairs: the states on this side."""
        return self.sets.run(self.sets.native.project, self.handle, side)


class LocatedSets:
    """``deadline``: when operations end."""

    def __init__(self, memory: int = 0) -> None:
        self.native = _native.LocatedSearch(memory or default_limit())
        self.deadline = Deadline()

    def measured(self, operation: Callable[..., _T], *arguments: object) -> _T:
        if self.deadline.is_over:
            raise OutOfBudget("time")
        try:
            return operation(*arguments, self.deadline.limit())
        except _native.SymbolicStopped as stopped:
            raise OutOfBudget(str(stopped)) from None

    def run(self, operation: Callable[..., int], *arguments: object) -> ValueSet:
        return ValueSet(self, self.measured(operation, *arguments))

    def single(self, values: Sequence[tuple[int, int]]) -> ValueSet:
        return ValueSet(self, self.native.single([pair for pair in values if pair[1]]))

    def advance(self, rings: int) -> Event:
        return self._event(self.measured(self.native.advance, rings))

    def macro_step(self, control: int, start: ValueSet, actor: int) -> tuple[Event, dict[int, ValueSet]]:
        event, found = self.measured(self.native.macro_step, control, start.handle, actor)
        return self._event(event), {where: ValueSet(self, handle) for where, handle in found}

    def ring(self, number: int) -> dict[int, ValueSet]:
        return {control: ValueSet(self, handle) for control, handle in self.native.ring(number)}

    def reached(self) -> dict[int, ValueSet]:
        return {control: ValueSet(self, handle) for control, handle in self.native.reached()}

    def nodes(self, sets: Sequence[ValueSet]) -> int:
        """How many nodes they have together."""
        return self.native.nodes_of([one.handle for one in sets])

    def _event(self, told: tuple[int, int, int, int, int, int]) -> Event:
        return Event(*told[:5], ValueSet(self, told[5]))
