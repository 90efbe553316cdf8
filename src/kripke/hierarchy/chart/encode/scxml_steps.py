"""Macro steps of SCXML in terms: one command for every event of the environment, every waiting event, and time.

A macro step is unrolled: so many micro steps as ``room`` says; where there are more, the encoding ends.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING

from kripke.hierarchy.chart.encode.moment import ZERO, Courses, Defaults, Moment
from kripke.hierarchy.chart.encode.places import Places
from kripke.hierarchy.chart.finite import Finite
from kripke.hierarchy.chart.structure import Transition, matches
from kripke.terms.build import FALSE, TRUE, any_of, boolean, conjoin, constant, disjoin, equal, ite, negate, variable
from kripke.terms.system import Breach, Command, Limit
from kripke.terms.term import Term

if TYPE_CHECKING:
    from kripke.hierarchy.chart.model import ChartModel

MICRO_STEPS = 4  # after the first, for each unit of room


class Steps(ABC):
    """What comes of the steps of a model: commands, what they break, where the encoding ends."""

    def __init__(self, model: ChartModel, finite: Finite, places: Places, room: int) -> None:
        self.model, self.finite, self.places, self.room = model, finite, places, room
        self.chart, self.courses = finite.chart, Courses(places)
        self.commands: list[Command] = []
        self.breaches: list[Breach] = []
        self.limits: list[Limit] = []
        self.running = variable(places.running)
        self.first = model.first_event
        self.take = model.first_event + len(model.environment.events)

    @abstractmethod
    def moment(self, when: Term) -> Moment:
        """The start of a step."""

    @abstractmethod
    def run(self) -> None:
        """All steps."""

    def settle(self, moment: Moment, actor: int, statement: int) -> None:
        """The step is over; one that changes nothing is none."""
        self.breaches += moment.breaches
        self.limits += moment.limits
        updates = moment.updates()
        changed = any_of(negate(equal(variable(symbol), value)) for symbol, value in updates.items())
        guard = conjoin(moment.when, changed)
        if guard is not FALSE:
            self.commands.append(Command(guard, updates, actor, statement))

    def waiting(self, index: int) -> Term:
        return negate(equal(variable(self.places.waiting[index]), ZERO))

    def ahead(self) -> None:
        """The environment sends events that wait."""
        from kripke.hierarchy.chart.model import ENVIRONMENT

        full = self.waiting(self.model.environment.queue - 1)
        for number, name in enumerate(self.model.environment.events):
            moment = self.moment(conjoin(self.running, negate(full)))
            moment.send(constant(self.places.event(name)), TRUE)
            self.settle(moment, ENVIRONMENT, self.first + number)


class _ScxmlMoment(Moment):
    """Final states say that what they are in is done."""

    def enter(self, number: int, when: Term, case: Defaults) -> None:
        super().enter(number, when, case)
        chart, state = self.chart, self.chart.states[number]
        if state.kind != "final" or state.parent == 0:
            return
        parent = chart.states[state.parent]
        self.raise_event(f"done.state.{parent.id}", when)
        if chart.states[parent.parent].kind == "parallel":
            self.raise_event(
                f"done.state.{chart.states[parent.parent].id}", conjoin(when, self.in_final(parent.parent))
            )


class ScxmlSteps(Steps):
    def moment(self, when: Term) -> Moment:
        from kripke.hierarchy.chart.model import BEYOND

        return _ScxmlMoment(self.places, self.courses, when, BEYOND)

    def run(self) -> None:
        from kripke.hierarchy.chart.model import CHART, ENVIRONMENT

        environment, places = self.model.environment, self.places
        for event in range(1, 1 + len(self.finite.events)) if places.waiting else ():
            moment = self.moment(conjoin(self.running, equal(variable(places.waiting[0]), constant(event))))
            if moment.when is not FALSE:
                moment.take_out(0, TRUE)
                self._macro_step(moment, self.finite.events[event - 1], TRUE)
                self.settle(moment, CHART, self.take)
        if environment.queue > 1:
            self.ahead()
        else:
            quiet = negate(self.waiting(0)) if places.waiting else TRUE
            for number, name in enumerate(environment.events):
                moment = self.moment(conjoin(self.running, quiet))
                taken = self._macro_step(moment, name, TRUE)
                moment.when = conjoin(moment.when, taken)
                self.settle(moment, ENVIRONMENT, self.first + number)
        if places.rest:
            later = negate(equal(variable(places.rest[0]), ZERO))
            moment = self.moment(conjoin(self.running, later, negate(self.waiting(0))))
            moment.pass_time(constant(1) if environment.events else variable(places.rest[0]))
            self.settle(moment, CHART, self.take + 1)

    def _macro_step(self, moment: Moment, event: str, when: Term) -> Term:
        """Whether a transition takes the event."""
        chosen = moment.select(lambda t: boolean(bool(t.events) and matches(t.events, event)), when)
        taken = any_of(one.condition for one in chosen)
        moment.micro_step(chosen)
        for _ in range(MICRO_STEPS * self.room):
            going = self._inner(moment)
            if going is FALSE:
                break
        else:
            steps = 1 + MICRO_STEPS * self.room
            moment.end(self._pending(moment), f"a macro step takes more than {steps} micro steps")
        self._leave_all(moment)
        return taken

    def _pending(self, moment: Moment) -> Term:
        spontaneous = moment.select(lambda t: boolean(not t.events), moment.running)
        waiting = any_of(condition for condition, _ in moment.raised)
        return disjoin(any_of(one.condition for one in spontaneous), conjoin(moment.running, waiting))

    def _inner(self, moment: Moment) -> Term:
        """A micro step without an event, or with one that was raised; whether there is one."""
        chosen = moment.select(lambda t: boolean(not t.events), moment.running) if self.courses.spontaneous else []
        spontaneous = any_of(one.condition for one in chosen)
        free = conjoin(moment.running, negate(spontaneous))
        names: dict[str, Term] = {}
        left: list[tuple[Term, str]] = []
        for condition, name in moment.raised:
            now = conjoin(condition, free)
            if now is not FALSE:
                names[name] = disjoin(names.get(name, FALSE), now)
            if (later := conjoin(condition, negate(free))) is not FALSE:
                left.append((later, name))
            free = conjoin(free, negate(condition))
        moment.raised = left
        if names:
            chosen = [*chosen, *moment.select(lambda t: _triggered(t, names), TRUE)]
        taken = any_of(names.values())
        moment.micro_step(chosen)
        return disjoin(spontaneous, taken)

    def _leave_all(self, moment: Moment) -> None:
        """The chart is over: exit handlers run, and the configuration stays."""
        over = negate(moment.running)
        if conjoin(moment.when, over) is FALSE:
            return
        for state in reversed(self.chart.states):
            for block in state.on_exit:
                moment.execute(block, conjoin(over, moment.active[state.number]))
        for values in (moment.waiting, moment.rest, moment.kind):
            values[:] = [ite(over, ZERO, value) for value in values]


def _triggered(transition: Transition, names: Mapping[str, Term]) -> Term:
    return any_of(when for name, when in names.items() if transition.events and matches(transition.events, name))
