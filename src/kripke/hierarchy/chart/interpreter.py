"""The algorithm of SCXML (W3C Recommendation of 2015, appendix D): from one stable configuration to the next.

Names of the steps are those of the appendix. A macro step starts with an event, then takes transitions that need none
and internal events until there is nothing left to do. What it executes is recorded, for people.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kripke.hierarchy.chart.content import Content, ContentError
from kripke.hierarchy.chart.session import Event, Session
from kripke.hierarchy.chart.structure import Action, Chart, Payload, Script, State, Transition, matches
from kripke.hierarchy.script.values import UNDEFINED, Record, Value, truth

MOST_MICRO_STEPS = 10_000
MOST_EVENTS = 64  # that wait
MOST_DELAYED = 32


class Executed(NamedTuple):
    """A statement (its number), and what it prints."""

    statement: int
    text: str = ""


class Endless(Exception):
    """A macro step comes to no end. ``statement``: the last one executed."""


class Overflow(Exception):
    """More events wait than can be kept."""


class Beyond(Exception):
    """A number of more than 32 bits, where there are none."""


class Run:
    """A chart at work: a session, and what was executed since it was taken up."""

    def __init__(self, chart: Chart, session: Session, *, bounded: bool = False) -> None:
        self.chart = chart
        self.session = session
        self.internal: deque[Event] = deque()
        self.event: Event | None = None
        self.executed: list[Executed] = []
        self.content = Content(self)
        self.bounded = bounded  # to numbers of 32 bits
        self._steps = 0

    # --- what a user of a run asks for --------------------------------------------------------------------------------

    @staticmethod
    def started(chart: Chart, *, bounded: bool = False) -> Run:
        run = Run(chart, Session(), bounded=bounded)
        session = run.session
        session.data = {variable.name: UNDEFINED for variable in chart.variables}
        if not chart.late:
            for number in range(len(chart.variables)):
                run.initialise(number)
        root = chart.states[0]
        if chart.late:
            session.entered = frozenset({0})
            for number in root.data:
                run.initialise(number)
        assert root.initial is not None
        run.enter([root.initial])
        run.macro_step()
        return run

    def process(self, event: Event) -> None:
        """One macro step for an external event."""
        self.event = event
        self.micro_step(self.select(event))
        self.macro_step()

    def takes(self, event: Event) -> bool:
        """Is there a transition for it?"""
        self.event = event
        return bool(self.select(event))

    # --- macro steps --------------------------------------------------------------------------------------------------

    def macro_step(self) -> None:
        while self.session.running:
            enabled = self.select(None)
            if not enabled:
                if not self.internal:
                    return
                self.event = self.internal.popleft()
                enabled = self.select(self.event)
            self.micro_step(enabled)
        self.leave_all()

    def leave_all(self) -> None:
        """The chart is over: exit handlers run, and the configuration stays, to be looked at."""
        for number in sorted(self.session.configuration, reverse=True):
            for block in self.chart.states[number].on_exit:
                self.execute(block)
        self.session.external, self.session.delayed = (), ()
        self.internal.clear()

    def micro_step(self, transitions: Sequence[Transition]) -> None:
        if not transitions:
            return
        self._steps += 1
        if self._steps > MOST_MICRO_STEPS:
            raise Endless
        self.exit(transitions)
        for transition in transitions:
            self.follow(transition)
        self.enter(transitions)

    def follow(self, transition: Transition) -> None:
        if transition.number >= 0:
            self.executed.append(Executed(transition.number))
        self.execute(transition.body)

    # --- which transitions --------------------------------------------------------------------------------------------

    def select(self, event: Event | None) -> list[Transition]:
        chart, enabled = self.chart, list[Transition]()
        for number in sorted(n for n in self.session.configuration if chart.atomic(n)):
            found = next(
                (
                    transition
                    for outer in (number, *chart.ancestors(number))
                    for transition in chart.states[outer].transitions
                    if self.enabled(transition, event)
                ),
                None,
            )
            if found is not None and found not in enabled:
                enabled.append(found)
        return self.without_conflicts(enabled)

    def enabled(self, transition: Transition, event: Event | None) -> bool:
        if event is None:
            if transition.events:
                return False
        elif not matches(transition.events, event.name):
            return False
        return transition.condition is None or self.condition(transition.condition)

    def condition(self, script: Script) -> bool:
        try:
            return truth(self.content.value(script))
        except ContentError as error:
            self.fail(error)
            return False

    def without_conflicts(self, enabled: list[Transition]) -> list[Transition]:
        """Of transitions that exit the same state, the one from further inside, else the earlier one."""
        if len(enabled) < 2:
            return enabled
        kept: list[Transition] = []
        for one in enabled:
            exits, preempted, beaten = self.exit_set([one]), False, []
            for other in kept:
                if exits & self.exit_set([other]):
                    if self.chart.descendant(one.source, other.source):
                        beaten.append(other)
                    else:
                        preempted = True
                        break
            if not preempted:
                kept = [other for other in kept if other not in beaten]
                kept.append(one)
        return kept

    # --- exits --------------------------------------------------------------------------------------------------------

    def exit_set(self, transitions: Iterable[Transition]) -> set[int]:
        found: set[int] = set()
        for transition in transitions:
            domain = self.domain(transition)
            if domain is not None:
                found |= {n for n in self.session.configuration if self.chart.descendant(n, domain)}
        return found

    def domain(self, transition: Transition) -> int | None:
        """The innermost compound state that contains source and targets; None for one without targets."""
        targets = self.effective_targets(transition)
        if not targets:
            return None
        chart, source = self.chart, transition.source
        if (
            transition.internal
            and chart.compound(source)
            and all(chart.descendant(target, source) for target in targets)
        ):
            return source
        return self.common_ancestor([source, *targets])

    def common_ancestor(self, states: Sequence[int]) -> int:
        for ancestor in self.chart.ancestors(states[0]):
            if self.chart.compound(ancestor) and all(self.chart.descendant(s, ancestor) for s in states[1:]):
                return ancestor
        return 0

    def effective_targets(self, transition: Transition) -> list[int]:
        found: list[int] = []
        for target in transition.targets:
            for number in self.remembered(target):
                if number not in found:
                    found.append(number)
        return found

    def remembered(self, target: int) -> Sequence[int]:
        """What a target stands for: itself (a choice, too, of which more is known when it is reached), or of a history
        what it keeps, or its default."""
        if self.chart.states[target].kind not in ("shallow", "deep"):
            return (target,)
        if target in self.session.history:
            return self.session.history[target]
        default = self.chart.states[target].initial
        return self.effective_targets(default) if default is not None else ()

    def exit(self, transitions: Sequence[Transition]) -> None:
        chart, session = self.chart, self.session
        leaving = sorted(self.exit_set(transitions), reverse=True)
        for number in leaving:
            for child in chart.states[number].children:
                match chart.states[child].kind:
                    case "deep":
                        kept = [n for n in session.configuration if chart.atomic(n) and chart.descendant(n, number)]
                        session.history[child] = tuple(sorted(kept))
                    case "shallow":
                        kept = [n for n in session.configuration if chart.states[n].parent == number]
                        session.history[child] = tuple(sorted(kept))
        for number in leaving:
            for block in chart.states[number].on_exit:
                self.execute(block)
            session.configuration -= {number}

    # --- entries ------------------------------------------------------------------------------------------------------

    def enter(self, transitions: Sequence[Transition]) -> None:
        entry = Entry(self)
        for transition in transitions:
            entry.add(transition)
        for number in sorted(entry.states):
            self.enter_state(self.chart.states[number], entry)

    def enter_state(self, state: State, entry: Entry) -> None:
        session = self.session
        session.configuration |= {state.number}
        if self.chart.late and state.number not in session.entered:
            if state.data:
                session.entered |= {state.number}
            for number in state.data:
                self.initialise(number)
        for block in state.on_entry:
            self.execute(block)
        if state.number in entry.by_default and state.initial is not None:
            self.follow(state.initial)
        if state.number in entry.defaults:
            self.follow(entry.defaults[state.number])
        if state.kind == "final":
            self.finish(state)

    def finish(self, state: State) -> None:
        if state.parent == 0:
            self.session.running = False
            return
        chart = self.chart
        data = self.payload(state.done) if state.done is not None else UNDEFINED
        parent = chart.states[state.parent]
        self.raise_event(Event(f"done.state.{parent.id}", "platform", data))
        if parent.parent >= 0 and chart.states[parent.parent].kind == "parallel":
            outer = chart.states[parent.parent]
            if all(self.in_final(child) for child in outer.children if not chart.is_history(child)):
                self.raise_event(Event(f"done.state.{outer.id}", "platform"))

    def in_final(self, number: int) -> bool:
        chart, state = self.chart, self.chart.states[number]
        if state.kind == "parallel":
            return all(self.in_final(child) for child in state.children if not chart.is_history(child))
        return any(
            chart.states[child].kind == "final" and child in self.session.configuration for child in state.children
        )

    # --- content ------------------------------------------------------------------------------------------------------

    def execute(self, block: Sequence[Action]) -> None:
        """An error ends the block, not the chart."""
        try:
            self.content.execute(block)
        except ContentError as error:
            self.fail(error)

    def initialise(self, number: int) -> None:
        variable = self.chart.variables[number]
        try:
            value = variable.value if variable.script is None else self.content.value(variable.script)
        except ContentError as error:
            self.fail(error)
            value = UNDEFINED
        self.session.data[variable.name] = value

    def payload(self, payload: Payload) -> Value:
        """The data of an event; a parameter that has no value is left out, with an error."""
        if payload.has_value:
            return payload.value
        if payload.content is not None:
            try:
                return self.content.value(payload.content)
            except ContentError as error:
                self.fail(error)
                return UNDEFINED
        if not payload.parameters:
            return UNDEFINED
        record = Record()
        for name, script in payload.parameters:
            try:
                record = record.put(name, self.content.value(script))
            except ContentError as error:
                self.fail(error)
        return record if record.items else UNDEFINED

    def fail(self, error: ContentError) -> None:
        self.raise_event(Event(error.event, "platform", UNDEFINED, error.send_id))

    def raise_event(self, event: Event) -> None:
        if len(self.internal) >= MOST_EVENTS:
            raise Overflow
        self.internal.append(event)

    def send(self, event: Event) -> None:
        if len(self.session.external) >= MOST_EVENTS:
            raise Overflow
        self.session.external += (event,)


class Entry:
    """Which states are entered (``computeEntrySet``)."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.chart = run.chart
        self.states: set[int] = set()
        self.by_default: set[int] = set()
        self.defaults: dict[int, Transition] = {}  # of histories, by the state they belong to

    def add(self, transition: Transition) -> None:
        for target in transition.targets:
            self.descendants(target)
        domain = self.run.domain(transition)
        for target in self.run.effective_targets(transition):
            self.ancestors(target, 0 if domain is None else domain)

    def descendants(self, number: int) -> None:
        chart = self.chart
        if chart.is_history(number):
            kept = self.run.session.history.get(number)
            parent = chart.states[number].parent
            if kept is None:
                default = chart.states[number].initial
                if default is None:
                    return
                self.defaults[parent] = default
                kept = default.targets
            for target in kept:
                self.descendants(target)
            for target in kept:
                self.ancestors(target, parent)
            return
        self.states.add(number)
        if chart.compound(number):
            initial = chart.states[number].initial
            assert initial is not None
            self.by_default.add(number)
            for target in initial.targets:
                self.descendants(target)
            for target in initial.targets:
                self.ancestors(target, number)
        elif chart.states[number].kind == "parallel":
            self.regions(number)

    def ancestors(self, number: int, until: int) -> None:
        for ancestor in self.chart.ancestors(number, until):
            self.states.add(ancestor)
            if self.chart.states[ancestor].kind == "parallel":
                self.regions(ancestor)

    def regions(self, number: int) -> None:
        for child in self.chart.states[number].children:
            if not self.chart.is_history(child) and not any(
                s == child or self.chart.descendant(s, child) for s in self.states
            ):
                self.descendants(child)
