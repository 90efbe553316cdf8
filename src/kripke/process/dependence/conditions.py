"""Why an edge is disabled: the conditions of its first operation, as expressions, in the order of their numbers.

Condition 0 of every transition is that its process is at its location; these are the conditions from 1 on.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile

from kripke.process.dependence.guards import conjuncts
from kripke.process.dependence.stability import assigned_by
from kripke.process.dependence.values import PossibleValues
from kripke.process.expressions import (
    AskChannel,
    Binary,
    ChannelElement,
    ChannelIdentity,
    ChannelQuestion,
    Conditional,
    Constant,
    Expression,
    Index,
    OwnPid,
    Place,
    Poll,
    Read,
    Unary,
)
from kripke.process.nodes import nodes_of
from kripke.process.program import (
    Assign,
    Choose,
    DeterministicStep,
    Discard,
    Edge,
    Guard,
    Operation,
    ProcessType,
    Program,
    Receive,
    Reset,
    Scope,
    Send,
    Skip,
    Variable,
)


@dataclass(frozen=True, slots=True)
class Conditions:
    """``in_turn``: a condition has a meaning only where those before it are true."""

    parts: tuple[Expression, ...]
    in_turn: bool = False


def leading(operation: Operation | Choose) -> Operation | Choose:
    """The operation that decides whether another blocks: of a deterministic step, its first, if that is simple."""
    if isinstance(operation, DeterministicStep):
        first = operation.code[0].operation
        return first if isinstance(first, Guard | Assign | Reset | Discard | Skip) else operation
    return operation


def conditions_of(operation: Operation | Choose) -> Conditions | None:
    """None where they cannot be told without trying. Of a send: that there is room; a rendezvous needs more.

    ``Else`` and ``Terminate`` have conditions about other edges and other processes, which are not expressions.
    """
    match leading(operation):
        case Guard(condition):
            return Conditions(tuple(conjuncts(condition)))
        case Send(channel, _, _):
            return Conditions((AskChannel(ChannelQuestion.NOT_FULL, channel),))
        case Receive(channel, patterns, anywhere, _):
            there = AskChannel(ChannelQuestion.NOT_EMPTY, channel)
            return Conditions((there, Poll(channel, patterns, anywhere)), in_turn=True)
        case DeterministicStep():
            return None
        case _:
            return Conditions(())


@dataclass(frozen=True, slots=True)
class Distant:
    """Conditions of an edge that mean the same wherever its process is, with their numbers: about what is global.

    One that is false keeps the edge from being enabled before somebody makes it true, wherever its process goes.
    ``number`` is that of the edge, counted through its process.
    """

    number: int
    location: int
    conditions: tuple[tuple[int, Expression], ...]


def distant_conditions(process: ProcessType, program: Program, values: PossibleValues) -> list[Distant]:
    """Those of the first edges that have some."""
    found: list[Distant] = []
    number = 0
    for place, location in enumerate(process.locations):
        for edge in location.edges:
            conditions = _distant_conditions(process, place, edge, program, values)
            if conditions and len(found) < MOST_DISTANT:
                found.append(Distant(number, place, tuple(conditions)))
            number += 1
    return found


def _distant_conditions(
    process: ProcessType, place: int, edge: Edge, program: Program, values: PossibleValues
) -> list[tuple[int, Expression]]:
    operation = leading(edge.actions[0].operation) if edge.actions else Skip()
    match operation:
        case Guard() | Send() | Receive():
            conditions = conditions_of(operation)
        case _:
            return []
    if conditions is None or program.priorities:
        return []
    own = {variable for variable in process.variables if variable.scope is Scope.LOCAL}
    fixed = own - assigned_by(process) if isinstance(operation, Guard) else set()
    parts = conditions.parts[:1] if conditions.in_turn else conditions.parts
    if isinstance(operation, Guard):
        # What comes behind a part that may fail keeps the edge from being taken, but not from going wrong.
        sure = takewhile(lambda fails: not fails, values.may_fail(process, place, parts))
        parts = parts[: sum(1 for _ in sure) + 1]
    return [
        (number, part)
        for number, part in enumerate(parts, start=1)
        if number <= MOST_CONDITIONS and _is_distant(part, own - fixed)
    ]


#: conditions of an edge that are told apart
MOST_CONDITIONS = 30
#: edges of a process of which conditions are looked at from elsewhere
MOST_DISTANT = 48


def _is_distant(condition: Expression, changing: set[Variable]) -> bool:
    if isinstance(condition, Constant):
        return False
    for node in nodes_of(condition):
        match node:
            case Read(place):
                if place.variable in changing:
                    return False
            case AskChannel(_, channel):
                if not _is_buffer(channel):
                    return False
            case Constant() | OwnPid() | Place() | Index() | Unary() | Binary() | Conditional():
                pass
            case ChannelIdentity() | ChannelElement():
                pass
            case _:
                return False
    return True


def _is_buffer(channel: Expression) -> bool:
    match channel:
        case ChannelIdentity(declared):
            return declared.capacity > 0
        case ChannelElement(channels, _):
            return channels[0].capacity > 0
        case _:
            return False
