"""Where a rendezvous can take place: the condition on states that a statement of a process has a partner.

For processes that run from the start, channels that are known by name or by number, and messages that match whatever is
in them or by constants. Anything else is not known before the states are.
"""

from __future__ import annotations

from collections.abc import Iterator

from kripke.languages.promela.lowering.expressions import constant_value
from kripke.process.expressions import (
    AtLocation,
    Binary,
    BinaryOperator,
    ChannelElement,
    ChannelIdentity,
    Constant,
    Expression,
    Match,
    OwnPid,
)
from kripke.process.program import Channel, Operation, ProcessType, Program, Receive, Send
from kripke.process.rewrite import rewrite


class Unclear(Exception):
    """Whether there is a partner cannot be said of a state beforehand; the text says why."""


def has_partner(program: Program, pid: int, operation: Send | Receive, started: frozenset[ProcessType]) -> Expression:
    """True in the states in which another process stands where it can take the other part of the rendezvous."""
    channel = _channel(operation, pid)
    if channel is None:
        raise Unclear("which channel it uses depends on data")
    condition: Expression = Constant(0)
    for other, initial in enumerate(program.initial):
        process = initial.process
        if other == pid:
            continue
        places = tuple(
            number for number, partner in _operations(process) if _meets(operation, pid, partner, other, channel)
        )
        if places:
            there = AtLocation(process, Constant(other), tuple(dict.fromkeys(places)))
            condition = there if condition == Constant(0) else Binary(BinaryOperator.LOGICAL_OR, condition, there)
    for process in started:
        if any(_may_use(partner, channel, operation) for _, partner in _operations(process)):
            raise Unclear(f"a process that is started later, {process.name}, may be its partner")
    return condition


def _operations(process: ProcessType) -> Iterator[tuple[int, Operation]]:
    """What a process may do first, from each of its locations."""
    for number, location in enumerate(process.locations):
        for edge in location.edges:
            operation = edge.actions[0].operation
            if isinstance(operation, (Send, Receive)):
                if edge.escape:
                    raise Unclear("there is an 'unless' that sends or receives")
                yield number, operation


def _channel(operation: Send | Receive, pid: int) -> Channel | None:
    """The channel that a process with this pid uses; None where that depends on data."""
    match operation.channel:
        case ChannelIdentity(channel):
            return channel
        case ChannelElement(channels, index):
            number = _value(index, pid)
            return channels[number] if number is not None and 0 <= number < len(channels) else None
    return None


def _value(expression: Expression, pid: int) -> int | None:
    return constant_value(rewrite(expression, lambda node: Constant(pid) if isinstance(node, OwnPid) else node))


def _may_use(operation: Operation, channel: Channel, partner: Send | Receive) -> bool:
    """Is it the other part, perhaps on this channel?"""
    if not isinstance(operation, Receive if isinstance(partner, Send) else Send):
        return False
    match operation.channel:
        case ChannelIdentity(known):
            return known is channel
        case ChannelElement(channels):
            return channel in channels
    return True


def _meets(operation: Send | Receive, pid: int, partner: Operation, other: int, channel: Channel) -> bool:
    """Would process ``other`` with this operation be the partner?"""
    if not _may_use(partner, channel, operation):
        return False
    assert isinstance(partner, (Send, Receive))
    used = _channel(partner, other)
    if used is None:
        raise Unclear("which channel a partner uses depends on data")
    if used is not channel:
        return False
    if isinstance(operation, Send):
        assert isinstance(partner, Receive)
        return _matches(channel, operation, pid, partner, other)
    assert isinstance(partner, Send)
    return _matches(channel, partner, other, operation, pid)


def _matches(channel: Channel, send: Send, sender: int, receive: Receive, receiver: int) -> bool:
    for type_, value, pattern in zip(channel.fields, send.values, receive.patterns, strict=False):
        if not isinstance(pattern, Match):
            continue
        sent, wanted = _value(value, sender), _value(pattern.value, receiver)
        if sent is None or wanted is None:
            raise Unclear("whether messages match depends on data")
        if type_.wrap(sent) != wanted:
            return False
    return True
