"""The reference interpreter of action programs: exactly what ``program`` says, in Python."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kripke.actions.evaluation import Evaluator
from kripke.actions.memory import Memory, StepFailed
from kripke.actions.program import (
    CALLED,
    MOST_JUMPS,
    NOBODY,
    PARENT,
    REFERENCE_BYTES,
    Alternative,
    Assert,
    Assign,
    Branch,
    Choose,
    Communicate,
    Control,
    ControlKind,
    Copy,
    Deadline,
    End,
    Jump,
    New,
    Print,
    ProcessType,
    Program,
    Queues,
    Reschedule,
    Start,
    ViolationKind,
)
from kripke.model.model import Part, Transition, Violation

#: in place of values: the process begins to wait; it finds somebody who waits
WAITS, FINDS = -(1 << 62), -(1 << 62) + 1
#: of an action, so many statements are told; a loop may have any number
MOST_PARTS = 200


class _Waiting(NamedTuple):
    """Somebody who waits and would be a partner: the process, its communication, which alternative."""

    pid: int
    communicate: Communicate
    alternative: int
    rank: int


class _Parts:
    """The statements that an action executes; of very many, the first and the last."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self._tested = False

    def test(self, actor: int, statement: int) -> None:
        """A condition is evaluated. A FOR consists of tests and assignments, of which one is told."""
        if not self.parts or self.parts[-1] != Part(actor, statement, ()):
            self.add(actor, statement)
        self._tested = statement >= 0

    def add(self, actor: int, statement: int, values: tuple[int, ...] = ()) -> None:
        if statement < 0 or (self._tested and self.parts and self.parts[-1] == Part(actor, statement, values)):
            return
        self._tested = False
        if len(self.parts) >= MOST_PARTS:
            del self.parts[MOST_PARTS // 2]
        self.parts.append(Part(actor, statement, values))

    def done(self, *more: Part) -> tuple[Part, ...]:
        return (*self.parts, *more)


class Interpreter:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.evaluator = Evaluator(program)
        self._sorted = program.queues is Queues.SORTED
        self._kernel = program.queues is Queues.KERNEL

    def initial(self) -> bytes:
        program = self.program
        first = program.processes[0]
        return bytes(program.global_bytes) + self._record(first, NOBODY)

    def _record(self, process: ProcessType, parent: int) -> bytes:
        number = self.program.numbers[Control(process.number, ControlKind.READY, 0)]
        record = bytearray(process.record_bytes)
        record[0], record[1] = number & 255, number >> 8
        record[PARENT] = parent
        return bytes(record)

    def valid_end(self, state: bytes) -> bool:
        """Has every process ended, but for those of the environment?"""
        memory = Memory(self.program, state)
        controls = [self._control(memory, pid) for pid in memory.processes()]
        return all(
            control.kind is ControlKind.ENDED or self.program.processes[control.process].environment
            for control in controls
        )

    def successors(self, state: bytes) -> list[Transition]:
        return list(self.each_successor(state))

    def each_successor(self, state: bytes) -> Iterator[Transition]:
        memory = Memory(self.program, state)
        for pid in memory.processes():
            control = self._control(memory, pid)
            process = self.program.processes[control.process]
            if control.kind is ControlKind.READY:
                instruction = process.code[control.at]
                if isinstance(instruction, Choose):
                    for target in instruction.targets:
                        parts = _Parts()
                        parts.add(pid, process.statements[control.at])
                        yield from self._action(memory.copy(), pid, process, target, parts)
                else:
                    yield from self._action(memory.copy(), pid, process, control.at, _Parts())
            elif control.kind is ControlKind.WAITING:
                instruction = process.code[control.at]
                assert isinstance(instruction, Communicate)
                if instruction.rechecks:
                    yield from self._pairings(memory, pid, process, instruction, _Parts())

    def _control(self, memory: Memory, pid: int) -> Control:
        control = self.program.controls[memory.control(pid)]
        assert control is not None
        return control

    def _set(self, memory: Memory, pid: int, process: ProcessType, kind: ControlKind, at: int) -> None:
        memory.set_control(pid, self.program.numbers[Control(process.number, kind, at)])

    # --- actions ------------------------------------------------------------------------------------------------------

    def _action(self, memory: Memory, pid: int, process: ProcessType, at: int, parts: _Parts) -> Iterator[Transition]:
        """Run a process from an instruction up to the next cut."""
        evaluator, jumps = self.evaluator, 0
        statement = 0
        # An action that comes back to where it was, with nothing changed, does not end (Brent, BIT 20, 1980). Whole
        # rounds of it are left out.
        kept, kept_jumps = (-1, b""), 0
        try:
            while True:
                instruction = process.code[at]
                statement = process.statement_of(at)
                before = jumps
                match instruction:
                    case Assign(place, type_, value):
                        parts.add(pid, statement)
                        number = evaluator.value(value, process)(memory, pid)
                        memory.write(evaluator.address(place, process)(memory, pid), type_, number)
                    case Copy(target, source, size):
                        parts.add(pid, statement)
                        start = evaluator.address(source, process)(memory, pid)
                        content = memory.data[start : start + size]
                        to = evaluator.address(target, process)(memory, pid)
                        memory.data[to : to + size] = content
                    case Jump(target):
                        jumps += target <= at
                        at = target - 1
                    case Branch(condition, otherwise):
                        parts.test(pid, process.statements[at])
                        if not evaluator.value(condition, process)(memory, pid):
                            jumps += otherwise <= at
                            at = otherwise - 1
                    case Assert(condition):
                        parts.add(pid, statement)
                        if not evaluator.value(condition, process)(memory, pid):
                            raise StepFailed(ViolationKind.ASSERTION)
                    case New(place):
                        parts.add(pid, statement)
                        to = evaluator.address(place, process)(memory, pid)
                        memory.data[to] = 0  # what it held until now may be what is free
                        memory.data[to] = memory.free_channel()
                    case Print(_, _, shown):
                        number = 0 if shown is None else evaluator.value(shown, process)(memory, pid)
                        parts.add(pid, statement, (number,) if shown is not None else ())
                    case Deadline(due):
                        parts.add(pid, statement)
                        evaluator.value(due, process)(memory, pid)
                    case Start():
                        created = self._start(memory, pid, process, instruction)
                        parts.add(pid, statement, (created,))
                        if instruction.waits:
                            self._set(memory, pid, process, ControlKind.CALLING, at + 1)
                            yield Transition(parts.done(), bytes(memory.data))
                            return
                    case Reschedule():
                        parts.add(pid, statement)
                        self._set(memory, pid, process, ControlKind.READY, at + 1)
                        yield Transition(parts.done(), bytes(memory.data))
                        return
                    case Choose():
                        # It is ready at the choice; the choice itself is the next action.
                        parts.add(pid, statement)
                        self._set(memory, pid, process, ControlKind.READY, at)
                        yield Transition(parts.done(), bytes(memory.data))
                        return
                    case Communicate():
                        yield from self._communicate(memory, pid, process, at, instruction, parts)
                        return
                    case End():
                        parts.add(pid, statement)
                        self._end(memory, pid, process)
                        yield Transition(parts.done(), bytes(memory.data))
                        return
                    case _:
                        raise AssertionError(instruction)
                if jumps > before:
                    if jumps > MOST_JUMPS:
                        raise StepFailed(ViolationKind.ENDLESS)
                    if kept[0] == at and kept[1] == memory.data:
                        jumps += (MOST_JUMPS - jumps) // (jumps - kept_jumps) * (jumps - kept_jumps)
                    elif jumps & (jumps - 1) == 0:
                        kept, kept_jumps = (at, bytes(memory.data)), jumps
                at += 1
        except StepFailed as failed:
            if not parts.parts:  # who moves is told by what it does
                parts.add(pid, statement)
            yield Transition(parts.done(), None, (Violation(failed.kind, statement),))

    def _start(self, memory: Memory, pid: int, process: ProcessType, start: Start) -> int:
        evaluator = self.evaluator
        started = self.program.processes[start.process]
        record = bytearray(self._record(started, pid | (CALLED if start.waits else 0)))
        for offset, type_, value in start.values:
            number = evaluator.value(value, process)(memory, pid)
            record[offset : offset + type_.size] = number.to_bytes(type_.size, "little", signed=type_.signed)
        for offset, size, place in start.copies:
            at = evaluator.address(place, process)(memory, pid)
            record[offset : offset + size] = memory.data[at : at + size]
        for offset, place in start.references:
            record[offset : offset + REFERENCE_BYTES] = evaluator.reference(place, process)(memory, pid)
        if start.link is not None:
            from kripke.actions.program import Base

            record[started.link] = evaluator.owner(Base(start.link, 0), process)(memory, pid)
        return memory.start(bytes(record))

    def _end(self, memory: Memory, pid: int, process: ProcessType) -> None:
        """A process at its end goes when those that it created have gone; then its own creator may, or goes on."""
        if process.starts_others and memory.has_children(pid):
            self._set(memory, pid, process, ControlKind.ENDED, len(process.code))
            return
        while True:
            parent = memory.parent(pid)
            memory.remove(pid)
            creator = parent & NOBODY
            if creator == NOBODY:
                return
            control = self._control(memory, creator)
            process = self.program.processes[control.process]
            if parent & CALLED:
                self._set(memory, creator, process, ControlKind.READY, control.at)
                return
            if control.kind is not ControlKind.ENDED or memory.has_children(creator):
                return
            pid = creator

    # --- communication ------------------------------------------------------------------------------------------------

    def _communicate(
        self, memory: Memory, pid: int, process: ProcessType, at: int, communicate: Communicate, parts: _Parts
    ) -> Iterator[Transition]:
        evaluator = self.evaluator
        base = memory.at[pid]
        for save in communicate.saves:
            value = evaluator.value(save.value, process)(memory, pid)
            memory.write(base + save.offset, save.type, value)
        found = False
        for step in self._pairings(memory, pid, process, communicate, parts):
            found = True
            yield step
        if found:
            return
        if communicate.rank >= 0:
            for number, alternative in enumerate(communicate.alternatives):
                queue = self._queue(memory, pid, process, communicate, alternative)
                memory.data[base + communicate.rank + number] = len(queue) + 1
                if self._kernel:
                    for other in queue:
                        if other.rank == len(queue):
                            self._set_next(memory, other.pid, pid + 1)
            if self._kernel:
                self._set_next(memory, pid, 0)
        parts.add(pid, process.statements[at], (WAITS,))
        self._set(memory, pid, process, ControlKind.WAITING, at)
        yield Transition(parts.done(), bytes(memory.data))

    def _set_next(self, memory: Memory, pid: int, value: int) -> None:
        process = self.program.processes[self._control(memory, pid).process]
        memory.data[memory.at[pid] + process.next] = value

    def _pairings(
        self, memory: Memory, pid: int, process: ProcessType, communicate: Communicate, parts: _Parts
    ) -> Iterator[Transition]:
        """Every step in which the process communicates now."""
        channels = [self.evaluator.value(one.port, process)(memory, pid) for one in communicate.alternatives]
        if 0 in channels:
            raise StepFailed(ViolationKind.CHANNEL)
        for alternative, channel in zip(communicate.alternatives, channels, strict=True):
            partners = self._waiting(memory, pid, channel, alternative.message, not alternative.sends)
            if communicate.selects:
                partners = [partner for partner in partners if not partner.communicate.selects]
            if self._kernel:
                partners = [partner for partner in partners if partner.rank == 1]
            for partner in partners:
                step = self._pair(memory.copy(), pid, process, communicate, alternative, partner, parts)
                if step is not None:
                    yield step

    def _waiting(self, memory: Memory, pid: int, channel: int, message: int, sends: bool) -> list[_Waiting]:
        """Those who wait to send or receive this message, in the order of their queues."""
        found = []
        for other in memory.processes():
            control = self._control(memory, other)
            if other == pid or control.kind is not ControlKind.WAITING:
                continue
            process = self.program.processes[control.process]
            communicate = process.code[control.at]
            assert isinstance(communicate, Communicate)
            for number, alternative in enumerate(communicate.alternatives):
                if (
                    alternative.sends == sends
                    and alternative.message == message
                    and self.evaluator.value(alternative.port, process)(memory, other) == channel
                ):
                    rank = memory.data[memory.at[other] + communicate.rank + number] if communicate.rank >= 0 else 0
                    found.append(_Waiting(other, communicate, number, rank))
        if not self._sorted:
            found.sort(key=lambda waiting: (waiting.communicate.selects, waiting.rank))
        return found

    def _queue(
        self, memory: Memory, pid: int, process: ProcessType, communicate: Communicate, alternative: Alternative
    ) -> list[_Waiting]:
        """The queue in which a process with this alternative waits."""
        channel = self.evaluator.value(alternative.port, process)(memory, pid)
        waiting = self._waiting(memory, pid, channel, alternative.message, alternative.sends)
        return [one for one in waiting if one.communicate.selects == communicate.selects]

    def _pair(
        self,
        memory: Memory,
        pid: int,
        process: ProcessType,
        communicate: Communicate,
        alternative: Alternative,
        partner: _Waiting,
        parts: _Parts,
    ) -> Transition | None:
        """The step in which these two communicate; None where a guard is false or a constant differs."""
        other = partner.pid
        other_process = self.program.processes[self._control(memory, other).process]
        other_alternative = partner.communicate.alternatives[partner.alternative]
        mine, theirs = (pid, process, alternative), (other, other_process, other_alternative)
        sender, receiver = (mine, theirs) if alternative.sends else (theirs, mine)
        evaluate, address = self.evaluator.value, self.evaluator.address
        values = tuple(evaluate(value, sender[1])(memory, sender[0]) for value, _ in sender[2].values)
        for target, value in zip(receiver[2].targets, values, strict=True):
            if target.place is None:
                if target.constant != value:
                    return None
            else:
                memory.write(address(target.place, receiver[1])(memory, receiver[0]), target.type, value)
        for who, type_, one in (mine, theirs):
            if one.guard is not None:
                try:
                    if not evaluate(one.guard, type_)(memory, who):
                        return None
                except StepFailed as failed:
                    done = parts.done() or (Part(pid, alternative.statement, (FINDS,)),)
                    return Transition(done, None, (Violation(failed.kind, one.statement),))
        self._leave(memory, other, partner.communicate)
        self._leave(memory, pid, communicate)
        self._set(memory, other, other_process, ControlKind.READY, other_alternative.next)
        self._set(memory, pid, process, ControlKind.READY, alternative.next)
        executed = (
            Part(sender[0], sender[2].statement, values),
            Part(receiver[0], receiver[2].statement, values),
        )
        done = parts.done(*executed)
        if done[0].actor != pid:  # who moves comes first
            done = (Part(pid, alternative.statement, (FINDS,)), *done)
        return Transition(done, bytes(memory.data))

    def _leave(self, memory: Memory, pid: int, communicate: Communicate) -> None:
        """Take a process out of its queues, and forget what its communication kept."""
        if communicate.rank >= 0 and self._control(memory, pid).kind is ControlKind.WAITING:
            process = self.program.processes[self._control(memory, pid).process]
            for number, alternative in enumerate(communicate.alternatives):
                rank = memory.data[memory.at[pid] + communicate.rank + number]
                for other in self._queue(memory, pid, process, communicate, alternative):
                    if other.rank > rank:
                        at = memory.at[other.pid] + other.communicate.rank + other.alternative
                        memory.data[at] -= 1
        base = memory.at[pid]
        for start, size in communicate.pending:
            memory.data[base + start : base + start + size] = bytes(size)
