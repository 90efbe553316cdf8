"""Which steps of a run could have been taken the other way round: happens-before by vector clocks, and source sets.

The rules are those of source-DPOR (P. Abdulla, S. Aronsson, B. Jonsson, K. Sagonas, *Optimal Dynamic Partial Order
Reduction*, POPL 2014, section 4), with locks as in section 8 there: an acquisition races with the acquisition before
it by another task, not with the release that lets it go on.
"""

from __future__ import annotations

from typing import Any, NamedTuple

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


_NOTHING: Any = object()


class _Log:
    """Dictionaries that can be set back to how they were before a step."""

    __slots__ = ("_changes",)

    def __init__(self) -> None:
        self._changes: list[list[tuple[dict[Any, Any], Any, Any]]] = []

    def begin(self) -> list[tuple[dict[Any, Any], Any, Any]]:
        changes: list[tuple[dict[Any, Any], Any, Any]] = []
        self._changes.append(changes)
        return changes

    def undo(self) -> None:
        for target, key, before in reversed(self._changes.pop()):
            if before is _NOTHING:
                target.pop(key, None)
            else:
                target[key] = before


class RaceAnalysis:
    """Clocks of all steps of a run, in order. Runs that begin alike share what is known of their beginning: steps are
    taken back to where the next run differs."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self._width = 0
        self._clocks: list[Clock] = []
        self._counts: list[int] = []
        self._log = _Log()
        self._of_task: dict[int, Clock] = {}
        self._last_write: dict[Place, int] = {}
        self._reads_since: dict[Place, dict[int, int]] = {}
        self._last_acquire: dict[Place, int] = {}
        # A wake-up comes after everything that was done before time went by: nobody else could go on then.
        self._everybody: list[Clock] = []

    def truncate(self, length: int) -> None:
        """Only the first steps were taken."""
        while len(self.steps) > length:
            self.steps.pop()
            self._clocks.pop()
            self._counts.pop()
            self._everybody.pop()
            self._log.undo()

    def races_of(self, steps: list[Step], known: int, tasks: int, blocked: list[Step]) -> list[Race]:
        """Races whose second step is ``known`` or later, of a run whose steps before are those of the run before."""
        if tasks > self._width:
            self.truncate(0)
            self._width = tasks
        else:
            self.truncate(known)
        races: list[Race] = []
        for number in range(len(self.steps), len(steps)):
            self._extend(steps[number], races, number >= known)
        for step in blocked:
            self._look_at(step, len(self.steps), races, True)
        return races

    def _look_at(self, step: Step, number: int, races: list[Race], wanted: bool) -> Clock:
        """The clock of a step before it is counted; its races."""
        task, operation = step
        kind = operation.kind
        before = self._of_task.get(task)
        clock = list(before) if before is not None else [0] * self._width
        if kind == WAKE and operation.since:
            _join(clock, self._everybody[operation.since - 1])
        for earlier in operation.after:
            _join(clock, self._clocks[earlier])
        touched = self._touched_before(task, operation)
        if not touched and kind != ACQUIRE:
            return clock
        own = list(clock)
        for other in touched:
            # Newest first: what is reached through another one is no race of its own.
            first = self.steps[other]
            if clock[first.task] < self._counts[other]:
                if wanted and (first.operation.kind, kind) not in _LET_GO:
                    races.append(self._race(other, number, task, operation, own))
                _join(clock, self._clocks[other])
        if wanted and kind == ACQUIRE:
            for place in operation.writes:
                rival = self._last_acquire.get(place)
                if rival is None or self.steps[rival].task == task or self._is_before(rival, own):
                    continue
                if not any(race.first == rival and race.second == number for race in races):
                    races.append(self._race(rival, number, task, operation, own))
        return clock

    def _extend(self, step: Step, races: list[Race], wanted: bool) -> None:
        task, operation = step
        number = len(self.steps)
        clock = self._look_at(step, number, races, wanted)
        clock[task] += 1
        changes = self._log.begin()
        self.steps.append(step)
        self._clocks.append(clock)
        self._counts.append(clock[task])
        changes.append((self._of_task, task, self._of_task.get(task, _NOTHING)))
        self._of_task[task] = clock
        if self._everybody:
            everybody = list(self._everybody[-1])
            _join(everybody, clock)
            self._everybody.append(everybody)
        else:
            self._everybody.append(clock)
        for place in operation.reads:
            readers = self._reads_since.get(place)
            if readers is None:
                changes.append((self._reads_since, place, _NOTHING))
                self._reads_since[place] = {task: number}
            else:
                changes.append((readers, task, readers.get(task, _NOTHING)))
                readers[task] = number
        last_write = self._last_write
        for place in operation.writes:
            changes.append((last_write, place, last_write.get(place, _NOTHING)))
            last_write[place] = number
            readers = self._reads_since.pop(place, None)
            if readers is not None:
                changes.append((self._reads_since, place, readers))
            if operation.takes:
                changes.append((self._last_acquire, place, self._last_acquire.get(place, _NOTHING)))
                self._last_acquire[place] = number

    def _touched_before(self, task: int, operation: Operation) -> list[int]:
        steps, last_write = self.steps, self._last_write
        found = set()
        for place in operation.reads:
            number = last_write.get(place)
            if number is not None and steps[number].task != task:
                found.add(number)
        for place in operation.writes:
            number = last_write.get(place)
            if number is not None and steps[number].task != task:
                found.add(number)
            readers = self._reads_since.get(place)
            if readers:
                found.update(at for reader, at in readers.items() if reader != task)
        return sorted(found, reverse=True) if len(found) > 1 else list(found)

    def _is_before(self, number: int, clock: Clock) -> bool:
        return clock[self.steps[number].task] >= self._counts[number]

    def _race(self, first: int, second: int, task: int, operation: Operation, own: Clock) -> Race:
        """Initials of what does not depend on ``first``, followed by the second step, whose task had the clock ``own``
        before it."""
        steps, clocks, counts = self.steps, self._clocks, self._counts
        initials: list[int] = []
        kept: list[int] = []
        seen: set[int] = set()
        first_task, first_count = steps[first].task, counts[first]
        for number in range(first + 1, min(second, len(steps))):
            clock = clocks[number]
            if clock[first_task] >= first_count:
                continue
            mover = steps[number].task
            if mover not in seen:
                seen.add(mover)
                if not any(clock[steps[earlier].task] >= counts[earlier] for earlier in kept):
                    initials.append(mover)
            kept.append(number)
        if task not in seen and not any(
            self._is_before(number, own) or _conflict(steps[number].operation, operation) for number in kept
        ):
            initials.append(task)
        return Race(first, second, frozenset(initials))


class DataRaces:
    """Conflicting accesses that synchronisation does not order. As above, runs share their beginning."""

    def __init__(self) -> None:
        self._steps = 0
        self._width = 0
        self._log = _Log()
        self._of_task: dict[int, Clock] = {}
        self._everybody: list[Clock] = []
        self._synchronised: dict[Place, Clock] = {}
        self._last_write: dict[Place, tuple[int, int, int]] = {}
        self._last_read: dict[Place, dict[int, tuple[int, int]]] = {}
        self._clocks: list[Clock] = []

    def of(self, steps: list[Step], known: int, tasks: int) -> list[DataRace]:
        """Those whose second step is ``known`` or later."""
        if tasks > self._width:
            known, self._width = 0, tasks
        while self._steps > known:
            self._steps -= 1
            self._everybody.pop()
            self._clocks.pop()
            self._log.undo()
        found: dict[Place, DataRace] = {}
        for number in range(self._steps, len(steps)):
            self._extend(steps[number], number, found)
        self._steps = len(steps)
        return list(found.values())

    def _extend(self, step: Step, number: int, found: dict[Place, DataRace]) -> None:
        task, operation = step
        changes = self._log.begin()
        before = self._of_task.get(task, _NOTHING)
        changes.append((self._of_task, task, before))
        clock = [0] * self._width if before is _NOTHING else list(before)
        clock[task] += 1
        for earlier in operation.after:
            _join(clock, self._clocks[earlier])
        kind = operation.kind
        if kind == BLOCK:
            pass  # coroutines of one loop: one after the other
        elif kind in SYNCHRONISATION:
            if kind == WAKE and self._everybody:
                _join(clock, self._everybody[-1])
            synchronised = self._synchronised
            for place in operation.writes + operation.reads:
                seen = synchronised.get(place, _NOTHING)
                changes.append((synchronised, place, seen))
                if seen is not _NOTHING:
                    _join(clock, seen)
                synchronised[place] = list(clock)
        else:
            self._access(operation, task, clock, number, changes, found)
        self._of_task[task] = clock
        self._clocks.append(clock)
        everybody = list(self._everybody[-1]) if self._everybody else [0] * self._width
        _join(everybody, clock)
        self._everybody.append(everybody)

    def _access(
        self,
        operation: Operation,
        task: int,
        clock: Clock,
        number: int,
        changes: list[tuple[dict[Any, Any], Any, Any]],
        found: dict[Place, DataRace],
    ) -> None:
        last_write, last_read = self._last_write, self._last_read
        for places in (operation.reads, operation.writes):
            for place in places:
                written = last_write.get(place)
                if written is not None and written[0] != task and clock[written[0]] < written[1]:
                    found.setdefault(place, DataRace(place, written[2], number))
        for place in operation.writes:
            readers = last_read.pop(place, None)
            if readers is not None:
                changes.append((last_read, place, readers))
                for reader, (count, read_at) in readers.items():
                    if reader != task and clock[reader] < count:
                        found.setdefault(place, DataRace(place, read_at, number))
            changes.append((last_write, place, last_write.get(place, _NOTHING)))
            last_write[place] = (task, clock[task], number)
        for place in operation.reads:
            readers = last_read.get(place)
            if readers is None:
                changes.append((last_read, place, _NOTHING))
                last_read[place] = {task: (clock[task], number)}
            else:
                changes.append((readers, task, readers.get(task, _NOTHING)))
                readers[task] = (clock[task], number)


def _conflict(one: Operation, other: Operation) -> bool:
    written = set(one.writes)
    return any(place in written for place in other.reads + other.writes) or any(
        place in one.reads for place in other.writes
    )


def _join(clock: Clock, other: Clock) -> None:
    for index, count in enumerate(other):
        if count > clock[index]:
            clock[index] = count
