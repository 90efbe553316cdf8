"""A UML state machine as a ``Model``: closed by an environment, with the steps of ``run_to_completion.py``."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from kripke.hierarchy.chart.interpreter import MOST_EVENTS
from kripke.hierarchy.chart.model import CHART, ENVIRONMENT, ChartModel
from kripke.hierarchy.chart.run_to_completion import (
    ENDLESS,
    FAULT,
    MOST_STEPS,
    NO_CHOICE,
    OVERFLOW,
    RANGE,
    Outcome,
    defers,
    outcomes,
    started,
)
from kripke.hierarchy.chart.session import Event, Session
from kripke.model.model import Part, Transition, Violation, ViolationKind

if TYPE_CHECKING:
    from kripke.hierarchy.chart.emit import Emission
    from kripke.hierarchy.chart.finite import Finite
    from kripke.model.capabilities.encodable import Encoding

FAULTS = [ENDLESS, OVERFLOW, "invariant", FAULT, NO_CHOICE, RANGE]  # INVARIANT is 2, as of other charts


class UmlModel(ChartModel):
    """Deferred events do not keep the environment from sending others."""

    deadlock_text = "no event changes anything any more, and the machine has not reached its final state"
    completes = True

    def __init__(self, *arguments: object, **others: object) -> None:
        super().__init__(*arguments, **others)  # type: ignore[arg-type]
        self.violation_kinds = [
            ViolationKind(ENDLESS, f"a run to completion takes more than {MOST_STEPS:,} steps, or never ends"),
            ViolationKind(OVERFLOW, f"more than {MOST_EVENTS} events wait"),
            ViolationKind("invariant", "invariant violated"),
            ViolationKind(FAULT, "an expression has no value"),
            ViolationKind(NO_CHOICE, "no way leads out of a choice"),
            ViolationKind(RANGE, "a number of more than 32 bits"),
        ]

    @cached_property
    def finite(self) -> Finite | str:
        found = super().finite
        if not isinstance(found, str) and any(len(state.transitions) > 60 for state in self.chart.states):
            found = "a state has more than 60 transitions"
        self.chart.bounded = not isinstance(found, str)
        return found

    def _emission(self, *, dependencies: bool) -> Emission | None:
        from kripke.hierarchy.chart.layout import PlacedLayout

        layout = self.layout
        if isinstance(self.finite, str) or not isinstance(layout, PlacedLayout):
            return None
        from kripke.hierarchy.chart.uml_emit import UmlEmission

        begun = [layout.encode(way.session) for way in self.begun if way.session is not None]
        emission = UmlEmission(self, self.finite, layout, begun, dependencies=dependencies)
        emission.broken = [FAULTS.index(way.fault) for way in self.begun if way.session is None]
        return emission

    def encode(self, room: int = 1) -> Encoding | str:
        from kripke.hierarchy.chart.encode.encoding import encoded
        from kripke.hierarchy.chart.encode.uml_steps import UmlSteps

        if isinstance(self.finite, str):
            return f"a machine that is not of fixed form, for {self.finite}, cannot be said in terms"
        if self.initial_violations():
            return "a machine whose start is an error cannot be said in terms"
        return encoded(self, self.finite, room, UmlSteps)

    @cached_property
    def begun(self) -> list[Outcome]:
        assert self.finite is not None  # it bounds numbers
        return started(self.chart)

    def initial(self) -> list[bytes]:
        found = [self.layout.encode(outcome.session) for outcome in self.begun if outcome.session is not None]
        return found or [self.layout.encode(None)]

    def executed(self, statement: int) -> bool:
        return statement == 0 or any(one.statement == statement for way in self.begun for one in way.executed)

    def initial_violations(self) -> list[Transition]:
        return [self._transition((Part(CHART, 0),), way) for way in self.begun if way.session is None]

    def successors(self, state: bytes) -> list[Transition]:
        if state == self.layout.encode(None):
            return self.initial_violations()
        return super().successors(state)

    def _steps(self, session: Session) -> Iterator[Transition]:
        waiting = [number for number, event in enumerate(session.external) if not self._defers(session, event)]
        if waiting:
            yield from self._take(session, waiting[0])
        if len(waiting) >= self.environment.queue:
            return
        deferred = {event.name for number, event in enumerate(session.external) if number not in waiting}
        for number, name in enumerate(self.environment.events):
            sent, event = Part(ENVIRONMENT, self.first_event + number), Event(name)
            after = session.copy()
            after.external = (*after.external, event)
            if self.environment.queue > 1 or self._defers(session, event):
                if name not in deferred:
                    yield Transition((sent,), self.layout.encode(after))
            else:
                for way in outcomes(self.chart, session, event):
                    yield self._transition((sent,), way)

    def _defers(self, session: Session, event: Event) -> bool:
        return defers(self.chart, session, event)

    def _take(self, session: Session, number: int) -> Iterator[Transition]:
        event, rest = session.external[number], session.copy()
        rest.external = (*session.external[:number], *session.external[number + 1 :])
        ways = outcomes(self.chart, rest, event)
        text = self._text(f"take {event.name}" if ways else f"discard {event.name}")
        first = (Part(CHART, self._taking, (text,)),)
        if not ways:
            yield Transition(first, self.layout.encode(rest))
        for way in ways:
            yield self._transition(first, way)

    def _transition(self, first: tuple[Part, ...], way: Outcome) -> Transition:
        parts = (*first, *(self._part(executed) for executed in way.executed[:MOST_EVENTS]))
        if way.session is None:
            return Transition(parts, None, (Violation(FAULTS.index(way.fault), first[-1].statement),))
        return Transition(parts, self.layout.encode(way.session))
