"""Large checks by the explicit engines: a compiled network with the specification as a table beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kripke.engines.explicit.safety import check
from kripke.engines.explicit.search import Watch
from kripke.engines.plan import SearchPlan
from kripke.engines.refinement.checks import Counterexample, Outcome
from kripke.engines.refinement.normal_form import NormalForm, acceptance
from kripke.model.assertions import TAU, Assertion, Networked, SpecificationTable
from kripke.model.model import Model
from kripke.model.result import Result

MOST_NODES = 100_000


def native_model(assertion: Assertion, implementation: Networked) -> Model | str:
    """The check as a model whose violations are what is asserted not to be; a sentence where there is none."""
    if assertion.specification is None and assertion.kind != "deadlock":
        return f"{assertion.kind} is not checked on compiled networks yet"
    silent = implementation.never_invisible()
    if isinstance(silent, str):
        return silent
    if assertion.semantics == "FD" and not silent:
        return "it has invisible steps, and whether they go on for ever is not looked for in compiled networks yet"
    if assertion.specification is None:
        return implementation.as_network(None)
    table = specification_table(NormalForm(assertion.specification(), assertion.semantics), assertion.semantics)
    return table if isinstance(table, str) else implementation.as_network(table)


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
    deadlock = assertion.specification is None
    plan = replace(plan, properties=(), deadlock=deadlock, clarify=False, engine="native")
    result = check(model, plan, watch=watch)
    holds = {"holds": True, "violated": False}.get(result.verdict)
    found = None
    if holds is False and result.findings and result.findings[0].trace is not None:
        found = _counterexample(implementation, result, deadlock)
    outcome = Outcome(holds, result.states, result.transitions, result.depth, result.reason, 0, result.seconds, found)
    return outcome, result


def _counterexample(implementation: Networked, result: Result, deadlock: bool) -> Counterexample:
    """In terms of the process, from the run the engine found."""
    finding = result.findings[0]
    trace = finding.trace
    assert trace is not None
    steps: list[tuple[int, Any]] = []
    last = implementation.initial()
    event = None
    for step in trace.steps:
        event = implementation.event_of(trace.model, step.parts[0].statement)
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
