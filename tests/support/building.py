"""Building process programs by hand: short names for the parts, statements numbered on the way."""

from __future__ import annotations

from collections.abc import Sequence

from kripke.model.model import Statement
from kripke.model.source import NOWHERE, Span
from kripke.process.expressions import (
    Binary,
    BinaryOperator,
    ChannelIdentity,
    Constant,
    Expression,
    Index,
    IntType,
    Place,
    Read,
)
from kripke.process.layout import place_program
from kripke.process.program import (
    Action,
    Channel,
    Component,
    Edge,
    InitialProcess,
    Location,
    Operation,
    ProcessType,
    Program,
    Reset,
    Scope,
    Variable,
)

BIT = IntType("bit", 1, False)
BYTE = IntType("byte", 8, False)
SHORT = IntType("short", 16, True)
INT = IntType("int", 32, True)
THREE_BITS = IntType("unsigned", 3, False)
TWELVE_BITS = IntType("unsigned", 12, False)
SIGNED_BYTE = IntType("char", 8, True)


def variable(
    name: str, type_: IntType = BYTE, count: int = 0, initial: int | Sequence[int] = 0, scope: Scope = Scope.GLOBAL
) -> Variable:
    """A scalar, or an array of ``count`` elements."""
    length = count or 1
    values = tuple(initial) if isinstance(initial, Sequence) else (initial,) * length
    components = tuple(Component(f"[{i}]" if count else "", type_, i * type_.size) for i in range(length))
    return Variable(name, scope, type_.name, components, length * type_.size, values, not count, NOWHERE)


def local(name: str, type_: IntType = BYTE, count: int = 0, initial: int | Sequence[int] = 0) -> Variable:
    return variable(name, type_, count, initial, Scope.LOCAL)


def channel(name: str, capacity: int, fields: Sequence[IntType], number: int, scope: Scope = Scope.GLOBAL) -> Channel:
    return Channel(name, scope, capacity, tuple(fields), number, NOWHERE)


def place(variable: Variable, index: Expression | int | None = None) -> Place:
    type_ = variable.components[0].type
    if index is None:
        return Place(variable, type_)
    value = Constant(index) if isinstance(index, int) else index
    return Place(variable, type_, 0, (Index(value, len(variable.components), type_.size),))


def read(variable: Variable, index: Expression | int | None = None) -> Read:
    return Read(place(variable, index))


def binary(symbol: str, left: Expression | int, right: Expression | int) -> Binary:
    return Binary(BinaryOperator(symbol), _expression(left), _expression(right))


def identity(channel: Channel) -> ChannelIdentity:
    return ChannelIdentity(channel)


def _expression(value: Expression | int) -> Expression:
    return Constant(value) if isinstance(value, int) else value


class Builder:
    """Collects the statements of a program under construction."""

    def __init__(self) -> None:
        self.statements: list[Statement] = []

    def statement(self, text: str) -> int:
        self.statements.append(Statement(text, Span("hand.pml", len(self.statements) + 1, 1, 1, 1), "P"))
        return len(self.statements) - 1

    def action(self, operation: Operation) -> Action:
        return Action(operation, self.statement(repr(operation)[:300]))

    def edge(self, target: int, *operations: Operation, atomic: bool = False) -> Edge:
        """An edge whose operations are statements of their own; a reset belongs to the statement before it."""
        actions: list[Action] = []
        for operation in operations:
            if isinstance(operation, Reset) and actions:
                actions.append(Action(operation, actions[-1].statement))
            else:
                actions.append(self.action(operation))
        return Edge(tuple(actions), target, atomic)

    def program(
        self,
        processes: Sequence[ProcessType],
        initial: Sequence[ProcessType | InitialProcess],
        variables: Sequence[Variable] = (),
        channels: Sequence[Channel] = (),
        atoms: dict[str, Expression] | None = None,
        setup: Sequence[Action] = (),
    ) -> Program:
        started = [i if isinstance(i, InitialProcess) else InitialProcess(i) for i in initial]
        program = Program(
            "hand */ made\n",
            tuple(variables),
            tuple(channels),
            tuple(processes),
            tuple(started),
            tuple(self.statements),
            tuple(setup),
            atoms or {},
        )
        place_program(program)
        return program


def process(name: str, *locations: Sequence[Edge], end: Sequence[int] = (), **more: object) -> ProcessType:
    """A process type from the edges of its locations; ``end`` are the locations where it may rest."""
    placed = tuple(Location(tuple(edges), end=i in end) for i, edges in enumerate(locations))
    return ProcessType(name, locations=placed, **more)  # type: ignore[arg-type]
