"""Explicit-state checking: from a model and a plan to a result.

The model is compiled and searched by the native engine, or, where that cannot be, searched by the reference engine.
Every path found is replayed with the reference semantics before it becomes a trace.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from kripke.deadline import current, keeping
from kripke.engines.explicit.conclusion import conclude
from kripke.engines.explicit.prepare import Engine, prepare
from kripke.engines.explicit.repeated import run_searches
from kripke.engines.explicit.search import Order, Outcome, SearchRequest, Watch, both
from kripke.engines.explicit.stores import DEFAULT_TABLE, StoreOptions
from kripke.engines.plan import DEFAULT_WALK_LENGTH, DEFAULT_WALKS, SearchPlan, Unsupported
from kripke.engines.refusals import combination, refuse_combination
from kripke.engines.registry import refusal
from kripke.engines.symmetry.symmetric import Method
from kripke.memory import default_limit
from kripke.model.capabilities.dependencies import dependencies_of
from kripke.model.capabilities.reducible import reduced_model
from kripke.model.capabilities.symmetric import symmetry_of
from kripke.model.model import Model
from kripke.model.preemptions import MOST_ACTORS
from kripke.model.property import Safety
from kripke.model.result import Result

if TYPE_CHECKING:
    from kripke.model.dependencies import DependencyAnalysis


def check(
    model: Model,
    plan: SearchPlan | None = None,
    *,
    watch: Watch | None = None,
    origin: Mapping[str, Any] | None = None,
    engine: Engine | None = None,
) -> Result:
    """Search the state space of a model for deadlocks, violations and broken invariants.

    ``watch`` is called about ten times a second. ``origin`` goes into saved traces.
    """
    plan = plan or SearchPlan()
    with keeping(current().within(plan.time_limit)):
        return _check(model, plan, watch, origin, engine)


def _check(
    model: Model, plan: SearchPlan, watch: Watch | None, origin: Mapping[str, Any] | None, engine: Engine | None
) -> Result:
    request = refuse(model, plan)
    notes: tuple[str, ...] = ()
    searched = model
    if plan.por is True:
        reduced = reduced_model(model, request.invariants)
        analysis = dependencies_on(model, request.invariants, request) if reduced is None else reduced
        if isinstance(analysis, str):
            plan, notes = replace(plan, por=False), (f"searched without partial-order reduction: {analysis}",)
            request = search_request(model, plan, plan.safety_search)
        elif isinstance(analysis, Model):
            searched, engine = analysis, prepare(analysis, plan.wanted_engine)
        else:
            request = replace(request, dependencies=analysis)
    request = replace(request, threads=plan.threads, store=store_options(plan))
    request, more = with_symmetry(model, plan, request)
    notes += more
    prepared = engine or prepare(model, plan.wanted_engine, dependencies=plan.por is True)
    if plan.checkpoints:
        from kripke.engines.explicit.checkpoint import checkpoints_of

        request = replace(request, checkpoints=checkpoints_of(model, plan, request))

    def search(one: SearchRequest, beside: Watch | None = None) -> Outcome:
        return run_searches(prepared, searched, in_time_left(one), plan, both(watch, beside))

    facts: dict[str, Any] = {}
    if plan.por == "auto":
        from kripke.engines.explicit.automatic import Subject, search_automatically

        def search_reduced(reduced: Model, one: SearchRequest) -> Outcome:
            nonlocal prepared
            prepared = prepare(reduced, plan.wanted_engine)
            return run_searches(prepared, reduced, in_time_left(one), plan, watch)

        subject = Subject(prepared, model, request.invariants, search, search_reduced)
        outcome, request, facts["reduction"], by_model = search_automatically(subject, plan, request)
        facts |= {"por": True} if by_model else {}
    else:
        outcome = search(request)
    assertions = any(kind.name == "assertion" for kind in model.violation_kinds)
    safety = Safety(plan.deadlock and model.has_deadlocks, plan.invariants, assertions)
    return conclude(model, safety, plan, request, prepared, outcome, origin, facts, notes)


def refuse(model: Model, plan: SearchPlan) -> SearchRequest:
    """Unsupported, where the search for safety does not go with what else is asked for; else what is asked of it."""
    request = search_request(model, plan, plan.safety_search)
    refuse_combination(plan, request.order, "safety", bounded=request.max_depth > 0)
    if plan.threads > 1 and model.one_thread:
        raise Unsupported(f"--threads {plan.threads}: {model.one_thread}; leave it out")
    if plan.max_switches is not None and not model.has_actors:
        raise Unsupported(f"--max-switches: a {model.language} model has no {model.actors_text}; leave it out")
    if plan.max_switches is not None and (model.most_actors or 0) > MOST_ACTORS:
        raise Unsupported(f"--max-switches: there are more than {MOST_ACTORS} {model.actors_text}; leave it out")
    return request


def search_request(model: Model, plan: SearchPlan, order: Order) -> SearchRequest:
    atoms = {name: number for number, name in enumerate(model.atoms)}
    unknown = [name for name in plan.invariants if name not in atoms]
    if unknown:
        raise Unsupported(f"the model has no atom {unknown[0]!r} to serve as an invariant")
    return SearchRequest(
        order=order,
        deadlock=plan.deadlock,
        invariants=tuple(atoms[name] for name in plan.invariants),
        stop_at_first=not plan.all_errors,
        max_depth=plan.max_depth or (DEFAULT_WALK_LENGTH if order == "walk" else 0),
        max_states=plan.max_states or 0,
        memory=plan.memory or default_limit(),
        time_limit=current().within(plan.time_limit).limit(),
        walks=(plan.walks or DEFAULT_WALKS) if order == "walk" else 0,
        seed=(plan.seed or 0) % 2**64,
    )


def store_options(plan: SearchPlan) -> StoreOptions:
    name = plan.chosen_store
    memory = plan.memory or default_limit()
    usual = DEFAULT_TABLE.get(name, 0)
    table = plan.store_size or min(usual, memory // 2)
    folder = ""
    if name == "disk" or plan.search == "sweep":
        from tempfile import gettempdir

        folder = gettempdir()
    first_goes = plan.replaces == "first"
    return StoreOptions(name, plan.hash_bits or 64, plan.hashes or 4, table if usual else 0, first_goes, folder=folder)


def dependencies_on(model: Model, atoms: tuple[int, ...], request: SearchRequest) -> DependencyAnalysis | str:
    """What partial-order reduction needs for a property of these atoms; a sentence where the model does not have it."""
    if request.max_depth:
        raise Unsupported("--por with --max-depth: a depth limit cuts off what the reduction puts off; leave one out")
    return dependencies_of(model, atoms)


def with_symmetry(model: Model, plan: SearchPlan, request: SearchRequest) -> tuple[SearchRequest, tuple[str, ...]]:
    """What is asked with the symmetry of the model; where it was not asked for by name, a note that says why not."""
    if plan.symmetry == "off" or plan.way in ("switches", "swarm") or request.order == "walk":
        return request, ()
    if plan.symmetry == "auto":
        bounded = request.max_depth > 0
        reason = refusal(
            combination(plan, request.order, "safety", por=plan.por is True, bounded=bounded, symmetry=True)
        )
        if reason is not None:
            return request, (f"searched without symmetry: {reason}",)
    found = symmetry_of(model, request.invariants)
    if not isinstance(found, str):
        method = found.usual if plan.symmetry == "auto" else plan.symmetry
        if method not in found.methods:
            raise Unsupported(f"--symmetry {method}: {found.other_methods}")
        return replace(request, symmetry=found, method=cast(Method, method)), found.left_out
    if plan.symmetry == "auto":
        return request, (f"searched without symmetry: {found}",)
    raise Unsupported(f"--symmetry {plan.symmetry}: {found}; leave it out, or give --symmetry auto")


def in_time_left(request: SearchRequest) -> SearchRequest:
    """What was asked some time ago, with what is left of the time now."""
    return replace(request, time_limit=current().limit(request.time_limit)) if request.time_limit else request
