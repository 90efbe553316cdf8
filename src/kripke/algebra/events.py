"""Events by numbers: 0 is the invisible one, 1 is successful termination, the others get their names when met."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from kripke.algebra.offers import Beginning, Fields, Offer, of_events

TAU = 0
TICK = 1


class EventTable:
    """Values of a language to numbers and back, and to words."""

    def __init__(self, show: Callable[[Any], str], fields: Fields) -> None:
        self._show = show
        #: how events begin and go on
        self.fields = fields
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

    def covers(self, prefix: Any) -> bool:
        """Surely all events that begin with this? False: perhaps not."""
        return False

    def avoids(self, prefix: Any) -> bool:
        """Surely no event that begins with this? False: perhaps not."""
        return False

    def includes(self, other: EventSet) -> bool:
        """Surely all events of the other set? False: perhaps not."""
        return self.key == other.key

    def infinite(self) -> bool:
        return False

    def offer(self, beginning: Beginning) -> Offer:
        """What its events go on with behind a beginning."""
        table = self.table
        return of_events(table.fields, (table.values[event] for event in self.members()), beginning)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EventSet) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


class AnyOf(EventSet):
    """The events of one of several sets: asked, never listed."""

    __slots__ = ("parts",)

    def __init__(self, parts: Sequence[EventSet]) -> None:
        super().__init__(parts[0].table, ("any of", tuple(part.key for part in parts)), _unasked, _unlisted)
        self.parts = parts

    def has(self, event: int) -> bool:
        return any(part.has(event) for part in self.parts)

    def covers(self, prefix: Any) -> bool:
        return any(part.covers(prefix) for part in self.parts)

    def avoids(self, prefix: Any) -> bool:
        return all(part.avoids(prefix) for part in self.parts)

    def includes(self, other: EventSet) -> bool:
        return any(part.includes(other) for part in self.parts)


class Except(EventSet):
    """The events of one set that are not in another: asked, never listed."""

    __slots__ = ("left_out", "whole")

    def __init__(self, whole: EventSet, left_out: EventSet) -> None:
        super().__init__(whole.table, ("except", whole.key, left_out.key), _unasked, _unlisted)
        self.whole, self.left_out = whole, left_out

    def has(self, event: int) -> bool:
        return self.whole.has(event) and not self.left_out.has(event)

    def covers(self, prefix: Any) -> bool:
        return self.whole.covers(prefix) and self.left_out.avoids(prefix)


class Visible(EventSet):
    """All visible events: asked, never listed."""

    __slots__ = ()

    def __init__(self, table: EventTable) -> None:
        super().__init__(table, ("visible",), _unasked, _unlisted)

    def has(self, event: int) -> bool:
        return event not in (TAU, TICK)

    def covers(self, prefix: Any) -> bool:
        return True

    def includes(self, other: EventSet) -> bool:
        return True


class Before(EventSet):
    """The events all of whose images by a relation are in a set; ``covered`` asks the same of all that begin alike."""

    __slots__ = ("_covered", "_images", "after")

    def __init__(
        self, after: EventSet, images: Callable[[int], list[int]], covered: Callable[[Any, EventSet], bool]
    ) -> None:
        super().__init__(after.table, ("before", after.key, id(images)), _unasked, _unlisted)
        self.after, self._images, self._covered = after, images, covered

    def has(self, event: int) -> bool:
        return event not in (TAU, TICK) and all(self.after.has(image) for image in self._images(event))

    def covers(self, prefix: Any) -> bool:
        return self._covered(prefix, self.after)


def _unasked(value: Any) -> bool:
    raise AssertionError("such a set is asked by its parts")


def _unlisted() -> list[int]:
    raise AssertionError("such a set is never listed")


def numbered_set(table: EventTable, events: frozenset[int]) -> EventSet:
    """A set of known events."""
    return EventSet(
        table,
        ("numbers", events),
        lambda value: table.number(value) in events,
        lambda: sorted(events),
        lambda: "{" + ", ".join(table.name(e) for e in sorted(events)) + "}",
    )
