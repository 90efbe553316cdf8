"""What steps of a chart of fixed form may read and write, whatever the values are.

Places are the regions (which state inside a compound one is active), the variables, the histories, the two ends of the
queue of waiting events, the delayed events, and whether the chart still runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from kripke.hierarchy.chart.courses import TooManyCases, domains, entries
from kripke.hierarchy.chart.finite import Finite
from kripke.hierarchy.chart.structure import (
    Action,
    AssignTo,
    Cancel,
    Emit,
    Execute,
    If,
    Raise,
    Script,
    Send,
    Transition,
    matches,
)
from kripke.hierarchy.terms import Inside, Term, parts, variables

Place = tuple[str, int]
HEAD, TAIL, DELAYED, RUNNING = ("head", 0), ("tail", 0), ("delayed", 0), ("running", 0)


@dataclass(slots=True)
class Footprint:
    """``events``: those that are raised on the way."""

    reads: set[Place] = field(default_factory=set)
    writes: set[Place] = field(default_factory=set)
    events: set[str] = field(default_factory=set)

    def add(self, other: Footprint) -> None:
        self.reads |= other.reads
        self.writes |= other.writes
        self.events |= other.events

    @property
    def both(self) -> set[Place]:
        return self.reads | self.writes

    def meets(self, other: Footprint) -> bool:
        """Does the order of the two matter?"""
        return not self.writes.isdisjoint(other.both) or not other.writes.isdisjoint(self.both)


class Footprints:
    """``completes``: a transition without a trigger waits until its source is completed (UML)."""

    def __init__(self, finite: Finite, *, completes: bool) -> None:
        self.finite, self.chart, self._completes = finite, finite.chart, completes
        states = self.chart.states
        self._compounds = [s.number for s in states if self.chart.compound(s.number)]
        self._histories = [s.number for s in states if s.kind in ("shallow", "deep")]
        self.everything = {
            *(("region", number) for number in self._compounds),
            *(("history", number) for number in self._histories),
            *(("variable", number) for number in range(len(self.chart.variables))),
            HEAD, TAIL, DELAYED, RUNNING,
        }  # fmt: skip
        active = [s for s in states if not self.chart.is_history(s.number)]
        self._triggered = [t for s in active for t in s.transitions if t.events]
        self._spontaneous = [t for s in active for t in s.transitions if not t.events]
        self._places = {variable.name: number for number, variable in enumerate(self.chart.variables)}
        self._known: dict[int, Footprint] = {}

    # --- expressions --------------------------------------------------------------------------------------------------

    def region(self, state: int) -> Place:
        """What decides whether a state is active."""
        return "region", next((n for n in self.chart.ancestors(state) if self.chart.compound(n)), 0)

    def _inside(self, state: int) -> set[Place]:
        """The regions of a state and of those inside of it."""
        last = self.chart.states[state].last
        return {("region", number) for number in self._compounds if state <= number <= last}

    def of_term(self, term: Term) -> set[Place]:
        first = len(self.chart.variables)
        found: set[Place] = {("variable", variable.number) for variable in variables(term)}
        return found | {self.region(part.place - first) for part in parts(term) if isinstance(part, Inside)}

    def of_condition(self, script: Script | None) -> set[Place]:
        return set() if script is None else self.of_term(self.finite.term(script))

    # --- content ------------------------------------------------------------------------------------------------------

    def _block(self, found: Footprint, block: Sequence[Action]) -> None:
        for action in block:
            match action:
                case Raise(_, _, event):
                    found.events.add(event)
                case AssignTo(_, _, location, value):
                    found.reads |= self.of_condition(value)
                    found.writes.add(("variable", self._places[location.text.strip()]))
                case Execute(_, _, script):
                    for place, term in self.finite.assignments[id(script)]:
                        found.reads |= self.of_term(term)
                        found.writes.add(("variable", place))
                case If(_, _, branches):
                    for condition, body in branches:
                        found.reads |= self.of_condition(condition)
                        self._block(found, body)
                case Send(_, _, event, "#_internal"):
                    found.events.add(str(event))
                case Send(_, _, _, _, _, _, _, delay):
                    found.writes.add(DELAYED if delay else TAIL)
                case Cancel():
                    found.writes.add(DELAYED)
                case Emit(_, _, _, output):
                    if not output:
                        found.writes.add(TAIL)

    # --- transitions --------------------------------------------------------------------------------------------------

    def waits(self, transition: Transition) -> set[Place]:
        """What decides whether it is enabled."""
        found = {self.region(transition.source)} | self.of_condition(transition.condition)
        if self._completes and not transition.events and not self.chart.atomic(transition.source):
            found |= self._inside(transition.source)
        return found

    def of_transition(self, transition: Transition) -> Footprint:
        """Exits, effect, entries; through choices, all ways."""
        known = self._known.get(id(transition))
        if known is None:
            known = self._known[id(transition)] = Footprint()  # a cycle of choices comes back to it
            known.reads |= self.waits(transition)
            self._block(known, transition.body)
            try:
                self._left(known, transition)
                self._entered(known, transition)
            except TooManyCases:
                known.reads |= self.everything
                known.writes |= self.everything
                known.events |= set(self.finite.events)
            for target in transition.targets:
                if self.chart.states[target].kind == "choice":
                    for way in self.chart.states[target].transitions:
                        known.add(self.of_transition(way))
        return known

    def _left(self, found: Footprint, transition: Transition) -> None:
        chart = self.chart
        for kept, domain in domains(chart, transition):
            found.reads |= {("history", history) for history in kept}
            if domain is None:
                continue
            found.reads |= self._inside(domain)
            found.writes |= self._inside(domain)
            for state in chart.states[domain + 1 : chart.states[domain].last + 1]:
                for block in state.on_exit:
                    self._block(found, block)
                if state.number in self._histories and state.parent != domain:
                    found.writes.add(("history", state.number))

    def _entered(self, found: Footprint, transition: Transition) -> None:
        for kept, case in entries(self.chart, transition):
            found.reads |= {("history", history) for history in kept}
            for default in case.defaults.values():
                self._block(found, default.body)
            for number in case.states:
                state = self.chart.states[number]
                for block in state.on_entry:
                    self._block(found, block)
                if state.initial is not None:
                    self._block(found, state.initial.body)
                if state.kind == "final":
                    self._final(found, number)

    def _final(self, found: Footprint, number: int) -> None:
        """Its parent is done, and perhaps what is around it; or everything is over."""
        chart = self.chart
        parent = chart.states[chart.states[number].parent]
        if parent.number == 0:
            found.reads |= self.everything
            found.writes |= self.everything
            return
        found.events.add(f"done.state.{parent.id}")
        if parent.parent >= 0 and chart.states[parent.parent].kind == "parallel":
            found.reads |= self._inside(parent.parent)
            found.events.add(f"done.state.{chart.states[parent.parent].id}")

    # --- steps --------------------------------------------------------------------------------------------------------

    def of_event(self, name: str) -> Footprint:
        """A macro step that begins with an event: what it sets going, too. In a state at rest no transition without an
        event is enabled; one of them may be enabled by what the step writes."""
        whole, done = Footprint(), set[int]()
        pending: Iterable[Transition] = self._for(name)
        while pending:
            for transition in pending:
                done.add(id(transition))
                whole.add(self.of_transition(transition))
            following = [t for t in self._spontaneous if not self.waits(t).isdisjoint(whole.writes)]
            following += [t for event in whole.events for t in self._for(event)]
            pending = [t for t in following if id(t) not in done]
        return whole

    def _for(self, name: str) -> list[Transition]:
        return [t for t in self._triggered if matches(t.events, name)]
