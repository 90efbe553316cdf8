"""Large checks by the explicit engines: a compiled network with the specification as a table beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kripke.engines.explicit.engine import check as check_runs
from kripke.engines.explicit.safety import check as check_safety
from kripke.engines.explicit.search import Watch
from kripke.engines.plan import SearchPlan
from kripke.engines.refinement.checks import Counterexample, Outcome
from kripke.engines.refinement.normal_form import NormalForm, acceptance
from kripke.logic.parser import parse as parse_formula
from kripke.model.assertions import INVISIBLE, TAU, Assertion, Networked, SpecificationTable
from kripke.model.model import Model
from kripke.model.product import without_observer
from kripke.model.property import Temporal
from kripke.model.result import Result

MOST_NODES = 100_000


def native_model(assertion: Assertion, implementation: Networked, *, smallest: bool = False) -> Model | str:
    """The check as a model whose violations are what is asserted not to be; a sentence where there is none.

    ``smallest``: with as few nodes of the specification as can be, as symmetry needs it.
    """
    if assertion.specification is None and assertion.kind not in ("deadlock", "divergence"):
        return f"{assertion.kind} is not checked on compiled networks yet"
    if assertion.specification is None:
        return implementation.as_network(None)
    if assertion.semantics not in ("T", "F", "FD"):
        return f"refinement in the model {assertion.semantics} is not checked on compiled networks"
    table = specification_table(NormalForm(assertion.specification(), assertion.semantics), assertion.semantics)
    if isinstance(table, str):
        return table
    return implementation.as_network(implementation.smallest(table) if smallest else table)


def specification_table(normal: NormalForm, semantics: str) -> SpecificationTable | str:
    nodes = [normal.start]
    numbers = {normal.start.number: 0}
    after: list[dict[int, int]] = []
    for node in nodes:
        own: dict[int, int] = {}
        for event, following in normal.successors(node).items():
            if following is None:
                continue
            if following.number not in numbers:
                if len(nodes) >= MOST_NODES:
                    return f"the specification has more than {MOST_NODES:,} nodes"
                numbers[following.number] = len(nodes)
                nodes.append(following)
            own[event] = numbers[following.number]
        after.append(own)
    demands = None if semantics == "T" else [node.acceptances for node in nodes]
    return SpecificationTable(after, demands, frozenset(at for at, node in enumerate(nodes) if node.divergent))


def native_check(
    assertion: Assertion,
    implementation: Any,
    model: Model,
    plan: SearchPlan,
    watch: Watch | None,
    origin: Mapping[str, Any] | None,
) -> tuple[Outcome, Result]:
    deadlock = assertion.kind == "deadlock"
    safe = replace(plan, properties=(), deadlock=deadlock, clarify=False, engine=plan.engine or "native")
    outcome, result = Outcome(True), None
    if assertion.kind != "divergence":
        result = check_safety(model, safe, watch=watch)
        outcome = _outcome(result)
        if outcome.holds is False and result.findings and result.findings[0].trace is not None:
            outcome.counterexample = _counterexample(implementation, result, deadlock)
    wanted = assertion.kind == "divergence" or assertion.semantics == "FD"
    if outcome.holds and wanted and implementation.never_invisible() is not True:
        first, result = result, _divergence(model, safe, watch)
        before, outcome = outcome, _outcome(result)
        if first is not None and outcome.holds:  # the figures are those of the states, not of the search for cycles
            outcome, result = replace(before, seconds=before.seconds + outcome.seconds), first
        if outcome.holds is False and result.findings and result.findings[0].trace is not None:
            outcome.counterexample = _diverging(implementation, result)
    elif result is None:
        result = check_safety(model, safe, watch=watch)
        outcome = _outcome(result)
    return outcome, result


def _outcome(result: Result) -> Outcome:
    holds = {"holds": True, "violated": False}.get(result.verdict)
    return Outcome(holds, result.states, result.transitions, result.depth, result.reason, 0, result.seconds)


def _divergence(model: Model, plan: SearchPlan, watch: Watch | None) -> Result:
    """Is there a run that is invisible from some point on? A search for cycles."""
    formula = parse_formula(f"[] <> !{INVISIBLE}")
    never = Temporal("divergence", "ltl", "no divergence", formula=formula)
    plan = replace(plan, deadlock=False, search=None, shortest=False, symmetry="off")
    [result] = list(check_runs(model, [never], plan, watch=watch, origin={}))
    return result


def _diverging(implementation: Networked, result: Result) -> Counterexample:
    found = result.findings[0].trace
    assert found is not None
    trace = without_observer(found)
    assert trace.loop_start is not None
    steps: list[tuple[int, Any]] = []
    for step in trace.steps:
        assert step.state is not None
        model = trace.model
        steps.append((implementation.event_of(model, step), implementation.state_of(model, step.state)))
    start = trace.loop_start
    # What is invisible before the loop belongs to the divergence.
    while start and steps[start - 1][0] == TAU:
        start -= 1
    first = steps[start - 1][1] if start else implementation.initial()
    loop = (first, *(state for _, state in steps[start:]))
    return Counterexample("divergence", tuple(steps[:start]), loop=loop, position=trace.loop_start - start)


def _counterexample(implementation: Networked, result: Result, deadlock: bool) -> Counterexample:
    """In terms of the process, from the run the engine found."""
    finding = result.findings[0]
    trace = finding.trace
    assert trace is not None
    steps: list[tuple[int, Any]] = []
    last = implementation.initial()
    event = None
    for step in trace.steps:
        event = implementation.event_of(trace.model, step)
        if step.state is None:
            break
        last = implementation.state_of(trace.model, step.state)
        steps.append((event, last))
    if deadlock:
        return Counterexample("deadlock", tuple(steps))
    allowed, demanded = implementation.permitted(trace.model, trace.final)
    if finding.kind == "event":
        assert event is not None
        target = next(after for label, after in implementation.steps(last) if label == event)
        return Counterexample("event", (*steps, (event, target)), event=event, offered=allowed)
    offered = acceptance(implementation, last)
    return Counterexample("refusal", tuple(steps), offered=offered or frozenset(), demanded=demanded)


__all__ = ["TAU", "native_check", "native_model"]
