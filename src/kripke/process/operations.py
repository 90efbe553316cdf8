"""Operations and edges of process programs, compiled to Python closures for the interpreter."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kripke.model.model import Part, Violation
from kripke.process.evaluation import (
    Evaluate,
    Evaluator,
    FindChannel,
    Frames,
    State,
    StepFailed,
    bindings,
    channel_length,
    find_message,
    message_fields,
    write_scalar,
)
from kripke.process.expressions import ChannelIdentity, Constant, Match, Timeout
from kripke.process.nodes import nodes_of
from kripke.process.program import (
    MAX_DETERMINISTIC_LENGTH,
    Action,
    Assert,
    Assign,
    CCode,
    Channel,
    Choose,
    DeterministicStep,
    Discard,
    Edge,
    Else,
    Exclusive,
    Guard,
    NoChoice,
    Operation,
    Print,
    ProcessType,
    Program,
    Receive,
    Reset,
    Run,
    Scope,
    Send,
    SetPriority,
    Skip,
    Terminate,
    Variable,
    ViolationKind,
)

#: runs an operation on a state under construction, recording parts and violations
Perform = Callable[[bytearray, int, Frames, list[Part], list[Violation], int], None]
Write = Callable[[bytearray, int, Frames], None]
#: sees the state of the moment in which a violation happens: state, base, frames, kind, statement
Witness = Callable[[State, int, Frames, ViolationKind, int], None]
CreateProcess = Callable[[bytearray, Frames, ProcessType, tuple[int, ...]], int]

# A deterministic step can run millions of instructions; a trace shows the first of them, and each for the first time.
_MAX_RECORDED = 1000


class CompiledSend:
    """``q ! ...``"""

    def __init__(self, evaluator: Evaluator, send: Send) -> None:
        self._find: FindChannel = evaluator.find_channel(send.channel)
        self._values = [evaluator.compile(value) for value in send.values]
        self._ordered = send.ordered
        self._watch = evaluator.watch
        self.may_start: Evaluate = self._quick_test(send) or self._may_start

    def _quick_test(self, send: Send) -> Evaluate | None:
        if not isinstance(send.channel, ChannelIdentity) or send.channel.channel.scope is Scope.LOCAL:
            return None
        start, capacity = send.channel.channel.offset, send.channel.channel.capacity
        if not capacity:
            return lambda s, b, f: 1
        if send.channel.channel.length_bytes > 1:
            return None
        return lambda s, b, f: s[start] < capacity

    def is_rendezvous(self, s: State, b: int, f: Frames) -> int:
        return int(self._find(s, b, f)[1].capacity == 0)

    def _may_start(self, s: State, b: int, f: Frames) -> int:
        """Can the send be tried? Whether a rendezvous happens depends on the receivers."""
        at, channel = self._find(s, b, f)
        return int(channel.capacity == 0 or channel_length(s, at, channel) < channel.capacity)

    def has_room(self, s: State, b: int, f: Frames) -> int:
        """Enabled without a receiver?"""
        at, channel = self._find(s, b, f)
        return int(channel.capacity > 0 and channel_length(s, at, channel) < channel.capacity)

    def offer(self, s: State, b: int, f: Frames) -> tuple[int, Channel, list[int]]:
        """The channel and the message, as the channel's fields keep it."""
        at, channel = self._find(s, b, f)
        if len(self._values) != len(channel.fields):
            raise StepFailed(ViolationKind.MESSAGE)
        values = [value(s, b, f) for value in self._values]
        return at, channel, [type_.wrap(value) for type_, value in zip(channel.fields, values, strict=True)]

    def perform(
        self, s: bytearray, b: int, f: Frames, parts: list[Part], broken: list[Violation], statement: int
    ) -> None:
        at, channel, message = self.offer(s, b, f)
        slot = self._slot(s, at, channel, message)
        start, end = _part_of_buffer(s, at, channel, slot)
        size = channel.message_bytes
        s[start + size : end + size] = s[start:end]
        for type_, value in zip(channel.fields, message, strict=True):
            write_scalar(type_, s, start, value)
            start += type_.size
        _change_length(s, at, channel, 1)
        parts.append(Part(f.pid, statement, tuple(message)))
        if self._watch is not None and self._watch.breaks(s, True, channel, message):
            broken.append(Violation(int(ViolationKind.EVENT), statement))

    def _slot(self, s: State, at: int, channel: Channel, message: list[int]) -> int:
        if self._ordered:
            for slot in range(channel_length(s, at, channel)):
                if message_fields(s, _part_of_buffer(s, at, channel, slot)[0], channel) > message:
                    return slot
        return channel_length(s, at, channel)


def _part_of_buffer(s: State, at: int, channel: Channel, slot: int) -> tuple[int, int]:
    """Where the message in a slot starts, and where the last message ends."""
    first = at + channel.length_bytes
    return first + slot * channel.message_bytes, first + channel_length(s, at, channel) * channel.message_bytes


def _change_length(s: bytearray, at: int, channel: Channel, by: int) -> None:
    length = channel_length(s, at, channel) + by
    s[at : at + channel.length_bytes] = length.to_bytes(channel.length_bytes, "little")


class CompiledReceive:
    """``q ? ...``"""

    def __init__(self, evaluator: Evaluator, receive: Receive) -> None:
        self._find: FindChannel = evaluator.find_channel(receive.channel)
        self._wanted = evaluator.matcher(receive.patterns)
        self._stores = [(i, evaluator.store(place)) for i, place in bindings(receive.patterns)]
        self._count = len(receive.patterns)
        self._fits = receive.fits
        self._anywhere = receive.anywhere
        self._keep = receive.keep
        self._watch = evaluator.watch
        self.enabled: Evaluate = self._quick_test(receive) or self._is_enabled

    def _quick_test(self, receive: Receive) -> Evaluate | None:
        """The common case: a declared channel, constants to match in fields of one byte, the first message only."""
        if not isinstance(receive.channel, ChannelIdentity) or receive.anywhere:
            return None
        channel = receive.channel.channel
        if not channel.capacity or channel.length_bytes > 1 or self._count != len(channel.fields):
            return None
        wanted: list[tuple[int, int]] = []
        for type_, at, pattern in zip(channel.fields, channel.field_offsets, receive.patterns, strict=True):
            if isinstance(pattern, Match):
                if not isinstance(pattern.value, Constant) or type_.size > 1 or type_.signed:
                    return None
                wanted.append((channel.offset + 1 + at, pattern.value.value))
        start = channel.offset
        if channel.scope is Scope.LOCAL:
            return lambda s, b, f: s[b + start] and all(s[b + at] == value for at, value in wanted)
        if not wanted:
            return lambda s, b, f: s[start]
        if len(wanted) == 1:
            first, constant = wanted[0]
            return lambda s, b, f: s[start] and s[first] == constant
        return lambda s, b, f: s[start] and all(s[at] == value for at, value in wanted)

    def _is_enabled(self, s: State, b: int, f: Frames) -> int:
        """Is there a matching message in the buffer? Never for a rendezvous channel: the sender takes the step."""
        at, channel = self._find(s, b, f)
        if not channel.capacity or not channel_length(s, at, channel):
            return 0
        return int(self._message(s, b, f, at, channel) >= 0)

    def _message(self, s: State, b: int, f: Frames, at: int, channel: Channel) -> int:
        if not self._fits(len(channel.fields)):
            raise StepFailed(ViolationKind.MESSAGE)
        return find_message(s, at, channel, self._wanted(s, b, f), self._anywhere)

    def perform(
        self, s: bytearray, b: int, f: Frames, parts: list[Part], broken: list[Violation], statement: int
    ) -> None:
        at, channel = self._find(s, b, f)
        slot = self._message(s, b, f, at, channel)
        start, end = _part_of_buffer(s, at, channel, slot)
        message = message_fields(s, start, channel)
        self.take(s, b, f, message)
        if not self._keep:
            size = channel.message_bytes
            s[start:end] = s[start + size : end] + bytes(size)
            _change_length(s, at, channel, -1)
            if self._watch is not None and self._watch.breaks(s, False, channel, message):
                broken.append(Violation(int(ViolationKind.EVENT), statement))
        parts.append(Part(f.pid, statement, tuple(message)))

    def accepts(self, s: State, b: int, f: Frames, at: int, channel: Channel, message: list[int]) -> bool:
        """Would this process take the message a rendezvous send offers?"""
        mine, mine_channel = self._find(s, b, f)
        if mine_channel is not channel or mine != at:
            return False
        if not self._fits(len(channel.fields)):
            raise StepFailed(ViolationKind.MESSAGE)
        return all(message[i] == value for i, value in self._wanted(s, b, f))

    def meet(self, s: bytearray, channel: Channel, message: list[int], broken: list[Violation], statement: int) -> None:
        """Tell the monitor of a rendezvous: the message was sent and is received."""
        if self._watch is None:
            return
        for is_send in (True, False) if not self._keep else (True,):
            if self._watch.breaks(s, is_send, channel, message):
                broken.append(Violation(int(ViolationKind.EVENT), statement))

    def take(self, s: bytearray, b: int, f: Frames, message: list[int]) -> None:
        """Store the fields of a message."""
        for i, store in self._stores:
            store(s, b, f, message[i])


class CompiledEdge:
    """An edge, ready to run. ``plain``: only assignments, so that what it records depends on the process alone."""

    __slots__ = (
        "_parts_of",
        "atomic",
        "enabled",
        "escape",
        "is_else",
        "may_meet",
        "performs",
        "plain",
        "receive",
        "send",
        "statement",
        "statements",
        "target",
        "terminates",
        "writes",
    )

    def __init__(self, edge: Edge, target: int) -> None:
        self.target = target
        self.atomic = edge.atomic
        self.escape = edge.escape
        self.statement = edge.actions[0].statement
        self.statements = list(dict.fromkeys(action.statement for action in edge.actions))
        self.enabled: Evaluate | None = None
        self.may_meet: Evaluate | None = None
        self.send: CompiledSend | None = None
        self.receive: CompiledReceive | None = None
        self.is_else = False
        self.terminates = False
        self.plain = True
        self.writes: list[Write] = []
        self.performs: list[tuple[Action, Perform]] = []
        self._parts_of: dict[int, tuple[Part, ...]] = {}

    def plain_parts(self, pid: int) -> tuple[Part, ...]:
        """What a run of this edge by this process records."""
        parts = self._parts_of.get(pid)
        if parts is None:
            parts = self._parts_of[pid] = tuple(Part(pid, statement) for statement in self.statements)
        return parts


def _nothing(s: bytearray, b: int, f: Frames, parts: list[Part], broken: list[Violation], statement: int) -> None:
    if not parts or parts[-1][:2] != (f.pid, statement):
        parts.append(Part(f.pid, statement))


class OperationCompiler:
    """Compiles the operations of one program."""

    def __init__(self, program: Program, evaluator: Evaluator, create_process: CreateProcess) -> None:
        self.program = program
        self.evaluator = evaluator
        self.create_process = create_process
        self.uses_timeout = _mentions_timeout(program)
        self.witness: Witness | None = None
        #: statements that were executed and are no part of a step: start values, deterministic steps as such
        self.executed: set[int] = set()

    # --- start values -------------------------------------------------------------------------------------------------

    def store_initials(self, state: bytearray, base: int, variables: Iterable[Variable]) -> None:
        for variable in variables:
            for component, value in zip(variable.components, variable.initial, strict=True):
                if value:
                    write_scalar(component.type, state, base + variable.offset + component.offset, value)

    def store_arguments(self, state: bytearray, base: int, process: ProcessType, arguments: tuple[int, ...]) -> None:
        for (variable, component), value in zip(process.parameter_scalars(), arguments, strict=True):
            write_scalar(component.type, state, base + variable.offset + component.offset, value)

    def perform(self, operation: Operation, state: bytearray, base: int, frames: Frames) -> None:
        """Run a single operation outside any edge."""
        self.perform_of(operation)(state, base, frames, [], [], 0)

    # --- edges --------------------------------------------------------------------------------------------------------

    def edge(self, process: ProcessType, edge: Edge) -> CompiledEdge:
        compiled = CompiledEdge(edge, process.control(edge.target))
        self._first(compiled, edge.actions[0].operation)
        for action in edge.actions:
            compiled.performs.append((action, self.perform_of(action.operation)))
            write = self._write(action.operation)
            if write is None:
                compiled.plain = compiled.plain and isinstance(action.operation, (Guard, Else, Skip, Terminate))
            else:
                compiled.writes.append(write)
        # A failing action must name its own statement: only the general way does.
        compiled.plain = compiled.plain and len(compiled.statements) == 1
        return compiled

    def _first(self, compiled: CompiledEdge, operation: Operation) -> None:
        """What decides whether the edge is enabled."""
        match operation:
            case Else():
                compiled.is_else = True
            case Send():
                compiled.send = CompiledSend(self.evaluator, operation)
                compiled.enabled = compiled.send.may_start
                if not isinstance(operation.channel, ChannelIdentity) or not operation.channel.channel.capacity:
                    compiled.may_meet = compiled.send.is_rendezvous
            case Receive():
                compiled.receive = CompiledReceive(self.evaluator, operation)
                compiled.enabled = compiled.receive.enabled
            case Terminate():
                compiled.terminates = True
                compiled.enabled = lambda s, b, f: int(f.pid == len(f.offsets) - 1)
            case _:
                compiled.enabled = self.enabled(operation)

    def enabled(self, operation: Operation) -> Evaluate | None:
        """When an operation can run without the help of another process; None: always."""
        match operation:
            case Guard(condition):
                return self.evaluator.compile(condition)
            case Send():
                return CompiledSend(self.evaluator, operation).has_room
            case Receive():
                return CompiledReceive(self.evaluator, operation).enabled
            case DeterministicStep():
                return CompiledStep(self, operation).enabled
            case _:
                return None

    def _write(self, operation: Operation) -> Write | None:
        """An operation that only stores, without recording anything."""
        if isinstance(operation, Assign):
            value, store = self.evaluator.compile(operation.value), self.evaluator.store(operation.place)

            def assign(s: bytearray, b: int, f: Frames) -> None:
                store(s, b, f, value(s, b, f))

            return assign
        if isinstance(operation, Reset):
            reset, constant = self.evaluator.store(operation.place), operation.value

            def forget(s: bytearray, b: int, f: Frames) -> None:
                reset(s, b, f, constant)

            return forget
        if isinstance(operation, Discard):
            checks = [(self.evaluator.compile(index.value), index.count) for index in operation.indices]
            discarded = self.evaluator.compile(operation.value)

            def discard(s: bytearray, b: int, f: Frames) -> None:
                discarded(s, b, f)
                for index, count in checks:
                    if not 0 <= index(s, b, f) < count:
                        raise StepFailed(ViolationKind.INDEX)

            return discard
        return None

    # --- operations ---------------------------------------------------------------------------------------------------

    def perform_of(self, operation: Operation) -> Perform:
        """The closure that runs an enabled operation."""
        match operation:
            case Assign() | Discard():
                write = self._write(operation)
                assert write is not None

                def assign(
                    s: bytearray, b: int, f: Frames, parts: list[Part], broken: list[Violation], statement: int
                ) -> None:
                    write(s, b, f)
                    _nothing(s, b, f, parts, broken, statement)

                return assign
            case Reset():
                forget = self._write(operation)
                assert forget is not None

                def reset(
                    s: bytearray, b: int, f: Frames, parts: list[Part], broken: list[Violation], statement: int
                ) -> None:
                    forget(s, b, f)

                return reset
            case Send():
                return CompiledSend(self.evaluator, operation).perform
            case Receive():
                return CompiledReceive(self.evaluator, operation).perform
            case Assert(condition, _):
                return self._assertion(self.evaluator.compile(condition))
            case Print(_, arguments):
                return self._print([self.evaluator.compile(argument) for argument in arguments])
            case Run():
                return self._run(operation)
            case SetPriority():
                return self._set_priority(operation)
            case NoChoice():
                return _no_choice
            case Exclusive(condition):
                return self._exclusive(self.evaluator.compile(condition))
            case DeterministicStep():
                return CompiledStep(self, operation).perform
            case CCode(fragment):
                return self._c_code(fragment)
            case Guard() | Else() | Skip() | Terminate():
                return _nothing

    def _assertion(self, condition: Evaluate) -> Perform:
        def perform(
            s: bytearray, b: int, f: Frames, parts: list[Part], broken: list[Violation], statement: int
        ) -> None:
            parts.append(Part(f.pid, statement))
            if not condition(s, b, f):
                if self.witness is not None:
                    self.witness(s, b, f, ViolationKind.ASSERTION, statement)
                broken.append(Violation(int(ViolationKind.ASSERTION), statement))

        return perform

    def _exclusive(self, broken_by: Evaluate) -> Perform:
        def perform(
            s: bytearray, b: int, f: Frames, parts: list[Part], broken: list[Violation], statement: int
        ) -> None:
            if broken_by(s, b, f):
                if self.witness is not None:
                    self.witness(s, b, f, ViolationKind.EXCLUSIVE, statement)
                raise StepFailed(ViolationKind.EXCLUSIVE)

        return perform

    def _c_code(self, fragment: int) -> Perform:
        """C of the model: what it prints is kept as the values of its part."""

        def perform(
            s: bytearray, b: int, f: Frames, parts: list[Part], broken: list[Violation], statement: int
        ) -> None:
            holds, output = self.evaluator.library().run(fragment, s, b, f.pid)
            parts.append(Part(f.pid, statement, tuple(output)))
            if not holds:
                broken.append(Violation(int(ViolationKind.ASSERTION), statement))

        return perform

    def _print(self, arguments: list[Evaluate]) -> Perform:
        def perform(
            s: bytearray, b: int, f: Frames, parts: list[Part], broken: list[Violation], statement: int
        ) -> None:
            # Printing what cannot be evaluated prints 0: it is no part of the step.
            values = []
            for argument in arguments:
                try:
                    values.append(argument(s, b, f))
                except StepFailed:
                    values.append(0)
            parts.append(Part(f.pid, statement, tuple(values)))

        return perform

    def _run(self, run: Run) -> Perform:
        arguments = [self.evaluator.compile(argument) for argument in run.arguments]
        store = self.evaluator.store(run.result) if run.result is not None else None
        value = self.evaluator.compile(run.value) if run.value is not None else None

        def perform(
            s: bytearray, b: int, f: Frames, parts: list[Part], broken: list[Violation], statement: int
        ) -> None:
            values = tuple(argument(s, b, f) for argument in arguments)
            pid = self.create_process(s, f, run.process, values)
            if store is not None:
                store(s, b, f, pid if value is None else value(s, b, f))
            parts.append(Part(f.pid, statement, (pid,)))

        return perform

    def _set_priority(self, operation: SetPriority) -> Perform:
        process = self.evaluator.compile(operation.process)
        priority = self.evaluator.compile(operation.priority)
        place = self.program.control_bytes

        def perform(
            s: bytearray, b: int, f: Frames, parts: list[Part], broken: list[Violation], statement: int
        ) -> None:
            pid, value = process(s, b, f), priority(s, b, f)
            if 0 <= pid < len(f.offsets):
                if not 1 <= value <= 255:
                    raise StepFailed(ViolationKind.PRIORITY)
                s[f.offsets[pid] + place] = value
            parts.append(Part(f.pid, statement))

        return perform


def _no_choice(s: bytearray, b: int, f: Frames, parts: list[Part], broken: list[Violation], statement: int) -> None:
    if f.moved:
        broken.append(Violation(int(ViolationKind.CHOICE), statement))


class CompiledStep:
    """A deterministic step."""

    def __init__(self, compiler: OperationCompiler, step: DeterministicStep) -> None:
        self._code = step.code
        self._executed = compiler.executed
        self._enabled: list[Evaluate | None] = []
        self._perform: list[Perform | None] = []
        for instruction in step.code:
            operation = instruction.operation
            if isinstance(operation, Choose):
                self._enabled.append(None)
                self._perform.append(None)
                continue
            self._enabled.append(compiler.enabled(operation))
            self._perform.append(compiler.perform_of(operation))

    def _is_enabled(self, at: int, s: State, b: int, f: Frames) -> bool:
        operation = self._code[at].operation
        if isinstance(operation, Choose):
            return any(self._is_enabled(option, s, b, f) for option in operation.options)
        enabled = self._enabled[at]
        return enabled is None or bool(enabled(s, b, f))

    def enabled(self, s: State, b: int, f: Frames) -> int:
        return int(self._is_enabled(0, s, b, f))

    def perform(
        self, s: bytearray, b: int, f: Frames, parts: list[Part], broken: list[Violation], statement: int
    ) -> None:
        at, length = 0, 0
        shown: set[int] = set()
        self._executed.add(statement)
        while at >= 0:
            instruction = self._code[at]
            operation = instruction.operation
            if isinstance(operation, Choose):
                at = self._choose(operation, s, b, f)
                continue
            if not self._is_enabled(at, s, b, f):
                raise StepFailed(ViolationKind.BLOCKED)
            perform = self._perform[at]
            assert perform is not None
            record = parts if length < _MAX_RECORDED or at not in shown else []
            shown.add(at)
            perform(s, b, f, record, broken, instruction.statement)
            length += 1
            if length > MAX_DETERMINISTIC_LENGTH:
                raise StepFailed(ViolationKind.ENDLESS)
            at = instruction.next

    def _choose(self, choice: Choose, s: State, b: int, f: Frames) -> int:
        for option in choice.options:
            if self._is_enabled(option, s, b, f):
                return option
        raise StepFailed(ViolationKind.BLOCKED)


def _mentions_timeout(node: object) -> bool:
    """Does a Timeout occur anywhere in a program?"""
    if isinstance(node, Program):
        edges = [edge for process in node.processes for place in process.locations for edge in place.edges]
        provided = tuple(process.provided for process in node.processes)
        operations = tuple(action.operation for edge in edges for action in edge.actions)
        node = (provided, operations)
    return any(isinstance(part, Timeout) for part in nodes_of(node))
