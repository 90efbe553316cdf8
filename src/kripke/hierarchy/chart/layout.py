"""The bytes of states: as a text for charts of any form, and of fixed places for those that are compiled."""

from __future__ import annotations

from typing import Protocol

from kripke.hierarchy.chart.finite import Finite
from kripke.hierarchy.chart.interpreter import MOST_DELAYED, MOST_EVENTS
from kripke.hierarchy.chart.session import Delayed, Event, Session, decode, encode

NOT_STARTED = b"\0"


class Layout(Protocol):
    longest: int

    def encode(self, session: Session | None) -> bytes:
        """None: the chart has not started."""

    def decode(self, state: bytes) -> Session | None: ...


class TextLayout:
    """Of any chart (``session.py``)."""

    longest = 1 << 20

    def encode(self, session: Session | None) -> bytes:
        return encode(session)

    def decode(self, state: bytes) -> Session | None:
        return decode(state)


class PlacedLayout:
    """Running or not (1 or 2); a bit for each state; of every history the same; variables, numbers of four bytes;
    delayed events (number, rest of the delay, name) and waiting ones behind their counts."""

    def __init__(self, finite: Finite) -> None:
        self.finite = finite
        chart = finite.chart
        self.bits = (len(chart.states) + 7) // 8
        self.histories = [state.number for state in chart.states if state.kind in ("shallow", "deep")]
        self.variables = [(variable.name, finite.types[variable.name]) for variable in chart.variables]
        self.fixed = 1 + self.bits * (1 + len(self.histories)) + sum(1 if t.is_bool else 4 for _, t in self.variables)
        self.longest = self.fixed + 2 + MOST_DELAYED * 8 + MOST_EVENTS * 2
        self._events = {name: number for number, name in enumerate(finite.events)}
        self._ids = {name: number for number, name in enumerate(finite.ids)}

    def encode(self, session: Session | None) -> bytes:
        if session is None:
            return NOT_STARTED
        parts = [b"\1" if session.running else b"\2", self._set(session.configuration)]
        parts += [self._set(session.history.get(number, ())) for number in self.histories]
        for name, type_ in self.variables:
            value = session.data[name]
            assert isinstance(value, int)
            parts.append(bytes([value]) if type_.is_bool else (value % 2**32).to_bytes(4, "little"))
        parts.append(bytes([len(session.delayed)]))
        for one in session.delayed:
            numbers = (self._events[one.event.name], one.remaining, self._ids[one.id])
            parts += [n.to_bytes(width, "little") for n, width in zip(numbers, (2, 4, 2), strict=True)]
        parts.append(bytes([len(session.external)]))
        parts += [self._events[event.name].to_bytes(2, "little") for event in session.external]
        return b"".join(parts)

    def _set(self, states: frozenset[int] | tuple[int, ...]) -> bytes:
        return sum(1 << number for number in states).to_bytes(self.bits, "little")

    def decode(self, state: bytes) -> Session | None:
        if state == NOT_STARTED:
            return None
        session = Session(running=state[0] == 1)
        at = 1
        session.configuration = self._states(state, at)
        for number in self.histories:
            at += self.bits
            if kept := self._states(state, at):
                session.history[number] = tuple(sorted(kept))
        at += self.bits
        for name, type_ in self.variables:
            if type_.is_bool:
                session.data[name] = bool(state[at])
                at += 1
            else:
                session.data[name] = int.from_bytes(state[at : at + 4], "little", signed=True)
                at += 4
        delayed = []
        for _ in range(state[at]):
            event, remaining, id_ = (
                int.from_bytes(state[at + a : at + b], "little") for a, b in ((1, 3), (3, 7), (7, 9))
            )
            delayed.append(Delayed(remaining, Event(self.finite.events[event]), self.finite.ids[id_]))
            at += 8
        session.delayed = tuple(delayed)
        at += 1
        session.external = tuple(
            Event(self.finite.events[int.from_bytes(state[at + 1 + 2 * n : at + 3 + 2 * n], "little")])
            for n in range(state[at])
        )
        return session

    def _states(self, state: bytes, at: int) -> frozenset[int]:
        bits = int.from_bytes(state[at : at + self.bits], "little")
        return frozenset(number for number in range(bits.bit_length()) if bits >> number & 1)
