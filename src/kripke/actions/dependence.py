"""Which actions depend on each other, for partial-order reduction.

A *transition* is the next action of a process that is ready at a control point; it is always enabled there. What an
action may read, write and communicate follows from its instructions up to the next cut. Two actions of different
processes depend on each other where one writes a global variable that the other uses, where both communicate on
channels that somebody may wait on together, or where one of them does what concerns everybody: starts processes,
makes channels, changes ports, follows references.

The tables belong to a configuration: which processes there are, and which channels their ports hold.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field

from kripke.actions.interpreter import Interpreter
from kripke.actions.memory import Memory
from kripke.actions.program import (
    Alternative,
    Assert,
    Assign,
    Branch,
    Cast,
    Choose,
    Communicate,
    Control,
    ControlKind,
    Copy,
    Deadline,
    End,
    Expression,
    InRange,
    Instruction,
    Jump,
    Load,
    Operation,
    Place,
    Print,
    ProcessType,
    Program,
    Queues,
    Reschedule,
    Start,
)
from kripke.model.dependencies import DependencyAnalysis, DependencyTables
from kripke.model.model import Transition


def obstacle(program: Program) -> str | None:
    """What keeps a program from being analysed."""
    for process in program.processes:
        for instruction in process.code:
            if isinstance(instruction, Communicate) and instruction.rechecks:
                return "a process that waits may be woken by a variable that its guard looks at"
    return None


@dataclass
class _Use:
    """What is read and written of the global variables; ``everything``: it concerns everybody."""

    reads: set[int] = field(default_factory=set)
    writes: set[int] = field(default_factory=set)
    everything: bool = False

    def read(self, expression: Expression) -> None:
        match expression:
            case Load(place, _):
                self.touch(place, self.reads)
            case Operation(_, operands, _):
                for operand in operands:
                    self.read(operand)
            case Cast(operand, _) | InRange(operand, _):
                self.read(operand)
            case _:
                pass

    def touch(self, place: Place, where: set[int]) -> None:
        if place.base.hops is None:
            where.add(place.base.offset)
        elif place.base.hops or place.base.reference:
            self.everything = True
        for step in place.indexing:
            self.read(step.index)

    def add(self, other: _Use) -> None:
        self.reads |= other.reads
        self.writes |= other.writes
        self.everything |= other.everything


@dataclass
class _Action(_Use):
    """The action from a control point: where it communicates, whether the process may end, where it may be ready
    next."""

    communications: set[int] = field(default_factory=set)
    ends: bool = False
    leads: set[int] = field(default_factory=set)


def _action(process: ProcessType, start: int) -> _Action:
    found = _Action()
    first = process.code[start]
    todo = list(first.targets) if isinstance(first, Choose) else [start]
    seen: set[int] = set()
    while todo:
        at = todo.pop()
        if at in seen:
            continue
        seen.add(at)
        todo += _step(process.code[at], at, found)
    return found


def _step(instruction: Instruction, at: int, found: _Action) -> tuple[int, ...]:
    """What an instruction uses, and which may follow in the same action."""
    match instruction:
        case Assign(place, type_, value):
            found.read(value)
            found.touch(place, found.writes)
            found.everything |= type_.kind == "port"
        case Copy(target, source, _):
            found.touch(source, found.reads)
            found.touch(target, found.writes)
            found.everything = True  # there may be ports in it
        case Jump(target_at):
            return (target_at,)
        case Branch(condition, otherwise):
            found.read(condition)
            return (at + 1, otherwise)
        case Assert(condition):
            found.read(condition)
        case Print(_, _, value):
            if value is not None:
                found.read(value)
        case Deadline(value):
            found.read(value)
        case Communicate(alternatives, _, saves):
            for save in saves:
                found.read(save.value)
            found.communications.add(at)
            found.leads.update(alternative.next for alternative in alternatives)
            return ()
        case Choose():
            found.leads.add(at)
            return ()
        case Reschedule():
            found.leads.add(at + 1)
            return ()
        case Start(waits=waits):
            found.everything = True
            return () if waits else (at + 1,)
        case End():
            found.ends = True
            return ()
        case _:  # New, devices
            found.everything = True
    return (at + 1,)


#: a process, and the instruction at which it communicates
_Where = tuple[int, int]


@dataclass(frozen=True)
class _Offer:
    """Channel, message and direction of every alternative; ``unclear``: the state does not tell the channel of one."""

    keys: frozenset[tuple[int, int, bool]]
    selects: bool
    unclear: bool


def _meeting(alternatives: Iterable[Alternative]) -> _Use:
    """What handing over a message uses, on the side of these."""
    use = _Use()
    for alternative in alternatives:
        for value, type_ in alternative.values:
            use.read(value)
            use.everything |= type_.kind == "port"
        for target in alternative.targets:
            use.everything |= target.type.kind == "port"
            if target.place is not None:
                use.touch(target.place, use.writes)
        if alternative.guard is not None:
            use.read(alternative.guard)
    return use


class _Partners:
    """Of every communication in a configuration, who may be its partner: the process and its communication."""

    def __init__(self, offers: dict[_Where, _Offer], in_order: bool) -> None:
        self.offers = offers
        self._in_order = in_order
        self.of = {
            here: frozenset(there for there, other in offers.items() if there[0] != here[0] and _meet(offer, other))
            for here, offer in offers.items()
        }

    def conflict(self, one: _Where, other: _Where) -> bool:
        """Does the order of two communications of different processes matter?"""
        mine, theirs = self.of[one], self.of[other]
        if other in mine and not ({pid for pid, _ in mine} == {other[0]} and {pid for pid, _ in theirs} == {one[0]}):
            return True  # others might come between; two who have but each other meet in either order
        if mine & theirs:
            return True  # they want the same partner
        return self._in_order and bool(self.offers[one].keys & self.offers[other].keys)


def _meet(one: _Offer, other: _Offer) -> bool:
    if one.selects and other.selects:
        return False
    return any((*channel, not sends) in other.keys for *channel, sends in one.keys) or one.unclear or other.unclear


class ActionDependencies(DependencyAnalysis):
    """``asked``: the expressions of the atoms that a property looks at."""

    has_locations = True

    def __init__(self, interpreter: Interpreter, asked: Iterable[Expression] = ()) -> None:
        self._interpreter = interpreter
        self._program = program = interpreter.program
        self._ready = [
            [control.at for control in program.controls if control is not None and control.process == process.number
             and control.kind is ControlKind.READY]
            for process in program.processes
        ]  # fmt: skip
        self._actions = [
            [_action(process, at) for at in ready]
            for process, ready in zip(program.processes, self._ready, strict=True)
        ]
        looked_at = _Use()
        for expression in asked:
            looked_at.read(expression)
        self._looked_at = looked_at.reads

    # --- configurations -----------------------------------------------------------------------------------------------

    def configuration(self, state: bytes) -> Hashable:
        memory = Memory(self._program, state)
        own = [(type_, tuple(memory.data[memory.at[pid] + at] for at in self._program.processes[type_].ports))
               for pid, type_ in self._types(memory)]  # fmt: skip
        shared = tuple(memory.data[at] for at in self._program.global_ports)
        return shared, tuple(own), tuple(pid for pid, _ in self._types(memory))

    def _types(self, memory: Memory) -> list[tuple[int, int]]:
        found = []
        for pid in memory.processes():
            control = self._program.controls[memory.control(pid)]
            assert control is not None
            found.append((pid, control.process))
        return found

    def _control(self, memory: Memory, pid: int) -> Control:
        control = self._program.controls[memory.control(pid)]
        assert control is not None
        return control

    def _first(self, types: list[tuple[int, int]]) -> dict[int, int]:
        """The number of the first transition of every process."""
        found, number = {}, 0
        for pid, type_ in types:
            found[pid] = number
            number += len(self._ready[type_])
        return found

    # --- tables -------------------------------------------------------------------------------------------------------

    def tables(self, state: bytes) -> DependencyTables:
        memory = Memory(self._program, state)
        types = self._types(memory)
        first = self._first(types)
        offers = {
            (pid, at): self._offer(memory, pid, instruction)
            for pid, type_ in types
            for at, instruction in enumerate(self._program.processes[type_].code)
            if isinstance(instruction, Communicate)
        }
        partners = _Partners(offers, self._program.queues is not Queues.SORTED)
        uses = self._uses(types, partners)
        numbers = [(pid, index) for pid, type_ in types for index in range(len(self._ready[type_]))]
        conflicts = []
        for pid, index in numbers:
            mine = uses[pid, index]
            row = 0
            for number, (other, where) in enumerate(numbers):
                if other != pid and mine.depends_on(uses[other, where], partners):
                    row |= 1 << number
            conflicts.append(row)
        visible = 0
        for number, key in enumerate(numbers):
            if self._looked_at and (uses[key].everything or uses[key].writes & self._looked_at):
                visible |= 1 << number
        enabling = tuple((row,) for row in self._enabling(types, first, uses, partners))
        own = tuple(1 << number for number in range(len(numbers)))
        return DependencyTables(tuple(conflicts), enabling, own, visible)

    def _offer(self, memory: Memory, pid: int, communicate: Communicate) -> _Offer:
        keys, unclear = set(), False
        for alternative in communicate.alternatives:
            channel = self._channel(memory, pid, communicate, alternative)
            if channel is None:
                unclear = True
            else:
                keys.add((channel, alternative.message, alternative.sends))
        return _Offer(frozenset(keys), communicate.selects, unclear)

    @staticmethod
    def _channel(memory: Memory, pid: int, communicate: Communicate, alternative: Alternative) -> int | None:
        """The channel; None where the state does not tell it."""
        port = alternative.port
        for save in communicate.saves:
            if isinstance(port, Load) and port.place.base.hops == 0 and port.place.base.offset == save.offset:
                port = save.value
                break
        if not isinstance(port, Load) or port.place.indexing or port.place.base.hops or port.place.base.reference:
            return None
        base = port.place.base
        at = base.offset + port.place.offset + (0 if base.hops is None else memory.at[pid])
        return memory.data[at]

    def _uses(self, types: list[tuple[int, int]], partners: _Partners) -> dict[tuple[int, int], _Resolved]:
        meetings = {
            (pid, at): _meeting(instruction.alternatives)
            for pid, type_ in types
            for at, instruction in enumerate(self._program.processes[type_].code)
            if isinstance(instruction, Communicate)
        }
        found = {}
        for pid, type_ in types:
            for index, action in enumerate(self._actions[type_]):
                use = _Resolved(set(action.reads), set(action.writes), action.everything, action.ends)
                for at in action.communications:
                    use.communications.add((pid, at))
                    use.everything |= partners.offers[pid, at].unclear
                    for where in ((pid, at), *partners.of[pid, at]):
                        use.add(meetings[where])
                found[pid, index] = use
        return found

    def _enabling(
        self,
        types: list[tuple[int, int]],
        first: dict[int, int],
        uses: dict[tuple[int, int], _Resolved],
        partners: _Partners,
    ) -> Iterator[int]:
        """For every transition what must happen before its process is ready at its control point."""
        ends = sum(1 << first[pid] + index for (pid, index), use in uses.items() if use.ends)
        meeting: dict[_Where, int] = {}
        for (pid, index), use in uses.items():
            for where in use.communications:
                meeting[where] = meeting.get(where, 0) | 1 << first[pid] + index
        for pid, type_ in types:
            process = self._program.processes[type_]
            own = ((1 << len(self._ready[type_])) - 1) << first[pid]
            for at in self._ready[type_]:
                row = sum(
                    1 << first[pid] + index for index, action in enumerate(self._actions[type_]) if at in action.leads
                )
                for position, instruction in enumerate(process.code):
                    if isinstance(instruction, Communicate) and any(one.next == at for one in instruction.alternatives):
                        for there in partners.of[pid, position]:
                            row |= meeting.get(there, 0)
                    if isinstance(instruction, Start) and instruction.waits and position + 1 == at:
                        row |= ends | own  # each of its own may be the one that calls
                yield row

    # --- states -------------------------------------------------------------------------------------------------------

    def steps(self, state: bytes) -> list[tuple[int, list[Transition]]]:
        memory = Memory(self._program, state)
        types = self._types(memory)
        first, kinds = self._first(types), dict(types)
        found: list[tuple[int, list[Transition]]] = []
        for step in self._interpreter.successors(state):
            pid = step.parts[0].actor
            control = self._control(memory, pid)
            number = first[pid] + self._ready[kinds[pid]].index(control.at)
            if found and found[-1][0] == number:
                found[-1][1].append(step)
            else:
                found.append((number, [step]))
        return found

    def lacking(self, state: bytes, transition: int) -> int:
        memory = Memory(self._program, state)
        types = self._types(memory)
        first = self._first(types)
        for pid, type_ in types:
            index = transition - first[pid]
            if 0 <= index < len(self._ready[type_]):
                control = self._control(memory, pid)
                here = control.kind is ControlKind.READY and control.at == self._ready[type_][index]
                return 0 if here else 1
        return 1


@dataclass
class _Resolved(_Use):
    """What an action uses in a configuration, and where it may communicate."""

    ends: bool = False
    communications: set[_Where] = field(default_factory=set)

    def depends_on(self, other: _Resolved, partners: _Partners) -> bool:
        return bool(
            self.everything
            or other.everything
            or (self.ends and other.ends)
            or self.writes & (other.reads | other.writes)
            or other.writes & self.reads
            or any(partners.conflict(one, two) for one in self.communications for two in other.communications)
        )
