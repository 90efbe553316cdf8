"""What operations and expressions read and write, in a given configuration."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from kripke.process.dependence.objects import Objects
from kripke.process.evaluation import Evaluator, Frames, StepFailed, read_scalar
from kripke.process.expressions import (
    AskChannel,
    AtLocation,
    Binary,
    BinaryOperator,
    Bind,
    ChannelElement,
    ChannelIdentity,
    Conditional,
    Constant,
    Expression,
    Index,
    IntType,
    Match,
    OwnPid,
    Pattern,
    Place,
    Poll,
    ProcessCount,
    Read,
    RemoteRead,
    Timeout,
    Unary,
)
from kripke.process.nodes import nodes_of
from kripke.process.program import (
    Assert,
    Assign,
    Channel,
    Choose,
    DeterministicStep,
    Discard,
    Else,
    Exclusive,
    Guard,
    NoChoice,
    Operation,
    Print,
    Program,
    Receive,
    Reset,
    Run,
    Scope,
    Send,
    Skip,
    Terminate,
    Variable,
)

#: a scalar of the global block: its offset and size
Scalar = tuple[int, int]
#: the identity of a channel that is to be created together with a process
NOT_YET = -1
#: elements of an array that are told apart where its subscript is not known
_MOST_ELEMENTS = 1 << 10


@dataclass(slots=True)
class Footprint:
    """Objects read and written. ``wild``: nothing is known, it may touch everything.

    ``constants``: for scalars that are only ever written with constants, which ones; None: other values, too.
    """

    reads: int = 0
    writes: int = 0
    wild: bool = False
    constants: dict[Scalar, frozenset[int] | None] = field(default_factory=dict)
    #: objects written with values that are not known, or not as whole scalars
    vague: int = 0
    #: objects written otherwise than by adding a constant, the order of which does not matter
    plain: int = 0
    #: channels (None: unknown ones) at which a newcomer may send to those that are there already
    meets: set[int | None] = field(default_factory=set)

    def write(self, objects: int, scalar: Scalar | None = None, value: int | None = None) -> None:
        self.writes |= objects
        self.plain |= objects
        if scalar is None:
            self.vague |= objects
        elif value is None:
            self.constants[scalar] = None
        else:
            before = self.constants.get(scalar, frozenset())
            self.constants[scalar] = None if before is None else before | {value}

    def change(self, objects: int) -> None:
        """A constant is added to a scalar."""
        self.writes |= objects
        self.vague |= objects

    def add(self, other: Footprint) -> None:
        self.reads |= other.reads
        self.writes |= other.writes
        self.wild |= other.wild
        self.vague |= other.vague
        self.plain |= other.plain
        self.meets |= other.meets
        for scalar, values in other.constants.items():
            before = self.constants.get(scalar, frozenset())
            self.constants[scalar] = None if before is None or values is None else before | values

    def values_written(self, scalar: Scalar) -> frozenset[int] | None:
        """The only values this writes to a scalar, None where others are possible."""
        if self.wild or self.vague & Objects.bytes_at(*scalar):
            return None
        start, end = scalar[0], scalar[0] + scalar[1]
        for (offset, size), _ in self.constants.items():
            if (offset, size) != scalar and offset < end and start < offset + size:
                return None
        return self.constants.get(scalar, frozenset())


@dataclass(frozen=True, slots=True)
class Ends:
    """The two ends of the channels an operation may mean. ``identity`` None: which one is not known. ``may_go``: one
    of them may disappear, with a process that is younger than the one that means it."""

    send: int
    receive: int
    newcomers: int
    may_meet: bool
    may_buffer: bool
    identity: int | None
    may_go: bool = False


class Setting:
    """Knows where the accesses of one process go: its place in a state, and which variables are stable there.

    Without a state it speaks of any process of its type, at any time; with ``bound``, of one that does not exist yet,
    whose parameters will have these values for good. With ``present`` it speaks of a step at the present location: as
    long as nobody changes what the step reads, these expressions have these values in it.
    """

    def __init__(
        self,
        program: Program,
        evaluator: Evaluator,
        objects: Objects,
        pid: int = -1,
        state: bytes | None = None,
        frames: Frames | None = None,
        is_stable: Callable[[Variable], bool] | None = None,
        bound: Mapping[Variable, int] | None = None,
        present: Mapping[Expression, int] | None = None,
    ) -> None:
        self.program = program
        self.objects = objects
        self.pid = pid
        self._evaluator = evaluator
        self._state = state
        self._frames = frames
        self._is_stable = is_stable
        self._bound = bound
        self._present = present or {}
        self._settled_values: tuple[bytes | None, ...] | None = None
        #: the global variables whose values are known for good
        self.settled = 0
        if is_stable is not None:
            for variable in program.variables:
                self.settled |= objects.variable(variable) if is_stable(variable) else 0
        self._has_local_channels = any(process.channels for process in program.processes)
        self._any_meets = any(
            not channel.capacity
            for channels in (program.channels, *(process.channels for process in program.processes))
            for channel in channels
        )

    def at_hand(self, state: bytes, frames: Frames, present: Mapping[Expression, int]) -> Setting:
        """The same, for a step at the present location in a state of the configuration."""
        where = self.program, self._evaluator, self.objects, self.pid
        return Setting(*where, state, frames, self._is_stable, present=present)

    # --- values that are known ----------------------------------------------------------------------------------------

    @property
    def present(self) -> dict[Expression, int]:
        """Of a step at hand: the expressions whose values are known while nobody changes what they read."""
        return dict(self._present)

    def is_settled(self, variable: Variable) -> bool:
        """Does it keep its value for good?"""
        return self._is_stable is not None and self._is_stable(variable)

    def settled_value(self, variable: Variable, offset: int, type_: IntType) -> frozenset[int] | None:
        """The value that a scalar of a global variable has for good."""
        if self._state is None or not self.is_settled(variable):
            return None
        return frozenset((read_scalar(type_, self._state, variable.offset + offset),))

    def settled_values(self, variables: Iterable[Variable]) -> tuple[bytes | None, ...]:
        """Of the global variables and those of the process: the values of the settled ones, None for the others."""
        assert self._state is not None and self._frames is not None
        if self._settled_values is None:
            base = self._frames.offsets[self.pid]
            found: list[bytes | None] = []
            for variable in (*self.program.variables, *variables):
                at = variable.offset + (base if variable.scope is Scope.LOCAL else 0)
                found.append(self._state[at : at + variable.size] if self.is_settled(variable) else None)
            self._settled_values = tuple(found)
        return self._settled_values

    def made_up(self, controls: Mapping[int, int]) -> tuple[bytearray, Frames]:
        """A state to try things on: this one, but with these processes at these control points."""
        assert self._state is not None and self._frames is not None
        state, size = bytearray(self._state), self.program.control_bytes
        frames = Frames(list(self._frames.offsets), list(self._frames.controls), False)
        for pid, control in controls.items():
            frames.controls[pid] = control
            at = frames.offsets[pid]
            state[at : at + size] = control.to_bytes(size, "little")
        return state, frames

    def value(self, expression: Expression) -> int | None:
        """The value an expression has for good, or in the step at hand; None where that is not known."""
        if isinstance(expression, Constant):
            return expression.value
        if self._present and expression in self._present:
            return self._present[expression]
        if self._bound is not None:
            return self._bound_value(expression, self._bound)
        if self._state is None or self._frames is None or not self._settled(expression):
            return None
        self._frames.pid = self.pid
        try:
            return self._evaluator.compile(expression)(self._state, self._frames.offsets[self.pid], self._frames)
        except StepFailed:
            return None

    def constant(self, expression: Expression) -> int | None:
        """Its value, if that changes with no global variable."""
        value = self.value(expression)
        if value is not None and not isinstance(expression, Constant):
            found = Footprint()
            self.read(expression, found)
            if found.wild or found.reads & ~self.settled:
                return None
        return value

    def forget(self, assigned: Iterable[Variable] | None) -> None:
        """Inside a step at hand: these variables have changed; None: any may have."""
        if not self._present:
            return
        gone = None if assigned is None else frozenset(assigned)
        self._present = {
            expression: value
            for expression, value in self._present.items()
            if gone is not None and not variables_read(expression) & gone
        }

    @staticmethod
    def _bound_value(expression: Expression, bound: Mapping[Variable, int]) -> int | None:
        match expression:
            case Read(place) if place.variable in bound and not place.indices:
                return bound[place.variable]
            case ChannelIdentity(channel):
                return channel.number + 1 if channel.scope is Scope.GLOBAL else NOT_YET
            case ChannelElement(channels, _) if channels[0].scope is Scope.LOCAL:
                return NOT_YET
            case ChannelElement(channels, Constant(index)) if 0 <= index < len(channels):
                return channels[index].number + 1
            case _:
                return None

    def _settled(self, expression: Expression) -> bool:
        if self._present and expression in self._present:
            return True
        match expression:
            case Constant() | OwnPid() | ChannelIdentity():
                return True
            case ChannelElement(_, index):
                return self._settled(index)
            case Read(place):
                assert self._is_stable is not None
                return self._is_stable(place.variable) and all(self._settled(index.value) for index in place.indices)
            case Unary(_, operand):
                return self._settled(operand)
            case Binary(_, left, right):
                return self._settled(left) and self._settled(right)
            case Conditional(condition, then, otherwise):
                return self._settled(condition) and self._settled(then) and self._settled(otherwise)
            case _:
                return False

    # --- objects ------------------------------------------------------------------------------------------------------

    def ends(self, channel: Expression) -> Ends:
        """The channel that an expression names, or all."""
        objects = self.objects
        if isinstance(channel, ChannelIdentity) and channel.channel.scope is Scope.GLOBAL:
            return self._ends_of(channel.channel.number + 1, channel.channel)
        identity = self.value(channel)
        if self._bound is not None and identity is not None:
            return self._ends_for_newcomer(identity)
        declared = None if identity is None else self._declaration(channel)
        if identity is None or declared is None:
            everything = objects.all_sends, objects.all_receives, objects.all_newcomers
            return Ends(*everything, self._any_meets, True, None, may_go=self._has_local_channels)
        at, kept = declared
        return self._ends_of(identity, kept, may_go=kept.scope is Scope.LOCAL and at > self._end_of_frame())

    def _ends_of(self, identity: int, channel: Channel, *, may_go: bool = False) -> Ends:
        objects = self.objects
        ends = objects.send_end(identity), objects.receive_end(identity), objects.newcomers(identity)
        return Ends(*ends, not channel.capacity, channel.capacity > 0, identity, may_go)

    def _end_of_frame(self) -> int:
        """Where the part of the state ends that belongs to this process and the older ones; what belongs to younger
        ones is behind a control point."""
        assert self._state is not None and self._frames is not None
        younger = self._frames.offsets[self.pid + 1 :]
        return younger[0] if younger else len(self._state)

    def _ends_for_newcomer(self, identity: int) -> Ends:
        """At a channel that does not exist yet there is nobody to be disturbed."""
        if identity == NOT_YET:
            return Ends(0, 0, 0, may_meet=False, may_buffer=True, identity=NOT_YET)
        objects = self.objects
        ends = objects.send_end(identity), objects.receive_end(identity), objects.newcomers(identity)
        return Ends(*ends, may_meet=self._any_meets, may_buffer=True, identity=identity)

    def _declaration(self, channel: Expression) -> tuple[int, Channel] | None:
        """The channel that an expression means, and where it is."""
        assert self._state is not None and self._frames is not None
        self._frames.pid = self.pid
        try:
            base = self._frames.offsets[self.pid]
            return self._evaluator.find_channel(channel)(self._state, base, self._frames)
        except StepFailed:
            return None

    def place(self, place: Place) -> tuple[int, Scalar | None]:
        """The objects of a place, and which scalar it is where that is known. Locals are nobody else's."""
        variable = place.variable
        if variable.scope is Scope.LOCAL:
            return 0, None
        offsets = [variable.offset + place.offset]
        for index in place.indices:
            value = self.value(index.value)
            is_known = value is not None and 0 <= value < index.count
            if not is_known and len(offsets) * index.count > _MOST_ELEMENTS:
                return self.objects.variable(variable), None
            elements = [value] if is_known and value is not None else range(index.count)
            offsets = [offset + element * index.stride for offset in offsets for element in elements]
        if len(offsets) == 1:
            return self.objects.bytes_at(offsets[0], place.type.size), (offsets[0], place.type.size)
        found = 0
        for offset in offsets:  # the same field of every element
            found |= self.objects.bytes_at(offset, place.type.size)
        return found, None

    # --- expressions --------------------------------------------------------------------------------------------------

    def read(self, expression: Expression, found: Footprint) -> None:
        """Add what the evaluation of an expression reads."""
        match expression:
            case Constant() | OwnPid() | ChannelIdentity() | Timeout():
                pass
            case ChannelElement(_, index):
                self.read(index, found)
            case Read(place):
                self._indices(place.indices, found)
                found.reads |= self.place(place)[0]
            case Unary(_, operand):
                self.read(operand, found)
            case Binary(_, left, right):
                self.read(left, found)
                self.read(right, found)
            case Conditional(condition, then, otherwise):
                for part in (condition, then, otherwise):
                    self.read(part, found)
            case AskChannel(_, channel):
                self._ask(channel, found)
            case Poll(channel, patterns, _):
                self._ask(channel, found)
                self._patterns(patterns, found)
            case ProcessCount():
                found.reads |= self.objects.creation | self.objects.ends
            case AtLocation(process, pid, _) | RemoteRead(process, pid, _):
                found.reads |= self.objects.control_of(process) | self.objects.creation | self.objects.ends
                if pid is not None:
                    self.read(pid, found)
                if isinstance(expression, RemoteRead):
                    self._indices(expression.place.indices, found)
            case _:
                found.wild = True

    def _ask(self, channel: Expression, found: Footprint) -> None:
        self.read(channel, found)
        ends = self.ends(channel)
        self._existence(ends, found)
        found.reads |= ends.send | ends.receive

    def _existence(self, ends: Ends, found: Footprint) -> None:
        """The channel meant may be one that comes and goes with its process."""
        if ends.may_go:
            found.reads |= self.objects.creation | self.objects.ends

    def _patterns(self, patterns: tuple[Pattern, ...], found: Footprint) -> None:
        for pattern in patterns:
            match pattern:
                case Match(value):
                    self.read(value, found)
                case Bind(place):
                    self._indices(place.indices, found)
                case _:
                    pass

    def _indices(self, indices: tuple[Index, ...], found: Footprint) -> None:
        for index in indices:
            self.read(index.value, found)

    # --- operations ---------------------------------------------------------------------------------------------------

    def perform(self, operation: Operation | Choose, found: Footprint) -> None:
        """Add what an operation reads and writes. A send that may be a rendezvous is wild, but that of a newcomer."""
        match operation:
            case Guard(condition) | Assert(condition, _) | Exclusive(condition):
                self.read(condition, found)
            case Else() | Skip() | Print() | Choose() | NoChoice():
                pass
            case Assign(place, Binary(BinaryOperator.ADD | BinaryOperator.SUBTRACT, Read(same), Constant())) if (
                same == place and self.place(place)[1] is not None
            ):
                self._indices(place.indices, found)
                found.change(self.place(place)[0])
            case Assign(place, value):
                self.read(value, found)
                self._store(place, self.value(value), found)
            case Reset(place, value):
                self._store(place, value, found)
            case Discard(indices, value):
                self.read(value, found)
                self._indices(indices, found)
            case Send():
                self._send(operation, found)
            case Receive():
                self.receive(operation, found)
            case Run():
                self._run(operation, found)
            case Terminate():
                found.write(self.objects.end_of(self.pid) if self.pid >= 0 else self.objects.ends)
                found.reads |= self.objects.creation
            case DeterministicStep(code):
                for instruction in code:
                    self.perform(instruction.operation, found)
            case _:
                found.wild = True

    def _store(self, place: Place, value: int | None, found: Footprint) -> None:
        self._indices(place.indices, found)
        objects, scalar = self.place(place)
        if objects:
            found.write(objects, scalar, None if value is None else place.type.wrap(value))

    def _send(self, send: Send, found: Footprint) -> None:
        ends = self.ends(send.channel)
        self.send_to_buffer(send, found)
        if ends.may_meet and self._bound is not None:
            found.write(ends.newcomers)
            found.meets.add(ends.identity)
        else:
            found.wild |= ends.may_meet

    def send_to_buffer(self, send: Send, found: Footprint) -> None:
        ends = self.ends(send.channel)
        self.message(send, found)
        self.watch(ends, found, is_send=True)
        found.reads |= ends.send
        found.write(ends.send | (ends.receive if send.ordered else 0))

    def watch(self, ends: Ends, found: Footprint, *, is_send: bool) -> None:
        """The monitor of a trace assertion moves along with the sends or receives of some channels."""
        monitor = self.program.monitor
        if monitor is not None:
            watched = {channel.number + 1 for channel in monitor.watched(is_send)}
            if ends.identity is None or ends.identity in watched:
                objects = self.objects.variable(monitor.variable)
                found.reads |= objects
                found.write(objects)

    def message(self, send: Send, found: Footprint) -> None:
        """What the evaluation of a message and its channel reads."""
        self.read(send.channel, found)
        self._existence(self.ends(send.channel), found)
        for value in send.values:
            self.read(value, found)

    def receive(self, receive: Receive, found: Footprint) -> None:
        """A receive from a buffer, or the receiver's half of a rendezvous."""
        ends = self.ends(receive.channel)
        self.read(receive.channel, found)
        self._existence(ends, found)
        self._patterns(receive.patterns, found)
        self.watch(ends, found, is_send=False)
        found.reads |= ends.receive
        if ends.may_meet and self._bound is not None:
            found.write(ends.newcomers)
        if not receive.keep:
            found.write(ends.receive)
        for pattern in receive.patterns:
            if isinstance(pattern, Bind):
                self._store(pattern.place, None, found)
                self.forget((pattern.place.variable,))  # in ``q?i,t[i]`` the subscript is what was received

    def _run(self, run: Run, found: Footprint) -> None:
        for argument in run.arguments:
            self.read(argument, found)
        creation = self.objects.creation_of(run.process)
        found.reads |= creation | self.objects.ends
        found.write(creation)
        if run.value is not None:
            self.read(run.value, found)
        if run.result is not None:
            self._store(run.result, None, found)
        anybody = Setting(self.program, self._evaluator, self.objects)  # the new process is not where this one is
        for action in run.process.setup:
            anybody.perform(action.operation, found)

    def enabledness(self, operation: Operation | Choose, found: Footprint) -> None:
        """Add what decides whether an operation blocks."""
        match operation:
            case Guard(condition):
                self.read(condition, found)
            case Send(channel, _, _):
                ends = self.ends(channel)
                self.message(operation, found)
                found.reads |= ends.send | ends.receive
                found.wild |= ends.may_meet and self._bound is None
            case Receive(channel, patterns, _, _):
                ends = self.ends(channel)
                self.read(channel, found)
                self._existence(ends, found)
                self._patterns(patterns, found)
                found.reads |= ends.send | ends.receive
            case Terminate():
                found.reads |= self.objects.creation | self.objects.ends
            case DeterministicStep(code):
                for instruction in code:
                    self.enabledness(instruction.operation, found)
            case Else() | Skip() | Print() | Choose() | Assign() | Reset() | Discard() | Assert() | Exclusive() | Run():
                pass
            case NoChoice():
                pass
            case _:
                found.wild = True


def variables_read(expression: object) -> set[Variable]:
    """The variables that the evaluation of an expression looks at."""
    return {node.place.variable for node in nodes_of(expression) if isinstance(node, Read)}
