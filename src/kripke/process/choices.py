"""Where processes choose, and which sorts of messages there are: what coverage is about."""

from __future__ import annotations

from collections.abc import Iterator

from kripke.model.coverage import Branch, MessageType
from kripke.process.expressions import Bind, Constant, Ignore, Match
from kripke.process.program import Channel, Choose, Operation, Program, Receive, Send


def branches(program: Program) -> Iterator[Branch]:
    """Control points with several ways on, each known by its first statement."""
    for process in program.processes:
        for location in process.locations:
            options = tuple(dict.fromkeys(edge.actions[0].statement for edge in location.edges if edge.actions))
            if len(options) > 1:
                span = location.span or program.statements[options[0]].span
                yield Branch(span, process.name, options)


def message_types(program: Program) -> list[MessageType]:
    """Messages by the name of their first field, where it has names."""
    found: dict[str, tuple[list[int], list[int]]] = {}
    open_ended: tuple[list[int], list[int]] = ([], [])
    for statement, operation in _operations(program):
        if not isinstance(operation, (Send, Receive)):
            continue
        side = 0 if isinstance(operation, Send) else 1
        names = _names(operation)
        if names is None:
            continue
        value = _first(operation)
        if value is None:
            open_ended[side].append(statement)
        elif value in names:
            found.setdefault(names[value], ([], []))[side].append(statement)
    return [
        MessageType(name, tuple(senders), tuple(receivers), tuple(open_ended[0]), tuple(open_ended[1]))
        for name, (senders, receivers) in sorted(found.items())
    ]


def _operations(program: Program) -> Iterator[tuple[int, Operation | Choose]]:
    for process in program.processes:
        for location in process.locations:
            for edge in location.edges:
                for action in edge.actions:
                    yield action.statement, action.operation
                    for instruction in getattr(action.operation, "code", ()):
                        yield instruction.statement, instruction.operation


def _names(operation: Send | Receive) -> dict[int, str] | None:
    """The names of the values of a message's first field; None: it has none, or the channel is known only in a run."""
    channel = getattr(operation.channel, "channel", None)
    channels = getattr(operation.channel, "channels", ())
    if channel is None and channels:
        channel = channels[0]
    if not isinstance(channel, Channel) or not channel.field_names or not channel.field_names[0]:
        return None
    return dict(channel.field_names[0])


def _first(operation: Send | Receive) -> int | None:
    """The first field, where it is always the same."""
    if isinstance(operation, Send):
        first = operation.values[0] if operation.values else None
        return first.value if isinstance(first, Constant) else None
    pattern = operation.patterns[0] if operation.patterns else None
    match pattern:
        case Match(Constant(value)):
            return value
        case Match() | Bind() | Ignore() | None:
            return None
