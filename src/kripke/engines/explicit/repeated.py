"""Checks that are not one plain search: repeated with other hashes, deeper and deeper, few switches only, a swarm."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

from kripke.engines.explicit.search import Outcome, SearchRequest, Watch
from kripke.engines.explicit.stores import Loss
from kripke.engines.plan import SearchPlan
from kripke.model.model import Model
from kripke.model.preemptions import Preemptions, inner_state

if TYPE_CHECKING:
    from kripke.engines.explicit.prepare import Engine


def run_searches(
    engine: Engine, model: Model, request: SearchRequest, plan: SearchPlan, watch: Watch | None
) -> Outcome:
    """The outcome of all searches together."""
    match plan.way:
        case "switches":
            assert plan.max_switches is not None
            return _with_few_switches(engine, Preemptions(model, plan.max_switches), request, watch)
        case "deepening":
            assert plan.deepen is not None
            return _deeper_and_deeper(engine, model, request, plan.deepen, watch)
        case "swarm":
            assert plan.swarm is not None
            from kripke.engines.explicit.swarm import Swarm

            return Swarm(engine, model, request, plan, watch).search(plan.swarm)
        case "once":
            return _with_other_hashes(engine, model, request, plan.runs, watch)


def _with_other_hashes(engine: Engine, model: Model, request: SearchRequest, runs: int, watch: Watch | None) -> Outcome:
    """Of a store that is not exact: again with other hashes, until there is an error. The most states count, and a
    state is missed if every run misses it."""
    start = perf_counter()
    outcome = engine.search(model, request, watch)
    covered, seconds, missed = outcome.covered, outcome.seconds, 1.0
    for run in range(1, runs):
        if outcome.reason or outcome.loss is None:
            break
        if request.time_limit and perf_counter() - start >= request.time_limit:
            return replace(outcome, reason="time")
        missed *= outcome.loss.omitted / max(1.0, outcome.states + outcome.loss.omitted)
        again = engine.search(model, replace(after(request, seconds), store=replace(request.store, seed=run)), watch)
        seconds += again.seconds
        covered = either(covered, again.covered)
        best = again if again.error_paths or again.states > outcome.states else outcome
        if again.loss is not None:
            lost = again.loss.omitted / max(1.0, again.states + again.loss.omitted)
            best = replace(best, loss=Loss(again.loss.fill, missed * lost * best.states))
        outcome = replace(best, reason=again.reason, seconds=seconds, covered=covered)
    return outcome


def _with_few_switches(engine: Engine, model: Preemptions, request: SearchRequest, watch: Watch | None) -> Outcome:
    """Paths are those of the model itself."""
    outcome = engine.search(model, request, watch)
    found = tuple(
        replace(error, path=tuple(inner_state(state) for state in error.path)) for error in outcome.error_paths
    )
    reason = "switches" if outcome.reason == "" and model.cut else outcome.reason
    return replace(outcome, error_paths=found, reason=reason)


def _deeper_and_deeper(
    engine: Engine, model: Model, request: SearchRequest, depth: int, watch: Watch | None
) -> Outcome:
    """Until there is an error, or no limit was met, or the last limit was."""
    seconds = 0.0
    while True:
        limit = min(depth, request.max_depth) if request.max_depth else depth
        outcome = engine.search(model, replace(after(request, seconds), max_depth=limit), watch)
        seconds += outcome.seconds
        if outcome.reason != "depth" or outcome.error_paths or limit == request.max_depth:
            return replace(outcome, seconds=seconds)
        depth *= 2


def after(request: SearchRequest, seconds: float) -> SearchRequest:
    """What is left of the time."""
    return replace(request, time_limit=max(request.time_limit - seconds, 0.001)) if request.time_limit else request


def either(one: bytes, other: bytes) -> bytes:
    return bytes(a | b for a, b in zip(one, other, strict=True))
