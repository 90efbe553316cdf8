"""The state of a chart as variables of terms.

Of every compound state a variable says which of its children is active (0: none), of every history the same for what it
keeps. Waiting events are in slots, as are delayed ones, which are sorted by time; 0 is an empty slot. Time is in units
of the greatest common divisor of all delays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import gcd
from typing import TYPE_CHECKING

from kripke.hierarchy.chart.courses import Kept
from kripke.hierarchy.chart.finite import Finite
from kripke.hierarchy.chart.interpreter import MOST_DELAYED, MOST_EVENTS
from kripke.hierarchy.chart.session import Delayed, Event, Session
from kripke.hierarchy.chart.structure import Emit, Send
from kripke.terms.sort import BOOLEAN, integers
from kripke.terms.term import Symbol

if TYPE_CHECKING:
    from kripke.hierarchy.chart.model import ChartModel

_FLAG = -1  # instead of a compound state: does a history of a parallel state keep anything?


class Places:
    """``room``: how many events the slots have room for, beside those that the environment may send ahead."""

    def __init__(self, model: ChartModel, finite: Finite, room: int) -> None:
        from kripke.hierarchy.chart.model import actions_of

        self.model, self.finite, self.chart = model, finite, finite.chart
        chart = self.chart
        self.inner = {
            s.number: [child for child in s.children if not chart.is_history(child)]
            for s in chart.states
            if chart.compound(s.number)
        }
        self.child = {
            number: Symbol(chart.states[number].id or "chart", integers(0, len(inner)))
            for number, inner in self.inner.items()
        }
        self.histories = [s.number for s in chart.states if s.kind in ("shallow", "deep")]
        self.kept = {
            (history, place): Symbol(
                f"{chart.states[history].id}.{place}",
                BOOLEAN if place == _FLAG else integers(0, len(self.inner[place])),
            )
            for history in self.histories
            for place in self.kept_places(history)
        }
        self.data = [
            Symbol(v.name, BOOLEAN if finite.types[v.name].is_bool else integers(-(2**31), 2**31 - 1))
            for v in chart.variables
        ]
        actions = list(actions_of(chart))
        sends = [a for a in actions if isinstance(a, Send) and a.target != "#_internal"]
        later = [send for send in sends if send.delay]
        self.kinds = list(dict.fromkeys((str(send.event), send.id) for send in later))
        self.unit = gcd(*model.delays) if model.delays else 1
        slots = min(MOST_DELAYED, 2 * room) if self.kinds else 0
        longest = max(model.delays, default=0) // self.unit
        self.rest = [Symbol(f"delay{n}", integers(0, longest)) for n in range(slots)]
        self.kind = [Symbol(f"delayed{n}", integers(0, max(0, len(self.kinds) - 1))) for n in range(slots)]
        own = len(sends) > len(later) or any(isinstance(a, Emit) and not a.output for a in actions)
        deferred = sum(any(s.deferred for s in chart.states) for _ in model.environment.events)
        ahead = model.environment.queue if model.environment.queue > 1 else 0
        waiting = min(MOST_EVENTS, ahead + deferred + slots + (2 * room if own else 0))
        self.waiting = [Symbol(f"waiting{n}", integers(0, len(finite.events))) for n in range(waiting)]
        self.running = Symbol("running", BOOLEAN)
        self.variables: list[Symbol] = [
            self.running, *self.child.values(), *self.data, *self.kept.values(), *self.waiting,
            *(symbol for pair in zip(self.rest, self.kind, strict=True) for symbol in pair),
        ]  # fmt: skip
        self._events = {name: number for number, name in enumerate(finite.events)}

    def event(self, name: str) -> int:
        """As a slot has it."""
        return 1 + self._events[name]

    def kept_places(self, history: int) -> list[int]:
        """The compound states of which a history keeps something."""
        chart, state = self.chart, self.chart.states[history]
        parent = chart.states[state.parent]
        flag = [_FLAG] if parent.kind == "parallel" else []
        if state.kind == "shallow":
            return flag or [parent.number]
        return flag + [number for number in self.inner if parent.number <= number <= parent.last]

    def contents(self, history: int, states: Sequence[int] | None) -> Iterator[tuple[int, int]]:
        """The values of what a history keeps, by place. Of places that do not matter nothing is said."""
        chart, parent = self.chart, self.chart.states[history].parent
        active = {number for state in states or () for number in (state, *chart.ancestors(state, parent))}
        for place in self.kept_places(history):
            if place == _FLAG:
                yield place, int(states is not None)
            else:
                here = [index for index, child in enumerate(self.inner[place], start=1) if child in active]
                yield place, here[0] if here else 0

    def deciding(self, kept: Kept) -> Iterator[tuple[tuple[int, int], int]]:
        for history, states in kept.items():
            for place, value in self.contents(history, states):
                yield (history, place), value

    # --- states -------------------------------------------------------------------------------------------------------

    def values(self, state: bytes) -> tuple[int, ...]:
        session = self.model.layout.decode(state)
        assert session is not None
        found: dict[Symbol, int] = {self.running: int(session.running)}
        for number, inner in self.inner.items():
            here = [index for index, child in enumerate(inner, start=1) if child in session.configuration]
            found[self.child[number]] = here[0] if here else 0
        for variable, symbol in zip(self.chart.variables, self.data, strict=True):
            value = session.data[variable.name]
            assert isinstance(value, int)
            found[symbol] = int(value)
        for history in self.histories:
            for place, value in self.contents(history, session.history.get(history)):
                found[self.kept[history, place]] = value
        if len(session.external) > len(self.waiting) or len(session.delayed) > len(self.rest):
            raise ValueError("more events wait than the encoding has room for")
        for symbol, event in zip(self.waiting, session.external, strict=False):
            found[symbol] = self.event(event.name)
        for rest, kind, one in zip(self.rest, self.kind, session.delayed, strict=False):
            found[rest] = one.remaining // self.unit
            found[kind] = self.kinds.index((one.event.name, one.id))
        return tuple(found.get(symbol, 0) for symbol in self.variables)

    def state(self, values: Sequence[int]) -> bytes:
        known = dict(zip(self.variables, values, strict=True))
        session = Session(running=bool(known[self.running]))
        session.configuration = frozenset(self._active({n: known[s] for n, s in self.child.items()}, 0)) - {0}
        for history in self.histories:
            kept = {place: known[self.kept[history, place]] for place in self.kept_places(history)}
            if any(kept.values()):
                session.history[history] = self._kept(history, kept)
        for variable, symbol in zip(self.chart.variables, self.data, strict=True):
            session.data[variable.name] = bool(known[symbol]) if symbol.sort.boolean else known[symbol]
        session.external = tuple(Event(self.finite.events[known[s] - 1]) for s in self.waiting if known[s])
        session.delayed = tuple(
            Delayed(known[rest] * self.unit, Event(self.kinds[known[kind]][0]), self.kinds[known[kind]][1])
            for rest, kind in zip(self.rest, self.kind, strict=True)
            if known[rest]
        )
        return self.model.layout.encode(session)

    def _active(self, child: dict[int, int], number: int) -> Iterator[int]:
        yield number
        if number in self.inner:
            if child[number]:
                yield from self._active(child, self.inner[number][child[number] - 1])
        elif self.chart.states[number].kind == "parallel":
            for region in self.chart.states[number].children:
                if not self.chart.is_history(region):
                    yield from self._active(child, region)

    def _kept(self, history: int, kept: dict[int, int]) -> tuple[int, ...]:
        chart, state = self.chart, self.chart.states[history]
        if state.kind == "shallow":
            if _FLAG in kept:
                return tuple(c for c in chart.states[state.parent].children if not chart.is_history(c))
            return (self.inner[state.parent][kept[state.parent] - 1],)
        active = self._active({number: kept.get(number, 0) for number in self.inner}, state.parent)
        return tuple(sorted(number for number in active if chart.atomic(number)))
