"""Steps of UML machines in terms.

Where several transitions may fire, a command stands for one order of preference: transitions fire in this order, unless
one before them is in conflict. All orders that make a difference give all firing sets, and all orders of effects.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import TYPE_CHECKING

from kripke.hierarchy.chart.encode.moment import ZERO, Chosen, Moment
from kripke.hierarchy.chart.encode.places import Places
from kripke.hierarchy.chart.encode.scxml_steps import MICRO_STEPS, Steps
from kripke.hierarchy.chart.finite import Finite
from kripke.hierarchy.chart.footprint import Footprints
from kripke.hierarchy.chart.run_to_completion import NO_CHOICE, RANGE
from kripke.hierarchy.chart.structure import Transition, matches
from kripke.model.source import Span
from kripke.terms.build import (
    FALSE,
    TRUE,
    any_of,
    boolean,
    conjoin,
    constant,
    equal,
    less,
    negate,
    number,
    total,
    variable,
)
from kripke.terms.term import Term

if TYPE_CHECKING:
    from kripke.hierarchy.chart.model import ChartModel

MOST_ORDERS = 64  # of one step
_MOST_CLASSES = 5
_MOST_CHOICES = 8  # one after the other


class TooManyOrders(Exception):
    def __init__(self, span: Span) -> None:
        super().__init__(span)
        self.span = span


class UmlSteps(Steps):
    def __init__(self, model: ChartModel, finite: Finite, places: Places, room: int) -> None:
        super().__init__(model, finite, places, room)
        self.footprints = Footprints(finite, completes=True)
        self.statement = 0

    def moment(self, when: Term) -> Moment:
        from kripke.hierarchy.chart.uml_model import FAULTS

        return Moment(self.places, self.courses, when, FAULTS.index(RANGE), self.statement)

    def run(self) -> None:
        places, events = self.places, self.finite.events
        now = self.moment(self.running)
        enabled = [any_of(one.condition for one in self._enabled(now, name)) for name in events]
        self._defers = [self._deferring(now, name, enabled[at]) for at, name in enumerate(events)]
        waiting = [variable(symbol) for symbol in places.waiting]
        deferred = [
            any_of(conjoin(equal(slot, constant(1 + at)), defers) for at, defers in enumerate(self._defers))
            for slot in waiting
        ]
        self.statement = self.take
        first = self.running
        for slot, is_deferred, index in zip(waiting, deferred, range(len(waiting)), strict=True):
            for at, name in enumerate(events):
                here = conjoin(first, equal(slot, constant(1 + at)), negate(self._defers[at]))
                if here is not FALSE:
                    self._take(here, index, name, enabled[at])
            first = conjoin(first, is_deferred)
            if first is FALSE:
                break
        open_ = [conjoin(negate(equal(slot, ZERO)), negate(no)) for slot, no in zip(waiting, deferred, strict=True)]
        queue = self.model.environment.queue
        room = less(total(number(one) for one in open_), constant(queue)) if queue > 1 else negate(any_of(open_))
        for number_, name in enumerate(self.model.environment.events):
            self.statement = self.first + number_
            self._send(conjoin(self.running, room), name, waiting, deferred)

    def _take(self, when: Term, index: int, name: str, enabled: Term) -> None:
        from kripke.hierarchy.chart.model import CHART

        discarded = self.moment(conjoin(when, negate(enabled)))
        discarded.take_out(index, TRUE)
        self.settle(discarded, CHART, self.take)
        moment = self.moment(conjoin(when, enabled))
        moment.take_out(index, TRUE)
        for one in self._completed(self._fired(moment, name)):
            self.settle(one, CHART, self.take)

    def _send(self, when: Term, name: str, waiting: Sequence[Term], deferred: Sequence[Term]) -> None:
        """The environment sends an event, which waits or is taken at once."""
        from kripke.hierarchy.chart.model import ENVIRONMENT

        event = constant(self.places.event(name))
        known = any_of(conjoin(equal(slot, event), no) for slot, no in zip(waiting, deferred, strict=True))
        defers = self._defers[self.finite.events.index(name)]
        if self.model.environment.queue > 1:
            defers = TRUE
        moment = self.moment(conjoin(when, defers, negate(known)))
        if moment.when is not FALSE:
            moment.send(event, TRUE)
            self.settle(moment, ENVIRONMENT, self.statement)
        moment = self.moment(conjoin(when, negate(defers)))
        if moment.when is not FALSE:
            for one in self._completed(self._fired(moment, name)):
                self.settle(one, ENVIRONMENT, self.statement)

    def _deferring(self, moment: Moment, name: str, enabled: Term) -> Term:
        states = [s.number for s in self.chart.states if matches(s.deferred, name)]
        return conjoin(any_of(moment.active[state] for state in states), negate(enabled))

    # --- firing -------------------------------------------------------------------------------------------------------

    def _enabled(self, moment: Moment, event: str | None) -> list[Chosen]:
        """By source, in document order; None: the transitions of completed states."""
        found: list[Chosen] = []
        for transition in self.courses.transitions:
            source = transition.source
            if event is None:
                ready = boolean(not transition.events)
                if not self.chart.atomic(source) and ready is TRUE:
                    ready = moment.in_final(source)
            else:
                ready = boolean(bool(transition.events) and matches(transition.events, event))
            here = conjoin(ready, moment.running, moment.active[source])
            if here is not FALSE:
                here = conjoin(here, moment.truth(transition.condition))
            if here is not FALSE:
                found += moment.cases(transition, here)
        return found

    def _conflict(self, one: Chosen, other: Chosen) -> bool:
        """They exit a common state, or one is internal to a state that the other exits."""
        if one.transition is other.transition:
            return False
        for a, b in ((one, other), (other, one)):
            if a.domain is None and b.domain is not None and self.chart.descendant(a.transition.source, b.domain):
                return True
        return self.courses.clash(one, other)

    def _fired(self, moment: Moment, event: str | None) -> list[Moment]:
        """After one firing set, for every order of preference. Where nothing is enabled, the step is none."""
        enabled = self._enabled(moment, event)
        deep = [
            one._replace(
                condition=conjoin(
                    one.condition,
                    negate(
                        any_of(
                            other.condition
                            for other in enabled
                            if self._conflict(one, other)
                            and self.chart.descendant(other.transition.source, one.transition.source)
                        )
                    ),
                )
            )
            for one in enabled
        ]
        deep = [one for one in deep if one.condition is not FALSE]
        if event is not None:
            moment.when = conjoin(moment.when, any_of(one.condition for one in deep))
        found: list[Moment] = []
        for order in self._orders(deep):
            moments = [moment.copy()]
            fired: list[Chosen] = []
            for one in order:
                rivals = any_of(other.condition for other in fired if self._conflict(one, other))
                fired.append(one._replace(condition=conjoin(one.condition, negate(rivals))))
            for one in fired:
                moments = [after for before in moments for after in self._execute(before, one, 0)]
                self._bound(moments, one.transition.span)
            found += moments
            self._bound(found, moment.chart.states[0].span)
        return found

    def _bound(self, moments: Sequence[Moment], span: Span) -> None:
        if len(moments) > MOST_ORDERS:
            raise TooManyOrders(span)

    def _orders(self, chosen: Sequence[Chosen]) -> Iterator[list[Chosen]]:
        """Every order that makes a difference. What cannot be enabled together is in one class."""

        def together(one: Chosen, other: Chosen) -> bool:
            return one.transition is not other.transition and conjoin(one.condition, other.condition) is not FALSE

        def meet(one: Chosen, other: Chosen) -> bool:
            if not together(one, other):
                return False
            prints = [self.footprints.of_transition(which.transition) for which in (one, other)]
            return self._conflict(one, other) or prints[0].meets(prints[1])

        meeting = [one for one in chosen if any(meet(one, other) for other in chosen)]
        others = [one for one in chosen if one not in meeting]
        classes: list[list[Chosen]] = []
        for one in meeting:
            fitting = (members for members in classes if not any(together(one, other) for other in members))
            members = next(fitting, None)
            if members is None:
                classes.append([one])
            else:
                members.append(one)
        if len(classes) > _MOST_CLASSES:
            raise TooManyOrders(classes[-1][0].transition.span)
        linked = [
            (i, j)
            for i in range(len(classes))
            for j in range(i)
            if any(meet(one, other) for one in classes[i] for other in classes[j])
        ]
        seen: set[tuple[bool, ...]] = set()
        for order in permutations(range(len(classes))):
            direction = tuple(order.index(i) < order.index(j) for i, j in linked)
            if direction not in seen:
                seen.add(direction)
                yield [*(one for index in order for one in classes[index]), *others]

    def _execute(self, moment: Moment, one: Chosen, depth: int) -> list[Moment]:
        """Exits, effect, entries; through choices, each way that is open."""
        if one.condition is FALSE:
            return [moment]
        moment.leave([one])
        moment.execute(one.transition.body, one.condition)
        choice = next((t for t in one.transition.targets if self.chart.states[t].kind == "choice"), None)
        if choice is not None:
            return self._chosen(moment, one, choice, depth)
        for number_, when, case in moment.entered([one]):
            moment.enter(number_, conjoin(when, negate(moment.active[number_])), case)
        return [moment]

    def _chosen(self, moment: Moment, one: Chosen, choice: int, depth: int) -> list[Moment]:
        from kripke.hierarchy.chart.uml_model import FAULTS

        when = one.condition
        for number_ in reversed(self.chart.ancestors(choice, one.domain or 0)):
            if number_:
                moment.enter(number_, conjoin(when, negate(moment.active[number_])), {"initial": [], "history": []})
        if depth >= _MOST_CHOICES:
            moment.end(when, f"a transition passes more than {_MOST_CHOICES} choices")
            return [moment]
        ways = self.chart.states[choice].transitions
        guarded = [(way, conjoin(when, moment.truth(way.condition))) for way in ways if way.condition is not None]
        closed = conjoin(when, negate(any_of(is_open for _, is_open in guarded)))
        free = [(way, closed) for way in ways if way.condition is None]
        if not free:
            moment.fail(closed, FAULTS.index(NO_CHOICE), -1)
        found: list[Moment] = []
        for preferred in self._preferences([is_open for _, is_open in guarded]):
            for default in range(max(1, len(free))):
                moments, left = [moment.copy()], TRUE
                for index in preferred:
                    way, is_open = guarded[index]
                    moments = self._along(moments, way, conjoin(left, is_open), depth)
                    left = conjoin(left, negate(is_open))
                for way, is_open in free[default : default + 1]:
                    moments = self._along(moments, way, is_open, depth)
                found += moments
                self._bound(found, ways[0].span)
        return found

    def _preferences(self, conditions: Sequence[Term]) -> Iterator[list[int]]:
        """Orders in which each of the open ways comes first in one."""
        order = list(range(len(conditions)))
        yield order
        for index in order:
            if any(conjoin(conditions[index], conditions[before]) is not FALSE for before in range(index)):
                yield [index, *(other for other in order if other != index)]

    def _along(self, moments: Sequence[Moment], way: Transition, when: Term, depth: int) -> list[Moment]:
        found: list[Moment] = []
        for moment in moments:
            after = [moment]
            for case in moment.cases(way, when):
                after = [one for before in after for one in self._execute(before, case, depth + 1)]
            found += after
        return found

    def _completed(self, begun: Sequence[Moment]) -> list[Moment]:
        """Transitions of completed states fire until there are none left."""
        if not self.courses.spontaneous:
            return list(begun)
        ended: list[Moment] = []
        pending = [(moment, 0) for moment in begun]
        while pending:
            moment, steps = pending.pop()
            going = any_of(one.condition for one in self._enabled(moment, None))
            if conjoin(moment.when, going) is FALSE:
                ended.append(moment)
            elif steps >= MICRO_STEPS * self.room:
                moment.end(going, f"a run to completion takes more than {steps} steps")
                ended.append(moment)
            else:
                pending += [(one, steps + 1) for one in self._fired(moment, None)]
            self._bound([*ended, *(one for one, _ in pending)], self.chart.states[0].span)
        return ended
