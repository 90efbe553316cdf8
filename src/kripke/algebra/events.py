"""Events by numbers: 0 is the invisible one, 1 is successful termination, the others get their names when met."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

TAU = 0
TICK = 1


class EventTable:
    """Values of a language to numbers and back, and to words."""

    def __init__(self, show: Callable[[Any], str] = str) -> None:
        self._show = show
        self.values: list[Any] = [None, None]
        self._numbers: dict[Hashable, int] = {}
        self._names: dict[int, str] = {TAU: "τ", TICK: "✓"}

    def number(self, value: Hashable) -> int:
        known = self._numbers.get(value)
        if known is None:
            known = self._numbers[value] = len(self.values)
            self.values.append(value)
        return known

    def name(self, event: int) -> str:
        known = self._names.get(event)
        if known is None:
            known = self._names[event] = self._show(self.values[event])
        return known

    def __len__(self) -> int:
        return len(self.values)


class EventSet:
    """A set of events: a test on values, asked once per event. Equal keys are equal sets."""

    __slots__ = ("_known", "_test", "key", "members", "table", "words")

    def __init__(
        self,
        table: EventTable,
        key: Hashable,
        test: Callable[[Any], bool],
        members: Callable[[], list[int]],
        words: Callable[[], str] = lambda: "{...}",
    ) -> None:
        self.table = table
        self.key = key
        self._test = test
        self._known: dict[int, bool] = {TAU: False, TICK: False}
        #: every event of the set, numbered
        self.members = members
        self.words = words

    def has(self, event: int) -> bool:
        known = self._known.get(event)
        if known is None:
            known = self._known[event] = self._test(self.table.values[event])
        return known

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EventSet) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


def numbered_set(table: EventTable, events: frozenset[int]) -> EventSet:
    """A set of known events."""
    return EventSet(
        table,
        ("numbers", events),
        lambda value: table.number(value) in events,
        lambda: sorted(events),
        lambda: "{" + ", ".join(table.name(e) for e in sorted(events)) + "}",
    )
