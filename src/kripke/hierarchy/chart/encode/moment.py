"""``Moment``: a chart in the middle of a step, with terms over the state in which the step began for everything.

What is done under a condition changes values only where the condition holds. So one moment stands for all states at
once: the algorithm of ``interpreter.py`` is followed once, for every event.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import NamedTuple

from kripke.hierarchy.chart.courses import EntryCase, Kept, domains, entries
from kripke.hierarchy.chart.encode.places import Places
from kripke.hierarchy.chart.interpreter import MOST_EVENTS
from kripke.hierarchy.chart.structure import (
    Action,
    AssignTo,
    Cancel,
    Emit,
    Execute,
    If,
    Log,
    Raise,
    Script,
    Send,
    Transition,
    matches,
)
from kripke.hierarchy.lowering import Lowering
from kripke.hierarchy.terms import Inside
from kripke.hierarchy.terms import Term as Expression
from kripke.terms.build import (
    FALSE,
    TRUE,
    all_of,
    any_of,
    at_most,
    choose,
    conjoin,
    constant,
    disjoin,
    equal,
    ite,
    negate,
    number,
    subtract,
    true_of,
    variable,
)
from kripke.terms.system import Breach, Limit
from kripke.terms.term import Symbol, Term

ZERO = constant(0)
_SMALLEST, _LARGEST = constant(-(2**31)), constant(2**31 - 1)


#: what is executed where a state is entered by default, and by its history
Defaults = Mapping[str, list[tuple[Term, Transition]]]


class Chosen(NamedTuple):
    """A transition that fires where the condition holds; what it does not leave (None: it leaves nothing)."""

    transition: Transition
    domain: int | None
    condition: Term


class Courses:
    """Where the transitions of a chart lead, found once."""

    def __init__(self, places: Places) -> None:
        self.chart = places.chart
        self._domains: dict[int, list[tuple[Kept, int | None]]] = {}
        self._entries: dict[int, list[tuple[Kept, EntryCase]]] = {}
        active = [s for s in self.chart.states if not self.chart.is_history(s.number)]
        self.transitions = [t for s in active for t in s.transitions]
        self.spontaneous = any(not t.events for t in self.transitions)

    def domains(self, transition: Transition) -> list[tuple[Kept, int | None]]:
        if id(transition) not in self._domains:
            self._domains[id(transition)] = domains(self.chart, transition)
        return self._domains[id(transition)]

    def entries(self, transition: Transition) -> list[tuple[Kept, EntryCase]]:
        if id(transition) not in self._entries:
            self._entries[id(transition)] = entries(self.chart, transition)
        return self._entries[id(transition)]

    def expects(self, event: str) -> bool:
        return any(t.events and matches(t.events, event) for t in self.transitions)

    def clash(self, one: Chosen, other: Chosen) -> bool:
        """Do they exit a common state, where both are enabled?"""
        a, b = one.domain, other.domain
        if a is None or b is None:
            return False
        return a == b or self.chart.descendant(a, b) or self.chart.descendant(b, a)


class Moment:
    """``when``: the condition under which the step has come so far. ``statement``: where UML looks for what goes wrong;
    -1: the statement that does it. ``beyond``: the code of a number that is too large."""

    def __init__(self, places: Places, courses: Courses, when: Term, beyond: int, statement: int = -1) -> None:
        self.places, self.courses, self.chart = places, courses, places.chart
        self.when, self.statement, self._beyond = when, statement, beyond
        self.breaches: list[Breach] = []
        self.limits: list[Limit] = []
        self.running = variable(places.running)
        self.data = [variable(symbol) for symbol in places.data]
        self.kept = {key: variable(symbol) for key, symbol in places.kept.items()}
        self.waiting = [variable(symbol) for symbol in places.waiting]
        self.rest = [variable(symbol) for symbol in places.rest]
        self.kind = [variable(symbol) for symbol in places.kind]
        self.active: list[Term] = [FALSE] * len(self.chart.states)
        self.active[0] = TRUE
        for state in self.chart.states:
            if state.number and not self.chart.is_history(state.number):
                inner = places.inner.get(state.parent)
                self.active[state.number] = (
                    self.active[state.parent]
                    if inner is None
                    else equal(variable(places.child[state.parent]), constant(1 + inner.index(state.number)))
                )
        self._before = list(self.active)
        self.raised: list[tuple[Term, str]] = []
        self._sites = 0

    def copy(self) -> Moment:
        other = copy(self)
        for name in ("breaches", "limits", "data", "waiting", "rest", "kind", "active", "raised"):
            setattr(other, name, list(getattr(self, name)))
        other.kept = dict(self.kept)
        return other

    # --- the state after it -------------------------------------------------------------------------------------------

    def child(self, number_: int) -> Term:
        """Which child of a compound state is active."""
        inner = self.places.inner[number_]
        if all(self.active[child] is self._before[child] for child in inner):
            return variable(self.places.child[number_])
        found: Term = ZERO
        for index, child in reversed(list(enumerate(inner, start=1))):
            found = ite(self.active[child], constant(index), found)
        return found

    def updates(self) -> dict[Symbol, Term]:
        places = self.places
        new: dict[Symbol, Term] = {places.running: self.running}
        new |= {symbol: self.child(number_) for number_, symbol in places.child.items()}
        new |= {symbol: self.kept[key] for key, symbol in places.kept.items()}
        for symbols, values in (
            (places.data, self.data),
            (places.waiting, self.waiting),
            (places.rest, self.rest),
            (places.kind, self.kind),
        ):
            new |= dict(zip(symbols, values, strict=True))
        return {symbol: value for symbol, value in new.items() if value is not variable(symbol)}

    # --- expressions --------------------------------------------------------------------------------------------------

    def _lowering(self) -> Lowering:
        first = len(self.data)

        def inside(term: Inside) -> Term:
            return self.active[term.place - first]

        return Lowering(self.data.__getitem__, inside)

    def truth(self, script: Script | None) -> Term:
        return TRUE if script is None else self._lowering().truth(self.places.finite.term(script))

    def end(self, condition: Term, text: str) -> None:
        """The encoding knows no further."""
        here = conjoin(self.when, condition)
        if here is not FALSE:
            self.limits.append(Limit(here, text))
            self.when = conjoin(self.when, negate(condition))

    def fail(self, condition: Term, code: int, statement: int) -> None:
        """The step ends in an error."""
        here = conjoin(self.when, condition)
        if here is not FALSE:
            self.breaches.append(Breach(here, code, statement if self.statement < 0 else self.statement))
            self.when = conjoin(self.when, negate(condition))

    # --- content ------------------------------------------------------------------------------------------------------

    def execute(self, block: Sequence[Action], when: Term) -> None:
        for action in block if when is not FALSE else ():
            match action:
                case Raise(_, _, event):
                    self.raise_event(event, when)
                case AssignTo(_, label, location, value):
                    place = next(i for i, v in enumerate(self.chart.variables) if v.name == location.text.strip())
                    self._assign(place, self.places.finite.term(value), when, label)
                case Execute(_, label, script):
                    for place, term in self.places.finite.assignments[id(script)]:
                        self._assign(place, term, when, label)
                case If(_, _, branches):
                    conditions, left = [], when
                    for condition, _ in branches:
                        true = self.truth(condition)
                        conditions.append(conjoin(left, true))
                        left = conjoin(left, negate(true))
                    for (_, body), here in zip(branches, conditions, strict=True):
                        self.execute(body, here)
                case Send(_, _, event, "#_internal"):
                    self.raise_event(str(event), when)
                case Send(_, _, event, _, _, id_, _, int() as delay) if delay:
                    self._send_later(self.places.kinds.index((str(event), id_)), delay // self.places.unit, when)
                case Send(_, _, event) | Emit(_, _, event, False):
                    self.send(constant(self.places.event(str(event))), when)
                case Cancel(_, _, str() as id_):
                    self._cancel(id_, when)
                case Log() | Emit():
                    pass
                case _:
                    raise TypeError(action)

    def _assign(self, place: int, value: Expression, when: Term, label: int) -> None:
        found, symbol = self._lowering().value(value), self.places.data[place]
        if symbol.sort.boolean:
            found = found if found.boolean else true_of(found)
        else:
            found = number(found) if found.boolean else found
            fits = conjoin(at_most(_SMALLEST, found), at_most(found, _LARGEST))
            self.fail(conjoin(when, negate(fits)), self._beyond, label)
        self.data[place] = ite(when, found, self.data[place])

    # --- events -------------------------------------------------------------------------------------------------------

    def raise_event(self, event: str, when: Term) -> None:
        """Into the internal queue; nobody misses one that no transition waits for, but it needs its place."""
        if when is FALSE:
            return
        self._sites += 1
        if self._sites > MOST_EVENTS:
            self.end(when, f"more than {MOST_EVENTS} events are raised in a step")
        elif self.courses.expects(event):
            self.raised.append((when, event))

    def send(self, event: Term, when: Term) -> None:
        """Behind those that wait."""
        full = negate(equal(self.waiting[-1], ZERO)) if self.waiting else TRUE
        self.end(conjoin(when, full), f"more than {len(self.waiting)} events wait")
        before, room = list(self.waiting), when
        for index, slot in enumerate(before):
            empty = equal(slot, ZERO)
            self.waiting[index] = ite(conjoin(room, empty), event, slot)
            room = conjoin(room, negate(empty))

    def take_out(self, at: int, when: Term) -> None:
        """The waiting event in a slot is gone."""
        before = [*self.waiting, ZERO]
        for index in range(at, len(self.waiting)):
            self.waiting[index] = ite(when, before[index + 1], before[index])

    def _send_later(self, kind: int, delay: int, when: Term) -> None:
        self.end(conjoin(when, negate(equal(self.rest[-1], ZERO))), f"more than {len(self.rest)} events are delayed")
        new = (constant(delay), constant(kind))
        before = list(zip(self.rest, self.kind, strict=True))
        earlier = [conjoin(negate(equal(rest, ZERO)), at_most(rest, new[0])) for rest, _ in before]
        for index, slot in enumerate(before):
            for values, part in ((self.rest, 0), (self.kind, 1)):
                shifted = new[part] if index == 0 else ite(earlier[index - 1], new[part], before[index - 1][part])
                values[index] = ite(conjoin(when, negate(earlier[index])), shifted, slot[part])

    def _drop(self, at: int, when: Term) -> None:
        """The delayed event in a slot is gone."""
        for values in (self.rest, self.kind):
            before = [*values, ZERO]
            for index in range(at, len(values)):
                values[index] = ite(when, before[index + 1], before[index])

    def _cancel(self, id_: str, when: Term) -> None:
        kinds = [index for index, (_, name) in enumerate(self.places.kinds) if name == id_]
        for at in reversed(range(len(self.rest))):
            named = any_of(equal(self.kind[at], constant(kind)) for kind in kinds)
            self._drop(at, conjoin(when, negate(equal(self.rest[at], ZERO)), named))

    def pass_time(self, unit: Term) -> None:
        """What is due waits from now on."""
        events = [constant(self.places.event(name)) for name, _ in self.places.kinds]
        due = [equal(rest, unit) for rest in self.rest]  # none is 0
        for at, now in enumerate(due):
            self.send(choose(self.kind[at], events), now)
        self.rest = [ite(equal(rest, ZERO), ZERO, subtract(rest, unit)) for rest in self.rest]
        for at in reversed(range(len(due))):
            self._drop(at, due[at])

    # --- transitions --------------------------------------------------------------------------------------------------

    def keeps(self, kept: Kept) -> Term:
        return all_of(
            (self.kept[key] if value else negate(self.kept[key]))
            if self.kept[key].boolean
            else equal(self.kept[key], constant(value))
            for key, value in self.places.deciding(kept)
        )

    def select(self, trigger: Callable[[Transition], Term], when: Term) -> list[Chosen]:
        """The transitions that fire (``selectTransitions``); the first of each innermost state and those around it."""
        guards: dict[int, Term] = {}
        found: list[tuple[Transition, Term]] = []
        before: dict[int, Term] = {}
        for state in self.chart.states:
            if not state.number or not self.chart.atomic(state.number) or self.chart.is_history(state.number):
                continue
            nothing = conjoin(when, self.active[state.number])
            for outer in (state.number, *self.chart.ancestors(state.number)):
                for transition in self.chart.states[outer].transitions if nothing is not FALSE else ():
                    if id(transition) not in guards:
                        fires = trigger(transition)
                        guards[id(transition)] = (
                            FALSE if fires is FALSE else conjoin(fires, self.truth(transition.condition))
                        )
                    enabled = guards[id(transition)]
                    here = conjoin(nothing, enabled, negate(before.get(id(transition), FALSE)))
                    if here is not FALSE:
                        found.append((transition, here))
                        before[id(transition)] = disjoin(before.get(id(transition), FALSE), here)
                    nothing = conjoin(nothing, negate(enabled))
        return self._without_conflicts(found)

    def cases(self, transition: Transition, when: Term) -> list[Chosen]:
        """A transition by what it leaves."""
        found = [
            Chosen(transition, domain, conjoin(when, self.keeps(kept)))
            for kept, domain in self.courses.domains(transition)
        ]
        return [one for one in found if one.condition is not FALSE]

    def _without_conflicts(self, found: Sequence[tuple[Transition, Term]]) -> list[Chosen]:
        kept: list[Chosen] = []
        for transition, condition in found:
            new: list[Chosen] = []
            for one in self.cases(transition, condition):
                rivals = [i for i, other in enumerate(kept) if self.courses.clash(one, other)]
                inner = [i for i in rivals if self.chart.descendant(transition.source, kept[i].transition.source)]
                stronger = any_of(kept[i].condition for i in rivals if i not in inner)
                wins = conjoin(one.condition, negate(stronger))
                for i in inner:
                    kept[i] = kept[i]._replace(condition=conjoin(kept[i].condition, negate(wins)))
                new.append(one._replace(condition=wins))
            kept += new
        return [one for one in kept if one.condition is not FALSE]

    def micro_step(self, chosen: Sequence[Chosen]) -> None:
        self.leave(chosen)
        for one in chosen:
            self.execute(one.transition.body, one.condition)
        for number_, when, case in self.entered(chosen):
            self.enter(number_, when, case)

    def leave(self, chosen: Sequence[Chosen]) -> None:
        leaving: list[tuple[int, Term]] = []
        for state in reversed(self.chart.states):
            here = any_of(
                one.condition
                for one in chosen
                if one.domain is not None and self.chart.descendant(state.number, one.domain)
            )
            if (when := conjoin(self.active[state.number], here)) is not FALSE:
                leaving.append((state.number, when))
        new = dict(self.kept)
        for number_, when in leaving:
            for history in self.chart.states[number_].children:
                if history in self.places.histories:
                    for place in self.places.kept_places(history):
                        value = TRUE if place < 0 else self.child(place)
                        new[history, place] = ite(when, value, new[history, place])
        self.kept = new
        for number_, when in leaving:
            for block in self.chart.states[number_].on_exit:
                self.execute(block, when)
            self.active[number_] = conjoin(self.active[number_], negate(when))

    def entered(self, chosen: Sequence[Chosen]) -> list[tuple[int, Term, Defaults]]:
        """The states that are entered, in document order, with what is executed there by default."""
        entering: dict[int, list[Term]] = {}
        defaults: dict[int, list[tuple[Term, Transition]]] = {}
        histories: dict[int, list[tuple[Term, Transition]]] = {}
        for one in chosen:
            for kept, case in self.courses.entries(one.transition):
                when = conjoin(one.condition, self.keeps(kept))
                if when is FALSE:
                    continue
                for number_ in case.states:
                    entering.setdefault(number_, []).append(when)
                    initial = self.chart.states[number_].initial
                    if number_ in case.by_default and initial is not None:
                        defaults.setdefault(number_, []).append((when, initial))
                for number_, transition in case.defaults.items():
                    histories.setdefault(number_, []).append((when, transition))
        return [
            (number_, any_of(whens), {"initial": defaults.get(number_, []), "history": histories.get(number_, [])})
            for number_, whens in sorted(entering.items())
        ]

    def enter(self, number_: int, when: Term, case: Defaults) -> None:
        state = self.chart.states[number_]
        self.active[number_] = disjoin(self.active[number_], when)
        for block in state.on_entry:
            self.execute(block, when)
        for transition in {id(t): t for _, t in case["initial"]}.values():
            self.execute(transition.body, conjoin(when, any_of(w for w, t in case["initial"] if t is transition)))
        for here, transition in case["history"]:
            self.execute(transition.body, conjoin(when, here))
        if state.kind == "final" and state.parent == 0:
            self.running = conjoin(self.running, negate(when))

    def in_final(self, number_: int) -> Term:
        state = self.chart.states[number_]
        inner = [child for child in state.children if not self.chart.is_history(child)]
        if state.kind == "parallel":
            return all_of(self.in_final(child) for child in inner)
        return any_of(self.active[child] for child in inner if self.chart.states[child].kind == "final")
