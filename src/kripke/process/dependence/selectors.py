"""What the values of a state tell about the steps at hand: ``flag[j] == 0`` looks at one element, the one ``j`` means.

A step at the present location of its process finds the local variables as they are now, and global ones, too, unless
somebody changes what it reads. So the values that its subscripts, channels and comparisons have now say more than is
known of the same statement at any time. A *selector* is such an expression; the selectors of a location make a number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kripke.process.dependence.footprint import variables_read
from kripke.process.dependence.stability import assigned_in
from kripke.process.expressions import (
    AskChannel,
    Binary,
    ChannelElement,
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
    Edge,
    Location,
    Operation,
    Receive,
    Scope,
    Send,
    Variable,
)

#: selectors of one location are told apart by a number below this
MOST_SELECTORS = 1 << 31
_MOST_CHANNELS = 1 << 10
_SMALL = 1 << 8


@dataclass(frozen=True, slots=True)
class Selector:
    """An expression, of which the values from 0 up to but not including ``count`` are told apart."""

    expression: Expression
    count: int


def selectors_of(location: Location) -> tuple[Selector, ...]:
    """What is worth knowing about the edges of a location, as far as it can be told apart: subscripts first."""
    wanted: list[dict[Expression, int]] = [{}, {}, {}]
    for edge in location.edges:
        changed: set[Variable] = set()
        for operation in _in_order(edge):
            for rank, expression, count in _wanted(operation):
                if not variables_read(expression) & changed:
                    wanted[rank].setdefault(expression, count)
            changed |= assigned_in(operation)
    selectors: dict[Expression, Selector] = {}
    size = 1
    for expression, count in (item for rank in wanted for item in rank.items()):
        if expression not in selectors and size * count < MOST_SELECTORS:
            selectors[expression] = Selector(expression, count)
            size *= count
    return tuple(selectors.values())


def _in_order(edge: Edge) -> Iterator[Operation]:
    """The operations of an edge as far as they surely follow one another."""
    for action in edge.actions:
        if not isinstance(action.operation, DeterministicStep):
            yield action.operation
            continue
        code, number = action.operation.code, 0
        seen: set[int] = set()
        while number >= 0:
            operation = code[number].operation
            if isinstance(operation, Choose) or number in seen:
                return
            seen.add(number)
            yield operation
            number = code[number].next


def _wanted(operation: Operation) -> Iterator[tuple[int, Expression, int]]:
    """Expressions whose values tell something, by rank."""
    for node in nodes_of(operation):
        match node:
            case Index(value, count, _) if _is_simple(value):
                yield 0, value, count
            case ChannelElement(channels, index) if _is_simple(index):
                yield 0, index, len(channels)
            case Send(channel, _, _) | AskChannel(_, channel) | Poll(channel, _, _) | Receive(channel, _, _, _) if (
                _is_simple(channel)
            ):
                yield 0, channel, _MOST_CHANNELS
            case Binary(_, left, right):
                for side, other in ((left, right), (right, left)):
                    if isinstance(side, Read) and _is_simple(other) and _is_local(other):
                        yield 1, other, _SMALL
            case Assign(place, Read() as value) if place.variable.scope is Scope.GLOBAL:
                if _is_simple(value) and _is_local(value):
                    yield 2, value, _SMALL
            case _:
                pass


def _is_simple(expression: Expression) -> bool:
    """Does it look at variables, and at nothing else?"""
    nodes = list(nodes_of(expression))
    simple = all(isinstance(n, Constant | OwnPid | Read | Place | Index | Unary | Binary | Conditional) for n in nodes)
    return simple and any(isinstance(node, Read) for node in nodes)


def _is_local(expression: Expression) -> bool:
    """Does it look at variables of its process only?"""
    return all(variable.scope is Scope.LOCAL for variable in variables_read(expression))
