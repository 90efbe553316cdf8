"""The form of an action program: global variables and process types, each a list of instructions.

STATES. A state is the global block followed by the slots of processes, the lowest number first:

    global block   the global variables
    slot           of a process: its activation record; of nobody: a zero control value alone

Slots of nobody at the end are left out; a new process takes the lowest free slot. An activation record is

    control        two bytes, little-endian: process type, kind and instruction (``Control``)
    parent         one byte: who created it, and whether that one waits for its end (``CALLED``); ``NOBODY`` for the
                   first process
    static link    one byte, of nested process types: the process in which the type is declared
    next           one byte, only with queues as the kernel keeps them: who was queued behind it; not cleared when it is
                   taken from the queue
    variables      parameters and local variables; a parameter by reference is a ``Reference``
    pending        zero unless it is blocked in a communication: what was computed for it, and its places in the queues

A *reference* is three bytes: 0 for the global block or the number of a process plus one, and an offset. A *port* is one
byte: 0, or the number of a channel. A channel has no record: who waits on it is told by those who wait. ``New``
takes the lowest number that no port in the state holds.

STEPS. A step is an *action*: a process runs from where it is up to the next cut. Cuts are ``Communicate``, ``Choose``,
``Reschedule``, ``Call`` (the caller waits for the end of what it called) and ``End``.

* ``Communicate``: where processes wait for the opposite, the action goes on with every one of them (each a step of its
  own), the message is handed over, and both are ready behind their communications. Where nobody waits, the process
  waits. Of two that both select neither is a partner of the other. A guard is evaluated after the message was handed
  over; where it is false there is no such step.
* A process that waits in a selection whose guards look at what others may change moves when a guard has become true.
* ``Choose``: the process is ready at the choice; each branch is a step.
* A process at its end waits until the processes that it created have ended. Then its slot is free.
* A violation ends the step without a successor, failed assertions as well.
* A state without steps is a deadlock unless every process has ended, but for those of the environment.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import NamedTuple

from kripke.model.model import Statement
from kripke.model.source import Span

MOST_PROCESSES = 127
MOST_CHANNELS = 255
CALLED = 0x80
NOBODY = 0x7F
CONTROL_BYTES = 2
PARENT = 2  # its offset in a record
REFERENCE_BYTES = 3
LARGEST_RECORD = 0xFFFF
#: An action with more jumps back than this does not end.
MOST_JUMPS = 1_000_000


class Queues(Enum):
    """How those who wait on a channel are kept: by number, in order of arrival, or as the run-time kernel does it."""

    SORTED = "sorted"
    ARRIVAL = "arrival"
    KERNEL = "kernel"


class ViolationKind(IntEnum):
    """What can go wrong in an action; the numbers are the violation codes of the compiled model."""

    ASSERTION = 0
    INDEX = 1
    DIVISION = 2
    RANGE = 3
    CHANNEL = 4
    PROCESSES = 5
    CHANNELS = 6
    ENDLESS = 7


VIOLATION_TEXT = {
    ViolationKind.ASSERTION: "assertion violated",
    ViolationKind.INDEX: "array index out of range",
    ViolationKind.DIVISION: "division by zero",
    ViolationKind.RANGE: "value out of the range of its type",
    ViolationKind.CHANNEL: "use of a port without a channel",
    ViolationKind.PROCESSES: f"more than {MOST_PROCESSES} processes",
    ViolationKind.CHANNELS: f"more than {MOST_CHANNELS} channels",
    ViolationKind.ENDLESS: "an action that does not end",
}


class Scalar(NamedTuple):
    """A type of numbers. ``kind``: "integer", "boolean", "character", "set", "port"."""

    name: str
    size: int
    low: int
    high: int
    kind: str = "integer"

    def __str__(self) -> str:
        return self.name

    @property
    def signed(self) -> bool:
        return self.low < 0

    def wrap(self, value: int) -> int:
        """The value with the same lowest bits."""
        if self.kind == "boolean":
            return int(value != 0)
        span = 1 << 8 * self.size
        value &= span - 1
        return value - span if self.signed and value > self.high else value


INT32 = Scalar("INT32", 4, -(1 << 31), (1 << 31) - 1)
INT16 = Scalar("INT16", 2, -(1 << 15), (1 << 15) - 1)
BYTE = Scalar("UINT8", 1, 0, 255)
BOOLEAN = Scalar("BOOLEAN", 1, 0, 1, "boolean")
PORT = Scalar("PORT", 1, 0, 255, "port")

# --- places and expressions -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Base:
    """Where a variable lies: in the global block (``hops`` is None), or in a record, the process's own after no hops
    along static links. ``reference``: what lies there is a reference to the variable."""

    hops: int | None
    offset: int
    reference: bool = False


@dataclass(frozen=True, slots=True)
class Indexing:
    index: Expression
    length: int
    stride: int


@dataclass(frozen=True, slots=True)
class Place:
    base: Base
    offset: int = 0
    indexing: tuple[Indexing, ...] = ()


@dataclass(frozen=True, slots=True)
class Constant:
    value: int


@dataclass(frozen=True, slots=True)
class Load:
    place: Place
    type: Scalar


@dataclass(frozen=True, slots=True)
class Operation:
    """``operator``: + - * DIV MOD (checked against the range of ``type``), = # < <= > >=, and or (which stop early),
    not, negate; bits: union minus intersection difference complement, in, element ({e}), elements ({a..b}); odd."""

    operator: str
    operands: tuple[Expression, ...]
    type: Scalar


@dataclass(frozen=True, slots=True)
class Cast:
    """The value with the same lowest bits."""

    operand: Expression
    type: Scalar


@dataclass(frozen=True, slots=True)
class InRange:
    """The value itself, if the type has it."""

    operand: Expression
    type: Scalar


Expression = Constant | Load | Operation | Cast | InRange

# --- instructions -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Assign:
    place: Place
    type: Scalar
    value: Expression


@dataclass(frozen=True, slots=True)
class Copy:
    """A whole array or record."""

    target: Place
    source: Place
    size: int


@dataclass(frozen=True, slots=True)
class Jump:
    target: int


@dataclass(frozen=True, slots=True)
class Branch:
    """To ``otherwise`` where the condition is false."""

    condition: Expression
    otherwise: int


@dataclass(frozen=True, slots=True)
class Assert:
    condition: Expression


@dataclass(frozen=True, slots=True)
class Save:
    """Compute a value and keep it in the record while the process waits."""

    offset: int
    type: Scalar
    value: Expression


@dataclass(frozen=True, slots=True)
class Target:
    """Where a part of a message goes; a constant (``place`` None) is what it must be equal to."""

    place: Place | None
    type: Scalar
    constant: int = 0


@dataclass(frozen=True, slots=True)
class Alternative:
    """A communication: ``message`` is its number among those of the channel type. ``values`` are what a send sends,
    ``targets`` where a receive puts it. All of them read only what stays as it is while the process waits."""

    sends: bool
    port: Expression
    message: int
    text: str
    values: tuple[tuple[Expression, Scalar], ...]
    targets: tuple[Target, ...]
    guard: Expression | None
    next: int
    statement: int

    @property
    def port_offset(self) -> int:
        """Where in the record the port lies: it is a variable of the process, or kept while it waits."""
        port = self.port
        assert isinstance(port, Load) and not port.place.indexing
        assert port.place.base.hops == 0 and not port.place.base.reference
        return port.place.base.offset + port.place.offset


@dataclass(frozen=True, slots=True)
class Communicate:
    """One communication, or a selection among several. ``rank``: the offset of a byte for each alternative, its place
    in its queue (-1: not kept). ``rechecks``: guards look at what others may change. ``pending``: offset and size of
    what is zero when the process does not wait."""

    alternatives: tuple[Alternative, ...]
    selects: bool
    saves: tuple[Save, ...]
    pending: tuple[tuple[int, int], ...]
    rank: int = -1
    rechecks: bool = False


@dataclass(frozen=True, slots=True)
class Choose:
    targets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Reschedule:
    """The process is ready at the next instruction."""


@dataclass(frozen=True, slots=True)
class Start:
    """A process of a type begins. ``waits``: run to completion. ``link``: how many hops along static links lead to the
    process in which the type is declared; None: a type of a module."""

    process: int
    waits: bool
    values: tuple[tuple[int, Scalar, Expression], ...]
    copies: tuple[tuple[int, int, Place], ...]
    references: tuple[tuple[int, Place], ...]
    link: int | None


@dataclass(frozen=True, slots=True)
class New:
    place: Place


@dataclass(frozen=True, slots=True)
class Print:
    """``kind``: "Int", "Char", "String", "Bool", "Hex", "Ln"."""

    kind: str
    text: str = ""
    value: Expression | None = None


@dataclass(frozen=True, slots=True)
class Device:
    """Input (``place`` of this type is set) or output at an address of the hardware; only programs that run have it."""

    address: Expression
    place: Place | None
    type: Scalar
    value: Expression | None = None


@dataclass(frozen=True, slots=True)
class Deadline:
    """From now on every action of the process is due so many actions after the process became ready. Only the scheduler
    of a program that runs looks at it."""

    value: Expression


@dataclass(frozen=True, slots=True)
class Mark:
    """What a property says: "accept" or "nomove"."""

    kind: str


@dataclass(frozen=True, slots=True)
class End:
    pass


Instruction = (
    Assign
    | Copy
    | Jump
    | Branch
    | Assert
    | Communicate
    | Choose
    | Reschedule
    | Start
    | New
    | Print
    | Device
    | Deadline
    | Mark
    | End
)

# --- programs ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Shown:
    """A scalar of a variable, for showing states: ``x``, ``a[2].y``. ``reference``: what lies there is a reference.
    ``variable`` and ``start``: the name and the offset of all of it."""

    name: str
    type: Scalar
    offset: int
    variable: str
    start: int
    reference: bool = False


@dataclass(slots=True)
class ProcessType:
    """``code`` and, for each instruction, its ``statements`` (-1: none of its own). ``ports``: the offsets of ports in
    its records; ``link``, ``next``: of the static link and the link in a queue, -1 where there are none."""

    name: str
    number: int
    code: list[Instruction]
    statements: list[int]
    record_bytes: int
    ports: list[int]
    shown: list[Shown]
    span: Span
    link: int = -1
    next: int = -1
    starts_others: bool = False
    #: the type in which it is declared; -1: a module
    outer: int = -1
    #: it stands for what is outside the program, which may wait for ever
    environment: bool = False

    def statement_of(self, at: int) -> int:
        """The statement that an instruction belongs to; that of a jump back is the loop it begins again."""
        instruction = self.code[at]
        if self.statements[at] < 0 and isinstance(instruction, Jump):
            return next((label for label in self.statements[instruction.target :] if label >= 0), 0)
        return max(self.statements[at], 0)


class ControlKind(Enum):
    READY = "ready"
    WAITING = "waiting"
    CALLING = "calling"
    ENDED = "ended"


class Control(NamedTuple):
    """What a control value stands for. ``at``: the instruction where a process is ready, that it waits in, or behind
    which it goes on when what it called has ended."""

    process: int
    kind: ControlKind
    at: int


@dataclass(slots=True)
class Program:
    """``initial``: the global block. The first process is of type 0."""

    name: str
    processes: list[ProcessType]
    statements: list[Statement]
    global_bytes: int
    global_ports: list[int]
    shown: list[Shown]
    queues: Queues
    atoms: dict[str, Expression] = field(default_factory=dict)
    controls: list[Control | None] = field(default_factory=list)
    numbers: dict[Control, int] = field(default_factory=dict)
    max_processes: int = MOST_PROCESSES

    def number_controls(self) -> None:
        """Give every point where a process may rest a number; 0 is a free slot."""
        self.controls = [None]
        self.numbers = {}
        for process in self.processes:
            for control in _controls(process):
                self.numbers[control] = len(self.controls)
                self.controls.append(control)
        self.max_processes = _most_processes(self.processes)

    def startable(self) -> list[ProcessType]:
        """The types of which there may be processes: the first, and those that such types start."""
        found = [self.processes[0]]
        for process in found:
            for instruction in process.code:
                if isinstance(instruction, Start) and self.processes[instruction.process] not in found:
                    found.append(self.processes[instruction.process])
        return found

    @property
    def max_state_bytes(self) -> int:
        return self.global_bytes + self.max_processes * max(process.record_bytes for process in self.processes)


def _controls(process: ProcessType) -> list[Control]:
    ready, waiting, calling = {0}, [], []
    for at, instruction in enumerate(process.code):
        match instruction:
            case Communicate(alternatives):
                ready.update(alternative.next for alternative in alternatives)
                waiting.append(at)
            case Choose():
                ready.add(at)
            case Reschedule():
                ready.add(at + 1)
            case Start(waits=True):
                ready.add(at + 1)
                calling.append(at + 1)
            case _:
                pass
    number = process.number
    found = [Control(number, ControlKind.READY, at) for at in sorted(ready)]
    found += [Control(number, ControlKind.WAITING, at) for at in waiting]
    found += [Control(number, ControlKind.CALLING, at) for at in calling]
    if process.starts_others:
        found.append(Control(number, ControlKind.ENDED, len(process.code)))
    return found


def _most_processes(processes: list[ProcessType]) -> int:
    """A bound on the processes that exist at the same time."""
    bounds: dict[int, int] = {}

    def bound(number: int, above: frozenset[int]) -> int:
        if number in above:
            return MOST_PROCESSES
        if number in bounds:
            return bounds[number]
        code = processes[number].code
        loops = [(target, at) for at, instruction in enumerate(code) for target in _back(instruction, at)]
        total = 1
        for at, instruction in enumerate(code):
            if isinstance(instruction, Start):
                repeated = not instruction.waits and any(first <= at <= last for first, last in loops)
                total += MOST_PROCESSES if repeated else bound(instruction.process, above | {number})
        bounds[number] = min(total, MOST_PROCESSES)
        return bounds[number]

    return bound(0, frozenset())


def _back(instruction: Instruction, at: int) -> list[int]:
    match instruction:
        case Jump(target):
            targets: tuple[int, ...] = (target,)
        case Branch(_, otherwise):
            targets = (otherwise,)
        case Communicate(alternatives):
            targets = tuple(alternative.next for alternative in alternatives)
        case Choose(targets):
            pass
        case _:
            targets = ()
    return [target for target in targets if target <= at]
