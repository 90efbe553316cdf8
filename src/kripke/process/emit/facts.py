"""What the emitter must know about a whole program before it writes any part of it."""

from __future__ import annotations

from dataclasses import dataclass

from kripke.process.expressions import ChannelElement, ChannelIdentity, Enabled, Expression, IntType, Timeout
from kripke.process.intervals import interval_of
from kripke.process.nodes import nodes_of
from kripke.process.program import (
    Channel,
    Edge,
    ProcessType,
    Program,
    Receive,
    Run,
    Scope,
    Send,
    Terminate,
    length_bytes,
)


@dataclass(frozen=True, slots=True)
class Shape:
    """What the code for a channel operation depends on besides the channel's place. Numbers count from 1."""

    number: int
    capacity: int
    fields: tuple[IntType, ...]

    @property
    def length_bytes(self) -> int:
        return length_bytes(self.capacity)

    @property
    def message_bytes(self) -> int:
        return sum(type_.size for type_ in self.fields)

    def field_offset(self, field: int) -> int:
        return sum(type_.size for type_ in self.fields[:field])


class Facts:
    """Shapes of channels, which features occur, and how the frames of a state are found.

    ``created``: the process types that can exist; there is no code for others.
    ``fixed_frames``: no process is ever created after the start, so process i always lies at ``fixed_frames[i]``.
    ``constant_length``: none disappears either; every state has this length.
    ``uniform_frame``: every process type has this frame size.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.local_channels = [channel for process in program.processes for channel in process.channels]
        self._shapes: dict[tuple[int, tuple[IntType, ...]], Shape] = {}
        for channel in (*program.channels, *self.local_channels):
            key = (channel.capacity, channel.fields)
            self._shapes.setdefault(key, Shape(len(self._shapes) + 1, *key))
        self.created = _created(program)
        edges = [edge for process in self.created for edge in _edges_of(process)]
        nodes = [node for edge in edges for action in edge.actions for node in nodes_of(action.operation)]
        kinds = {type(node) for node in nodes}
        self.edge_count = len(edges)
        conditions = (*(process.provided for process in program.processes), *program.atoms.values())
        setups = [action.operation for process in program.processes for action in process.setup]
        setups += [action.operation for action in program.setup]
        others = {type(node) for node in nodes_of((conditions, tuple(setups)))}
        self.has_timeout = Timeout in kinds or Timeout in others
        self.asks_enabled = program.priorities or Enabled in kinds or Enabled in others
        firsts = [edge.actions[0].operation for edge in edges]
        self.has_atomic = any(
            edge.atomic and not isinstance(first, Terminate) for edge, first in zip(edges, firsts, strict=True)
        )
        self.has_rendezvous = any(isinstance(first, Send) and self.may_meet(first.channel) for first in firsts)
        sizes = {process.frame_bytes for process in program.processes}
        self.uniform_frame = next(iter(sizes)) if len(sizes) == 1 else None
        self.fixed_frames: list[int] | None = None
        self.constant_length: int | None = None
        self.max_state_bytes = program.max_state_bytes
        if Run not in kinds:
            self._fix_frames(Terminate in kinds)

    def _fix_frames(self, terminates: bool) -> None:
        at, self.fixed_frames = self.program.global_bytes, []
        for initial in self.program.initial:
            self.fixed_frames.append(at)
            at += initial.process.frame_bytes
        self.max_state_bytes = max(1, at)
        if not terminates:
            self.constant_length = at

    @property
    def shapes(self) -> list[Shape]:
        return list(self._shapes.values())

    @property
    def control_points(self) -> int:
        return sum(len(process.locations) for process in self.program.processes)

    def shape_of(self, channel: Channel) -> Shape:
        return self._shapes[channel.capacity, channel.fields]

    def may_meet(self, channel: Expression) -> bool:
        """Can this be a rendezvous channel?"""
        if isinstance(channel, ChannelIdentity):
            return channel.channel.capacity == 0
        if isinstance(channel, ChannelElement):
            return channel.channels[0].capacity == 0
        return any(shape.capacity == 0 for shape in self._shapes.values())

    def met_channel(self, receive: Receive) -> int | None:
        """The global rendezvous channel a receive is for: its identity, 0 for none, None where it is not known now.

        None also where looking may fail: that is a violation to be found at every handshake.
        """
        channel = receive.channel
        if isinstance(channel, ChannelElement) and channel.channels[0].capacity:
            low, high = interval_of(channel.index)
            return 0 if low >= 0 and high < len(channel.channels) else None
        if not isinstance(channel, ChannelIdentity):
            return None
        if channel.channel.capacity:
            return 0
        return channel.channel.number + 1 if channel.channel.scope is Scope.GLOBAL else None


def _edges_of(process: ProcessType) -> list[Edge]:
    return [edge for location in process.locations for edge in location.edges]


def _created(program: Program) -> list[ProcessType]:
    """The process types that a run can create, in order of declaration."""
    reached = [initial.process for initial in program.initial]
    actions = [*program.setup]
    seen: set[ProcessType] = set()
    while reached or actions:
        for node in nodes_of(tuple(action.operation for action in actions)):
            if isinstance(node, Run):
                reached.append(node.process)
        actions = []
        for process in reached:
            if process not in seen:
                seen.add(process)
                actions += process.setup
                actions += [action for edge in _edges_of(process) for action in edge.actions]
        reached = []
    return [process for process in program.processes if process in seen]
