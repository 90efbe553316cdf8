"""Properties of runs: a directed search of the product, to the alarms of the observer or to accepted cycles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from kripke.engines.directed.claim import classify
from kripke.engines.directed.engine import choose
from kripke.engines.explicit.conclusion import conclude
from kripke.engines.explicit.prepare import prepare
from kripke.engines.explicit.safety import in_time_left, search_request, store_options
from kripke.engines.explicit.search import Order, Watch
from kripke.engines.linear.product_search import refuse_unsuited, search_facts, translate, with_one_set
from kripke.engines.plan import SearchPlan
from kripke.model.capabilities.estimate import Cube, Goal
from kripke.model.model import Model
from kripke.model.observer import Observer, Strength
from kripke.model.product import Product
from kripke.model.property import Temporal
from kripke.model.result import Result


def check_alarms(
    model: Model, property_: Temporal, plan: SearchPlan, *, watch: Watch | None, origin: Mapping[str, Any]
) -> Result:
    order = cast(Order, plan.search)
    observer = translate(model, property_)
    refuse_unsuited(property_, observer, order, plan)
    cycles = observer.strength is not Strength.ALARMS
    if cycles:
        observer = with_one_set(model, property_, observer)
    goals, of_observer = goals_of(observer)
    chosen = choose(model, goals, plan, order, of_observer)
    claim = classify(observer) if cycles else None
    if claim is not None:
        guidance = replace(chosen.guidance, components=claim.component, kinds=claim.kind_numbers())
        chosen = replace(chosen, guidance=guidance)
    request = replace(
        search_request(model, plan, order),
        deadlock=False,
        invariants=(),
        observer=observer,
        store=store_options(plan),
        guidance=chosen.guidance,
    )
    engine = prepare(model, plan.wanted_engine, estimators=chosen.guidance.estimators)
    outcome = engine.search(Product(model, observer), in_time_left(request), watch)
    origin = {**origin, "property": property_.name, "sets": observer.sets, "fair": None}
    facts = {**search_facts(observer, request), **chosen.facts(plan, request, outcome)}
    if claim is not None:
        facts["claim"] = str(claim)
    return conclude(Product(model, observer), property_, plan, request, engine, outcome, origin, facts, chosen.notes)


def goals_of(observer: Observer) -> tuple[list[Goal], tuple[int, ...]]:
    """For every state of the observer what the model must come to before an alarm: the guard of an alarm, or, where
    there is none in this state, of an edge that leads out of it. The numbers say which goal belongs to which state.

    A goal is a lower bound: whatever way the observer takes to an alarm, it leaves this state by one of these guards.
    """
    goals: list[Goal] = []
    numbers: list[int] = []
    for state, edges in enumerate(observer.edges):
        leaving = [edge for edge in edges if edge.alarm >= 0 or edge.target != state]
        parted = dict.fromkeys(_parted(observer, cube) for edge in leaving for cube in edge.guard)
        if not parted:
            numbers.append(-1)
            continue
        steps = tuple(step for _, step in parted) if observer.steps else ()
        goal = Goal(cubes=tuple(state for state, _ in parted), steps=steps)
        if goal not in goals:
            goals.append(goal)
        numbers.append(goals.index(goal))
    return goals, tuple(numbers)


def _parted(observer: Observer, cube: Cube) -> tuple[Cube, Cube]:
    """What must be true of the state, and what of the step."""
    if not observer.steps:
        return cube, (0, 0)
    known, first = (1 << observer.first_step) - 1, observer.first_step
    return (cube[0] & known, cube[1] & known), (cube[0] >> first, cube[1] >> first)
