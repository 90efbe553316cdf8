"""How the explicit engine runs: safety and properties of runs, each in a search of its own, on one compiled model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kripke.deadline import current, keeping
from kripke.engines.explicit.prepare import prepare
from kripke.engines.explicit.safety import check as check_safety
from kripke.engines.explicit.safety import refuse as refuse_safety
from kripke.engines.explicit.safety import with_symmetry
from kripke.engines.explicit.search import Watch
from kripke.engines.plan import SearchPlan
from kripke.engines.unsupported import Unsupported
from kripke.model.model import Model
from kripke.model.property import SAFETY, Safety, Temporal
from kripke.model.result import Result


def check(
    model: Model,
    properties: Sequence[Safety | Temporal],
    plan: SearchPlan,
    *,
    watch: Watch | None,
    origin: Mapping[str, Any],
) -> Iterator[Result]:
    runs = [property_ for property_ in properties if isinstance(property_, Temporal)]
    plan = fair_as_the_model(model, runs, plan)
    if not runs and not (plan.ctl or plan.mu):
        _refuse_without_cycles(plan)
        if len(properties) == 1:
            yield _checked_safety(model, properties[0], plan, watch=watch, origin=origin)
            return
    from kripke.engines.linear.many_valued import check_value
    from kripke.engines.linear.possibility import check_possible
    from kripke.engines.linear.product_search import check_temporal, choose_search

    if plan.unusual and len(properties) > 1:
        # What is refused is refused before anything is searched, which may take hours.
        for temporal in runs:
            choose_search(model, temporal.cut(1) if temporal.cuts else temporal, plan)
    engine = prepare(model, plan.wanted_engine, dependencies=plan.por is True)

    def checked(property_: Safety | Temporal) -> Result:
        if isinstance(property_, Safety):
            return _checked_safety(model, property_, plan, watch=watch, origin=origin, engine=engine)
        if property_.kind == "possible":
            return check_possible(model, property_, plan, engine, watch=watch, origin=origin)
        if property_.cuts:
            return check_value(model, property_, plan, engine, watch=watch, origin=origin)
        return check_temporal(model, property_, plan, engine, watch=watch, origin=origin)

    for number, property_ in enumerate(properties):
        # What one property leaves of its part of the time, the others have.
        with keeping(current().part(1 / (len(properties) - number))):
            result = checked(property_)
        yield result
        if result.interrupted:
            return


def _checked_safety(model: Model, goal: Safety | Temporal, plan: SearchPlan, **options: Any) -> Result:
    """An invariant that the text states is checked by itself, all else that is safety together."""
    assert isinstance(goal, Safety)
    if goal.name == SAFETY:
        return check_safety(model, plan, **options)
    own = replace(plan, invariants=goal.invariants, deadlock=goal.deadlock)
    return replace(check_safety(model, own, **options), name=goal.name)


def refuse(model: Model, properties: Sequence[Safety | Temporal], plan: SearchPlan) -> None:
    """Unsupported, where one of the properties does not go with what else is asked for: before anything is searched."""
    runs = [property_ for property_ in properties if isinstance(property_, Temporal)]
    plan = fair_as_the_model(model, runs, plan)
    if not runs and not (plan.ctl or plan.mu):
        _refuse_without_cycles(plan)
    from kripke.engines.linear.possibility import choose_witness_search
    from kripke.engines.linear.product_search import choose_search, refuse_shortest

    for temporal in runs:
        if temporal.kind == "possible":
            choose_witness_search(model, temporal, plan)
        else:
            _, order, _ = choose_search(model, temporal.cut(1) if temporal.cuts else temporal, plan)
            refuse_shortest(order, plan)
    if len(runs) < len(properties):
        with_symmetry(model, plan, refuse_safety(model, plan))


def fair_as_the_model(model: Model, properties: Sequence[Temporal], plan: SearchPlan) -> SearchPlan:
    """The plan, with the fairness that the model's formulas are about whether it is asked for or not."""
    if not model.always_fair or not properties:
        return plan
    if plan.fair not in (None, "events"):
        raise Unsupported(f"--fair {plan.fair}: formulas are about the model's own fairness sets here")
    return replace(plan, fair="events")


def _refuse_without_cycles(plan: SearchPlan) -> None:
    """What only makes sense where cycles are looked for."""
    if plan.fair:
        raise Unsupported(
            f"--fair {plan.fair}: fairness is about infinite runs, and only safety is checked here; "
            "give a formula with --ltl, or a property of the model with --property"
        )
    if plan.search in ("ndfs", "scc"):
        raise Unsupported(
            f"--search {plan.search} looks for cycles, and only safety is checked here; choose bfs or dfs, "
            "or give a formula with --ltl"
        )
