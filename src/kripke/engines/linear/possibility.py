"""Is a run possible? One that satisfies a formula, or just one that is fair.

The search is that for counterexamples, with the observer of the formula instead of its negation: what it finds is a
witness. Errors of the model on the way are no answer, so the search goes on behind them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kripke.engines.explicit.conclusion import conclude
from kripke.engines.explicit.prepare import Engine
from kripke.engines.explicit.repeated import run_searches
from kripke.engines.explicit.safety import in_time_left
from kripke.engines.explicit.search import ErrorPath, Order, Watch
from kripke.engines.linear.product_search import (
    choose_search,
    cycle_request,
    refuse_unsuited,
    search_facts,
    translate,
    with_reduction,
)
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.logic.automaton import ALWAYS
from kripke.model.model import Model
from kripke.model.observer import Observer, ObserverEdge
from kripke.model.product import Product
from kripke.model.property import Temporal
from kripke.model.result import Result

_FAIR = {
    "weak": "weakly fair",
    "strong": "strongly fair",
    "weak-edges": "weakly fair",
    "strong-edges": "strongly fair",
    "events": "fair",
}


def check_possible(
    model: Model,
    property_: Temporal,
    plan: SearchPlan,
    engine: Engine,
    *,
    watch: Watch | None = None,
    origin: Mapping[str, Any] | None = None,
) -> Result:
    """Look for a run that satisfies the formula; the trace of the result is that run."""
    observer, order = choose_witness_search(model, property_, plan)
    request = replace(cycle_request(model, observer, order, plan, engine), stop_at_first=True)
    reduction = with_reduction(model, property_, observer, plan, request, engine)
    request, engine, unreduced = reduction.request, reduction.engine, reduction.notes
    product = Product(reduction.model, observer)
    outcome = run_searches(engine, product, in_time_left(request), plan, watch)
    witnesses = [found for found in outcome.error_paths if _is_witness(product, found)]
    if outcome.error_paths and not witnesses:
        request = replace(request, stop_at_first=False, time_limit=_left(request.time_limit, outcome.seconds))
        outcome = run_searches(engine, product, request, plan, watch)
        witnesses = [found for found in outcome.error_paths if _is_witness(product, found)]
    others = [found for found in outcome.error_paths if not _is_witness(product, found)]
    about = {
        **(origin or {}),
        "property": property_.name,
        "sets": observer.sets,
        "possible": True,
        "fair": plan.fair,
    }
    notes = (*unreduced, *_notes(product, others))
    plan = replace(plan, por=request.dependencies is not None or reduction.model is not model)
    product = Product(model, observer)
    outcome = replace(outcome, error_paths=tuple(witnesses[:1]))
    facts = search_facts(observer, request)
    result = conclude(product, property_, plan, request, engine, outcome, about, facts, notes)
    fair = f"{_FAIR[plan.fair]} " if plan.fair else ""
    match result.verdict:
        case "violated":
            return replace(result, verdict="possible", reason=f"a {fair}run satisfies {property_}", errors=0)
        case "holds" if any(_is_undecided(product, found) for found in others):
            return replace(
                result, verdict="unknown", reason="a condition of the formula cannot be evaluated everywhere", errors=0
            )
        case "holds":
            return replace(result, verdict="impossible", reason=f"no {fair}run satisfies {property_}", errors=0)
        case _:
            return replace(result, errors=0)


def choose_witness_search(model: Model, property_: Temporal, plan: SearchPlan) -> tuple[Observer, Order]:
    """A prefix that is sure to satisfy the formula will do, but not where the run must go on fairly."""
    if plan.fair in (None, "events"):
        observer, order, _ = choose_search(model, property_, plan)
        return observer, order
    if plan.search not in (None, "scc"):
        raise Unsupported(f"--fair {plan.fair} needs the search by components: leave out --search, or say scc")
    observer = translate(model, property_, alarms=False)
    refuse_unsuited(property_, observer, "scc", plan)
    return observer, "scc"


def _left(time_limit: float, used: float) -> float:
    """Of a time limit (0: none), so that two searches keep to it together."""
    return max(time_limit - used, 0.01) if time_limit else 0.0


def _is_witness(product: Product, found: ErrorPath) -> bool:
    return found.kind == "cycle" or (_is_alarm(product, found) and not _is_undecided(product, found))


def _is_alarm(product: Product, found: ErrorPath) -> bool:
    return found.kind == "violation" and found.code >= len(product.base.violation_kinds)


def _is_undecided(product: Product, found: ErrorPath) -> bool:
    return found.kind == "violation" and found.code == len(product.violation_kinds) - 1


def _notes(product: Product, errors: list[ErrorPath]) -> tuple[str, ...]:
    if all(_is_alarm(product, found) for found in errors):
        return ()
    return ("there are errors in the model (kripke check without --possible shows them); a run may go through them",)


# --- fair runs --------------------------------------------------------------------------------------------------------


def feasibility_note(
    model: Model, plan: SearchPlan, engine: Engine, watch: Watch | None, used: float
) -> tuple[str, ...]:
    """What to say about a property of fair runs that holds: nothing, unless it holds because there are none.

    Fairness to events may ask for what is impossible. As to fairness to processes: in a finite model they can take
    turns from every state, so there is a fair run, unless the step of a process that fairness asks for is an error
    that ends the run. ``used`` are the seconds gone already.
    """
    everything = Observer("fair run", "possible", (0,), ((ObserverEdge((ALWAYS,), 0, 0),),), 0)
    if plan.fair == "events":
        everything = everything.fair_to(model.fairness_constraints)
    request = cycle_request(model, everything, "scc", plan, engine)
    request = replace(request, stop_at_first=False, time_limit=_left(request.time_limit, used))
    outcome = engine.search(Product(model, everything), request, watch)
    if any(found.kind == "cycle" for found in outcome.error_paths):
        return ()
    if not outcome.complete:
        return ("whether any run is fair could not be found out within the limits",)
    if plan.fair == "events":
        return ("no fair run exists: no run is fair to every event, and of no run at all every property holds",)
    return (
        f"no fair run exists: sooner or later {plan.fair} fairness asks for a step that is an error, "
        "and of no run at all every property holds",
    )
