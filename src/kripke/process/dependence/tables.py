"""From the steps of a configuration to its tables: what conflicts with what, and what may enable what."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kripke.deadline import current
from kripke.model.dependencies import DependencyTables
from kripke.process.dependence.conditions import leading
from kripke.process.dependence.footprint import Footprint, Setting
from kripke.process.dependence.guards import Filling, Test
from kripke.process.dependence.objects import Objects, bits_of
from kripke.process.dependence.pairs import Pairs
from kripke.process.dependence.stability import assigned_by
from kripke.process.dependence.steps import Point, Step, Steps, restrictions
from kripke.process.dependence.trials import Trials, Untried, changes_what_is_read
from kripke.process.expressions import Bind, Match, Read
from kripke.process.nodes import nodes_of
from kripke.process.program import (
    MAX_CAPACITY,
    DeterministicStep,
    Else,
    Guard,
    ProcessType,
    Receive,
    Scope,
    Send,
    Terminate,
    Variable,
)

#: the numbers of steps at one location, and what is known of them
Beside = list[tuple[int, Step]]
#: what conflicts with a step, and for each of its conditions, what may make it true
Row = tuple[int, tuple[int, ...]]


class Tables:
    """Builds the tables of one configuration."""

    def __init__(self, made: Steps, objects: Objects, trials: Trials | Untried, pairs: Pairs | None) -> None:
        self._made = made
        self.objects = objects
        self.processes = made.processes
        self._trials = trials
        self._deadline = current()
        self._pairs = pairs if pairs is not None and pairs.know(made.processes) else None
        self.steps = steps = made.all
        self._consequences = [step.consequences() for step in steps]
        self.settings = made.settings
        self._types = {step.pid: step.process for step in steps}
        # Every step writes the control points of its type; that matters to those who look at them only.
        self.controls = objects.controls
        self.everything = (1 << len(steps)) - 1
        self.wild = _set(
            number for number, step in enumerate(steps) if step.fires and (step.wild or self._consequences[number].wild)
        )
        self._leaving: dict[Point, int] = {}
        self._entering: dict[Point, int] = {}
        for number, step in enumerate(steps):
            if not step.fires:  # nothing by itself, but a newcomer may come to meet it
                own = (step.pid, step.location)
                self._leaving[own] = self._leaving.get(own, 0) | 1 << number
                continue
            for point in step.sources():
                self._leaving[point] = self._leaving.get(point, 0) | 1 << number
            for point in step.ends:
                self._entering[point] = self._entering.get(point, 0) | 1 << number
        self._assigned: dict[int, frozenset[Variable]] = {}
        self._places: dict[Point, list[int]] = {}
        for number, step in enumerate(steps):
            self._places.setdefault((step.pid, step.location), []).append(number)
        self._writers: dict[int, int] = {}
        self._touchers: dict[int, int] = {}
        for number, step in enumerate(steps):
            if step.fires:
                for bit in bits_of(self._consequences[number].writes):
                    self._writers[bit] = self._writers.get(bit, 0) | 1 << number
                for bit in bits_of(self._touched(step, self._consequences[number])):
                    self._touchers[bit] = self._touchers.get(bit, 0) | 1 << number

    def build(self, visible: Footprint) -> DependencyTables:
        rows = [self._row(step, self._at(step)) for step in self.steps]
        conflicts, enabling = tuple(row[0] for row in rows), tuple(row[1] for row in rows)
        neighbours, visible_steps = self._neighbours(), self._visible(visible)
        if self._pairs is None:
            return DependencyTables(conflicts, enabling, neighbours, visible_steps)
        pids = [step.pid for step in self.steps]
        first = tuple(pids.index(pid) for pid in sorted(set(pids)))
        return DependencyTables(conflicts, enabling, neighbours, visible_steps, first, self._unseen(self._pairs))

    def _unseen(self, pairs: Pairs) -> int:
        return _set(
            number for number, step in enumerate(self.steps) if not pairs.shows(step.process, step.location, step.edge)
        )

    def at_hand(self, pid: int, location: int, make_setting: Callable[[], Setting]) -> list[Row]:
        """What is known of the edges of a location while their process is there, in a state with these values."""
        generic = [step for step in self.steps if (step.pid, step.location) == (pid, location)]
        steps = [self._made.at_hand(step, make_setting) for step in generic]
        numbers = [number for number, step in enumerate(self.steps) if (step.pid, step.location) == (pid, location)]
        beside = list(zip(numbers, steps, strict=True))
        return [self._row(step, beside) for step in steps]

    def _at(self, step: Step) -> Beside:
        found = self._places[step.pid, step.location]
        return [(number, self.steps[number]) for number in found]

    def _row(self, step: Step, beside: Beside) -> Row:
        """``beside``: the steps at the same location, itself among them."""
        self._deadline()
        return self._conflicts(step, beside), self._held_back(step, self._enabling(step))

    def _neighbours(self) -> tuple[int, ...]:
        places = {point: _set(numbers) for point, numbers in self._places.items()}
        return tuple(places[step.pid, step.location] for step in self.steps)

    def _visible(self, asked: Footprint) -> int:
        if asked.wild:
            return self.everything
        if not asked.reads:
            return 0
        return self.wild | _set(
            number for number, step in enumerate(self.steps) if step.fires and step.footprint.writes & asked.reads
        )

    # --- conflicts ----------------------------------------------------------------------------------------------------

    def _conflicts(self, step: Step, beside: Beside) -> int:
        if not step.fires:
            return 0
        number = next(number for number, other in beside if other.edge is step.edge)
        if step.wild:
            return self.everything & ~(1 << number)
        found = self.wild
        for point in step.sources():
            found |= self._leaving[point]
        # Of two edges of a location that are never enabled together, none can come before the other.
        for other, at_same in beside:
            if at_same.fires and not self.wild >> other & 1 and self._exclude_each_other(step, at_same):
                found &= ~(1 << other)
        candidates = 0
        for bit in bits_of(step.footprint.writes):
            candidates |= self._touchers.get(bit, 0)
        for bit in bits_of(self._touched(step, step.footprint)):
            candidates |= self._writers.get(bit, 0)
        for other in bits_of(candidates & ~found):
            if self.steps[other].pid != step.pid and self._disagree(step, other):
                found |= 1 << other
        return found & ~(1 << number)

    def _touched(self, step: Step, footprint: Footprint) -> int:
        touched = footprint.reads | (footprint.writes & ~self.controls)
        for test in step.tests:
            touched |= test.disabling
        return touched

    def _disagree(self, one: Step, number: int) -> bool:
        """May both be enabled, and then disturb each other? Of the other, its consequences count, too: where it comes
        first, they may come before the one."""
        other, consequences = self.steps[number], self._consequences[number]
        if other.future is None and self._are_never_together(one, other):
            return False
        disturbed = (
            _disturbs(one.footprint, other.tests, consequences.reads)
            or _disturbs(consequences, one.tests, one.footprint.reads)
            or _write_differently(one.footprint, consequences, one.footprint.writes & ~self.controls)
        )
        if not disturbed or self._trials.accord(one, other):
            return False
        # What a state tells of the one counts only together with who could change it.
        present = one.setting.present
        if self._pairs is None or (present and changes_what_is_read(other, present, one.setting)):
            return True
        return not self._pairs.accord(one, other)

    def _are_never_together(self, one: Step, other: Step) -> bool:
        """Are two steps of different processes never enabled at the same time?"""
        mine, theirs = self._sure_tests(one), self._sure_tests(other)
        if any(a.scalar is not None and a.scalar == b.scalar and a.excludes(b) for a in mine for b in theirs):
            return True
        return any(a.excludes(b) for a in _fillings(one, mine) for b in _fillings(other, theirs))

    def _sure_tests(self, step: Step) -> list[Test]:
        """Those without which a step cannot even go wrong: the parts of its guard before one that may fail."""
        fails = self._trials.may_fail(step)
        return step.tests[: fails.index(True)] if True in fails else step.tests

    def _exclude_each_other(self, one: Step, other: Step) -> bool:
        """Of two edges of one location: is never more than one of them enabled?"""
        if one.partners or other.partners or one.edge.escape or other.edge.escape:
            return False
        edges = one.process.locations[one.location].edges
        if isinstance(one.first, Else) or isinstance(other.first, Else):
            last = max(one, other, key=lambda step: edges.index(step.edge))
            return one is not other and isinstance(last.first, Else)
        if self._pairs is not None and one is not other and self._pairs.exclude(one, other):
            return True
        return any(
            mine.place is not None and mine.place == theirs.place and mine.excludes(theirs)
            for mine in self._sure_tests(one)
            for theirs in self._sure_tests(other)
        )

    # --- what may enable a step ---------------------------------------------------------------------------------------

    def _enabling(self, step: Step) -> tuple[int, ...]:
        """A set for every condition; the first: that the process is at the location.

        The others are looked at where it is there: its own variables do not change before it leaves.
        """
        point = (step.pid, step.location)
        entering, leaving = self._entering.get(point, 0), self._leaving.get(point, 0)
        if not step.fires:
            assert isinstance(step.first, Receive)
            decides = Footprint(reads=step.setting.ends(step.first.channel).newcomers)
            step.setting.read(step.first.channel, decides)  # another one may have a buffer
            more = self._writers_of(decides) | (leaving if self._reads_own(step.process, step.first.channel) else 0)
            return (entering, more, more)
        match step.first:
            case Guard():
                return (entering, *self._make_true(step, leaving))
            case Send() as send:
                return (entering, self._makes_room(step, send, leaving))
            case Receive() as receive:
                return (entering, *self._brings_message(step, receive, leaving))
            case Else():
                return (entering, *self._blocks_others(step, leaving))
            case Terminate():
                return (entering, self._end_of_the_youngest())
            case DeterministicStep():
                return (entering, self._writers_of(self._decides(step)) | leaving)
            case _:
                return (entering,)

    def _held_back(self, step: Step, sets: tuple[int, ...]) -> tuple[int, ...]:
        """With what lets an edge be tried at all, which is no condition of its own but may be what is missing."""
        decides = Footprint()
        if not restrictions(step.process, step.location, step.edge, step.setting, decides):
            return sets
        more = self._writers_of(decides) | self._leaving.get((step.pid, step.location), 0)
        return (sets[0], *(one | more for one in sets[1:] or (0,)))

    def _end_of_the_youngest(self) -> int:
        youngest = len(self.settings) - 1
        return _set(
            number
            for number, step in enumerate(self.steps)
            if step.pid == youngest and isinstance(step.first, Terminate)
        )

    def _make_true(self, step: Step, leaving: int) -> list[int]:
        """For each part of a guard. The parts behind one that may fail are not looked at where it does: then the step
        can go wrong whether they are true or not."""
        sets: list[int] = []
        so_far = failing = 0
        for test, may_fail in zip(step.tests, self._trials.may_fail(step), strict=True):
            sets.append(self._makes_true(test, leaving, step.process) | failing)
            so_far |= sets[-1]
            if may_fail:
                read = Footprint()
                step.setting.read(test.condition, read)
                own = leaving if self._reads_own(step.process, test.condition) else 0
                failing |= so_far | self._writers_of(read) | own
        return sets

    def _makes_true(self, test: Test, leaving: int, process: ProcessType) -> int:
        """A timeout asks for nothing: it does not come while anything else can move. The sets are made around something
        that can, and hold all that may stop it."""
        if test.wild:
            return self.everything
        found = self.wild
        for bit in bits_of(test.enabling):
            found |= self._writers.get(bit, 0)
        if test.scalar is not None:
            for number in bits_of(found & ~self.wild):
                values = self._consequences[number].values_written(test.scalar)
                if values is not None and not test.admits_some(values):
                    found &= ~(1 << number)
        return found | (leaving if self._reads_own(process, test.condition) else 0)

    def _reads_own(self, process: ProcessType, expression: object) -> bool:
        """Does it look at variables that its process may assign?"""
        if id(process) not in self._assigned:
            self._assigned[id(process)] = assigned_by(process)
        assigned = self._assigned[id(process)]
        return any(
            isinstance(node, Read) and node.place.variable.scope is Scope.LOCAL and node.place.variable in assigned
            for node in nodes_of(expression)
        )

    def _makes_room(self, step: Step, send: Send, leaving: int) -> int:
        setting = step.setting
        ends = setting.ends(send.channel)
        decides = Footprint()
        setting.read(send.channel, decides)
        is_vague = ends.identity is None or self._reads_own(step.process, send.channel)
        found = leaving if is_vague or ends.may_meet else 0
        if ends.may_buffer:
            decides.reads |= ends.receive
        if ends.may_meet:
            decides.reads |= ends.newcomers
            setting.message(send, decides)
            for partner in step.partners:
                found |= self._entering.get((partner.pid, partner.location), 0)
                receive = partner.edge.actions[0].operation
                assert isinstance(receive, Receive)
                theirs = self.settings[partner.pid]
                theirs.read(receive.channel, decides)
                provided = self._types[partner.pid].provided
                if provided is not None:
                    theirs.read(provided, decides)
                for pattern in receive.patterns:
                    if isinstance(pattern, Match):
                        theirs.read(pattern.value, decides)
        return found | self._writers_of(decides)

    def _brings_message(self, step: Step, receive: Receive, leaving: int) -> tuple[int, int]:
        """Where the channel is empty, and where no message fits."""
        setting = step.setting
        ends = setting.ends(receive.channel)
        where = Footprint()
        setting.read(receive.channel, where)
        vague = leaving if ends.identity is None or self._reads_own(step.process, receive.channel) else 0
        wanted = Footprint(reads=where.reads, wild=where.wild)
        own = False
        for pattern in receive.patterns:
            if isinstance(pattern, Match):
                setting.read(pattern.value, wanted)
                own |= self._reads_own(step.process, pattern.value)
            elif isinstance(pattern, Bind):
                own |= any(self._reads_own(step.process, index.value) for index in pattern.place.indices)
        if ends.may_meet:
            where.reads |= ends.newcomers
            wanted.reads |= ends.newcomers
        where.reads |= ends.send
        wanted.reads |= ends.receive | (ends.send if receive.anywhere else 0)
        return vague | self._writers_of(where), vague | (leaving if own else 0) | self._writers_of(wanted)

    def _blocks_others(self, step: Step, leaving: int) -> list[int]:
        """For each edge of the location before this one: what may disable it."""
        sets = []
        for edge in step.process.locations[step.location].edges:
            if edge is step.edge:
                break
            decides = Footprint()
            if edge.actions:
                step.setting.enabledness(leading(edge.actions[0].operation), decides)
            sets.append(self._writers_of(decides) | leaving)
        return sets

    def _decides(self, step: Step) -> Footprint:
        decides = Footprint()
        step.setting.enabledness(step.first, decides)
        return decides

    def _writers_of(self, read: Footprint) -> int:
        if read.wild:
            return self.everything
        found = self.wild
        for bit in bits_of(read.reads):
            found |= self._writers.get(bit, 0)
        return found


def _fillings(step: Step, tests: list[Test]) -> list[Filling]:
    """What a step needs of the number of messages in channels to be enabled."""
    if isinstance(step.first, Receive):
        ends = step.setting.ends(step.first.channel)
        if ends.identity is not None and not ends.may_meet:
            return [Filling(ends.identity, 1, MAX_CAPACITY)]
    return [test.filling for test in tests if test.filling is not None]


def _disturbs(writer: Footprint, tests: list[Test], reads: int) -> bool:
    """Does a write of one change what the other reads, or disable it?"""
    if writer.writes & reads:
        return True
    for test in tests:
        if writer.writes & test.disabling:
            values = None if test.scalar is None else writer.values_written(test.scalar)
            if values is None or not test.admits(values):
                return True
    return False


def _write_differently(one: Footprint, other: Footprint, written: int) -> bool:
    common = written & other.writes & (one.plain | other.plain)
    if not common:
        return False
    for scalar, values in one.constants.items():
        objects = Objects.bytes_at(*scalar)
        alone = common & objects and values is not None and len(values) == 1
        if alone and one.values_written(scalar) == other.values_written(scalar):
            common &= ~objects
    return common != 0


def _set(numbers: Iterable[int]) -> int:
    found = 0
    for number in numbers:
        found |= 1 << number
    return found
