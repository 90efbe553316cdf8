"""Checking a property of runs: the product of model and observer, searched for alarms and accepted cycles.

The observer decides which search is cheapest: breadth-first where only alarms are possible (a shortest way to the
error), nested depth-first for one acceptance set, components for several and for fairness.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple, cast

from kripke.engines.combinations import Combination, PropertySort
from kripke.engines.explicit.automatic import Automatic, Subject, places_text, search_automatically
from kripke.engines.explicit.conclusion import conclude
from kripke.engines.explicit.prepare import Engine, prepare
from kripke.engines.explicit.repeated import run_searches
from kripke.engines.explicit.safety import dependencies_on, in_time_left, search_request, store_options
from kripke.engines.explicit.search import Order, Outcome, SearchRequest, Watch, both
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.engines.refusals import refuse_combination
from kripke.engines.registry import refusal
from kripke.model.capabilities.placed import safe_places_of
from kripke.model.capabilities.reducible import reduced_model
from kripke.model.model import Model
from kripke.model.observer import Observer, Strength, degeneralised
from kripke.model.product import Product
from kripke.model.property import Temporal
from kripke.model.result import Result

MOST_SETS = 64  # acceptance sets, as in native/model/sink.h


def check_temporal(
    model: Model,
    property_: Temporal,
    plan: SearchPlan,
    engine: Engine,
    *,
    watch: Watch | None = None,
    origin: Mapping[str, Any] | None = None,
) -> Result:
    """Look for a run that breaks the property."""
    observer, order, note = choose_search(model, property_, plan)
    request = cycle_request(model, observer, order, plan, engine)
    reduction = with_reduction(model, property_, observer, plan, request, engine)
    request, engine, unreduced = reduction.request, reduction.engine, reduction.notes
    product = Product(reduction.model, observer)
    facts: dict[str, Any] = {}
    if request.safe is not None:
        facts["reduction"] = places_text(request.safe)
    origin = {**(origin or {}), "property": property_.name, "sets": observer.sets, "fair": plan.fair}
    if plan.por == "auto":
        automatic = _search_automatically(product, property_, plan, request, engine, watch)
        outcome, request, facts["reduction"], by_model = automatic
        facts |= {"por": True} if by_model else {}
    else:
        outcome = run_searches(engine, product, in_time_left(request), plan, watch)
    notes: tuple[str, ...] = (note,) if note else ()
    notes += unreduced
    if (
        (request.fairness is not None or observer.waiting or observer.strong)
        and outcome.complete
        and not outcome.error_paths
    ):
        from kripke.engines.linear.possibility import feasibility_note

        notes += feasibility_note(model, plan, engine, watch, outcome.seconds)
    facts |= search_facts(observer, request)
    plan = replace(plan, por=request.dependencies is not None or reduction.model is not model)
    return conclude(Product(model, observer), property_, plan, request, engine, outcome, origin, facts, notes)


def _search_automatically(
    product: Product, property_: Temporal, plan: SearchPlan, request: SearchRequest, engine: Engine, watch: Watch | None
) -> Automatic:
    def search(one: SearchRequest, beside: Watch | None = None) -> Outcome:
        return run_searches(engine, product, in_time_left(one), plan, both(watch, beside))

    def search_reduced(reduced: Model, one: SearchRequest) -> Outcome:
        own = prepare(reduced, plan.wanted_engine)
        return run_searches(own, Product(reduced, product.observer), in_time_left(one), plan, watch)

    reason = _why_all_steps(property_, product.observer, request)
    if reason:
        return Automatic(search(request), request, f"none: it {reason}")
    atoms = _atoms_of(product.base, product.observer)
    return search_automatically(Subject(engine, product.base, atoms, search, search_reduced), plan, request)


class Reduction(NamedTuple):
    """What is searched, by which engine, what is asked, and what is to be said about it."""

    model: Model
    engine: Engine
    request: SearchRequest
    notes: tuple[str, ...] = ()


def with_reduction(
    model: Model, property_: Temporal, observer: Observer, plan: SearchPlan, request: SearchRequest, engine: Engine
) -> Reduction:
    """With partial-order reduction, where that is wanted and sound; else a note says why not."""
    notes: tuple[str, ...] = ()
    if plan.symmetry == "auto":
        notes = (f"{property_.name}: searched without symmetry, which is for deadlocks, assertions and invariants",)
    if plan.por is not True:
        return Reduction(model, engine, request, notes)

    def unreduced(reason: str) -> Reduction:
        note = f"{property_.name}: searched without partial-order reduction{reason}"
        return Reduction(model, engine, request, (*notes, note))

    reason = _why_all_steps(property_, observer, request)
    if not reason and request.threads > 1:
        reason = "goes with one thread"
    if reason:
        return unreduced(f", which {reason}")
    atoms = _atoms_of(model, observer)
    if request.fairness is not None:
        safe = safe_places_of(model, atoms, fair=True)
        if isinstance(safe, str):
            return unreduced(f": {safe}")
        return Reduction(model, engine, replace(request, safe=safe), notes)
    reduced = reduced_model(model, atoms)
    analysis = dependencies_on(model, atoms, request) if reduced is None else reduced
    if isinstance(analysis, str):
        return unreduced(f": {analysis}")
    if isinstance(analysis, Model):
        return Reduction(analysis, prepare(analysis, plan.wanted_engine), request, notes)
    return Reduction(model, engine, replace(request, dependencies=analysis), notes)


def _why_all_steps(property_: Temporal, observer: Observer, request: SearchRequest) -> str:
    """Why partial-order reduction is not for this property: what it does or needs; empty where it is."""
    from kripke.logic.stuttering import is_stutter_invariant

    if request.fairness not in (None, "weak") or observer.waiting or observer.strong:
        return "is sound under weak fairness to processes, and under no other"
    if property_.formula is None:
        return "needs a formula to know which steps matter"
    if observer.steps:
        return "may leave out steps that the formula speaks of"
    if not is_stutter_invariant(property_.formula):
        return "may change the answer of a formula with X"
    return ""


def _atoms_of(model: Model, observer: Observer) -> tuple[int, ...]:
    """Those that decide about the observer's moves."""
    used = 0
    for edges in observer.edges:
        for edge in edges:
            for positive, negative in edge.guard:
                used |= positive | negative
    return tuple(number for number in range(len(model.atoms)) if used >> number & 1)


def search_facts(observer: Observer, request: SearchRequest) -> dict[str, Any]:
    """What a result says about the search beside what every result says."""
    fair = "events" if observer.waiting or observer.strong else request.fairness
    return {"observer_states": len(observer.edges), "strength": observer.strength.value, "fair": fair}


_MANY_ACTORS = 1000  # where nobody knows how many there are, the native engine makes room for so many


def cycle_request(model: Model, observer: Observer, order: Order, plan: SearchPlan, engine: Engine) -> SearchRequest:
    """What a search of the product with an observer is asked."""
    request = search_request(model, plan, order)
    # Fairness to events is a matter of the observer's marks.
    fairness = plan.fair if order == "scc" and plan.fair != "events" else None
    refuse_shortest(order, plan)
    if plan.shortest and order in ("ndfs", "scc") and engine.facts()["name"] != "native":
        raise Unsupported("--shortest needs the native engine")
    return SearchRequest(
        order=order,
        deadlock=False,
        stop_at_first=request.stop_at_first,
        max_depth=request.max_depth,
        max_states=request.max_states,
        memory=request.memory,
        time_limit=request.time_limit,
        observer=observer,
        fairness=fairness,
        actors=_MANY_ACTORS if model.most_actors is None else model.most_actors,
        shortest=plan.shortest,
        threads=plan.threads if order == "ndfs" and engine.facts()["name"] == "native" else 1,
        store=store_options(plan),
    )


def refuse_shortest(order: Order, plan: SearchPlan) -> None:
    if plan.shortest and order in ("ndfs", "scc"):
        if plan.fair is not None:
            raise Unsupported("--shortest finds shortest loops, fair or not: it does not go with --fair")
        if plan.engine == "interpreter":
            raise Unsupported("--shortest needs the native engine")


def choose_search(model: Model, property_: Temporal, plan: SearchPlan) -> tuple[Observer, Order, str]:
    """The observer, the order of the search, and a note for the user where there is something to say. Unsupported where
    that search does not go with what else was asked for."""
    observer, order, note = _choose_search(model, property_, plan)
    refuse_unsuited(property_, observer, order, plan)
    return observer, order, note


def refuse_unsuited(property_: Temporal, observer: Observer, order: Order, plan: SearchPlan) -> None:
    """Unsupported, where the search for a property does not go with what else was asked for."""
    sort: PropertySort = "alarms" if observer.strength is Strength.ALARMS else "cycles"
    refuse_combination(plan, order, sort, bounded=plan.max_depth is not None, name=property_.name)


def _choose_search(model: Model, property_: Temporal, plan: SearchPlan) -> tuple[Observer, Order, str]:
    wanted = cast(Order | None, plan.search)  # those for nets do not come here
    if plan.threads > 1:
        _refuse_threads(model, plan)
        wanted = "ndfs"
    if plan.fair == "events":
        if wanted not in (None, "scc"):
            raise Unsupported("--fair events needs the search by components: leave out --search, or say scc")
        return fair_to_events(model, property_), "scc", ""
    translated = translate(model, property_)
    alarms_only = translated.strength is Strength.ALARMS
    if plan.fair and wanted not in (None, "scc") and not alarms_only:
        raise Unsupported(f"--fair {plan.fair} needs the search by components: leave out --search, or say scc")
    if plan.fair and not alarms_only:
        return translated, "scc", ""
    note = f"{property_.name}: fairness makes no difference to a safety property" if plan.fair else ""
    if wanted == "scc":
        return translated, "scc", note
    if wanted == "ndfs":
        return with_one_set(model, property_, translated), "ndfs", note
    if alarms_only:
        return translated, wanted or _order_for_alarms(plan), note
    if wanted is not None and (plan.properties or plan.possible):
        raise Unsupported(
            f"--search {wanted} finds no cycles, and {property_.name} needs them: leave it out, or say ndfs or scc"
        )
    if translated.sets > 1 and refusal(Combination("scc", plan.chosen_store, sort="cycles")) is None:
        return translated, "scc", note
    return with_one_set(model, property_, translated), "ndfs", note


def _order_for_alarms(plan: SearchPlan) -> Order:
    """Breadth-first, where that goes with the store."""
    if plan.por is True or refusal(Combination("bfs", plan.chosen_store, sort="alarms")) is not None:
        return "dfs"
    return "bfs"


def _refuse_threads(model: Model, plan: SearchPlan) -> None:
    """Several threads search nested depth-first; what that cannot do is refused."""
    threads = f"--threads {plan.threads}"
    if plan.fair:
        raise Unsupported(
            f"{threads} does not go with --fair {plan.fair}, which needs the search by components: leave one out"
        )
    if plan.search not in (None, "ndfs"):
        raise Unsupported(
            f"{threads} looks for cycles nested depth-first: leave out --search, or say ndfs, or check "
            "--property safety alone"
        )
    if plan.max_depth is not None:
        raise Unsupported(
            f"{threads} does not go with --max-depth, since how deep a state lies depends on who finds it: leave one "
            "out, or check --property safety alone"
        )
    if plan.engine == "interpreter":
        raise Unsupported(f"{threads} needs the native engine: leave out --engine interpreter")
    if model.one_thread:
        raise Unsupported(f"{threads}: {model.one_thread}; leave it out")


def observed(model: Model, origin: Mapping[str, Any]) -> Model:
    """The model a saved trace is of: the product with the observer of a property, where it is about one."""
    name = origin.get("property")
    if name is None:
        return model
    property_ = next((p for p in model.properties if p.name == name), None)
    if property_ is None:
        raise Unsupported(f"the trace is about the property {name!r}, which the model does not have any more")
    level = origin.get("level")
    if isinstance(level, int) and 0 < level <= len(property_.cuts):
        property_ = property_.cut(level)
    if origin.get("possible") and property_.formula is not None:
        property_ = property_.possible()
    if origin.get("fair") == "events":
        return Product(model, fair_to_events(model, property_))
    translated = translate(model, property_)
    if property_.kind == "possible" and origin.get("fair") is not None:
        return Product(model, translate(model, property_, alarms=False))
    single = with_one_set(model, property_, translated)
    return Product(model, single if origin.get("sets") == single.sets else translated)


def translate(model: Model, property_: Temporal, *, alarms: bool = True) -> Observer:
    """The observer of the property; Unsupported where it would be too large."""
    from kripke.logic.translation import TranslationTooLarge

    try:
        return _observer(model, property_, generalised=True, alarms=alarms)
    except TranslationTooLarge as refusal:
        raise Unsupported(str(refusal)) from refusal


def _observer(model: Model, property_: Temporal, *, generalised: bool, alarms: bool = True) -> Observer:
    """Where a formula speaks of steps, what is wrong shows when the step is taken: so without alarms."""
    if property_.formula is None or not speaks_of_steps(model, property_):
        return property_.observer(model.atoms, generalised=generalised, alarms=alarms)
    observer = property_.observer((*model.atoms, *model.step_atoms), generalised=generalised, alarms=False)
    return replace(observer, steps=tuple(model.step_atoms.values()), first_step=len(model.atoms))


def speaks_of_steps(model: Model, property_: Temporal) -> bool:
    """Are there atoms of steps in the formula?"""
    if not model.step_atoms or property_.formula is None:
        return False
    return any(name in model.step_atoms for name in property_.formula.atoms())


def fair_to_events(model: Model, property_: Temporal) -> Observer:
    """The observer, with a mark for every event. A run may come to where no fair run goes on: so without alarms."""
    if not model.fairness_constraints:
        raise Unsupported(
            "--fair events: no statement has a label that asks for fairness, one that begins with wf_, sf_, wl_ or sl_"
        )
    observer = translate(model, property_, alarms=False)
    if observer.alarms:
        raise Unsupported(f"--fair events does not go with {property_.name}, which ends or asserts: write a formula")
    count = len(model.fairness_constraints)
    if observer.sets + count > MOST_SETS:
        raise Unsupported(f"--fair events: {count} events are too many; at most {MOST_SETS}, with the formula's")
    return observer.fair_to(model.fairness_constraints)


def with_one_set(model: Model, property_: Temporal, translated: Observer) -> Observer:
    """With one acceptance set."""
    if translated.sets == 1:
        return translated
    single = degeneralised(translated)
    plain = _observer(model, property_, generalised=False)
    return min(single, plain, key=lambda observer: len(observer.edges))
