"""Does it matter which number a process has, and when one that has ended disappears?

Processes are numbered in the order of their creation, and only the youngest can disappear, so that creation and end of
processes depend on each other. Where nothing looks at the numbers, two states that differ only in them, or in processes
at their end, go on alike: there creations accord with each other and with ends. A variable that gets the number of a
new process and is never read does not look at it.

Channels of processes are numbered with them. Their numbers do not matter if they are only used as channels and handed
to processes that one creates: these are gone when the channel is, since only the youngest process disappears. If they
may matter, they are still the same as long as processes that bring channels are created in the same order, and none of
them ever disappears.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from enum import Enum

from kripke.process.dependence.stability import operations_of
from kripke.process.expressions import (
    AskChannel,
    AtLocation,
    Bind,
    ChannelElement,
    ChannelIdentity,
    Enabled,
    Expression,
    OwnPid,
    Place,
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
    Channel,
    DeterministicStep,
    Edge,
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


class Numbers(Enum):
    """Which numbers a program, or what is asked about it, could look at."""

    NONE = "none"
    CHANNELS = "channels"  # those of channels, which never disappear; not those of processes
    PROCESSES = "processes"  # those of processes, and so those of their channels


def numbers_that_matter(program: Program, asked: Iterable[Expression]) -> Numbers:
    """Could a program, or what is asked about it, tell processes, or channels, by their numbers?"""
    if program.priorities or program.last is not None:
        return Numbers.PROCESSES
    parts: list[object] = list(asked)
    for process in program.processes:
        parts.append(process.provided)
        parts += [action.operation for action in process.setup]
        parts += [
            action.operation for location in process.locations for edge in location.edges for action in edge.actions
        ]
    nodes = [node for part in parts for node in nodes_of(part)]
    read = {node.place.variable for node in nodes if isinstance(node, Read)}
    for node in nodes:
        match node:
            case Run(_, _, Place(variable), None) if variable in read:
                return Numbers.PROCESSES
            case _ if isinstance(node, _LOOKS_AT_NUMBERS):
                return Numbers.PROCESSES
            case _:
                pass
    bounds = _Bounds(program)
    if sum(map(bounds.processes_of, program.processes)) > _FEW:
        return Numbers.PROCESSES
    owners = [process for process in program.processes if process.channels]
    if not owners or all(map(_hands_down, parts)):
        return Numbers.NONE
    most_channels = len(program.channels) + sum(len(owner.channels) * bounds.processes_of(owner) for owner in owners)
    return Numbers.CHANNELS if most_channels <= _FEW and _last(program, owners) else Numbers.PROCESSES


def _last(program: Program, owners: Iterable[ProcessType]) -> bool:
    """Do processes of these types never disappear?

    One that lasts has no end, or creates another that lasts before it comes to it: a younger one, which keeps it.
    """
    lasting = list(program.processes)
    while gone := [process for process in lasting if may_end_before(process, lasting)]:
        lasting = [process for process in lasting if process not in gone]
    return all(owner in lasting for owner in owners)


def may_end_before(process: ProcessType, creations: Container[ProcessType] = ()) -> bool:
    """Is there a way from its entry to its end on which it creates none of these?"""
    edges = [edge for location in process.locations for edge in location.edges]
    keeping = {id(edge) for edge in edges if _surely_creates(edge, creations)}
    ends = [
        number
        for number, location in enumerate(process.locations)
        if any(isinstance(node, Terminate) for edge in location.edges for node in _inside(edge))
    ]
    return any(_leads_to(process, process.entry, end, keeping) for end in ends)


def _surely_creates(edge: Edge, types: Container[ProcessType]) -> bool:
    return any(isinstance(action.operation, Run) and action.operation.process in types for action in edge.actions)


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
            case Run(process, arguments, _, _):
                given = zip(process.parameter_scalars(), arguments, strict=False)
                used += sum(variable.is_channel and _names_channel(argument) for (variable, _), argument in given)
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


class _Bounds:
    """How often things happen in a run, at most, as far as the text tells; ``_FEW + 1`` for more than a few.

    An edge that its process cannot come back to happens once for every process of the type. One that cannot be come to,
    or come back to, but through a receive from some channel happens as often as there are messages for it: so processes
    may create their like, as long as each creation takes a message that nobody sends for ever.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._edges = [
            (process, number, edge)
            for process in program.processes
            for number, location in enumerate(process.locations)
            for edge in location.edges
        ]
        #: is no channel meant by anything but its name, or what a process was given for it?
        self._names_only = all(map(_gives_channels, program.processes))
        self._asked: set[object] = set()
        self._known: dict[object, int] = {}

    def processes_of(self, process: ProcessType) -> int:
        """How many there ever are of a type."""
        return self._bound(id(process), lambda: self._created(process))

    def _created(self, process: ProcessType) -> int:
        total = sum(start.process is process for start in self._program.initial)
        for creator, number, edge in self._edges:
            creations = sum(isinstance(node, Run) and node.process is process for node in _inside(edge))
            if creations:
                total += creations * self._times(creator, number, edge)
        return total

    def _times(self, process: ProcessType, number: int, edge: Edge) -> int:
        """How often an edge is taken."""
        return self._bound(id(edge), lambda: self._count(process, number, edge))

    def _count(self, process: ProcessType, number: int, edge: Edge) -> int:
        if any(isinstance(node, DeterministicStep) for node in _inside(edge)):
            return _FEW + 1  # it may do something again and again
        bounds = [_FEW + 1]
        if not _leads_to(process, edge.target, number):
            bounds.append(self.processes_of(process))
        for channel in self._program.channels if self._names_only else ():
            fed = {id(other) for place in process.locations for other in place.edges if _takes_from(other, channel)}
            starts = (process.entry, edge.target)
            if fed and id(edge) not in fed and not any(_leads_to(process, start, number, fed) for start in starts):
                bounds.append(self._messages(channel))
        return min(bounds)

    def _messages(self, channel: Channel) -> int:
        """How many messages are ever sent to a channel that is known by its name only."""
        return self._bound(id(channel), lambda: self._sent(channel))

    def _sent(self, channel: Channel) -> int:
        total = 0
        for process, number, edge in self._edges:
            nodes = list(_inside(edge))
            named = sum(isinstance(node, ChannelIdentity) and node.channel is channel for node in nodes)
            sent = sum(isinstance(node, Send) and _is(node.channel, channel) for node in nodes)
            received = (isinstance(n, Receive | AskChannel | Poll) and _is(n.channel, channel) for n in nodes)
            used = sent + sum(received)
            if named != used or any(isinstance(node, ChannelElement) and channel in node.channels for node in nodes):
                return _FEW + 1
            if sent:
                total += sent * self._times(process, number, edge)
        return total

    def _bound(self, key: object, find: Callable[[], int]) -> int:
        """What depends on itself has no bound."""
        if key not in self._known:
            if key in self._asked:
                return _FEW + 1
            self._asked.add(key)
            found = min(find(), _FEW + 1)
            self._asked.remove(key)
            if found > _FEW and self._asked:
                return found  # perhaps only since something was asked for twice
            self._known[key] = found
        return self._known[key]


def _inside(edge: Edge) -> Iterator[object]:
    return nodes_of(tuple(action.operation for action in edge.actions))


def _gives_channels(process: ProcessType) -> bool:
    """Are variables for channels never assigned, and new processes given channels for them?"""
    operations = (*operations_of(process), *(action.operation for action in process.setup))
    if not all(map(_hands_down, operations)):
        return False
    return all(
        _names_channel(argument)
        for node in nodes_of(operations)
        if isinstance(node, Run)
        for parameter, argument in zip(node.process.parameters, node.arguments, strict=False)
        if parameter.is_channel
    )


def _is(expression: Expression, channel: Channel) -> bool:
    return isinstance(expression, ChannelIdentity) and expression.channel is channel


def _takes_from(edge: Edge, channel: Channel) -> bool:
    """Does it begin with taking a message from a channel?"""
    first = edge.actions[0].operation if edge.actions else None
    return isinstance(first, Receive) and not first.keep and _is(first.channel, channel)


def _leads_to(process: ProcessType, start: int, goal: int, without: Container[int] = ()) -> bool:
    """Is there a way from a location to another, but by some edges?"""
    seen, waiting = {start}, [start]
    while waiting:
        location = waiting.pop()
        if location == goal:
            return True
        for edge in process.locations[location].edges:
            if not edge.terminates and id(edge) not in without and edge.target not in seen:
                seen.add(edge.target)
                waiting.append(edge.target)
    return False
