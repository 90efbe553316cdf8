"""Expressions of process programs, compiled to Python closures over the bytes of a state.

A closure takes the state, the start of the executing process's frame and the ``Frames`` of the state. Closures are what
makes the interpreter fast enough to explore with; the meaning of each is fixed in ``expressions.py``.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from kripke.process.expressions import (
    CHECKS,
    Accepting,
    AskChannel,
    AtLocation,
    Binary,
    BinaryOperator,
    Bind,
    ChannelElement,
    ChannelIdentity,
    ChannelQuestion,
    Conditional,
    Constant,
    CValue,
    Enabled,
    Expression,
    IntType,
    Match,
    NoProgress,
    OwnPid,
    Pattern,
    Place,
    Poll,
    Priority,
    ProcessCount,
    ProgramCounter,
    Read,
    RemoteRead,
    Timeout,
    Unary,
    UnaryOperator,
)
from kripke.process.program import Channel, Program, Scope, ViolationKind

if TYPE_CHECKING:
    from kripke.process.embedded import EmbeddedLibrary
    from kripke.process.events import EventWatch

State = bytes | bytearray


class StepFailed(Exception):
    """The step being computed ends with a violation."""

    def __init__(self, kind: ViolationKind) -> None:
        super().__init__(kind)
        self.kind = kind


class Frames:
    """Where the processes of one state are, and what the evaluation must know beyond the state itself.

    ``pid`` is the executing process (-1: none, in an atom), ``moved`` whether an edge of its location was enabled
    before, ``asked`` the processes whose enabledness is being found out.
    """

    __slots__ = ("asked", "controls", "moved", "offsets", "pid", "timeout")

    def __init__(self, offsets: list[int], controls: list[int], timeout: bool) -> None:
        self.offsets = offsets
        self.controls = controls
        self.timeout = timeout
        self.pid = 0
        self.moved = False
        self.asked: tuple[int, ...] = ()


Evaluate = Callable[[State, int, Frames], int]
#: could this process take a step by itself?
IsEnabled = Callable[[State, Frames, int], bool]
Address = Callable[[State, int, Frames], int]
Store = Callable[[bytearray, int, Frames, int], None]
#: where a channel lies in a state, and its declaration
FindChannel = Callable[[State, int, Frames], tuple[int, Channel]]

_SIGN = 0x80000000
_MASK = 0xFFFFFFFF


def wrap32(value: int) -> int:
    """The 32-bit signed integer with the lowest bits of ``value``."""
    return ((value + _SIGN) & _MASK) - _SIGN


def _divide(a: int, b: int) -> int:
    if b == 0:
        raise StepFailed(ViolationKind.DIVISION)
    quotient = abs(a) // abs(b)
    return wrap32(quotient if (a < 0) == (b < 0) else -quotient)


def _remainder(a: int, b: int) -> int:
    if b == 0:
        raise StepFailed(ViolationKind.DIVISION)
    rest = abs(a) % abs(b)
    return -rest if a < 0 else rest


def _within(a: int, b: int) -> int:
    if a == 0:
        raise StepFailed(ViolationKind.RANGE)
    return b


def _present(a: int, b: int) -> int:
    if a == 0:
        raise StepFailed(ViolationKind.ABSENT)
    return b


_ARITHMETIC: dict[BinaryOperator, Callable[[int, int], int]] = {
    BinaryOperator.ADD: lambda a, b: ((a + b + _SIGN) & _MASK) - _SIGN,
    BinaryOperator.SUBTRACT: lambda a, b: ((a - b + _SIGN) & _MASK) - _SIGN,
    BinaryOperator.MULTIPLY: lambda a, b: wrap32(a * b),
    BinaryOperator.DIVIDE: _divide,
    BinaryOperator.REMAINDER: _remainder,
    BinaryOperator.WITHIN: _within,
    BinaryOperator.PRESENT: _present,
    BinaryOperator.AND: operator.and_,
    BinaryOperator.XOR: operator.xor,
    BinaryOperator.OR: operator.or_,
    BinaryOperator.SHIFT_LEFT: lambda a, b: wrap32(a << (b & 31)),
    BinaryOperator.SHIFT_RIGHT: lambda a, b: a >> (b & 31),
    BinaryOperator.LESS: operator.lt,
    BinaryOperator.LESS_EQUAL: operator.le,
    BinaryOperator.GREATER: operator.gt,
    BinaryOperator.GREATER_EQUAL: operator.ge,
    BinaryOperator.EQUAL: operator.eq,
    BinaryOperator.NOT_EQUAL: operator.ne,
}
_COMPARISONS = {
    BinaryOperator.LESS,
    BinaryOperator.LESS_EQUAL,
    BinaryOperator.GREATER,
    BinaryOperator.GREATER_EQUAL,
    BinaryOperator.EQUAL,
    BinaryOperator.NOT_EQUAL,
}


def apply_binary(symbol: BinaryOperator, a: int, b: int) -> int:
    """The value of ``a symbol b``; raises ``StepFailed`` for a division by zero."""
    if symbol is BinaryOperator.LOGICAL_AND:
        return int(a != 0 and b != 0)
    if symbol is BinaryOperator.LOGICAL_OR:
        return int(a != 0 or b != 0)
    return int(_ARITHMETIC[symbol](a, b))


def apply_unary(symbol: UnaryOperator, a: int) -> int:
    """The value of ``symbol a``."""
    match symbol:
        case UnaryOperator.NEGATE:
            return wrap32(-a)
        case UnaryOperator.COMPLEMENT:
            return ~a
        case UnaryOperator.NOT:
            return int(a == 0)


def read_scalar(type_: IntType, state: State, at: int) -> int:
    """The integer of this type at a place of the state."""
    size = type_.size
    if size == 1:
        value = state[at]
        return value - (1 << type_.bits) if type_.signed and value >> (type_.bits - 1) else value
    value = int.from_bytes(state[at : at + size], "little")
    return value - (1 << type_.bits) if type_.signed and value >> (type_.bits - 1) else value


def write_scalar(type_: IntType, state: bytearray, at: int, value: int) -> None:
    """Store the lowest bits of a value at a place of the state."""
    size = type_.size
    if size == 1:
        state[at] = value & ((1 << type_.bits) - 1)
        return
    state[at : at + size] = type_.wrap(value).to_bytes(size, "little", signed=type_.signed)


class Evaluator:
    """Compiles the expressions and places of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._global_channels = [(channel.offset, channel) for channel in program.channels]
        self._channels_of_control: list[list[tuple[int, Channel]]] = [
            [(channel.offset, channel) for channel in process.channels]
            for process in program.processes
            for _ in process.locations
        ]
        self._has_local_channels = any(process.channels for process in program.processes)
        self._library: EmbeddedLibrary | None = None
        #: set by the interpreter, which knows the edges
        self.is_enabled: IsEnabled = lambda s, f, pid: False
        self.watch: EventWatch | None = None
        if program.watches_events:
            from kripke.process.events import EventWatch

            self.watch = EventWatch(program)

    # --- places -------------------------------------------------------------------------------------------------------

    def address(self, place: Place) -> Address:
        """Where the place lies in a state."""
        start = place.variable.offset + place.offset
        local = place.variable.scope is Scope.LOCAL
        if not place.indices:
            return (lambda s, b, f: b + start) if local else (lambda s, b, f: start)
        if len(place.indices) == 1:
            return self._indexed_address(place, start, local)
        terms = [(self.compile(index.value), index.count, index.stride) for index in place.indices]

        def many(s: State, b: int, f: Frames) -> int:
            at = start + b if local else start
            for value, count, stride in terms:
                i = value(s, b, f)
                if not 0 <= i < count:
                    raise StepFailed(ViolationKind.INDEX)
                at += i * stride
            return at

        return many

    def _indexed_address(self, place: Place, start: int, local: bool) -> Address:
        index = place.indices[0]
        value, count, stride = self.compile(index.value), index.count, index.stride

        def one_local(s: State, b: int, f: Frames) -> int:
            i = value(s, b, f)
            if not 0 <= i < count:
                raise StepFailed(ViolationKind.INDEX)
            return b + start + i * stride

        def one_global(s: State, b: int, f: Frames) -> int:
            i = value(s, b, f)
            if not 0 <= i < count:
                raise StepFailed(ViolationKind.INDEX)
            return start + i * stride

        return one_local if local else one_global

    def read(self, place: Place) -> Evaluate:
        """The value of a place."""
        type_ = place.type
        start = place.variable.offset + place.offset
        plain_byte = type_.size == 1 and not type_.signed
        if plain_byte and not place.indices:
            if place.variable.scope is Scope.LOCAL:
                return lambda s, b, f: s[b + start]
            return lambda s, b, f: s[start]
        at = self.address(place)
        if plain_byte:
            return lambda s, b, f: s[at(s, b, f)]
        return lambda s, b, f: read_scalar(type_, s, at(s, b, f))

    def store(self, place: Place) -> Store:
        """Stores a value in a place."""
        type_ = place.type
        start = place.variable.offset + place.offset
        if type_.size == 1 and not type_.signed and not place.indices:
            mask = (1 << type_.bits) - 1
            if place.variable.scope is Scope.LOCAL:

                def local_byte(s: bytearray, b: int, f: Frames, value: int) -> None:
                    s[b + start] = value & mask

                return local_byte

            def global_byte(s: bytearray, b: int, f: Frames, value: int) -> None:
                s[start] = value & mask

            return global_byte
        at = self.address(place)

        def general(s: bytearray, b: int, f: Frames, value: int) -> None:
            write_scalar(type_, s, at(s, b, f), value)

        return general

    # --- channels -----------------------------------------------------------------------------------------------------

    def find_channel(self, expression: Expression) -> FindChannel:
        """The channel an expression names."""
        if isinstance(expression, ChannelIdentity):
            channel = expression.channel
            if channel.scope is Scope.GLOBAL:
                found = (channel.offset, channel)
                return lambda s, b, f: found
            return lambda s, b, f: (b + channel.offset, channel)
        if isinstance(expression, ChannelElement):
            return self._find_element(expression)
        identity = self.compile(expression)
        channels = self._global_channels
        if not self._has_local_channels:

            def find_global(s: State, b: int, f: Frames) -> tuple[int, Channel]:
                i = identity(s, b, f)
                if not 0 < i <= len(channels):
                    raise StepFailed(ViolationKind.CHANNEL)
                return channels[i - 1]

            return find_global

        def find_any(s: State, b: int, f: Frames) -> tuple[int, Channel]:
            return self._by_identity(identity(s, b, f), f)

        return find_any

    def _find_element(self, element: ChannelElement) -> FindChannel:
        channels, index = element.channels, self.compile(element.index)
        local = channels[0].scope is Scope.LOCAL

        def find(s: State, b: int, f: Frames) -> tuple[int, Channel]:
            i = index(s, b, f)
            if not 0 <= i < len(channels):
                raise StepFailed(ViolationKind.INDEX)
            return channels[i].offset + (b if local else 0), channels[i]

        return find

    def _by_identity(self, identity: int, frames: Frames) -> tuple[int, Channel]:
        channels = self._global_channels
        if identity <= 0:
            raise StepFailed(ViolationKind.CHANNEL)
        if identity <= len(channels):
            return channels[identity - 1]
        left = identity - len(channels) - 1
        for offset, control in zip(frames.offsets, frames.controls, strict=True):
            local = self._channels_of_control[control]
            if left < len(local):
                start, channel = local[left]
                return offset + start, channel
            left -= len(local)
        raise StepFailed(ViolationKind.CHANNEL)

    def _identity(self, channel: Channel) -> Evaluate:
        if channel.scope is Scope.GLOBAL:
            constant = channel.number + 1
            return lambda s, b, f: constant
        before = len(self._global_channels) + 1 + channel.number

        def local(s: State, b: int, f: Frames) -> int:
            older = (self._channels_of_control[control] for control in f.controls[: f.pid])
            return before + sum(map(len, older))

        return local

    def matcher(self, patterns: Sequence[Pattern]) -> Callable[[State, int, Frames], list[tuple[int, int]]]:
        """The (field, value) pairs that a message must have."""
        wanted = [(i, self.compile(p.value)) for i, p in enumerate(patterns) if isinstance(p, Match)]
        return lambda s, b, f: [(i, value(s, b, f)) for i, value in wanted]

    # --- expressions --------------------------------------------------------------------------------------------------

    def compile(self, expression: Expression) -> Evaluate:
        """The closure that evaluates an expression."""
        match expression:
            case Constant(value):
                return lambda s, b, f: value
            case Read(place):
                return self.read(place)
            case Unary(symbol, operand):
                return self._unary(symbol, self.compile(operand))
            case Binary(symbol, left, right):
                return self._binary(symbol, left, right)
            case Conditional(condition, then, otherwise):
                test, yes, no = self.compile(condition), self.compile(then), self.compile(otherwise)
                return lambda s, b, f: yes(s, b, f) if test(s, b, f) else no(s, b, f)
            case ChannelIdentity(channel):
                return self._identity(channel)
            case ChannelElement(channels, index):
                start, position, count = self._identity(channels[0]), self.compile(index), len(channels)

                def element(s: State, b: int, f: Frames) -> int:
                    i = position(s, b, f)
                    if not 0 <= i < count:
                        raise StepFailed(ViolationKind.INDEX)
                    return start(s, b, f) + i

                return element
            case AskChannel(question, channel):
                return self._ask(question, self.find_channel(channel))
            case Poll():
                return self._poll(expression)
            case Timeout():
                return lambda s, b, f: int(f.timeout)
            case OwnPid():
                return lambda s, b, f: f.pid
            case ProcessCount():
                return lambda s, b, f: len(f.offsets)
            case AtLocation():
                return self._at_location(expression)
            case RemoteRead():
                return self._remote_read(expression)
            case Enabled(pid):
                return self._enabled(self.compile(pid))
            case ProgramCounter(pid):
                return self._program_counter(self.compile(pid))
            case Priority(pid):
                return self._priority(self.compile(pid))
            case NoProgress():
                return self._no_progress()
            case Accepting():
                return self._accepting()
            case CValue(fragment, _):
                return self._c_value(fragment)

    def _c_value(self, fragment: int) -> Evaluate:
        return lambda s, b, f: self.library().value(fragment, s, b, f.pid)

    def library(self) -> EmbeddedLibrary:
        """The compiled C of the program, made at first use."""
        if self._library is None:
            from kripke.process.embedded import EmbeddedLibrary
            from kripke.process.emit import emit_c

            self._library = EmbeddedLibrary(emit_c(self.program))
        return self._library

    def _unary(self, symbol: UnaryOperator, operand: Evaluate) -> Evaluate:
        match symbol:
            case UnaryOperator.NOT:
                return lambda s, b, f: 0 if operand(s, b, f) else 1
            case UnaryOperator.NEGATE:
                return lambda s, b, f: wrap32(-operand(s, b, f))
            case UnaryOperator.COMPLEMENT:
                return lambda s, b, f: ~operand(s, b, f)

    def _binary(self, symbol: BinaryOperator, left: Expression, right: Expression) -> Evaluate:
        first, second = self.compile(left), self.compile(right)
        if symbol is BinaryOperator.LOGICAL_AND:
            return lambda s, b, f: 1 if first(s, b, f) and second(s, b, f) else 0
        if symbol is BinaryOperator.LOGICAL_OR:
            return lambda s, b, f: 1 if first(s, b, f) or second(s, b, f) else 0
        apply = _ARITHMETIC[symbol]
        if symbol in CHECKS:
            return lambda s, b, f: apply(first(s, b, f), 0) or second(s, b, f)
        if symbol in _COMPARISONS:
            if isinstance(right, Constant):
                constant = right.value
                return lambda s, b, f: 1 if apply(first(s, b, f), constant) else 0
            return lambda s, b, f: 1 if apply(first(s, b, f), second(s, b, f)) else 0
        return lambda s, b, f: apply(first(s, b, f), second(s, b, f))

    def _ask(self, question: ChannelQuestion, find: FindChannel) -> Evaluate:
        def length(s: State, b: int, f: Frames) -> int:
            at, channel = find(s, b, f)
            return channel_length(s, at, channel) if channel.capacity else 0

        def full(s: State, b: int, f: Frames) -> int:
            at, channel = find(s, b, f)
            return int(channel.capacity > 0 and channel_length(s, at, channel) == channel.capacity)

        match question:
            case ChannelQuestion.LENGTH:
                return length
            case ChannelQuestion.EMPTY:
                return lambda s, b, f: int(length(s, b, f) == 0)
            case ChannelQuestion.NOT_EMPTY:
                return lambda s, b, f: int(length(s, b, f) > 0)
            case ChannelQuestion.FULL:
                return full
            case ChannelQuestion.NOT_FULL:
                return lambda s, b, f: int(not full(s, b, f))

    def _poll(self, poll: Poll) -> Evaluate:
        find, matcher, count = self.find_channel(poll.channel), self.matcher(poll.patterns), len(poll.patterns)

        def evaluate(s: State, b: int, f: Frames) -> int:
            at, channel = find(s, b, f)
            if count > len(channel.fields):
                raise StepFailed(ViolationKind.MESSAGE)
            if not channel.capacity or not channel_length(s, at, channel):
                return 0
            return int(find_message(s, at, channel, matcher(s, b, f), poll.anywhere) >= 0)

        return evaluate

    # --- other processes ----------------------------------------------------------------------------------------------

    def _instance(self, expression: AtLocation | RemoteRead) -> Callable[[State, int, Frames], int]:
        """The pid of the process meant, -1 where there is none."""
        process = expression.process
        controls = range(process.control_base, process.control_base + len(process.locations))
        if expression.pid is None:

            def oldest(s: State, b: int, f: Frames) -> int:
                return next((pid for pid, control in enumerate(f.controls) if control in controls), -1)

            return oldest
        pid_of = self.compile(expression.pid)

        def numbered(s: State, b: int, f: Frames) -> int:
            pid = pid_of(s, b, f)
            return pid if 0 <= pid < len(f.controls) and f.controls[pid] in controls else -1

        return numbered

    def _at_location(self, expression: AtLocation) -> Evaluate:
        instance = self._instance(expression)
        wanted = {expression.process.control(location) for location in expression.locations}

        def evaluate(s: State, b: int, f: Frames) -> int:
            pid = instance(s, b, f)
            return int(pid >= 0 and f.controls[pid] in wanted)

        return evaluate

    def _accepting(self) -> Evaluate:
        wanted = {
            process.control(number)
            for process in self.program.processes
            for number, location in enumerate(process.locations)
            if location.accept
        }
        return lambda s, b, f: int(not wanted.isdisjoint(f.controls))

    def _remote_read(self, expression: RemoteRead) -> Evaluate:
        instance = self._instance(expression)
        place = expression.place
        read = self.read(place)

        def evaluate(s: State, b: int, f: Frames) -> int:
            pid = instance(s, b, f)
            return read(s, f.offsets[pid], f) if pid >= 0 else 0

        return evaluate

    def _enabled(self, pid_of: Evaluate) -> Evaluate:
        def evaluate(s: State, b: int, f: Frames) -> int:
            pid = pid_of(s, b, f)
            if pid == f.pid:
                raise StepFailed(ViolationKind.ENABLED)
            if not 0 <= pid < len(f.offsets) or pid in f.asked:
                return 0
            return int(self.is_enabled(s, f, pid))

        return evaluate

    def _program_counter(self, pid_of: Evaluate) -> Evaluate:
        numbers = [location.number for process in self.program.processes for location in process.locations]

        def evaluate(s: State, b: int, f: Frames) -> int:
            pid = pid_of(s, b, f)
            return numbers[f.controls[pid]] if 0 <= pid < len(f.controls) else 0

        return evaluate

    def _priority(self, pid_of: Evaluate) -> Evaluate:
        at = self.program.control_bytes

        def evaluate(s: State, b: int, f: Frames) -> int:
            pid = pid_of(s, b, f)
            return s[f.offsets[pid] + at] if 0 <= pid < len(f.offsets) else 0

        return evaluate

    def _no_progress(self) -> Evaluate:
        progress = [location.progress for process in self.program.processes for location in process.locations]
        return lambda s, b, f: int(not any(progress[control] for control in f.controls))


# --- messages ---------------------------------------------------------------------------------------------------------


def channel_length(state: State, at: int, channel: Channel) -> int:
    """How many messages there are in the channel that lies at a place of the state."""
    return state[at] if channel.length_bytes == 1 else state[at] | state[at + 1] << 8


def message_fields(state: State, at: int, channel: Channel) -> list[int]:
    """The values of the message that starts at a place of the state."""
    values = []
    for type_ in channel.fields:
        values.append(read_scalar(type_, state, at))
        at += type_.size
    return values


def find_message(state: State, at: int, channel: Channel, wanted: list[tuple[int, int]], anywhere: bool) -> int:
    """The position of the first message with the wanted fields, -1 where there is none; only 0 unless ``anywhere``."""
    size, offsets, types = channel.message_bytes, channel.field_offsets, channel.fields
    length = channel_length(state, at, channel)
    at += channel.length_bytes
    for slot in range(length if anywhere else min(length, 1)):
        start = at + slot * size
        for i, value in wanted:
            if read_scalar(types[i], state, start + offsets[i]) != value:
                break
        else:
            return slot
    return -1


def bindings(patterns: Sequence[Pattern]) -> list[tuple[int, Place]]:
    """The (field, place) pairs that a receive stores, from left to right."""
    return [(i, p.place) for i, p in enumerate(patterns) if isinstance(p, Bind)]
