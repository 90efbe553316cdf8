"""Random process programs for differential tests: every kind of operation and expression, few enough states to explore.

Steps always end: edges that are atomic or may be a rendezvous only lead forward, jumps in deterministic steps too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from hypothesis import strategies as st

from kripke.process.expressions import (
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
    Enabled,
    Expression,
    Ignore,
    Index,
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
from kripke.process.program import (
    Assert,
    Assign,
    Channel,
    Choose,
    DeterministicStep,
    Discard,
    Edge,
    Else,
    Guard,
    InitialProcess,
    Location,
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
    StepInstruction,
    Terminate,
    Variable,
)
from tests.support.building import (
    BIT,
    BYTE,
    INT,
    SHORT,
    SIGNED_BYTE,
    THREE_BITS,
    TWELVE_BITS,
    Builder,
    channel,
    local,
    place,
    variable,
)

T = TypeVar("T")

_TYPES = [BIT, BYTE, SHORT, INT, THREE_BITS, TWELVE_BITS, SIGNED_BYTE]
_FIELD_TYPES = [BYTE, BIT, SHORT, THREE_BITS, INT]
_CALM = [
    BinaryOperator.ADD,
    BinaryOperator.SUBTRACT,
    BinaryOperator.LESS,
    BinaryOperator.EQUAL,
    BinaryOperator.NOT_EQUAL,
    BinaryOperator.LOGICAL_AND,
    BinaryOperator.LOGICAL_OR,
]


class Generator:
    """Draws the parts of one program."""

    def __init__(self, draw: Callable[[st.SearchStrategy[T]], T]) -> None:
        self._draw = draw
        self.builder = Builder()
        self.globals: list[Variable] = []
        self.channels: list[Channel] = []
        self.arrays: list[tuple[Channel, ...]] = []
        self.processes: list[ProcessType] = []
        self.locals: list[Variable] = []
        self.own_channels: list[Channel] = []
        self.in_step = False
        self.priorities = False
        self.last: Variable | None = None

    # --- choices ------------------------------------------------------------------------------------------------------

    def number(self, low: int, high: int) -> int:
        return self._draw(st.integers(low, high))  # type: ignore[arg-type,return-value]

    def pick(self, items: list[T]) -> T:
        return items[self.number(0, len(items) - 1)]

    def chance(self, percent: int) -> bool:
        return self.number(0, 99) >= 100 - percent

    # --- declarations -------------------------------------------------------------------------------------------------

    def program(self) -> Program:
        self.globals = [self._variable(f"g{i}", Scope.GLOBAL) for i in range(self.number(1, 3))]
        self._global_channels()
        self.priorities = self.chance(20)
        if self.chance(20):
            self.last = variable("last", BYTE)
        self.processes = [ProcessType(f"P{i}") for i in range(self.number(1, 3))]
        for process in self.processes:
            self._declare(process)
        for process in self.processes:
            self._fill(process)
        initial = [self._initial(self.pick(self.processes)) for _ in range(self.number(1, 3))]
        self.locals, self.own_channels = [], []
        setup = [self.builder.action(self._assign()) for _ in range(self.number(0, 1))]
        atoms = {f"a{i} */": self.expression(2) for i in range(self.number(0, 2))}
        variables = [*self.globals, *([self.last] if self.last is not None else [])]
        program = self.builder.program(self.processes, initial, variables, self.channels, atoms, setup)
        program.priorities, program.last = self.priorities, self.last
        return program

    def _variable(self, name: str, scope: Scope) -> Variable:
        type_, count = self.pick(_TYPES), self.pick([0, 0, 0, 2, 3])
        initial = [type_.wrap(self.pick([0, 0, 1, 2, -1])) for _ in range(count or 1)]
        return variable(name, type_, count, initial, scope)

    def _global_channels(self) -> None:
        for _ in range(self.number(0, 2)):
            shape = self.number(0, 2), [self.pick(_FIELD_TYPES) for _ in range(self.number(1, 2))]
            alike = []
            for _ in range(2 if self.chance(25) else 1):
                number = len(self.channels)
                self.channels.append(channel(f"q{number}", *shape, number))
                alike.append(self.channels[-1])
            self.arrays.append(tuple(alike))

    def _declare(self, process: ProcessType) -> None:
        process.parameters = tuple(local("p", self.pick(_TYPES)) for _ in range(self.number(0, 1)))
        if self.priorities:
            process.parameters = (local("priority", BYTE), *process.parameters)
        own = tuple(self._variable(f"l{i}", Scope.LOCAL) for i in range(self.number(0, 2)))
        process.variables = process.parameters + own
        if self.chance(20):
            fields = [self.pick(_FIELD_TYPES) for _ in range(self.number(1, 2))]
            process.channels = (channel("c", self.number(0, 2), fields, 0, Scope.LOCAL),)
        process.locations = tuple(Location() for _ in range(self.number(2, 4)))

    def _initial(self, process: ProcessType) -> InitialProcess:
        return InitialProcess(process, tuple(self.number(-1, 3) for _ in process.parameters))

    def _fill(self, process: ProcessType) -> None:
        self.locals, self.own_channels = list(process.variables), list(process.channels)
        count = len(process.locations)
        for at in range(count):
            edges = [self._edge(at, count) for _ in range(self.number(1 if at == 0 else 0, 3))]
            if at == count - 1 and self.chance(60):
                edges.append(self.builder.edge(at, Terminate()))
            if self.chance(25):
                edges.append(self._finish_edge(at, count, Else()))
            process.locations[at].edges = tuple(edges)
            process.locations[at].end = self.chance(30)
            process.locations[at].progress, process.locations[at].number = self.chance(20), 10 + at
            if self.chance(20):
                self._make_escapes(process.locations[at])
        if self.chance(15):
            process.provided = self.expression(2)
        if self.chance(20) and self.locals:
            process.setup = (self.builder.action(self._assign()),)
        process.entry = 0 if self.chance(80) else self.number(0, count - 1)

    def _make_escapes(self, location: Location) -> None:
        """The first edges of a location belong to escapes."""
        count, edges = len(location.edges), location.edges
        first, second = self.number(0, count), self.number(0, count)
        numbers = [2 if i < min(first, second) else 1 if i < max(first, second) else 0 for i in range(count)]
        location.edges = tuple(replace(edge, escape=number) for edge, number in zip(edges, numbers, strict=True))

    # --- edges --------------------------------------------------------------------------------------------------------

    def _edge(self, at: int, count: int) -> Edge:
        kind = self.number(0, 9)
        if kind < 3:
            first: Operation = Guard(self.expression(2))
        elif kind < 5 and self._has_channels():
            first = self._send()
        elif kind < 7 and self._has_channels():
            first = self._receive()
        elif kind == 7:
            first = self._step()
        elif kind == 8 and self.chance(40):
            first = self._run()
        else:
            first = self._assign()
        return self._finish_edge(at, count, first)

    def _finish_edge(self, at: int, count: int, first: Operation) -> Edge:
        last = at == count - 1
        # A rendezvous send is never followed by other operations of its edge, nor a receive by a Run.
        rest = [] if isinstance(first, Send) else [self._follow() for _ in range(self.pick([0, 0, 0, 1, 2]))]
        if isinstance(first, Receive):
            rest = [operation for operation in rest if not isinstance(operation, Run)]
        atomic = not last and self.chance(30)
        forward = atomic or (isinstance(first, Send) and not last)
        target = self.number(at + 1, count - 1) if forward else self.number(0, count - 1)
        return self.builder.edge(target, first, *rest, atomic=atomic)

    def _follow(self) -> Operation:
        kind = self.number(0, 9)
        if kind < 5:
            return self._assign()
        if kind == 5:
            return Assert(self.expression(2), "asserted")
        if kind == 6:
            return self.pick([Skip(), Print("%d", (self.expression(2),))])
        if kind == 7:
            chosen = self.pick(self.globals + self.locals)
            return Reset(place(chosen, 0) if len(chosen.components) > 1 else place(chosen), 0)
        if kind == 8:
            return self._step()
        if self.chance(20):
            return NoChoice()
        if self.priorities and self.chance(50):
            return SetPriority(self.pick([OwnPid(), Constant(0), Constant(1)]), self.expression(0))
        return self._run() if self.chance(40) else self._discard()

    def _assign(self) -> Operation:
        return Assign(self.place(1), self.expression(2))

    def _discard(self) -> Operation:
        indices = (Index(self._index(3), 3, 1),) if self.chance(50) else ()
        return Discard(indices, self.expression(1))

    def _run(self) -> Operation:
        process = self.pick(self.processes)
        arguments = tuple(self.expression(1) for _ in process.parameters)
        return Run(
            process,
            arguments,
            self.place(0) if self.chance(50) else None,
            self.expression(1) if self.chance(20) else None,
        )

    # --- channels -----------------------------------------------------------------------------------------------------

    def _has_channels(self) -> bool:
        return bool(self.channels or self.own_channels)

    def _channel(self) -> tuple[Expression, int]:
        """An expression for a channel and, mostly, the number of its fields."""
        if self.own_channels and self.chance(40):
            return ChannelIdentity(self.own_channels[0]), len(self.own_channels[0].fields)
        if not self.channels:
            return ChannelIdentity(self.own_channels[0]), len(self.own_channels[0].fields)
        alike = self.pick(self.arrays)
        count = len(alike[0].fields)
        kind = self.number(0, 9)
        if kind < 6:
            return ChannelIdentity(self.pick(list(alike))), count
        own = [variable for variable in self.locals if variable.scalar and variable.size == 1]
        if kind < 8:
            index = Read(place(self.pick(own))) if own and self.chance(40) else self._index(len(alike))
            return ChannelElement(alike, index), count
        if own and self.chance(40):
            return Read(place(self.pick(own))), count
        if kind == 8:
            return Binary(BinaryOperator.ADD, ChannelIdentity(alike[0]), Constant(0)), count
        return self.expression(1), self.number(1, 2)

    def _send(self) -> Send:
        channel_, count = self._channel()
        return Send(channel_, tuple(self.expression(1) for _ in range(count)), self.chance(30))

    def _receive(self) -> Receive:
        channel_, count = self._channel()
        keep = self.chance(20)
        patterns = tuple(self._pattern() for _ in range(self.number(1, count) if keep else count))
        return Receive(channel_, patterns, self.chance(30), keep)

    def _pattern(self) -> Pattern:
        kind = self.number(0, 4)
        if kind == 0:
            return Match(self.expression(1))
        return Ignore() if kind == 1 else Bind(self.place(1))

    # --- deterministic steps ------------------------------------------------------------------------------------------

    def _step(self) -> DeterministicStep:
        count = self.number(1, 5)
        code = [self._instruction(at, count) for at in range(count)]
        return DeterministicStep(tuple(code))

    def _instruction(self, at: int, count: int) -> StepInstruction:
        following = at + 1 if at + 1 < count and self.chance(85) else -1
        if at + 2 < count and self.chance(40):
            options = tuple(self.number(at + 1, count - 1) for _ in range(self.number(1, 2)))
            return StepInstruction(Choose(options), self.builder.statement("choose"), -1)
        kind = self.number(0, 7)
        operation: Operation
        if kind == 0:
            operation = Guard(self.expression(2))
        elif kind == 1:
            operation = Else()
        elif kind == 2:
            operation = Assert(self.expression(1), "asserted")
        elif kind == 3 and self._has_channels():
            operation = self._send() if self.chance(50) else self._receive()
        else:
            operation = self._assign()
        return StepInstruction(operation, self.builder.statement(type(operation).__name__), following)

    # --- expressions --------------------------------------------------------------------------------------------------

    def place(self, depth: int) -> Place:
        chosen = self.pick(self.globals + self.locals)
        count = len(chosen.components)
        return place(chosen, self._index(count, depth) if count > 1 else None)

    def _index(self, count: int, depth: int = 1) -> Expression:
        """A subscript, mostly in range."""
        kind = self.number(0, 9)
        if kind < 5 or not depth:
            return Constant(self.number(0, count - 1))
        if kind < 9:
            absolute = Binary(BinaryOperator.AND, self.expression(depth - 1), Constant(0x7F))
            return Binary(BinaryOperator.REMAINDER, absolute, Constant(count))
        return self.expression(depth - 1)

    def expression(self, depth: int) -> Expression:
        kind = self.number(0, 19) if depth else self.number(0, 5)
        if kind < 2:
            return Constant(self.pick([0, 1, 1, 2, 3, 5, -1, 255, 2**31 - 1, -(2**31)]))
        if kind < 6:
            return Read(self.place(depth - 1)) if depth else Read(self.place(0))
        if kind < 11:
            return Binary(self.pick(_CALM), self.expression(depth - 1), self.expression(depth - 1))
        if kind < 13:
            return Binary(self.pick(list(BinaryOperator)), self.expression(depth - 1), self.expression(depth - 1))
        if kind == 13:
            return Unary(self.pick(list(UnaryOperator)), self.expression(depth - 1))
        if kind == 14:
            return Conditional(*(self.expression(depth - 1) for _ in range(3)))
        if kind < 18 and self._has_channels():
            return self._channel_expression(depth, kind)
        return self._process_expression(depth)

    def _channel_expression(self, depth: int, kind: int) -> Expression:
        channel_, count = self._channel()
        if kind == 15:
            return AskChannel(self.pick(list(ChannelQuestion)), channel_)
        if kind == 16:
            return Poll(channel_, tuple(self._pattern() for _ in range(self.number(1, count))), self.chance(40))
        return channel_

    def _process_expression(self, depth: int) -> Expression:
        kind = self.number(0, 6)
        if kind == 0:
            return OwnPid()
        if kind == 1:
            return ProcessCount()
        if kind == 2:
            return Timeout()
        if kind > 4:
            asked = self.pick([Constant(0), Constant(1), self.expression(0)])
            about = [Enabled(asked), ProgramCounter(asked), NoProgress()]
            return self.pick([*about, Priority(asked)] if self.priorities else about)
        process = self.pick(self.processes)
        pid = None if self.chance(30) else self.pick([Constant(0), Constant(1), self.expression(0)])
        remote = [variable for variable in process.variables if len(variable.components) == 1]
        if kind == 3 and remote:
            return RemoteRead(process, pid, place(self.pick(remote)))
        chosen = {self.number(0, len(process.locations) - 1) for _ in range(2)}
        return AtLocation(process, pid, tuple(sorted(chosen)))


@st.composite
def programs(draw: Callable[[st.SearchStrategy[T]], T]) -> Program:
    return Generator(draw).program()
