"""Statements that look like mistakes: constants that do not fit, decided conditions, statements no run can reach.

Nothing is changed; front ends show what is found. Only what is certain is reported: a value set is known where every
assignment to a variable is a constant, everything else has the range of its type.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from kripke.model.source import Diagnostic, Span
from kripke.process.expressions import (
    Binary,
    BinaryOperator,
    Bind,
    ChannelElement,
    ChannelIdentity,
    Constant,
    Expression,
    IntType,
    Read,
    Unary,
    UnaryOperator,
)
from kripke.process.flow import Graph, Kind, Node
from kripke.process.intervals import Interval, interval_of
from kripke.process.program import (
    Assert,
    Assign,
    Discard,
    Else,
    Guard,
    Operation,
    Print,
    Program,
    Receive,
    Reset,
    Run,
    Send,
    Skip,
    Terminate,
    Variable,
)

_WRITES_NOTHING = (Guard, Else, Send, Assert, Print, Skip, Terminate, Discard)
_MIRRORED = {
    BinaryOperator.LESS: BinaryOperator.GREATER,
    BinaryOperator.LESS_EQUAL: BinaryOperator.GREATER_EQUAL,
    BinaryOperator.GREATER: BinaryOperator.LESS,
    BinaryOperator.GREATER_EQUAL: BinaryOperator.LESS_EQUAL,
}

#: the values of variables all of whose assignments are constants
Values = dict[Variable, frozenset[int]]


def find_suspicious(program: Program, graphs: list[Graph]) -> list[Diagnostic]:
    """What is suspicious in the statements of a program, in the order of the text."""
    values = constant_values(program, graphs)
    found: dict[tuple[str, Span], Diagnostic] = {}
    # The body of an inline and the statements of a macro share a place: all of them have to agree.
    conditions: dict[Span, set[bool | None]] = {}
    reached: dict[Span, set[bool | None]] = {}
    for graph in graphs:
        unreached = _unreached(graph)
        for node in graph:
            if node.span is None:
                continue
            if _counts(node):
                reached.setdefault(node.span, set()).add(unreached.get(id(node)))
            if id(node) in unreached:
                continue
            for operation in node.operations:
                for message in _misfits(operation):
                    found[message, node.span] = Diagnostic(message, node.span, category="out-of-range")
                if isinstance(operation, Guard):
                    conditions.setdefault(node.span, set()).add(decided(operation.condition, values))
    warnings = list(found.values())
    warnings += [
        Diagnostic("this condition always holds", span, category="always-holds")
        if True in outcomes
        else Diagnostic("this condition can never hold", span, category="never-holds")
        for span, outcomes in conditions.items()
        if len(outcomes) == 1 and None not in outcomes
    ]
    warnings += [
        Diagnostic("no run can reach this statement", span, category="unreachable")
        for span, outcomes in reached.items()
        if None not in outcomes and True in outcomes
    ]
    return sorted(warnings, key=lambda warning: (warning.span.file, warning.span.line, warning.span.column))


# --- constants that do not fit ----------------------------------------------------------------------------------------


def _misfits(operation: Operation) -> Iterator[str]:
    match operation:
        case Assign(place, Constant(value)):
            title = f"'{place.variable.name}'" if place.variable.scalar else f"an element of '{place.variable.name}'"
            yield from _misfit(value, place.type, title)
        case Send(ChannelIdentity(channel), values) | Send(ChannelElement((channel, *_), _), values):
            for number, (sent, type_) in enumerate(zip(values, channel.fields, strict=False), start=1):
                if isinstance(sent, Constant):
                    yield from _misfit(sent.value, type_, f"field {number} of '{channel.name}'")


def _misfit(value: int, type_: IntType, title: str) -> Iterator[str]:
    stored = type_.wrap(value)
    if stored != value:
        yield misfit_message(value, type_, title)


def misfit_message(value: int, type_: IntType, title: str) -> str:
    return f"{value} does not fit into {title} ({type_.name}) and becomes {type_.wrap(value)}"


# --- conditions -------------------------------------------------------------------------------------------------------


def constant_values(program: Program, graphs: Iterable[Graph]) -> Values:
    """The values each variable can have, for those that are only ever assigned constants."""
    known: dict[Variable, set[int]] = {}
    for variable in program.variables:
        if variable is not program.last:
            known[variable] = set(variable.initial)
    for process in program.processes:
        for variable in process.variables[len(process.parameters) :]:
            known[variable] = {0, *variable.initial}
    operations = [action.operation for action in program.setup]
    operations += [action.operation for process in program.processes for action in process.setup]
    operations += [operation for graph in graphs for node in graph for operation in node.operations]
    for operation in operations:
        match operation:
            case Assign(place, Constant(value)) | Reset(place, value):
                if place.variable in known:
                    known[place.variable].add(place.type.wrap(value))
            case Assign(place, _):
                known.pop(place.variable, None)
            case Run(_, _, result, _):
                if result is not None:
                    known.pop(result.variable, None)
            case Receive(_, patterns, _, _):
                for pattern in patterns:
                    if isinstance(pattern, Bind):
                        known.pop(pattern.place.variable, None)
            case _ if not isinstance(operation, _WRITES_NOTHING):
                return {}  # an operation that may write anything
    return {variable: frozenset(values) for variable, values in known.items()}


def decided(condition: Expression, values: Values) -> bool | None:
    """Whether a condition always (True) or never (False) holds; None where that depends.

    A part made of constants is meant as it stands (``true``, a switch of the preprocessor) and decides nothing.
    """
    if not _looks_at_state(condition):
        return None
    match condition:
        case Unary(UnaryOperator.NOT, operand):
            inner = decided(operand, values)
            return None if inner is None else not inner
        case Binary(BinaryOperator.LOGICAL_AND, left, right):
            return _both(decided(left, values), decided(right, values))
        case Binary(BinaryOperator.LOGICAL_OR, left, right):
            first, second = decided(left, values), decided(right, values)
            inner = _both(_negated(first), _negated(second))
            return _negated(inner)
        case Binary(operator, left, right) if operator in _MIRRORED or operator in (
            BinaryOperator.EQUAL,
            BinaryOperator.NOT_EQUAL,
        ):
            return _compared(operator, left, right, values)
        case _:
            bounds = _bounds(condition, values)
            if bounds == (0, 0):
                return False
            return True if bounds[0] > 0 or bounds[1] < 0 else None


def _both(first: bool | None, second: bool | None) -> bool | None:
    if first is False or second is False:
        return False
    return True if first and second else None


def _negated(value: bool | None) -> bool | None:
    return None if value is None else not value


def _compared(operator: BinaryOperator, left: Expression, right: Expression, values: Values) -> bool | None:
    if operator in (BinaryOperator.GREATER, BinaryOperator.GREATER_EQUAL):
        return _compared(_MIRRORED[operator], right, left, values)
    a, b = _bounds(left, values), _bounds(right, values)
    match operator:
        case BinaryOperator.LESS:
            return True if a[1] < b[0] else False if a[0] >= b[1] else None
        case BinaryOperator.LESS_EQUAL:
            return True if a[1] <= b[0] else False if a[0] > b[1] else None
        case BinaryOperator.EQUAL:
            return _equal(left, a, right, b, values)
        case _:
            return _negated(_equal(left, a, right, b, values))


def _equal(left: Expression, a: Interval, right: Expression, b: Interval, values: Values) -> bool | None:
    if a[1] < b[0] or b[1] < a[0]:
        return False
    if a == b and a[0] == a[1]:
        return True
    for variable, constant in ((left, right), (right, left)):
        known = _known(variable, values)
        if known is not None and isinstance(constant, Constant) and constant.value not in known:
            return False
    return None


def _known(expression: Expression, values: Values) -> frozenset[int] | None:
    return values.get(expression.place.variable) if isinstance(expression, Read) else None


def _bounds(expression: Expression, values: Values) -> Interval:
    known = _known(expression, values)
    return _ends(known) if known else interval_of(expression)


@lru_cache
def _ends(known: frozenset[int]) -> Interval:
    """A variable of many values is often compared with each of them."""
    return min(known), max(known)


def _looks_at_state(expression: Expression) -> bool:
    match expression:
        case Constant():
            return False
        case Unary(_, operand):
            return _looks_at_state(operand)
        case Binary(_, left, right):
            return _looks_at_state(left) or _looks_at_state(right)
        case _:
            return True


# --- unreachable statements -------------------------------------------------------------------------------------------


def _unreached(graph: Graph) -> dict[int, bool]:
    """The statements no run can reach, by id; True for those that are worth a word.

    Those are the first of each piece: no other unreached statement leads there. Ends of processes and jumps do not
    count, a server never ends.
    """
    reached: set[int] = set()
    # An option that starts with `false` is no part of the graph, and is meant like that.
    waiting = [graph.entry, *(node for node in graph if node.operations == [Guard(Constant(0))])]
    while waiting:
        node = waiting.pop()
        if id(node) in reached:
            continue
        reached.add(id(node))
        waiting.extend(node.options)
        waiting.extend(node.flow)
        waiting.extend(node.escape_flow)
        waiting.extend(node.escapes)
        if node.next is not None:
            waiting.append(node.next)
    unreached = [node for node in graph if id(node) not in reached]
    followed = {id(following) for node in unreached for following in _following(node)}
    return {id(node): _counts(node) and id(node) not in followed for node in unreached}


def _following(node: Node) -> Iterator[Node]:
    if node.kind is not Kind.JUMP:
        yield from node.flow
        yield from node.options


def _counts(node: Node) -> bool:
    return node.kind not in (Kind.JUMP, Kind.END) and bool(node.operations or node.options)
