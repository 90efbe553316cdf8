"""Properties of runs by several workers: the product with an observer, searched for alarms and for accepted cycles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kripke.engines.distributed import supervisor
from kripke.engines.distributed.cycles import MOST_SETS
from kripke.engines.distributed.facts import facts_of, restart_notes
from kripke.engines.distributed.job import Job
from kripke.engines.distributed.outcome import outcome_of
from kripke.engines.explicit.conclusion import conclude
from kripke.engines.explicit.engine import fair_as_the_model
from kripke.engines.explicit.search import SearchRequest, Watch
from kripke.engines.linear.product_search import fair_to_events, translate, with_one_set
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.model.model import Model
from kripke.model.observer import Observer, Strength
from kripke.model.product import Product
from kripke.model.property import Temporal
from kripke.model.result import Result


def refuse_temporal(model: Model, property_: Temporal, plan: SearchPlan) -> None:
    """What does not go with a property of runs; the observer itself may be too large, too."""
    with_workers = f"--workers {plan.workers} with {property_.name}"
    if property_.cuts:
        raise Unsupported(f"{with_workers}, which has more than two values: leave out --workers")
    observer, _ = observer_for(model, property_, plan)
    if observer.strong:
        raise Unsupported(f"{with_workers}: strong fairness needs the search by components; leave out --workers")
    if plan.checkpoints:
        raise Unsupported(f"{with_workers}: checkpoints are for --property safety; leave out --checkpoint and --resume")
    if observer.strength is Strength.ALARMS:
        return
    if plan.chosen_store != "full":
        raise Unsupported(
            f"{with_workers}: workers look for cycles among numbered states, which only the full store has; leave out "
            f"--store {plan.store}"
        )
    if plan.look_ahead or plan.siblings is not None:
        raise Unsupported(f"{with_workers}: every step counts here; leave out --siblings and --look-ahead")
    if plan.max_depth is not None:
        raise Unsupported(f"{with_workers}: cycles are looked for in all of the state space; leave out --max-depth")


def observer_for(model: Model, property_: Temporal, plan: SearchPlan) -> tuple[Observer, str]:
    """The observer, and the fairness that its marks are about."""
    fair = fair_as_the_model(model, [property_], plan).fair
    if fair not in (None, "events"):
        raise Unsupported(
            f"--workers with --fair {fair}: that needs the search by components; leave out --workers, or say "
            "--fair events"
        )
    observer = fair_to_events(model, property_) if fair == "events" else translate(model, property_)
    one = plan.cycles == "nested" or observer.sets > MOST_SETS
    if one and observer.sets != 1 and observer.strength is not Strength.ALARMS:
        if fair == "events":
            raise Unsupported(f"--workers: at most {MOST_SETS} marks, and fairness asks for {observer.sets} here")
        observer = with_one_set(model, property_, observer)
    return observer, fair or ""


def check_temporal(
    model: Model,
    property_: Temporal,
    plan: SearchPlan,
    request: SearchRequest,
    job: Job,
    engine: Any,
    watch: Watch | None,
    origin: Mapping[str, Any],
) -> Result:
    observer, fair = observer_for(model, property_, plan)
    product = Product(model, observer)
    cycles = observer.strength is not Strength.ALARMS
    nested = cycles and plan.cycles == "nested"
    request = replace(
        request,
        observer=observer,
        deadlock=False,
        invariants=(),
        order="scc" if cycles else "bfs",
        stop_at_first=cycles or request.stop_at_first,
    )
    job = replace(
        job,
        observer=list(observer.to_native()),
        sets=observer.sets,
        cycles=cycles,
        nested=nested,
        deadlock=False,
        invariants=(),
        stop_at_first=request.stop_at_first,
    )
    answer = supervisor.run(job, plan.workers or 1, plan.hosts, watch)
    outcome = outcome_of(answer.outcome, request)
    if answer.interrupted and not outcome.complete and outcome.reason == "":
        outcome = replace(outcome, reason="interrupted")
    facts = facts_of(answer) | {
        "observer_states": len(observer.edges),
        "strength": observer.strength.value,
        "fair": fair or None,
        "search": "ndfs" if nested else "bfs",
        "cycles": ("nested" if nested else "owcty") if cycles else None,
        "phases": answer.outcome.get("phases", 0),
    }
    origin = {**origin, "property": property_.name, "sets": observer.sets, "fair": fair or None}
    return conclude(product, property_, plan, request, engine, outcome, origin, facts, restart_notes(answer))
