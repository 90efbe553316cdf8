"""All errors of a state space, grouped by what causes them, and counterexamples other than the first.

A failed assertion is the same error wherever it fails. Deadlocks are alike where as many processes of each sort wait at
the same places; in a net, where the same places are marked.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from kripke.clarity.clear import ClearFindings, clear_finding, clear_findings, clear_result, with_findings
from kripke.deadline import current
from kripke.engines.explicit.breadth_tree import BreadthTree, row
from kripke.engines.explicit.conclusion import TO_SAY_WHAT_WAS_FOUND, finding_of
from kripke.engines.explicit.prepare import Engine, prepare
from kripke.engines.explicit.safety import search_request
from kripke.engines.explicit.search import UNEVALUATED, ErrorKind, ErrorPath
from kripke.engines.linear.product_search import check_temporal, choose_search, cycle_request
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.engines.runs.replay import ReplayFailure
from kripke.model.model import Model, Transition
from kripke.model.observer import UNDECIDED
from kripke.model.product import Product, without_observer
from kripke.model.property import Safety, Temporal
from kripke.model.result import Finding, Result
from kripke.model.trace import Trace
from kripke.model.wrapper import Wrapper

_MOST_CAUSES = 20  # that are shown, each with a trace


class _Place(NamedTuple):
    """An error, and the number of the state it is in or in a step from."""

    kind: ErrorKind
    code: int
    statement: int
    state: int


@dataclass(slots=True)
class _Cause:
    first: _Place
    count: int = 0


class _Errors:
    """Every error of a model, nearest first."""

    def __init__(self, model: Model, plan: SearchPlan) -> None:
        self.model = model
        self.tree = BreadthTree(model, plan)
        self.deadlock = plan.deadlock and model.has_deadlocks
        names = list(model.atoms)
        self.invariants = [names.index(name) for name in plan.invariants]

    def each(self) -> Iterator[tuple[_Place, bytes]]:
        """With the state."""
        first = 0
        for states, steps in self.tree.grow():
            broken = np.flatnonzero(steps.violations >= 0)
            places = [
                _Place("violation", int(steps.violations[i]), int(steps.statements[i]), int(steps.sources[i]))
                for i in broken
            ]
            if self.deadlock:
                places += [_Place("deadlock", -1, -1, first + int(i)) for i in np.flatnonzero(steps.deadlocks)]
            if self.invariants:
                for index in range(len(states.lengths)):
                    truths = list(self.tree.truths(row(states, index)))
                    broken_here = [n for n in self.invariants if not truths[n]]
                    failed = self.model.failed_atoms(row(states, index)) if broken_here else 0
                    places += [
                        _Place("invariant", n, UNEVALUATED if failed >> n & 1 else -1, first + index)
                        for n in broken_here
                    ]
            for place in sorted(places, key=lambda place: place.state):
                yield place, row(states, place.state - first)
            first += len(states.lengths)

    def cause(self, place: _Place, state: bytes) -> Hashable:
        if place.kind != "deadlock":
            return place[:3]
        shown = self.model.describe(state)
        where = sorted((name.partition(":")[0], value) for name, value in shown.items() if name.endswith("@"))
        return tuple(where) or tuple(shown)

    def shown(self, finding: Finding) -> tuple[Hashable, bytes | None]:
        """The cause of an error that is known, and the state in which it was found."""
        trace = finding.trace
        if trace is None:
            return None, None
        if finding.kind == "deadlock":
            return self.cause(_Place("deadlock", -1, -1, 0), trace.final), trace.final
        if finding.kind == "invariant":
            return ("invariant", list(self.model.atoms).index(finding.property), -1), trace.final
        if finding.kind == UNDECIDED.kind:
            return ("invariant", list(self.model.atoms).index(finding.property), UNEVALUATED), trace.final
        last = trace.steps[-1]
        code, statement = next(v for v in last.violations if self.model.violation_kinds[v.code].name == finding.kind)
        return ("violation", code, statement), last.before

    def findings(
        self, places: list[_Place], plan: SearchPlan, searched: float, origin: Mapping[str, Any] | None
    ) -> ClearFindings:
        ways = self.tree.ways({place.state for place in places})
        safety = Safety(self.deadlock, plan.invariants)
        request = search_request(self.model, plan, "bfs")
        found = [
            finding_of(
                self.model,
                safety,
                ErrorPath(place.kind, place.code, place.statement, ways[place.state]),
                request,
                origin,
                current().at_least(TO_SAY_WHAT_WAS_FOUND),
            )
            for place in places
        ]
        return clear_findings(found, plan, searched)


def by_cause(model: Model, result: Result, plan: SearchPlan, origin: Mapping[str, Any] | None) -> Result:
    """The result with a finding for every cause, and how often it comes."""
    errors = _Errors(model, plan)
    causes: dict[Hashable, _Cause] = {}
    for place, state in errors.each():
        found = causes.setdefault(errors.cause(place, state), _Cause(place))
        found.count += 1
    shown = list(causes.values())[:_MOST_CAUSES]
    clear = errors.findings([cause.first for cause in shown], plan, result.seconds, origin)
    counted = tuple(replace(f, count=cause.count) for f, cause in zip(clear.findings, shown, strict=True))
    if not counted or any(finding.trace is None for finding in counted):
        return result
    more = len(causes) - len(shown)
    warnings = (f"{more} more causes of errors are not shown",) if more else ()
    return with_findings(result, replace(clear, findings=counted, warnings=(*warnings, *clear.warnings)))


def another(model: Model, result: Result, plan: SearchPlan, origin: Mapping[str, Any] | None) -> Result:
    """Instead of the first error another one: ``plan.another`` says which. Other causes come before other places
    of a cause that is known."""
    assert plan.another is not None
    errors = _Errors(model, plan)
    known, state_known = errors.shown(result.findings[0])
    causes, states = {known}, {state_known}
    others: list[_Place] = []
    again: list[_Place] = []
    for place, state in errors.each():
        cause = errors.cause(place, state)
        if cause not in causes:
            causes.add(cause)
            others.append(place)
            if len(others) >= plan.another:
                break
        elif state not in states and len(again) < plan.another:
            states.add(state)
            again.append(place)
    places = [*others, *again]
    if len(places) < plan.another:
        said = "there is no other error" if not places else f"there are only {len(places)} other errors"
        return replace(result, warnings=(*result.warnings, f"--another: {said}"))
    place = places[plan.another - 1]
    # What is left out of the way to an error of the same cause makes it the first one again.
    request = replace(plan, clarify=plan.clarify and place in others)
    return _instead(result, errors.findings([place], request, result.seconds, origin).findings[0])


def another_run(
    model: Model,
    property_: Temporal,
    result: Result,
    plan: SearchPlan,
    engine: Engine,
    origin: Mapping[str, Any] | None,
) -> Result:
    """Of a property of runs: a counterexample with another loop or end, as other orders of searching find it."""
    assert plan.another is not None
    seen = {_essence(result.trace)}
    found = [result]
    for changed in _ORDERS:
        try:
            other = replace(plan, **changed)
            tried = clear_result(check_temporal(model, property_, other, engine, origin=origin), other)
        except Unsupported:
            continue
        if tried.trace is not None and (essence := _essence(tried.trace)) not in seen:
            seen.add(essence)
            found.append(tried)
        if len(found) > plan.another:
            return _instead(result, tried.findings[0])
    for finding in _avoiding(model, property_, plan, found, origin):
        if (essence := _essence(finding.trace)) not in seen:
            seen.add(essence)
            found.append(_instead(result, finding))
        if len(found) > plan.another:
            return found[-1]
    said = "no other counterexample" if len(found) == 1 else f"only {len(found) - 1} other counterexamples"
    return replace(result, warnings=(*result.warnings, f"--another: {said} found"))


def _instead(result: Result, finding: Finding) -> Result:
    return replace(
        result,
        findings=(finding,),
        trace=finding.trace,
        reason=finding.message,
        property=finding.property,
        kind=finding.kind,
    )


def _avoiding(
    model: Model, property_: Temporal, plan: SearchPlan, found: list[Result], origin: Mapping[str, Any] | None
) -> Iterator[Finding]:
    """Counterexamples that keep away from a state of a known loop, by the reference engine, as far as a few seconds go.

    ``found`` may grow meanwhile.
    """
    from kripke.engines.explicit import reference

    plain = replace(
        plan, engine="interpreter", search=None, threads=1, por=False, symmetry="off", store=None, another=None
    )
    observer, order, _ = choose_search(model, property_, plain)
    request = cycle_request(model, observer, order, plain, prepare(model, "interpreter"))
    limit = current().limit(_AVOIDING_SECONDS)
    request = replace(request, max_states=_AVOIDING_STATES, time_limit=limit)
    product = Product(model, observer)
    about = {**(origin or {}), "property": property_.name, "sets": observer.sets, "fair": plan.fair}
    for known in found:
        trace = without_observer(known.trace) if known.trace is not None else None
        if trace is None or trace.loop_start is None:
            continue
        for step in trace.steps[trace.loop_start :]:
            outcome = reference.search(Product(Without(model, step.before), observer), request, None)
            for error in outcome.error_paths:
                with suppress(ReplayFailure):
                    deadline = current().within(_AVOIDING_SECONDS)
                    yield clear_finding(finding_of(product, property_, error, request, about, deadline), plain)


class Without(Wrapper):
    """A model that never comes to one of its states: a step to it leads nowhere."""

    def __init__(self, model: Model, state: bytes) -> None:
        super().__init__(model)
        self._state = state

    def inner_state(self, state: bytes) -> bytes:
        return state

    def initial(self) -> list[bytes]:
        return [state for state in self.base.initial() if state != self._state]

    def successors(self, state: bytes) -> list[Transition]:
        return list(self.each_successor(state))

    def each_successor(self, state: bytes) -> Iterator[Transition]:
        for step in self.base.each_successor(state):
            yield step._replace(target=None) if step.target == self._state else step


_AVOIDING_STATES, _AVOIDING_SECONDS = 50_000, 3.0

_ORDERS: tuple[dict[str, Any], ...] = (
    {"search": "scc"},
    {"search": "ndfs"},
    {"search": None, "shortest": True},
    {"search": "dfs"},
    {"search": "scc", "clarify": False},
    {"search": "ndfs", "clarify": False},
)


def _essence(trace: Trace | None) -> Hashable:
    """What makes two runs the same counterexample: the states of the loop; without one, the last state."""
    if trace is None:
        return None
    plain = without_observer(trace)
    if plain.loop_start is None:
        return plain.final
    return frozenset(step.before for step in plain.steps[plain.loop_start :])
