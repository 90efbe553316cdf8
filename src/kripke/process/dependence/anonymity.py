"""Does it matter which number a process has, and when one that has ended disappears?

Processes are numbered in the order of their creation, and only the youngest can disappear, so that creation and end of
processes depend on each other. Where nothing looks at the numbers, two states that differ only in them, or in processes
at their end, go on alike: there creations accord with each other and with ends.

Channels of processes are numbered with them. Their numbers do not matter if they are only used as channels and handed
to processes that one creates: these are gone when the channel is, since only the youngest process disappears.
"""

from __future__ import annotations

from collections.abc import Iterable

from kripke.process.expressions import (
    AskChannel,
    AtLocation,
    Bind,
    ChannelElement,
    ChannelIdentity,
    Enabled,
    Expression,
    OwnPid,
    Poll,
    Priority,
    ProcessCount,
    ProgramCounter,
    Read,
    RemoteRead,
)
from kripke.process.nodes import nodes_of
from kripke.process.program import (
    Assign,
    CCode,
    ProcessType,
    Program,
    Receive,
    Run,
    Send,
    SetPriority,
    Terminate,
)

#: fewer processes than this never reach the limit of their number
_FEW = 200

_LOOKS_AT_NUMBERS = (
    OwnPid,
    ProcessCount,
    AtLocation,
    RemoteRead,
    Enabled,
    ProgramCounter,
    Priority,
    SetPriority,
    CCode,
)


def numbers_matter(program: Program, asked: Iterable[Expression]) -> bool:
    """Could a program, or what is asked about it, tell processes by their numbers?"""
    if program.priorities or program.last is not None:
        return True
    parts: list[object] = list(asked)
    for process in program.processes:
        parts.append(process.provided)
        parts += [action.operation for action in process.setup]
        parts += [
            action.operation for location in process.locations for edge in location.edges for action in edge.actions
        ]
    for part in parts:
        for node in nodes_of(part):
            if isinstance(node, _LOOKS_AT_NUMBERS) or (isinstance(node, Run) and node.result is not None):
                return True
    if any(process.channels for process in program.processes) and not all(map(_hands_down, parts)):
        return True
    created = _Created()
    return sum(created.by(start.process) for start in program.initial) > _FEW


def _hands_down(part: object) -> bool:
    """Are channels only used as such, and handed to new processes, never assigned?"""
    named = used = 0
    for node in nodes_of(part):
        match node:
            case ChannelIdentity() | ChannelElement():
                named += 1
            case Read(place) if place.variable.is_channel:
                named += 1
            case Assign(place, _) | Bind(place) if place.variable.is_channel:
                return False
            case Send(channel, _, _) | Receive(channel, _, _, _) | AskChannel(_, channel) | Poll(channel, _, _):
                used += _names_channel(channel)
            case Run(_, arguments, _, _):
                used += sum(map(_names_channel, arguments))
            case _:
                pass
    return named == used


def _names_channel(expression: Expression) -> bool:
    match expression:
        case ChannelIdentity() | ChannelElement():
            return True
        case Read(place):
            return place.variable.is_channel
        case _:
            return False


class _Created:
    """How many processes there are at most because of one: itself, and all that it creates."""

    def __init__(self) -> None:
        self._known: dict[int, int] = {}

    def by(self, process: ProcessType) -> int:
        if id(process) not in self._known:
            self._known[id(process)] = _FEW + 1  # who creates its like, creates any number
            total = 1
            for number, location in enumerate(process.locations):
                for edge in location.edges:
                    for node in nodes_of(tuple(action.operation for action in edge.actions)):
                        if isinstance(node, Run):
                            again = _leads_to(process, edge.target, number)
                            total += _FEW + 1 if again else self.by(node.process)
            self._known[id(process)] = min(total, _FEW + 1)
        return self._known[id(process)]


def _leads_to(process: ProcessType, start: int, goal: int) -> bool:
    seen, waiting = {start}, [start]
    while waiting:
        location = waiting.pop()
        if location == goal:
            return True
        for edge in process.locations[location].edges:
            is_end = any(isinstance(action.operation, Terminate) for action in edge.actions)
            if not is_end and edge.target not in seen:
                seen.add(edge.target)
                waiting.append(edge.target)
    return False
