"""Checks that are not one plain search: repeated with other hashes, deeper and deeper, few switches only, a swarm."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

from kripke.engines.explicit.search import Outcome, SearchOptions, Watch
from kripke.engines.explicit.stores import Loss
from kripke.engines.plan import SearchPlan
from kripke.model.model import Model
from kripke.model.preemptions import Preemptions, inner_state

if TYPE_CHECKING:
    from kripke.engines.explicit.prepare import Engine


def search_as_asked(
    engine: Engine, model: Model, asked: SearchOptions, options: SearchPlan, watch: Watch | None
) -> Outcome:
    """The outcome of all searches together."""
    match options.way:
        case "switches":
            assert options.max_switches is not None
            return _with_few_switches(engine, Preemptions(model, options.max_switches), asked, watch)
        case "deepening":
            assert options.deepen is not None
            return _deeper_and_deeper(engine, model, asked, options.deepen, watch)
        case "swarm":
            assert options.swarm is not None
            from kripke.engines.explicit.swarm import Swarm

            return Swarm(engine, model, asked, options, watch).search(options.swarm)
        case "once":
            return _with_other_hashes(engine, model, asked, options.runs, watch)


def _with_other_hashes(engine: Engine, model: Model, asked: SearchOptions, runs: int, watch: Watch | None) -> Outcome:
    """Of a store that is not exact: again with other hashes, until there is an error. The most states count, and a
    state is missed if every run misses it."""
    start = perf_counter()
    outcome = engine.search(model, asked, watch)
    covered, seconds, missed = outcome.covered, outcome.seconds, 1.0
    for run in range(1, runs):
        if outcome.reason or outcome.loss is None:
            break
        if asked.time_limit and perf_counter() - start >= asked.time_limit:
            return replace(outcome, reason="time")
        missed *= outcome.loss.omitted / max(1.0, outcome.states + outcome.loss.omitted)
        again = engine.search(model, replace(after(asked, seconds), store=replace(asked.store, seed=run)), watch)
        seconds += again.seconds
        covered = either(covered, again.covered)
        best = again if again.discoveries or again.states > outcome.states else outcome
        if again.loss is not None:
            lost = again.loss.omitted / max(1.0, again.states + again.loss.omitted)
            best = replace(best, loss=Loss(again.loss.fill, missed * lost * best.states))
        outcome = replace(best, reason=again.reason, seconds=seconds, covered=covered)
    return outcome


def _with_few_switches(engine: Engine, model: Preemptions, asked: SearchOptions, watch: Watch | None) -> Outcome:
    """Paths are those of the model itself."""
    outcome = engine.search(model, asked, watch)
    found = tuple(
        replace(discovery, path=tuple(inner_state(state) for state in discovery.path))
        for discovery in outcome.discoveries
    )
    reason = "switches" if outcome.reason == "" and model.cut else outcome.reason
    return replace(outcome, discoveries=found, reason=reason)


def _deeper_and_deeper(engine: Engine, model: Model, asked: SearchOptions, depth: int, watch: Watch | None) -> Outcome:
    """Until there is an error, or no limit was met, or the last limit was."""
    seconds = 0.0
    while True:
        limit = min(depth, asked.max_depth) if asked.max_depth else depth
        outcome = engine.search(model, replace(after(asked, seconds), max_depth=limit), watch)
        seconds += outcome.seconds
        if outcome.reason != "depth" or outcome.discoveries or limit == asked.max_depth:
            return replace(outcome, seconds=seconds)
        depth *= 2


def after(asked: SearchOptions, seconds: float) -> SearchOptions:
    """What is left of the time."""
    return replace(asked, time_limit=max(asked.time_limit - seconds, 0.001)) if asked.time_limit else asked


def either(one: bytes, other: bytes) -> bytes:
    return bytes(a | b for a, b in zip(one, other, strict=True))
