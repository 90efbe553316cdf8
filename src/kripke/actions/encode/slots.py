"""The variables of an encoded action program, and its states as their values.

A process is in the *slot* of its number. A slot has a variable for the control point, one for the creator, and one for
every scalar in the records of the types that can be there; a communication has variables of its own for what it keeps
while it waits. What does not belong to the type or the communication at hand is 0, so that equal states have equal
values. Queues need no variables: who waits where is told by those who wait (``program.py``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from kripke.actions.encode.places import References, cells_of, pending_cells
from kripke.actions.interpreter import Interpreter
from kripke.actions.memory import Memory
from kripke.actions.program import (
    BYTE,
    CALLED,
    CONTROL_BYTES,
    NOBODY,
    PARENT,
    Branch,
    Choose,
    Communicate,
    Control,
    ControlKind,
    End,
    Instruction,
    Jump,
    ProcessType,
    Program,
    Reschedule,
    Scalar,
    Start,
)
from kripke.terms.refusal import Unencodable
from kripke.terms.sort import Sort, integers
from kripke.terms.term import Symbol

#: slots, for each ``room``, for processes that are created again and again: nobody knows how many there will be
DYNAMIC_SLOTS = 4
#: as many slots as there can be processes, where this is not many more than there are at first
_FEW_MORE = 8
#: more variables than these, and the lowering alone would take minutes
MOST_VARIABLES = 50_000
#: of an offset in a reference
UINT16 = Scalar("UINT16", 2, 0, (1 << 16) - 1)


@dataclass(slots=True)
class Slot:
    """``points[i]`` is where a process is whose control has the value i + 1; 0: nobody is here. ``always``: after the
    first action there is somebody. ``creator``: the value that ``parent`` always has while somebody is here (None: it
    varies). The key of a scalar is its process type, the communication it belongs to (-1: none)
    and its offset; of references there is the owner, and the offset it refers to under the next number."""

    number: int
    types: tuple[ProcessType, ...]
    always: bool
    creator: int | None
    control: Symbol
    parent: Symbol
    called: Symbol
    points: list[Control]
    place_of: dict[Control, int]
    cells: dict[tuple[int, int, int], Symbol] = field(default_factory=dict)
    references: dict[tuple[int, int], tuple[Symbol, Symbol]] = field(default_factory=dict)
    links: dict[int, Symbol] = field(default_factory=dict)
    nexts: dict[int, Symbol] = field(default_factory=dict)
    ranks: dict[tuple[int, int, int], Symbol] = field(default_factory=dict)

    def symbols(self) -> Iterator[Symbol]:
        yield from (self.control, self.parent, self.called)
        yield from self.links.values()
        yield from self.nexts.values()
        yield from self.cells.values()
        for pair in self.references.values():
            yield from pair
        yield from self.ranks.values()


class Slots:
    """Which processes can be where, and the variables that say it."""

    def __init__(self, program: Program, room: int = 1) -> None:
        self.program = program
        self.interpreter = Interpreter(program)
        self.references = References(program)
        types, always = self._types(room)
        self._settled = always if self._later else len(types)
        #: is there a slot for every process that can be?
        self.enough = len(types) >= program.max_processes
        self.cells = {process.number: cells_of(process.shown, process) for process in program.processes}
        self.pending = {
            (process.number, at): pending_cells(instruction)
            for process in program.processes
            for at, instruction in enumerate(process.code)
            if isinstance(instruction, Communicate)
        }
        self._require_few(types)
        self.most_channels = min(255, self._port_count(types) + 1)
        self.shared = {cell.offset: Symbol(cell.name, self._sort(cell.type)) for cell in cells_of(program.shown)}
        self._shared_types = {cell.offset: cell.type for cell in cells_of(program.shown)}
        self.slots = [self._slot(number, here, number < always, len(types)) for number, here in enumerate(types)]

    # --- which types where --------------------------------------------------------------------------------------------

    @cached_property
    def first_states(self) -> list[bytes] | None:
        """The states behind the first action, which is that of the initialisation; None where it may come again."""
        code = self.program.processes[0].code
        again = any(
            alternative.next == 0
            for instruction in code
            if isinstance(instruction, Communicate)
            for alternative in instruction.alternatives
        )
        if again or isinstance(code[0], Choose):
            return None
        steps = self.interpreter.successors(self.interpreter.initial())
        return [step.target for step in steps if step.target is not None]

    def _types(self, room: int) -> tuple[list[tuple[ProcessType, ...]], int]:
        """The types in every slot, and how many slots at the beginning are never free after the first action."""
        program = self.program
        first: list[dict[int, ProcessType]] = [{0: program.processes[0]}]
        sure: list[int] = []
        states = self.first_states
        for state in states or ():
            memory = Memory(program, state)
            found = [program.controls[memory.control(pid)] for pid in range(len(memory.at))]
            for pid, control in enumerate(found):
                if pid == len(first):
                    first.append({})
                if control is not None:
                    first[pid][control.process] = program.processes[control.process]
            sure.append(next((n for n, c in enumerate(found) if c is None or (n and self._ends(c))), len(found)))
        always = min(sure, default=0)
        later = self._later
        count = len(first)
        if later:
            few = program.max_processes <= count + _FEW_MORE
            count = program.max_processes if few else min(program.max_processes, count + DYNAMIC_SLOTS * room)
        slots = []
        for number in range(count):
            here = dict(first[number]) if number < len(first) else {}
            if number and number >= always:
                here |= {process.number: process for process in later}
            slots.append(tuple(here.values()))
        return slots, always

    def _ends(self, control: Control) -> bool:
        """Can a process that is here come to its end?"""
        process = self.program.processes[control.process]
        if control.kind is ControlKind.ENDED:
            return True
        return any(isinstance(process.code[at], End) for at in _reachable(process, [control.at]))

    def _creator(self, number: int) -> int | None:
        """Who created the process in a slot, plus one, where it can be nobody else."""
        if number == 0:
            return 0
        if number >= self._settled:
            return None
        found = set()
        for state in self.first_states or ():
            memory = Memory(self.program, state)
            found.add(memory.parent(number) & NOBODY if number < len(memory.at) and memory.control(number) else -1)
        return found.pop() + 1 if len(found) == 1 and -1 not in found else None

    @cached_property
    def _later(self) -> list[ProcessType]:
        """The types that are started later than in the first action."""
        processes, found = self.program.processes, dict[int, ProcessType]()
        for process in self.program.startable():
            entries = _resting_points(process) if process.number == 0 and self.first_states is not None else [0]
            for start in _starts(process, entries):
                found[start.process] = processes[start.process]
        return list(found.values())

    @cached_property
    def _creations(self) -> set[tuple[int, int]]:
        """Which types start which."""
        return {
            (process.number, start.process) for process in self.program.startable() for start in _starts(process, [0])
        }

    def may_create(self, creator: Slot, slot: Slot) -> bool:
        """May a process in the one slot have created that in the other?"""
        if creator is slot or slot.creator is not None:
            return slot.creator == creator.number + 1
        return any((a.number, b.number) in self._creations for a in creator.types for b in slot.types)

    # --- variables ----------------------------------------------------------------------------------------------------

    def _port_count(self, types: list[tuple[ProcessType, ...]]) -> int:
        records = sum(max(len(process.ports) for process in here) for here in types)
        return len(self.program.global_ports) + records

    def _require_few(self, types: list[tuple[ProcessType, ...]]) -> None:
        count = len(self.program.shown)
        for here in types:
            for process in here:
                count += len(self.cells[process.number])
                count += sum(len(cells) for (number, _), cells in self.pending.items() if number == process.number)
        if count > MOST_VARIABLES:
            raise Unencodable(f"{count:,} variables, of which at most {MOST_VARIABLES:,} are encoded,")

    def _sort(self, type_: Scalar) -> Sort:
        return integers(0, self.most_channels) if type_.kind == "port" else integers(type_.low, type_.high)

    def _slot(self, number: int, types: tuple[ProcessType, ...], always: bool, count: int) -> Slot:
        numbers = {process.number for process in types}
        points = [c for c in self.program.controls if c is not None and c.process in numbers]
        slot = Slot(
            number,
            types,
            always,
            self._creator(number),
            Symbol(f"({number})", integers(0, len(points))),
            Symbol(f"(creator of {number})", integers(0, count)),
            Symbol(f"(call of {number})", integers(0, 1)),
            points,
            {control: place + 1 for place, control in enumerate(points)},
        )
        for process in types:
            self._fill(slot, process, f"{process.name}:{number}.", count)
        return slot

    def _fill(self, slot: Slot, process: ProcessType, name: str, count: int) -> None:
        key = process.number
        for cell in self.cells[key]:
            slot.cells[key, -1, cell.offset] = Symbol(name + cell.name, self._sort(cell.type))
        for one in process.shown:
            if one.reference:
                last = max((at for _, at in self.references.targets[key, one.offset]), default=0)
                owner = Symbol(f"{name}{one.name}(of)", integers(0, count))
                slot.references[key, one.offset] = owner, Symbol(f"{name}{one.name}(at)", integers(0, last))
        if process.link >= 0:
            slot.links[key] = Symbol(f"{name}(inside)", integers(0, count - 1))
        if process.next >= 0:
            slot.nexts[key] = Symbol(f"{name}(next)", integers(0, count))
        for at, instruction in enumerate(process.code):
            if isinstance(instruction, Communicate):
                for cell in self.pending[key, at]:
                    slot.cells[key, at, cell.offset] = Symbol(f"{name}{at}{cell.name}", self._sort(cell.type))
                if instruction.rank >= 0:
                    for alternative in range(len(instruction.alternatives)):
                        most = count * max(len(one.alternatives) for one in _communications(self.program))
                        rank = Symbol(f"{name}{at}(rank {alternative})", integers(0, most))
                        slot.ranks[key, at, alternative] = rank

    @cached_property
    def variables(self) -> list[Symbol]:
        return [*self.shared.values(), *(symbol for slot in self.slots for symbol in slot.symbols())]

    # --- states -------------------------------------------------------------------------------------------------------

    def values(self, state: bytes) -> tuple[int, ...]:
        """ValueError where the state has more processes than there are slots, or others."""
        memory, found = Memory(self.program, state), dict[Symbol, int]()
        for offset, symbol in self.shared.items():
            found[symbol] = memory.read(offset, self._shared_types[offset])
        if len(memory.at) > len(self.slots):
            raise ValueError("a process that has no slot")
        for pid in memory.processes():
            control, slot, base = self.program.controls[memory.control(pid)], self.slots[pid], memory.at[pid]
            if control is None or control not in slot.place_of:
                raise ValueError("a process that has no slot")
            found[slot.control] = slot.place_of[control]
            parent = memory.parent(pid)
            found[slot.parent] = 0 if parent & NOBODY == NOBODY else (parent & NOBODY) + 1
            found[slot.called] = int(parent & CALLED != 0)
            for symbol, offset, type_ in self._record(slot, control):
                found[symbol] = memory.read(base + offset, type_)
        return tuple(found.get(symbol, 0) for symbol in self.variables)

    def state(self, values: Sequence[int]) -> bytes:
        program, known = self.program, dict(zip(self.variables, values, strict=True))
        memory = Memory(program, bytes(program.global_bytes))
        for offset, symbol in self.shared.items():
            memory.write(offset, self._shared_types[offset], known[symbol])
        last = max((slot.number for slot in self.slots if known[slot.control]), default=-1)
        for slot in self.slots[: last + 1]:
            if not known[slot.control]:
                memory.data += bytes(CONTROL_BYTES)
                continue
            control, base = slot.points[known[slot.control] - 1], len(memory.data)
            memory.data += bytes(program.processes[control.process].record_bytes)
            memory.data[base : base + CONTROL_BYTES] = program.numbers[control].to_bytes(CONTROL_BYTES, "little")
            parent = known[slot.parent]
            memory.data[base + PARENT] = (parent - 1 if parent else NOBODY) | CALLED * known[slot.called]
            for symbol, offset, type_ in self._record(slot, control):
                memory.write(base + offset, type_, known[symbol])
        return bytes(memory.data)

    def _record(self, slot: Slot, control: Control) -> Iterator[tuple[Symbol, int, Scalar]]:
        """The variables of a record at a control point, and where they lie."""
        process = self.program.processes[control.process]
        key = process.number
        for cell in self.cells[key]:
            yield slot.cells[key, -1, cell.offset], cell.offset, cell.type
        for (number, offset), (owner, at) in slot.references.items():
            if number == key:
                yield owner, offset, BYTE
                yield at, offset + 1, UINT16
        if process.link >= 0:
            yield slot.links[key], process.link, BYTE
        if process.next >= 0:
            yield slot.nexts[key], process.next, BYTE
        if control.kind is ControlKind.WAITING:
            communicate = process.code[control.at]
            assert isinstance(communicate, Communicate)
            for cell in self.pending[key, control.at]:
                yield slot.cells[key, control.at, cell.offset], cell.offset, cell.type
            if communicate.rank >= 0:
                for number in range(len(communicate.alternatives)):
                    yield slot.ranks[key, control.at, number], communicate.rank + number, BYTE

    # --- symbols ------------------------------------------------------------------------------------------------------

    def cell(self, slot: Slot | None, process: int, offset: int, at: int = -1) -> Symbol | None:
        """The variable at an offset of a record, or (``slot`` None) of the global block. ``at``: the communication
        whose values are meant beside those of variables. None: what lies there is always 0."""
        if slot is None:
            return self.shared.get(offset)
        return slot.cells.get((process, -1, offset)) or slot.cells.get((process, at, offset))

    @cached_property
    def ports(self) -> list[Symbol]:
        """All that hold a channel."""
        found = [self.shared[offset] for offset in self.program.global_ports if offset in self.shared]
        for slot in self.slots:
            for (number, _, offset), symbol in slot.cells.items():
                if offset in self.program.processes[number].ports:
                    found.append(symbol)
        return found


# --- ways through the code --------------------------------------------------------------------------------------------


def _communications(program: Program) -> list[Communicate]:
    return [one for process in program.processes for one in process.code if isinstance(one, Communicate)]


def following(instruction: Instruction, at: int) -> tuple[int, ...]:
    """Where a process may go on behind an instruction, cut or not."""
    match instruction:
        case Jump(target):
            return (target,)
        case Branch(_, otherwise):
            return (at + 1, otherwise)
        case Choose(targets):
            return targets
        case Communicate(alternatives):
            return tuple(alternative.next for alternative in alternatives)
        case End():
            return ()
    return (at + 1,)


def _reachable(process: ProcessType, entries: Sequence[int]) -> list[int]:
    found = list(dict.fromkeys(entries))
    seen = set(found)
    for at in found:
        for target in following(process.code[at], at):
            if target not in seen and target < len(process.code):  # a failing assertion may be the last
                seen.add(target)
                found.append(target)
    return found


def _resting_points(process: ProcessType) -> list[int]:
    """Where a process goes on after it has rested."""
    found: list[int] = []
    for at in _reachable(process, [0]):
        instruction = process.code[at]
        if isinstance(instruction, Communicate | Choose | Reschedule) or (
            isinstance(instruction, Start) and instruction.waits
        ):
            found += following(instruction, at)
    return found


def _starts(process: ProcessType, entries: Sequence[int]) -> list[Start]:
    code = (process.code[at] for at in _reachable(process, entries))
    return [instruction for instruction in code if isinstance(instruction, Start)]
