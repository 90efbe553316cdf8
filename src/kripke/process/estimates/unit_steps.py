"""What changes by at most one in a step: then differences are distances."""

from __future__ import annotations

from functools import cached_property

from kripke.process.expressions import (
    Binary,
    BinaryOperator,
    Bind,
    ChannelElement,
    ChannelIdentity,
    Constant,
    Expression,
    OwnPid,
    Place,
    Read,
)
from kripke.process.nodes import nodes_of
from kripke.process.program import (
    Assign,
    Channel,
    DeterministicStep,
    Edge,
    ProcessType,
    Program,
    Receive,
    Reset,
    Run,
    Scope,
    Send,
    Variable,
)


class UnitSteps:
    """Asked about one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._edges: list[Edge] = [
            edge for process in program.processes for location in process.locations for edge in location.edges
        ]
        self._single = program.embedded is None and not any(edge.atomic for edge in self._edges)

    @cached_property
    def movers(self) -> int | None:
        """How many processes move in a step, at most; None: any number."""
        if not any(channel.capacity == 0 for channel in self._channels()):
            return 1
        receives_go_on = any(
            edge.atomic and isinstance(edge.actions[0].operation, Receive) for edge in self._edges if edge.actions
        )
        return None if receives_go_on else 2

    def _channels(self) -> list[Channel]:
        program = self.program
        return [*program.channels, *(channel for process in program.processes for channel in process.channels)]

    @cached_property
    def channels(self) -> bool:
        """Does a channel get or lose at most one message in a step?"""
        return self._single and all(self._channel_operations(edge) <= 1 for edge in self._edges)

    @cached_property
    def sorts(self) -> bool:
        """Is there a message that goes to the front at once?"""
        sends = (node for edge in self._edges for action in edge.actions for node in nodes_of(action.operation))
        return any(isinstance(node, Send) and node.ordered for node in sends)

    @staticmethod
    def _channel_operations(edge: Edge) -> int:
        count = 0
        for action in edge.actions:
            in_step = isinstance(action.operation, DeterministicStep)
            for node in nodes_of(action.operation):
                if isinstance(node, (Send, Receive)):
                    count += 2 if in_step else 1
        return count

    def is_counter(self, expression: Expression) -> bool:
        """Is it the value of a variable that nobody changes by more than one in a step?"""
        match expression:
            case Read(place):
                return not place.indices and place.variable.scalar and place.variable in self._counters
            case _:
                return False

    @cached_property
    def _counters(self) -> frozenset[Variable]:
        if not self._single:
            return frozenset()
        every = {*self.program.variables, *(v for process in self.program.processes for v in process.variables)}
        changed: set[Variable] = set()
        jumping: set[Variable] = {parameter for process in self.program.processes for parameter in process.parameters}
        for process in self.program.processes:
            for action in process.setup:
                jumping |= _written(action.operation)
        for edge in self._edges:
            once: set[Variable] = set()
            for action in edge.actions:
                operation = action.operation
                written = _written(operation)
                if not (isinstance(operation, Assign) and _by_one(operation)) or written & once:
                    jumping |= written
                once |= written
            changed |= once
        # A new process has values of its own, and a process that ends takes them with it.
        local = {variable for variable in every if variable.scope is Scope.LOCAL}
        return frozenset((every & changed) - jumping - local)

    def is_settled(self, expression: Expression) -> bool:
        """Does it have the same value for ever, for one process? Then the channel it names is always the same."""
        match expression:
            case ChannelIdentity() | Constant() | OwnPid():
                return True
            case ChannelElement(_, index):
                return self.is_settled(index)
            case Read(place):
                indices = all(self.is_settled(index.value) for index in place.indices)
                return indices and place.variable not in self._written_variables
            case Binary(_, left, right):
                return self.is_settled(left) and self.is_settled(right)
            case _:
                return False

    @cached_property
    def _written_variables(self) -> frozenset[Variable]:
        if self.program.embedded is not None:
            return frozenset({*self.program.variables, *(v for p in self.program.processes for v in p.variables)})
        written: set[Variable] = set()
        for edge in self._edges:
            for action in edge.actions:
                written |= _written(action.operation)
        return frozenset(written)


def _written(operation: object) -> set[Variable]:
    """The variables that an operation, or one inside it, may change."""
    found: set[Variable] = set()
    for node in nodes_of(operation):
        match node:
            case Assign(place, _) | Reset(place) | Bind(place):
                found.add(place.variable)
            case Run(_, _, Place() as result):
                found.add(result.variable)
            case _:
                pass
    return found


def _by_one(assign: Assign) -> bool:
    """``x = x + 1``, ``x = x - 1``. From the last value of its type to the first is one step, too."""
    place = assign.place
    match assign.value:
        case Binary(BinaryOperator.ADD | BinaryOperator.SUBTRACT, Read(read), Constant(1)):
            return read == place
        case _:
            return False


def run_later(program: Program) -> set[ProcessType]:
    """The types of processes that a run creates."""
    return {
        node.process
        for process in program.processes
        for location in process.locations
        for edge in location.edges
        for action in edge.actions
        for node in nodes_of(action.operation)
        if isinstance(node, Run)
    }
