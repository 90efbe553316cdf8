"""The form of a process program: variables, channels, process types with their control-flow graphs.

STATES. A state is the global block followed by one frame per process, oldest process first:

    global block   global variables, then global channels
    frame          control point (``control_bytes``, little-endian), local variables, local channels

A control point is ``process.control_base + location``; it tells the type of the process, hence the frame's size, so
the frames are found by walking them from ``global_bytes`` to the end of the state. A process is named by its
position (``pid``, from 0). Processes are created at the end and only the youngest can disappear.

A channel with capacity c > 0 takes one byte for its length and then c messages, oldest first; slots beyond the length
are zero. A rendezvous channel (capacity 0) takes no space.

STEPS. The edges of a location are tried in order. Processes are tried from the youngest to the oldest. An edge is
a sequence of operations. Only the first can block; the others follow in the same step.

* ``atomic`` edges: the process keeps control. While its next location has an enabled edge, only this process moves,
  and the states in between are not states of the model. Where no edge is enabled, the state counts, and control is
  free again. Every path through an atomic sequence is a step of its own.
* A rendezvous send runs together with a matching receive of another process, in one step. The receiver's edge
  decides whether the step goes on atomically (then the receiver has control).
* ``Else`` is enabled when no earlier edge of the same location was (a rendezvous send is, where somebody received).
* Edges with an ``escape`` number come before the others of their location. Once an edge of an escape was enabled,
  edges from the first that does not belong to the same escape on are not tried. Among the receivers of a rendezvous the
  same holds for those of one process: there, an edge counts that took the message.
* A process type may have a condition, ``provided``: while it is false, processes of this type cannot move. In a
  program with priorities a process cannot move either while one with a higher priority could.
* ``Timeout`` is true only when, with it false, no process could move.
* A failed assertion is reported and the step goes on. Any other violation ends the step without a successor.
* A state in which no process can move is a deadlock unless every process is at an ``end`` location.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import TYPE_CHECKING

from kripke.model.model import Statement
from kripke.model.source import Span
from kripke.process.expressions import Expression, Index, IntType, Pattern, Place

if TYPE_CHECKING:
    from kripke.process.embedded import EmbeddedC
    from kripke.process.events import EventMonitor, EventRecord


class Scope(Enum):
    GLOBAL = "global"
    LOCAL = "local"


class Right(Enum):
    """What a process can claim for itself alone: to receive from a channel, to send to it."""

    RECEIVE = "xr"
    SEND = "xs"


class ViolationKind(IntEnum):
    """What can go wrong in a step; the numbers are the violation codes of the compiled model."""

    ASSERTION = 0
    INDEX = 1
    DIVISION = 2
    CHANNEL = 3  # a channel variable that holds no channel
    MESSAGE = 4  # number of message fields differs from the channel's
    PROCESSES = 5  # too many processes
    BLOCKED = 6  # a deterministic step blocks
    ENDLESS = 7  # an atomic sequence or deterministic step that does not end
    PRECONDITION = 8  # the precondition of a piece of C does not hold
    CRASH = 9  # a piece of C crashes
    CHOICE = 10  # a process that is to be deterministic has a choice
    PRIORITY = 11  # a priority out of range
    ENABLED = 12  # a process asks whether it is enabled itself
    EVENT = 13  # a send or receive breaks an assertion about sequences of them
    EXCLUSIVE = 14  # a channel is used that another process has claimed
    RANGE = 15  # a value that its type does not have
    ABSENT = 16  # a component that is not there


VIOLATION_TEXT = {
    ViolationKind.ASSERTION: "assertion violated",
    ViolationKind.INDEX: "array index out of range",
    ViolationKind.DIVISION: "division by zero",
    ViolationKind.CHANNEL: "use of an uninitialised channel",
    ViolationKind.MESSAGE: "wrong number of message fields for this channel",
    ViolationKind.PROCESSES: "too many processes",
    ViolationKind.BLOCKED: "d_step blocks",
    ViolationKind.ENDLESS: "endless sequence inside one step",
    ViolationKind.PRECONDITION: "precondition of C code violated",
    ViolationKind.CRASH: "the C code crashed",
    ViolationKind.CHOICE: "choice in a deterministic process",
    ViolationKind.PRIORITY: "priority out of range (1 to 255)",
    ViolationKind.ENABLED: "a process asks whether it is enabled itself",
    ViolationKind.EVENT: "trace assertion violated",
    ViolationKind.EXCLUSIVE: "exclusive use of a channel (xr, xs) is broken",
    ViolationKind.RANGE: "value outside of its type",
    ViolationKind.ABSENT: "use of a component that is absent",
}

MAX_PROCESSES = 255
MAX_CAPACITY = 65535
# An atomic sequence of more edges than this, or a deterministic step of more instructions, is ENDLESS.
MAX_ATOMIC_LENGTH = 100_000
MAX_DETERMINISTIC_LENGTH = 10_000_000


@dataclass(frozen=True, slots=True)
class Component:
    """A named scalar or array of scalars inside a variable, for showing states: ``.x``, ``.y[0]`` at a byte offset."""

    path: str
    type: IntType
    offset: int


@dataclass(slots=True, eq=False)
class Variable:
    """A variable: ``size`` bytes at ``offset`` of the global block or of the frame (set by the layout).

    ``scalar`` tells that it is one plain integer (no array, no structure). ``enumeration`` names the values, if they
    have names. ``initial`` are constant start values, one per component, already wrapped. ``kept``: its value always
    counts, whether anybody reads it or not. ``shown``: it is of interest to those who look at states. ``nonatomic``: a
    location with several assignments of constants to it is where a write begins, with any value.
    """

    name: str
    scope: Scope
    type_name: str
    components: tuple[Component, ...]
    size: int
    initial: tuple[int, ...]
    scalar: bool
    span: Span
    enumeration: dict[int, str] | None = None
    is_channel: bool = False
    kept: bool = False
    shown: bool = True
    nonatomic: bool = False
    offset: int = -1


@dataclass(slots=True, eq=False)
class Channel:
    """A channel declared in the program. ``number`` is its position among the channels of its scope.

    ``offset`` counts from the start of the state (global) or of the frame (local), as for variables. There lie the
    number of messages, in ``length_bytes``, and the messages, the oldest first. Field i of a message lies at
    ``field_offsets[i]`` in the message of ``message_bytes`` bytes.
    """

    name: str
    scope: Scope
    capacity: int
    fields: tuple[IntType, ...]
    number: int
    span: Span
    field_names: tuple[dict[int, str] | None, ...] = ()
    offset: int = -1

    length_bytes: int = field(init=False)
    field_offsets: tuple[int, ...] = field(init=False)
    message_bytes: int = field(init=False)
    size: int = field(init=False)

    def __post_init__(self) -> None:
        sizes = [type_.size for type_ in self.fields]
        self.field_offsets = tuple(sum(sizes[:i]) for i in range(len(sizes)))
        self.message_bytes = sum(sizes)
        self.length_bytes = length_bytes(self.capacity)
        self.size = self.length_bytes + self.capacity * self.message_bytes if self.capacity else 0


def length_bytes(capacity: int) -> int:
    """How many bytes of the state say how many messages a channel holds."""
    return 1 if capacity <= 255 else 2


# --- operations -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Guard:
    """Blocks until the expression is not zero."""

    condition: Expression


@dataclass(frozen=True, slots=True)
class Else:
    """Enabled when no earlier edge of the location is."""


@dataclass(frozen=True, slots=True)
class Assign:
    place: Place
    value: Expression


@dataclass(frozen=True, slots=True)
class Reset:
    """Forget a variable that is not read again before it is written: dead-variable reduction."""

    place: Place
    value: int = 0


@dataclass(frozen=True, slots=True)
class Discard:
    """An assignment to a variable that nobody reads: subscripts and value are evaluated, since that can fail."""

    indices: tuple[Index, ...]
    value: Expression


@dataclass(frozen=True, slots=True)
class Send:
    """Blocks while the channel is full. ``ordered``: insert before the first larger message instead of at the end."""

    channel: Expression
    values: tuple[Expression, ...]
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Receive:
    """Blocks until the first message matches (``anywhere``: until some message does; the first such is taken).

    All ``Match`` expressions are evaluated before anything is stored; then fields are stored from left to right.
    ``keep`` leaves the message in the buffer.
    """

    channel: Expression
    patterns: tuple[Pattern, ...]
    anywhere: bool = False
    keep: bool = False

    def fits(self, fields: int) -> bool:
        """Can a message of that many fields be received?

        Only a message that stays may be looked at in part.
        """
        given = len(self.patterns)
        return given == fields or (self.keep and given < fields)


@dataclass(frozen=True, slots=True)
class Assert:
    condition: Expression
    text: str


@dataclass(frozen=True, slots=True)
class Print:
    """Output of a simulation; no effect on the state. ``arguments`` fill the conversions of ``format`` in turn.

    ``forgotten`` are the positions of arguments whose values are not known, since a pass left out what they are of.
    """

    format: str
    arguments: tuple[Expression, ...]
    forgotten: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """Create a process, with the values of its parameters; ``result`` receives its pid.

    With a ``value``, ``result`` receives that instead, evaluated when the process exists.
    """

    process: ProcessType
    arguments: tuple[Expression, ...]
    result: Place | None = None
    value: Expression | None = None


@dataclass(frozen=True, slots=True)
class SetPriority:
    """Give another process, or this one, a priority from 1 to 255; nothing where it does not exist."""

    process: Expression
    priority: Expression


@dataclass(frozen=True, slots=True)
class NoChoice:
    """CHOICE is reported where an earlier edge of the location was enabled, too; the step goes on."""


@dataclass(frozen=True, slots=True)
class Exclusive:
    """EXCLUSIVE where the condition holds: the channel is claimed by another process.

    ``holder`` is the pid of that process and one. None: the claim itself is what is wrong, since nothing is kept in
    the channel.
    """

    condition: Expression
    channel: Expression
    right: Right
    holder: Expression | None


@dataclass(frozen=True, slots=True)
class Skip:
    """Nothing: a jump that takes a step."""


@dataclass(frozen=True, slots=True)
class Terminate:
    """The process disappears. Blocks while it is not the youngest process."""


@dataclass(frozen=True, slots=True)
class CCode:
    """A piece of C (a number into ``EmbeddedC.fragments``) works on the state. Never blocks."""

    fragment: int


@dataclass(frozen=True, slots=True)
class Choose:
    """Inside a deterministic step: the body of the first option whose first operation is enabled.

    BLOCKED where none is. An option is a jump target in the step's ``code``.
    """

    options: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class StepInstruction:
    """One instruction of a deterministic step: an operation (or choice), then on to ``next`` (-1: the step ends).

    An operation other than the step's first that blocks is a BLOCKED violation.
    """

    operation: Operation | Choose
    statement: int
    next: int


@dataclass(frozen=True, slots=True)
class DeterministicStep:
    """A ``d_step``: runs from ``code[0]`` to the end as one operation.

    As the first action of an edge it blocks when its first operation would (for a choice: when no option is
    enabled); elsewhere that is BLOCKED too. It contains no rendezvous, ``Run``, ``Terminate`` or nested step:
    where a d_step starts with a receive, that receive is the edge's first action and the rest the second.
    """

    code: tuple[StepInstruction, ...]


Operation = (
    Guard
    | Else
    | Assign
    | Reset
    | Discard
    | Send
    | Receive
    | Assert
    | Print
    | Run
    | SetPriority
    | NoChoice
    | Exclusive
    | Skip
    | Terminate
    | CCode
    | DeterministicStep
)


@dataclass(frozen=True, slots=True)
class Action:
    """An operation together with the statement (index into ``Program.statements``) it belongs to."""

    operation: Operation
    statement: int


@dataclass(frozen=True, slots=True)
class Edge:
    """``actions`` in one step, then control at location ``target`` of the same process.

    ``atomic``: the process keeps control afterwards. ``escape``: the escape it belongs to, 0 for none.
    """

    actions: tuple[Action, ...]
    target: int
    atomic: bool
    escape: int = 0

    @property
    def terminates(self) -> bool:
        """Is it the end of the process, so that nothing is at its target?"""
        return any(isinstance(action.operation, Terminate) for action in self.actions)


@dataclass(slots=True)
class Location:
    """A control point. ``labels`` are the names the program gives it; ``number`` is how ``ProgramCounter`` names it."""

    edges: tuple[Edge, ...] = ()
    labels: tuple[str, ...] = ()
    end: bool = False
    progress: bool = False
    accept: bool = False
    span: Span | None = None
    number: int = 0


@dataclass(slots=True, eq=False)
class ProcessType:
    """A process template. The first ``len(parameters)`` variables are the parameters.

    On creation the frame is zero, then the control point is that of ``entry``, parameters receive the arguments, one
    per component (wrapped to their types), the variables their constant start values, and the actions of ``setup``
    run in the new process (start values that are not constant).

    In a program with priorities the first parameter of every process type is its priority, in one byte.
    """

    name: str
    parameters: tuple[Variable, ...] = ()
    variables: tuple[Variable, ...] = ()
    channels: tuple[Channel, ...] = ()
    setup: tuple[Action, ...] = ()
    locations: tuple[Location, ...] = ()
    entry: int = 0
    provided: Expression | None = None
    span: Span | None = None
    control_base: int = -1
    frame_bytes: int = -1

    def control(self, location: int) -> int:
        return self.control_base + location

    def parameter_scalars(self) -> list[tuple[Variable, Component]]:
        """Where the arguments go: every component of every parameter, in order."""
        return [(parameter, component) for parameter in self.parameters for component in parameter.components]


@dataclass(frozen=True, slots=True)
class InitialProcess:
    process: ProcessType
    arguments: tuple[int, ...] = ()


@dataclass(slots=True, eq=False)
class Program:
    """A whole model. ``atoms`` are named state expressions (invariants, propositions of formulas). ``measure`` names
    the one whose value, not only its truth, is the progress of a state.

    ``last``: a global variable of one byte that receives the pid of every process that runs an edge. ``reductions``:
    what passes that somebody asked for did to it, in words.
    """

    name: str
    variables: tuple[Variable, ...]
    channels: tuple[Channel, ...]
    processes: tuple[ProcessType, ...]
    initial: tuple[InitialProcess, ...]
    statements: tuple[Statement, ...]
    setup: tuple[Action, ...] = ()
    atoms: dict[str, Expression] = field(default_factory=dict)
    measure: str | None = None
    embedded: EmbeddedC | None = None
    priorities: bool = False
    last: Variable | None = None
    monitor: EventMonitor | None = None
    record: EventRecord | None = None
    reductions: tuple[str, ...] = ()
    global_bytes: int = -1
    control_bytes: int = -1

    def watched(self, is_send: bool) -> list[Channel]:
        """The channels whose sends (or receives) a monitor or a record looks at."""
        watchers = (watcher for watcher in (self.monitor, self.record) if watcher is not None)
        return list(dict.fromkeys(channel for watcher in watchers for channel in watcher.watched(is_send)))

    @property
    def watches_events(self) -> bool:
        return self.monitor is not None or self.record is not None

    @property
    def max_state_bytes(self) -> int:
        """An upper bound for the length of any state."""
        largest = max((process.frame_bytes for process in self.processes), default=0)
        return max(1, self.global_bytes + MAX_PROCESSES * largest)
