"""A chart as a ``Model``: closed by an environment that sends any of a set of events.

The initial state is the first stable configuration. A step is a macro step, from one to the next: the chart takes the
next waiting event; or the environment sends an event; or time passes until the first delayed event is due. The
environment waits while events wait (a queue of one), or may send up to so many ahead. An event that no transition takes
is no step.

Time is the order of delays. Where the environment can act, it can do so at any time before the first delayed event:
time then passes in units of the greatest common divisor of all delays, which loses no order of events (T. Henzinger,
Z. Manna, A. Pnueli, "What good are digital clocks?", ICALP 1992: delays are exact, so the constraints are closed).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import gcd
from typing import TYPE_CHECKING

from kripke.hierarchy.chart.content import Content
from kripke.hierarchy.chart.interpreter import (
    MOST_EVENTS,
    MOST_MICRO_STEPS,
    Beyond,
    Endless,
    Executed,
    Overflow,
    Run,
)
from kripke.hierarchy.chart.session import Delayed, Event, Session
from kripke.hierarchy.chart.structure import Action, Chart, ForEach, If, Script, Send
from kripke.hierarchy.script.evaluation import evaluate
from kripke.hierarchy.script.values import UNDEFINED, ScriptError, shown, truth
from kripke.model.model import Model, Part, Statement, Transition, Violation, ViolationKind
from kripke.model.source import Diagnostic, Sources, Span

if TYPE_CHECKING:
    from kripke.hierarchy.chart.emit import Emission
    from kripke.hierarchy.chart.finite import Finite
    from kripke.hierarchy.chart.layout import Layout
    from kripke.model.capabilities.encodable import Encoding
    from kripke.model.capabilities.estimate import Estimator, Goal, Way
    from kripke.model.dependencies import DependencyAnalysis
    from kripke.model.diagram import Diagram
    from kripke.model.patterns.of_terms import InTerms
    from kripke.model.property import Temporal

ENDLESS, OVERFLOW, INVARIANT, BEYOND = 0, 1, 2, 3
KINDS = [
    ViolationKind("endless", f"a macro step takes more than {MOST_MICRO_STEPS:,} micro steps"),
    ViolationKind("queue", f"more than {MOST_EVENTS} events wait"),
    ViolationKind("invariant", "invariant violated"),
    ViolationKind("range", "a number of more than 32 bits"),
]
_CODES: dict[type[Exception], int] = {Endless: ENDLESS, Overflow: OVERFLOW, Beyond: BEYOND}
CHART, ENVIRONMENT = 0, 1  # who acts


@dataclass(frozen=True, slots=True)
class Environment:
    """``events`` it may send, with ``queue`` waiting at most."""

    events: tuple[str, ...]
    queue: int = 1


class ChartModel(Model):
    """Statements are those of the chart, then the events of the environment, then taking an event, and time."""

    deadlock_text = "no event changes anything any more, and the chart has not reached a final state"
    #: do transitions without a trigger wait until their source is completed?
    completes = False

    def __init__(
        self,
        chart: Chart,
        environment: Environment,
        file: str,
        language: str,
        sources: Sources,
        conditions: Mapping[str, Script] | None = None,
        properties: Sequence[Temporal] = (),
        warnings: Sequence[Diagnostic] = (),
        invariants: Sequence[tuple[str, Script, Span]] = (),
    ) -> None:
        self.chart = chart
        self.environment = environment
        self.file = file
        self.language = language
        self.sources = sources
        self.conditions = dict(conditions or {})
        self.properties = properties
        self.warnings = warnings
        here = chart.states[0].span
        self.statements = [
            *(Statement(text, span, state) for text, span, state in chart.statements),
            *(Statement(f"event {name}", here, "") for name in environment.events),
            Statement("take", here, ""),
            Statement("wait", here, ""),
            *(Statement(f"invariant {name}", span, "") for name, _, span in invariants),
        ]
        self.invariants = [script for _, script, _ in invariants]
        self.first_event = len(chart.statements)
        self._taking = self.first_event + len(environment.events)
        self._wait = self._taking + 1
        self.violation_kinds = KINDS
        self.atoms = list(self.conditions)
        self.most_actors = 2
        self._texts: list[str] = []
        self._numbers: dict[str, int] = {}
        self.delays = [send.delay for send in sends_of(chart) if isinstance(send.delay, int) and send.delay]

    @cached_property
    def finite(self) -> Finite | str:
        """The chart in a fixed form, to be compiled; what stands against it, in words."""
        from kripke.hierarchy.chart.finite import Infinite, finite_form

        try:
            return finite_form(self.chart, self.environment, [*self.conditions.values(), *self.invariants])
        except Infinite as obstacle:
            return obstacle.what

    @cached_property
    def layout(self) -> Layout:
        from kripke.hierarchy.chart.layout import PlacedLayout, TextLayout

        return TextLayout() if isinstance(self.finite, str) else PlacedLayout(self.finite)

    @cached_property
    def bounded(self) -> bool:
        return not isinstance(self.finite, str)

    @property
    def max_state_bytes(self) -> int:
        return self.layout.longest

    def emit_c(self, *, dependencies: bool = False) -> str | None:
        emission = self._emission(dependencies=dependencies)
        return None if emission is None else emission.whole()

    def _emission(self, *, dependencies: bool) -> Emission | None:
        from kripke.hierarchy.chart.layout import PlacedLayout

        if isinstance(self.finite, str) or self.start is None or not isinstance(self.layout, PlacedLayout):
            return None
        from kripke.hierarchy.chart.emit import Emission

        return Emission(self, self.finite, self.layout, self.initial(), dependencies=dependencies)

    def estimator(self, goal: Goal, way: Way) -> Estimator | str:
        from kripke.model.patterns.of_terms import estimator

        seen = self._seen
        return seen if isinstance(seen, str) else estimator(seen, self.violation_kinds, goal, way)

    def emit_estimates(self, estimators: Sequence[Estimator], *, dependencies: bool = False) -> str | None:
        emission = self._emission(dependencies=dependencies)
        if emission is not None:
            emission.estimators = estimators
        return None if emission is None else emission.whole()

    def distance_to_state(self, state: bytes) -> None:
        """No more than how many bytes differ is known."""
        return None

    @cached_property
    def _seen(self) -> InTerms | str:
        from kripke.hierarchy.chart.estimates import readers
        from kripke.model.patterns.of_terms import seen_in_terms

        known = {} if isinstance(self.finite, str) else readers(self, self.finite)
        return seen_in_terms(self.encode, known.__contains__)

    def dependencies(self, atoms: Sequence[int] = ()) -> DependencyAnalysis | str:
        from kripke.hierarchy.chart.dependence import ChartDependencies, obstacle

        asked = list(self.conditions.values())
        against = obstacle(self)
        if against is not None or isinstance(self.finite, str):
            return against or ""
        return ChartDependencies(self, self.finite, [asked[number] for number in atoms], completes=self.completes)

    def encode(self, room: int = 1) -> Encoding | str:
        from kripke.hierarchy.chart.encode.encoding import encoded
        from kripke.hierarchy.chart.encode.scxml_steps import ScxmlSteps

        if isinstance(self.finite, str):
            return f"a chart that is not of fixed form, for {self.finite}, cannot be said in terms"
        if self.start is None:
            return "a chart whose start comes to no end cannot be said in terms"
        return encoded(self, self.finite, room, ScxmlSteps)

    # --- behaviour ----------------------------------------------------------------------------------------------------

    @cached_property
    def start(self) -> Run | None:
        """The chart after its start; None where that comes to no end."""
        try:
            return Run.started(self.chart, bounded=self.bounded)
        except (Endless, Overflow, Beyond):
            return None

    def initial(self) -> list[bytes]:
        return [self.layout.encode(None if self.start is None else self.start.session)]

    def executed(self, statement: int) -> bool:
        started = self.start
        return started is not None and (statement == 0 or any(one.statement == statement for one in started.executed))

    def successors(self, state: bytes) -> list[Transition]:
        session = self.layout.decode(state)
        if session is None:
            return [self._step(CHART, (), self._run(Session()), None)]
        broken = self._broken(session)
        if not session.running:
            return broken
        return [*broken, *(step for step in self._steps(session) if step.target != state)]

    def _broken(self, session: Session) -> list[Transition]:
        """A step without a target for every invariant of the chart that is not true."""
        scope, found = Run(self.chart, session).content, []
        for number, script in enumerate(self.invariants):
            if self._truth(script, scope) is not True:
                statement = self._wait + 1 + number
                found.append(Transition((Part(CHART, statement),), None, (Violation(INVARIANT, statement),)))
        return found

    @staticmethod
    def _truth(script: Script, scope: Content) -> bool | None:
        assert script.tree is not None
        try:
            return truth(evaluate(script.tree, scope))
        except ScriptError:
            return None

    def _steps(self, session: Session) -> Iterator[Transition]:
        if session.external:
            event, rest = session.external[0], session.copy()
            rest.external = session.external[1:]
            first = Part(CHART, self._taking, (self._text(f"take {event.name}"),))
            yield self._step(CHART, (first,), self._run(rest), event)
        if len(session.external) < self.environment.queue:
            for number, name in enumerate(self.environment.events):
                sent = Part(ENVIRONMENT, self.first_event + number)
                after = session.copy()
                if self.environment.queue > 1:
                    after.external = (*after.external, Event(name))
                    yield Transition((sent,), self.layout.encode(after))
                elif self._run(session.copy()).takes(Event(name)):
                    yield self._step(ENVIRONMENT, (sent,), self._run(after), Event(name))
        if session.delayed and not session.external:
            yield self._time(session)

    def _run(self, session: Session) -> Run:
        return Run(self.chart, session, bounded=self.bounded)

    def _time(self, session: Session) -> Transition:
        first = session.delayed[0].remaining
        unit = gcd(*self.delays, *(one.remaining for one in session.delayed)) if self.environment.events else first
        after = session.copy()
        later = [Delayed(one.remaining - unit, one.event, one.id) for one in session.delayed]
        after.external = (*after.external, *(one.event for one in later if one.remaining == 0))
        after.delayed = tuple(one for one in later if one.remaining)
        return Transition((Part(CHART, self._wait, (self._text(f"wait {unit} ms"),)),), self.layout.encode(after))

    def _step(self, actor: int, first: tuple[Part, ...], run: Run, event: Event | None) -> Transition:
        broken: tuple[Violation, ...] = ()
        if event is None:
            first = (Part(CHART, 0),)
        try:
            if event is None:
                run = Run.started(self.chart, bounded=self.bounded)
            else:
                run.process(event)
        except (Endless, Overflow, Beyond) as error:
            code = _CODES[type(error)]
            last = run.executed[-1].statement if run.executed else first[-1].statement
            broken = (Violation(code, last),)
        parts = (*first, *(self._part(executed) for executed in run.executed))
        return Transition(parts, None if broken else self.layout.encode(run.session), broken)

    def _part(self, executed: Executed) -> Part:
        return Part(CHART, executed.statement, (self._text(executed.text),) if executed.text else ())

    def _text(self, text: str) -> int:
        """Texts of parts, by number."""
        if text not in self._numbers:
            self._numbers[text] = len(self._texts)
            self._texts.append(text)
        return self._numbers[text]

    def forbids(self, statement: int) -> bool:
        return statement >= self._taking  # and of taking and waiting nothing need be missed

    def valid_end(self, state: bytes) -> bool:
        session = self.layout.decode(state)
        return session is not None and not session.running

    def atom_values(self, state: bytes) -> tuple[bool, ...]:
        return tuple(value is True for value in self._truths(state))

    def failed_atoms(self, state: bytes) -> int:
        return sum(1 << number for number, value in enumerate(self._truths(state)) if value is None)

    def _truths(self, state: bytes) -> Iterator[bool | None]:
        session = self.layout.decode(state)
        if session is None:
            session = Session(data={variable.name: UNDEFINED for variable in self.chart.variables})
        scope = Run(self.chart, session).content
        for script in self.conditions.values():
            yield self._truth(script, scope)

    # --- for people ---------------------------------------------------------------------------------------------------

    def describe(self, state: bytes) -> dict[str, str]:
        session = self.layout.decode(state)
        if session is None:
            return {"chart@": "not started"}
        return described(self.chart, session)

    def actor_name(self, actor: int, state: bytes) -> str:
        return "environment" if actor == ENVIRONMENT else self.chart.name or "chart"

    def source_line(self, span: Span) -> str:
        return self.sources.line(span.file, span.line) or ""

    def source_files(self) -> Mapping[str, Sequence[str]]:
        return self.sources.texts()

    def explain_part(self, part: Part) -> str:
        if part.values and part.statement in (self._taking, self._wait):
            return self._texts[part.values[0]]
        return self.statements[part.statement].text

    def printed(self, part: Part) -> str | None:
        if part.values and part.statement < self.first_event:
            return self._texts[part.values[0]] + "\n"
        return None

    def diagrams(self) -> list[Diagram]:
        from kripke.hierarchy.chart.diagrams import chart_diagram

        return [chart_diagram(self.chart)]

    def marked_diagrams(self) -> list[Diagram]:
        return self.diagrams()

    def marks(self, state: bytes) -> dict[str, str]:
        from kripke.hierarchy.chart.diagrams import state_key

        session = self.layout.decode(state)
        return {} if session is None else {state_key(number): "active" for number in sorted(session.configuration)}

    def facts(self) -> dict[str, object]:
        chart = self.chart
        depth = max(len(chart.ancestors(state.number)) for state in chart.states)
        return {
            "states": len(chart.states) - 1,
            "levels": depth,
            "transitions": sum(len(state.transitions) for state in chart.states),
            "variables": len(chart.variables),
            "events of the environment": ", ".join(self.environment.events) or "none",
            "compiled": f"no: {self.finite}" if isinstance(self.finite, str) else "yes",
        }


def described(chart: Chart, session: Session) -> dict[str, str]:
    """The innermost active states, the variables, what waits."""
    inner = [chart.states[n].id for n in sorted(session.configuration) if chart.atomic(n)]
    known = {"chart@": ", ".join(inner) + ("" if session.running else " (ended)")}
    known |= {name: shown(value) for name, value in session.data.items()}
    if session.external:
        known["waiting"] = ", ".join(event.name for event in session.external)
    if session.delayed:
        known["later"] = ", ".join(f"{one.event.name} in {one.remaining} ms" for one in session.delayed)
    for number, kept in sorted(session.history.items()):
        known[chart.states[number].id] = ", ".join(chart.states[n].id for n in kept)
    return known


def actions_of(chart: Chart) -> Iterator[Action]:
    """Every action of the chart, those inside of others too."""
    blocks: list[Sequence[Action]] = []
    for state in chart.states:
        blocks += [*state.on_entry, *state.on_exit, *(t.body for t in state.transitions)]
        if state.initial is not None:
            blocks.append(state.initial.body)
    while blocks:
        for action in blocks.pop():
            yield action
            if isinstance(action, If):
                blocks += [body for _, body in action.branches]
            elif isinstance(action, ForEach):
                blocks.append(action.body)


def sends_of(chart: Chart) -> list[Send]:
    return [action for action in actions_of(chart) if isinstance(action, Send)]
