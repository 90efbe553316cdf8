"""Which steps of a run could have been taken the other way round: happens-before by vector clocks, and source sets.

The rules are those of source-DPOR (P. Abdulla, S. Aronsson, B. Jonsson, K. Sagonas, *Optimal Dynamic Partial Order
Reduction*, POPL 2014, section 4), with locks as in section 8 there: an acquisition races with the acquisition before
it by another task, not with the release that lets it go on.
"""

from __future__ import annotations

from typing import NamedTuple

from kripke.testing.operation import (
    ACCESS,
    ACQUIRE,
    AWAIT,
    BEGIN,
    BLOCK,
    END,
    JOIN,
    RELEASE,
    START,
    SYNCHRONISATION,
    WAKE,
    Operation,
    Place,
)

Clock = list[int]

#: What can only happen after what lets it happen: the two are never exchanged.
_LET_GO = frozenset({(RELEASE, ACQUIRE), (END, JOIN), (START, BEGIN), (ACCESS, AWAIT)})


class Step(NamedTuple):
    """One step of a run: who, and what."""

    task: int
    operation: Operation


class Race(NamedTuple):
    """The steps ``first`` and ``second`` (numbers) are next to each other up to reordering, and depend on each other.
    ``initials``: the tasks that may go first in a run in which they come the other way round."""

    first: int
    second: int
    initials: frozenset[int]


class DataRace(NamedTuple):
    """Two accesses to a place that no lock, start or join orders; one of them writes."""

    place: Place
    first: int
    second: int


class RaceAnalysis:
    """Clocks of all steps of one run, in order; ``races_from(k)`` are the races whose second step is k or later."""

    def __init__(self, steps: list[Step], tasks: int, blocked: list[Step]) -> None:
        self._steps = steps
        self._tasks = tasks
        self._blocked = blocked
        self._clocks: list[Clock] = []
        self._counts: list[int] = []

    def races_from(self, start: int) -> list[Race]:
        races: list[Race] = []
        tasks = self._tasks
        of_task: list[Clock] = [[0] * tasks for _ in range(tasks)]
        last_write: dict[Place, int] = {}
        reads_since: dict[Place, dict[int, int]] = {}
        last_acquire: dict[Place, int] = {}
        # A wake-up comes after everything that was done before time went by: nobody else could go on then.
        everybody: Clock = [0] * tasks
        quiet = {step.operation.since: everybody for step in self._steps if step.operation.kind == WAKE}
        for number, (task, operation) in enumerate(self._steps + self._blocked):
            pending = number >= len(self._steps)
            if number in quiet:
                quiet[number] = list(everybody)
            clock = list(of_task[task])
            if operation.kind == WAKE:
                _join(clock, quiet[operation.since])
            for step in operation.after:
                _join(clock, self._clocks[step])
            own = list(clock)
            before = list(clock) if operation.kind == ACQUIRE else clock
            for other in self._touched_before(task, operation, last_write, reads_since):
                # Newest first: what is reached through another one is no race of its own.
                if not self._is_before(other, clock):
                    kinds = (self._steps[other].operation.kind, operation.kind)
                    if number >= start and kinds not in _LET_GO:
                        races.append(self._race(other, number, task, operation, own))
                    _join(clock, self._clocks[other])
            if operation.kind == ACQUIRE and number >= start:
                for place in operation.writes:
                    rival = last_acquire.get(place)
                    if rival is None or self._steps[rival].task == task or self._is_before(rival, before):
                        continue
                    if not any(race.first == rival and race.second == number for race in races):
                        races.append(self._race(rival, number, task, operation, own))
            if pending:
                continue
            clock[task] += 1
            self._clocks.append(clock)
            self._counts.append(clock[task])
            of_task[task] = clock
            _join(everybody, clock)
            for place in operation.reads:
                reads_since.setdefault(place, {})[task] = number
            for place in operation.writes:
                last_write[place] = number
                reads_since.pop(place, None)
                if operation.takes:
                    last_acquire[place] = number
        return races

    def _touched_before(
        self, task: int, operation: Operation, last_write: dict[Place, int], reads_since: dict[Place, dict[int, int]]
    ) -> list[int]:
        found = set()
        for place in operation.reads:
            if place in last_write:
                found.add(last_write[place])
        for place in operation.writes:
            if place in last_write:
                found.add(last_write[place])
            readers = reads_since.get(place)
            if readers:
                found.update(readers.values())
        return sorted((number for number in found if self._steps[number].task != task), reverse=True)

    def _is_before(self, number: int, clock: Clock) -> bool:
        return clock[self._steps[number].task] >= self._counts[number]

    def _race(self, first: int, second: int, task: int, operation: Operation, own: Clock) -> Race:
        """Initials of what does not depend on ``first``, followed by the second step, whose task had the clock ``own``
        before it."""
        initials: list[int] = []
        kept: list[int] = []
        seen: set[int] = set()
        for number in range(first + 1, min(second, len(self._steps))):
            clock = self._clocks[number]
            if self._is_before(first, clock):
                continue
            mover = self._steps[number].task
            if mover not in seen:
                seen.add(mover)
                if not any(self._is_before(earlier, clock) for earlier in kept):
                    initials.append(mover)
            kept.append(number)
        if task not in seen and not any(
            self._is_before(number, own) or _conflict(self._steps[number].operation, operation) for number in kept
        ):
            initials.append(task)
        return Race(first, second, frozenset(initials))


def data_races(steps: list[Step], tasks: int) -> list[DataRace]:
    """Conflicting accesses that synchronisation does not order, one for each place."""
    of_task: list[Clock] = [[0] * tasks for _ in range(tasks)]
    synchronised: dict[Place, Clock] = {}
    everybody: Clock = [0] * tasks
    last_write: dict[Place, tuple[int, int, int]] = {}
    last_read: dict[Place, dict[int, tuple[int, int]]] = {}
    found: dict[Place, DataRace] = {}
    wanted = {before for step in steps for before in step.operation.after}
    released: dict[int, Clock] = {}
    for number, (task, operation) in enumerate(steps):
        clock = of_task[task]
        clock[task] += 1
        for before in operation.after:
            _join(clock, released[before])
        if operation.kind == BLOCK:
            pass  # coroutines of one loop: one after the other
        elif operation.kind in SYNCHRONISATION:
            if operation.kind == WAKE:
                _join(clock, everybody)
            for place in operation.writes + operation.reads:
                seen = synchronised.get(place)
                if seen is not None:
                    _join(clock, seen)
                synchronised[place] = list(clock)
        else:
            for place in operation.reads + operation.writes:
                written = last_write.get(place)
                if written is not None and written[0] != task and clock[written[0]] < written[1]:
                    found.setdefault(place, DataRace(place, written[2], number))
            for place in operation.writes:
                for reader, (count, read_at) in last_read.get(place, {}).items():
                    if reader != task and clock[reader] < count:
                        found.setdefault(place, DataRace(place, read_at, number))
                last_write[place] = (task, clock[task], number)
                last_read.pop(place, None)
            for place in operation.reads:
                last_read.setdefault(place, {})[task] = (clock[task], number)
        _join(everybody, clock)
        if number in wanted:
            released[number] = list(clock)
    return list(found.values())


def _conflict(one: Operation, other: Operation) -> bool:
    written = set(one.writes)
    return any(place in written for place in other.reads + other.writes) or any(
        place in one.reads for place in other.writes
    )


def _join(clock: Clock, other: Clock) -> None:
    for index, count in enumerate(other):
        if count > clock[index]:
            clock[index] = count
