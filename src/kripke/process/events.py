"""Assertions about sequences of events: which sends and receives of some channels may follow each other.

A monitor is a deterministic automaton that moves along with the sends and receives it watches. Its state is part of
the model's. An event that fits no edge breaks the assertion (and the step goes on); of a negated one, the sequence must
not be completed, and an event that does not fit ends the watch. While there are processes, the model may only rest
where the monitor may.

A record says which of the events that formulas speak of happen in a step. It is part of the state while the step is
made, since an atomic sequence may go several ways, and taken out of it when the step is done.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kripke.process.evaluation import State, read_scalar, write_scalar
from kripke.process.program import Channel, Program, Variable


@dataclass(frozen=True, slots=True)
class Event:
    """A send or receive of a channel with these fields (None: any value), and the state it leads to."""

    is_send: bool
    channel: Channel
    fields: tuple[int | None, ...]
    target: int

    def fits(self, is_send: bool, channel: Channel, message: Sequence[int]) -> bool:
        return (
            self.is_send == is_send
            and self.channel is channel
            and all(wanted is None or wanted == value for wanted, value in zip(self.fields, message, strict=False))
        )

    def overlaps(self, other: Event) -> bool:
        """Is there a message that fits both?"""
        return (
            self.is_send == other.is_send
            and self.channel is other.channel
            and all(a is None or b is None or a == b for a, b in zip(self.fields, other.fields, strict=False))
        )


@dataclass(frozen=True, slots=True)
class Move:
    """A process takes part in a step."""

    pid: int


@dataclass(frozen=True, slots=True)
class Noted:
    """What a statement notes by itself: it stores into the record."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class EventMonitor:
    """``states[i]`` are the events possible in state i, ``ends[i]`` whether the model may rest in it.

    ``end``: the state in which the sequence is complete. ``variable`` keeps the state.
    """

    states: tuple[tuple[Event, ...], ...]
    ends: tuple[bool, ...]
    start: int
    end: int
    negated: bool
    variable: Variable

    def watched(self, is_send: bool) -> list[Channel]:
        """The channels whose sends (or receives) are watched."""
        events = [event for state in self.states for event in state if event.is_send == is_send]
        return list(dict.fromkeys(event.channel for event in events))

    def move(self, state: int, is_send: bool, channel: Channel, message: Sequence[int]) -> tuple[int, bool]:
        """The state after an event, and whether the event breaks the assertion."""
        if state != self.end:
            for event in self.states[state]:
                if event.fits(is_send, channel, message):
                    return event.target, self.negated and event.target == self.end
        return (self.end, False) if self.negated else (state, True)


@dataclass(frozen=True, slots=True, eq=False)
class EventRecord:
    """Bit i of ``variable`` (little-endian) is set once a step has done what the i-th of these names stands for."""

    events: dict[str, Event | Move | Noted]
    variable: Variable

    def of_channels(self) -> list[tuple[int, Event]]:
        """The sends and receives, with their numbers."""
        return [(number, event) for number, event in enumerate(self.events.values()) if isinstance(event, Event)]

    def moves(self) -> dict[int, list[tuple[int, int]]]:
        """Where it is recorded that a process moves, by its pid: places in the state, each with the bit to be set."""
        found: dict[int, list[tuple[int, int]]] = {}
        for number, event in enumerate(self.events.values()):
            if isinstance(event, Move):
                found.setdefault(event.pid, []).append((self.variable.offset + number // 8, 1 << number % 8))
        return found

    def watched(self, is_send: bool) -> list[Channel]:
        """The channels whose sends (or receives) are recorded."""
        return list(dict.fromkeys(event.channel for _, event in self.of_channels() if event.is_send == is_send))

    def note(self, state: bytearray, is_send: bool, channel: Channel, message: Sequence[int]) -> None:
        for number, event in self.of_channels():
            if event.fits(is_send, channel, message):
                state[self.variable.offset + number // 8] |= 1 << number % 8

    def taken_out(self, state: bytes) -> tuple[bytes, int]:
        """The state after a step without the record, and what was recorded."""
        start, end = self.variable.offset, self.variable.offset + self.variable.size
        found = int.from_bytes(state[start:end], "little")
        return (state[:start] + bytes(end - start) + state[end:], found) if found else (state, 0)


class EventWatch:
    """Monitor and record at work on the bytes of a state, for the interpreter."""

    def __init__(self, program: Program) -> None:
        self._monitor, self._record = program.monitor, program.record
        self._watched = {is_send: frozenset(program.watched(is_send)) for is_send in (True, False)}
        self._judged: dict[bool, frozenset[Channel]] = {True: frozenset(), False: frozenset()}
        if program.monitor is not None:
            self._judged = {is_send: frozenset(program.monitor.watched(is_send)) for is_send in (True, False)}

    def breaks(self, state: bytearray, is_send: bool, channel: Channel, message: Sequence[int]) -> bool:
        """Move the monitor; does the event break the assertion?"""
        if channel not in self._watched[is_send]:
            return False
        if self._record is not None:
            self._record.note(state, is_send, channel, message)
        if self._monitor is None or channel not in self._judged[is_send]:
            return False
        type_, at = self._monitor.variable.components[0].type, self._monitor.variable.offset
        after, broken = self._monitor.move(read_scalar(type_, state, at), is_send, channel, message)
        write_scalar(type_, state, at, after)
        return broken

    def may_rest(self, state: State) -> bool:
        if self._monitor is None:
            return True
        variable = self._monitor.variable
        return self._monitor.ends[read_scalar(variable.components[0].type, state, variable.offset)]
