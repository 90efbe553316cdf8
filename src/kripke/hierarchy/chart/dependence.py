"""Which steps of a chart depend on each other, for partial-order reduction.

A transition of the tables is an event of the environment, taking the next waiting event, or the passing of time. The
order of two matters only where one writes what the other reads or writes (``footprint.py``): events for different
regions do not depend on each other. Whether a step changes anything, and so is one, is decided by what it writes, too.

Taking an event and sending one are at different ends of the queue. Where both are possible, their order does not
matter, unless the chart sends events itself.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property

from kripke.hierarchy.chart.finite import Finite
from kripke.hierarchy.chart.footprint import DELAYED, HEAD, RUNNING, TAIL, Footprint, Footprints
from kripke.hierarchy.chart.model import ChartModel, actions_of
from kripke.hierarchy.chart.structure import Chart, Emit, Script, Send, matches
from kripke.model.dependencies import DependencyAnalysis, DependencyTables
from kripke.model.model import Transition


def obstacle(model: ChartModel) -> str | None:
    """Why nothing is known of a chart, in words."""
    if isinstance(model.finite, str):
        return f"which steps depend on each other is known of charts of fixed form, and this one has {model.finite}"
    if any(state.deferred for state in model.chart.states):
        return "which event a machine takes next depends on all of its states where some defer events"
    return None


def expecting_states(chart: Chart, event: str) -> list[int]:
    """Those with a transition for the event."""
    return [s.number for s in chart.states if any(t.events and matches(t.events, event) for t in s.transitions)]


class ChartDependencies(DependencyAnalysis):
    """``asked``: the conditions that a property looks at. Condition 0 of an event of the environment: a state that has
    a transition for it is active; of the passing of time: an event is delayed."""

    has_locations = True

    def __init__(self, model: ChartModel, finite: Finite, asked: Sequence[Script], *, completes: bool) -> None:
        self._model = model
        self._footprints = Footprints(finite, completes=completes)
        self._watched = [*asked, *model.invariants]
        events = len(model.environment.events)
        self._take = events
        self._expecting = [expecting_states(model.chart, name) for name in model.environment.events]

    def configuration(self, state: bytes) -> Hashable:
        return ()

    def tables(self, state: bytes) -> DependencyTables:
        return self._found

    @cached_property
    def _found(self) -> DependencyTables:
        steps = [*self._sending(), self._taking(), self._passing()]
        ahead = self._model.environment.queue > 1
        conflicts, enabling = [], []
        regions = [{self._footprints.region(state) for state in expecting} for expecting in self._expecting]
        for number, mine in enumerate(steps):
            others = [(other, step) for other, step in enumerate(steps) if other != number]
            conflicts.append(sum(mine.meets(step) << other for other, step in others))
            helping = sum((not step.writes.isdisjoint(mine.both)) << other for other, step in others)
            if number == self._take:
                helping |= sum((TAIL in step.writes) << other for other, step in others)
            elif ahead and number < self._take:
                helping |= 1 << self._take
            waking = helping
            if number > self._take or (number < self._take and not ahead):
                needed = {DELAYED} if number > self._take else regions[number]
                waking = sum((not step.writes.isdisjoint(needed)) << other for other, step in others)
            enabling.append((waking, helping))
        looked_at = {place for script in self._watched for place in self._footprints.of_condition(script)}
        visible = sum((not step.writes.isdisjoint(looked_at)) << number for number, step in enumerate(steps))
        return DependencyTables(
            tuple(conflicts), tuple(enabling), tuple(1 << number for number in range(len(steps))), visible
        )

    def _sending(self) -> list[Footprint]:
        """The environment sends; what waits in a queue of one is taken at once."""
        found = []
        for name in self._model.environment.events:
            if self._model.environment.queue > 1:
                found.append(Footprint({RUNNING}, {TAIL}))
            else:
                step = self._footprints.of_event(name)
                found.append(Footprint(step.reads | {HEAD, TAIL, RUNNING}, step.writes))
        return found

    def _taking(self) -> Footprint:
        actions = [action for action in actions_of(self._model.chart) if isinstance(action, (Send, Emit))]
        waiting = {str(action.event) for action in actions}
        if self._model.environment.queue > 1:
            waiting.update(self._model.environment.events)
        whole = Footprint({HEAD, RUNNING}, {HEAD})
        for name in sorted(waiting):
            whole.add(self._footprints.of_event(name))
        return whole

    def _passing(self) -> Footprint:
        return Footprint({DELAYED, HEAD, TAIL, RUNNING}, {DELAYED, HEAD, TAIL}) if self._model.delays else Footprint()

    # --- states -------------------------------------------------------------------------------------------------------

    def steps(self, state: bytes) -> list[tuple[int, list[Transition]]]:
        found: dict[int, list[Transition]] = {}
        for step in self._model.successors(state):
            if step.target is None:
                return []  # errors are looked at with all that is beside them
            found.setdefault(step.parts[0].statement - self._model.first_event, []).append(step)
        return list(found.items())

    def lacking(self, state: bytes, transition: int) -> int:
        session = self._model.layout.decode(state)
        if session is None or transition == self._take:
            return 2
        if transition > self._take:
            return 2 if session.delayed else 1
        if self._model.environment.queue > 1:
            return 2
        return 1 if session.configuration.isdisjoint(self._expecting[transition]) else 2
