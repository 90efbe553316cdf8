"""A UML state machine while it is read: states and transitions by name, made into a chart at the end.

Regions become states of their own where there are several: a state with regions is a parallel one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, Literal

from kripke.hierarchy.chart.structure import (
    Action,
    Chart,
    Emit,
    Execute,
    Script,
    State,
    StateKind,
    Transition,
    Variable,
)
from kripke.hierarchy.script.evaluation import unknown_call
from kripke.hierarchy.script.parser import ParseError, parse
from kripke.hierarchy.script.values import UNDEFINED
from kripke.model.source import ModelError, Sources, Span

Kind = Literal["state", "initial", "final", "shallow", "deep", "choice", "fork"]

_EMISSION: Final = re.compile(r"(?:(?:\^|send\s+|raise\s+)\s*([\w.]+)\s*(?:\(\s*\))?|([A-Za-z_]\w*)\s*(?:\(\s*\))?)\s*")
_IN: Final = re.compile(r"\b(?:in|In|oclIsInState)\s*\(\s*([\w.]+)\s*\)")
_MOST_STATES: Final = 20_000


@dataclass(slots=True)
class Arrow:
    """From vertex to vertex; ``target`` None: an internal transition."""

    source: Vertex
    target: Vertex | None
    events: tuple[str, ...]
    guard: str
    effect: str
    span: Span
    text: str


@dataclass(slots=True)
class Region:
    vertices: list[Vertex] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Vertex:
    name: str
    kind: Kind
    span: Span
    owner: Vertex | None
    regions: list[Region] = field(default_factory=list)
    entry: list[tuple[str, Span]] = field(default_factory=list)
    exit: list[tuple[str, Span]] = field(default_factory=list)
    deferred: list[str] = field(default_factory=list)
    number: int = -1


class Machine:
    """What a front end collects."""

    def __init__(self, name: str, path: str, sources: Sources) -> None:
        self.name = name
        self.path = path
        self.sources = sources
        self.root = Vertex("", "state", Span(path, 1, 1, 1, 1), None, [Region()])
        self.arrows: list[Arrow] = []
        self.variables: list[tuple[str, str, Span]] = []
        self.outputs: set[str] = set()
        self.invariants: list[tuple[str, str, Span]] = []
        self.formulas: list[tuple[str, str, Span]] = []

    def chart(self) -> Chart:
        return _Building(self).chart


class _Building:
    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.chart = Chart(machine.name, [], [], False, False)
        self.chart.invariants, self.chart.formulas = machine.invariants, machine.formulas
        self.chart.statements.append(("start", machine.root.span, ""))
        self.region_of: dict[int, int] = {}
        self.triggers = {event for arrow in machine.arrows for event in arrow.events}
        for name, text, span in machine.variables:
            script = self.script(text, span) if text else None
            self.chart.variables.append(Variable(name, script, UNDEFINED, span))
        self.known = {name for name, _, _ in machine.variables}
        self.vertex(machine.root, -1)
        for state in self.chart.states:
            if state.kind == "parallel" and state.number == 0:
                raise self.error("regions at the top need a state around them", machine.root.span)
        self.initials()
        for arrow in machine.arrows:
            if arrow.source.kind not in ("initial", "fork"):
                self.arrow(arrow)
        self.check()

    def error(self, message: str, span: Span, hint: str | None = None) -> ModelError:
        return self.machine.sources.error(message, span, hint)

    # --- states -------------------------------------------------------------------------------------------------------

    def add(self, id_: str, kind: StateKind, parent: int, span: Span) -> State:
        if len(self.chart.states) >= _MOST_STATES:
            raise self.error(f"a machine has at most {_MOST_STATES:,} states", span)
        state = State(len(self.chart.states), id_, kind, parent, span)
        self.chart.states.append(state)
        if parent >= 0:
            if id_ in self.chart.by_id:
                raise self.error(f"there are two states {id_}", span)
            self.chart.by_id[id_] = state.number
            self.chart.states[parent].children.append(state.number)
        return state

    def vertex(self, vertex: Vertex, parent: int) -> None:
        if vertex.kind in ("initial", "fork"):
            return
        several = sum(bool(region.vertices) for region in vertex.regions) > 1
        kind: StateKind = "root" if parent < 0 else "parallel" if several else vertex.kind  # type: ignore[assignment]
        if parent < 0 and several:
            raise self.error("regions at the top need a state around them", vertex.span)
        state = self.add(vertex.name, kind, parent, vertex.span)
        vertex.number = state.number
        state.deferred = tuple(vertex.deferred)
        state.on_entry = [self.effect(text, span, vertex.name) for text, span in vertex.entry]
        state.on_exit = [self.effect(text, span, vertex.name) for text, span in vertex.exit]
        number = 0
        for region in vertex.regions:
            if not region.vertices:
                continue
            number += 1
            inside = state.number
            if several:
                inside = self.add(f"{vertex.name}.{number}", "state", state.number, vertex.span).number
            for inner in region.vertices:
                self.region_of[id(inner)] = inside
                self.vertex(inner, inside)
            self.chart.states[inside].last = len(self.chart.states) - 1
        state.last = len(self.chart.states) - 1

    def initials(self) -> None:
        """The initial transition of every region."""
        starts: dict[int, Arrow] = {}
        for arrow in self.machine.arrows:
            if arrow.source.kind == "initial":
                region = self.region_of[id(arrow.source)]
                if region in starts:
                    raise self.error("this region has two initial transitions", arrow.span)
                if arrow.events or arrow.guard:
                    raise self.error("an initial transition has neither trigger nor guard", arrow.span)
                starts[region] = arrow
        for state in self.chart.states:
            if not self.chart.compound(state.number):
                continue
            found = starts.get(state.number)
            if found is None:
                where = f"the state {state.id}" if state.id else "the machine"
                raise self.error(f"{where} has no initial state", state.span, "add [*] --> STATE")
            assert found.target is not None
            targets = self.targets(found)
            for target in targets:
                if not self.chart.descendant(target, state.number) or self.chart.states[target].kind == "choice":
                    raise self.error("an initial transition leads to a state inside", found.span)
            body = self.effect(found.effect, found.span, state.id)
            state.initial = Transition(state.number, (), None, targets, True, body, found.span)
        for state in self.chart.states:
            if state.kind in ("shallow", "deep"):
                owner = self.chart.states[state.parent]
                default = owner.initial
                targets = default.targets if default is not None else ()
                state.initial = Transition(state.number, (), None, targets, True, (), state.span)

    def targets(self, arrow: Arrow) -> tuple[int, ...]:
        assert arrow.target is not None
        if arrow.target.kind != "fork":
            return (arrow.target.number,)
        inner = [a for a in self.machine.arrows if a.source is arrow.target]
        if any(a.events or a.guard or a.effect or a.target is None or a.target.kind == "fork" for a in inner):
            raise self.error("transitions from a fork have neither trigger, guard nor effect", arrow.target.span)
        return tuple(a.target.number for a in inner if a.target is not None)

    # --- transitions --------------------------------------------------------------------------------------------------

    def arrow(self, arrow: Arrow) -> None:
        source = self.chart.states[arrow.source.number]
        if source.kind in ("final", "shallow", "deep"):
            if source.kind == "final":
                raise self.error("no transition starts at a final state", arrow.span)
            state = self.chart.states[source.number]
            state.initial = Transition(state.number, (), None, self.targets(arrow), True, (), arrow.span)
            return
        if source.kind == "choice" and arrow.events:
            raise self.error("a transition from a choice has no trigger", arrow.span)
        guard = arrow.guard.strip()
        condition = None if not guard or guard == "else" else self.script(guard, arrow.span)
        if guard == "else" and source.kind != "choice":
            raise self.error("else belongs to a choice", arrow.span)
        targets = () if arrow.target is None else self.targets(arrow)
        number = self.statement(arrow.text, arrow.span, source.id)
        body = self.effect(arrow.effect, arrow.span, source.id)
        internal = arrow.target is None
        source.transitions.append(
            Transition(source.number, arrow.events, condition, targets, internal, body, arrow.span, number)
        )

    def statement(self, text: str, span: Span, state: str) -> int:
        self.chart.statements.append((text, span, state))
        return len(self.chart.statements) - 1

    def effect(self, text: str, span: Span, state: str) -> tuple[Action, ...]:
        """Assignments, and events: ``x = x + 1; ^done``, ``beep()``."""
        actions: list[Action] = []
        for piece in text.split(";"):
            piece = piece.strip()
            if not piece:
                continue
            match = _EMISSION.fullmatch(piece)
            if match is not None and (match[2] is None or match[2] not in self.known):
                event = match[1] or match[2]
                output = event in self.machine.outputs or event not in self.triggers
                number = self.statement(f"output {event}" if output else f"send {event}", span, state)
                actions.append(Emit(span, number, event, output))
            else:
                actions.append(Execute(span, self.statement(piece, span, state), self.script(piece, span)))
        return tuple(actions)

    def script(self, text: str, span: Span) -> Script:
        text = _IN.sub(lambda match: f"In('{match[1]}')", text)
        try:
            tree = parse(text)
        except ParseError as error:
            hint = "guards and effects are expressions of ECMAScript; events are ^name or name()"
            raise self.error(f"in '{text}': {error.message}", span, hint) from None
        if (unknown := unknown_call(tree)) is not None:
            raise self.error(f"in '{text}': {unknown[0]}", span)
        return Script(text, tree, "", span)

    def check(self) -> None:
        """Names in guards and effects exist."""
        from kripke.hierarchy.script.evaluation import parts
        from kripke.hierarchy.script.syntax import Call, Literal, Name

        scripts = [t.condition for s in self.chart.states for t in s.transitions if t.condition is not None]
        blocks = [t.body for s in self.chart.states for t in s.transitions]
        blocks += [block for s in self.chart.states for block in (*s.on_entry, *s.on_exit)]
        blocks += [s.initial.body for s in self.chart.states if s.initial is not None]
        scripts += [action.script for block in blocks for action in block if isinstance(action, Execute)]
        for script in scripts:
            assert script.tree is not None
            for part in parts(script.tree):
                match part:
                    case Name(_, name) if name not in self.known and name != "Math":
                        hint = "declare it: ' kripke: var " + name + " = 0"
                        raise self.error(f"there is no variable {name}", script.span, hint)
                    case Call(_, None, "In", (Literal(_, state),)) if state not in self.chart.by_id:
                        raise self.error(f"there is no state {state}", script.span)
