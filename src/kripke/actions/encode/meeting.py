"""Communications in terms: partners, what is handed over, and waiting. Every pair of communications that can meet is a
command of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kripke.actions.encode.expressions import Expressions, Frame
from kripke.actions.encode.slots import Slot
from kripke.actions.program import (
    Alternative,
    Communicate,
    Control,
    ControlKind,
    ProcessType,
    Queues,
    ViolationKind,
)
from kripke.terms.build import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    add,
    any_of,
    conjoin,
    constant,
    disjoin,
    equal,
    ite,
    less,
    negate,
    number,
    total,
)
from kripke.terms.moves import Moves
from kripke.terms.path import Path
from kripke.terms.system import Command
from kripke.terms.term import Symbol, Term


class _Partner(NamedTuple):
    """Somebody who may wait: where, with which communication and alternative, and the condition that it does."""

    when: Term
    slot: Slot
    process: ProcessType
    at: int
    communicate: Communicate
    number: int

    @property
    def frame(self) -> Frame:
        return Frame(self.slot, self.process, self.at)

    @property
    def alternative(self) -> Alternative:
        return self.communicate.alternatives[self.number]

    @property
    def rank(self) -> Symbol:
        return self.slot.ranks[self.process.number, self.at, self.number]


class Meeting:
    def __init__(self, lower: Expressions) -> None:
        self.lower = lower
        self.slots = lower.slots
        self.program = lower.program
        self._kernel = self.program.queues is Queues.KERNEL

    def done(self, found: Moves, path: Path, slot: Slot, partner: int = -1) -> None:
        """A way has come to its end: it is a command of the process in the slot."""
        found.collect(path)
        if path.when is not FALSE:
            found.commands.append(Command(path.when, path.updates(), slot.number, path.statement, partner=partner))

    def communicate(
        self, found: Moves, path: Path, slot: Slot, process: ProcessType, at: int, communicate: Communicate
    ) -> None:
        """With everybody who waits for it, or the process waits."""
        frame = Frame(slot, process, at)
        for save in communicate.saves:
            value = self.lower.value(path, frame, save.value)
            symbol = slot.cells[process.number, at, save.offset]
            path.write(symbol, value)
        met = self.pairings(found, path, slot, process, at, communicate)
        path.statement = max(process.statements[at], 0)
        found.collect(path)
        waits = path.fork(negate(met))
        if communicate.rank >= 0:
            self._queue_up(waits, slot, process, at, communicate)
        waits.write(slot.control, constant(slot.place_of[Control(process.number, ControlKind.WAITING, at)]))
        self.done(found, waits, slot)

    def pairings(
        self, found: Moves, path: Path, slot: Slot, process: ProcessType, at: int, communicate: Communicate
    ) -> Term:
        """Every step in which the process communicates now; the condition under which there is one."""
        frame = Frame(slot, process, at)
        channels = [self.lower.value(path, frame, one.port) for one in communicate.alternatives]
        path.fail(ViolationKind.CHANNEL, any_of(equal(channel, ZERO) for channel in channels))
        met = FALSE
        for position, channel in enumerate(channels):
            mine = _Partner(TRUE, slot, process, at, communicate, position)
            wanted = not mine.alternative.sends
            for other in self._waiting(path, slot, channel, mine.alternative.message, wanted):
                if communicate.selects and other.communicate.selects:
                    continue
                when = other.when
                if self._kernel:
                    when = conjoin(when, equal(path.read(other.rank), ONE))
                meets = path.fork(when)
                if meets.when is not FALSE:
                    met = disjoin(met, self._pair(found, meets, mine, other))
        return met

    def _waiting(self, path: Path, slot: Slot, channel: Term, message: int, sends: bool) -> Iterator[_Partner]:
        """Those who may wait to send or receive this message."""
        for other in self.slots.slots:
            if other is slot:
                continue
            for point, place in other.place_of.items():
                if point.kind is not ControlKind.WAITING:
                    continue
                here = equal(path.read(other.control), constant(place))
                if here is FALSE:
                    continue
                process = self.program.processes[point.process]
                communicate = process.code[point.at]
                assert isinstance(communicate, Communicate)
                for position, one in enumerate(communicate.alternatives):
                    if one.sends == sends and one.message == message:
                        port = self.lower.value(path, Frame(other, process, point.at), one.port)
                        when = conjoin(here, equal(port, channel))
                        if when is not FALSE:
                            yield _Partner(when, other, process, point.at, communicate, position)

    def _pair(self, found: Moves, path: Path, mine: _Partner, other: _Partner) -> Term:
        """These two communicate; the condition under which they do, or a guard cannot be evaluated."""
        lower = self.lower
        sender, receiver = (mine, other) if mine.alternative.sends else (other, mine)
        values = [lower.value(path, sender.frame, value) for value, _ in sender.alternative.values]
        for target, value in zip(receiver.alternative.targets, values, strict=True):
            if target.place is None:
                path.when = conjoin(path.when, equal(value, constant(target.constant)))
            else:
                spots = lower.spots(path, receiver.frame, target.place)
                lower.store(path, receiver.frame, spots, value)
        for one in (mine, other):
            if one.alternative.guard is not None:
                path.statement = one.alternative.statement
                holds = lower.truth(path, one.frame, one.alternative.guard)
                path.when = conjoin(path.when, holds)
        met = disjoin(path.failed, path.when)
        if path.when is FALSE:
            found.collect(path)
            return met
        self._leave(path, other, queued=True)
        self._leave(path, mine, queued=mine.slot.points[self._place(path, mine.slot) - 1].kind is ControlKind.WAITING)
        for one in (other, mine):
            point = Control(one.process.number, ControlKind.READY, one.alternative.next)
            path.write(one.slot.control, constant(one.slot.place_of[point]))
        path.statement = mine.alternative.statement
        self.done(found, path, mine.slot, other.slot.number)
        return met

    @staticmethod
    def _place(path: Path, slot: Slot) -> int:
        """Where the process is that moves: this is known."""
        value = path.read(slot.control).value
        assert isinstance(value, int)
        return value

    # --- queues -------------------------------------------------------------------------------------------------------

    def _queue(self, path: Path, one: _Partner) -> list[_Partner]:
        """Those in the queue in which a process with this alternative waits, or would, but for itself."""
        channel = self.lower.value(path, one.frame, one.alternative.port)
        others = self._waiting(path, one.slot, channel, one.alternative.message, one.alternative.sends)
        return [other for other in others if other.communicate.selects == one.communicate.selects]

    def _queue_up(self, path: Path, slot: Slot, process: ProcessType, at: int, communicate: Communicate) -> None:
        for position in range(len(communicate.alternatives)):
            mine = _Partner(TRUE, slot, process, at, communicate, position)
            queue = self._queue(path, mine)
            length = total(number(other.when) for other in queue)
            ranks = [path.read(other.rank) for other in queue]
            path.write(mine.rank, add(length, ONE))
            if self._kernel:
                for other, rank in zip(queue, ranks, strict=True):
                    following = other.slot.nexts[other.process.number]
                    last = conjoin(other.when, equal(rank, length))
                    path.write(following, ite(last, constant(slot.number + 1), path.read(following)))
        if self._kernel:
            path.write(slot.nexts[process.number], ZERO)

    def _leave(self, path: Path, one: _Partner, queued: bool) -> None:
        """Out of its queues; what its communication kept is forgotten."""
        key = one.process.number
        if one.communicate.rank >= 0:
            for position in range(len(one.communicate.alternatives)) if queued else ():
                mine = one._replace(number=position)
                rank = path.read(mine.rank)
                for other in self._queue(path, mine):
                    before = path.read(other.rank)
                    behind = conjoin(other.when, less(rank, before))
                    path.write(other.rank, ite(behind, add(before, constant(-1)), before))
            for position in range(len(one.communicate.alternatives)):
                path.write(one.slot.ranks[key, one.at, position], ZERO)
        for save in one.communicate.saves:
            path.write(one.slot.cells[key, one.at, save.offset], ZERO)
