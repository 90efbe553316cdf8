"""Explicit-state checking: from a model and options to a result.

The model is compiled and searched by the native engine, or, where that cannot be, searched by the reference engine.
Every path found is replayed with the reference semantics before it becomes a trace.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kripke.engines.combinations import Combination, PropertySort, Search, refusal
from kripke.engines.explicit.conclusion import conclude
from kripke.engines.explicit.prepare import Engine, prepare
from kripke.engines.explicit.repeated import search_as_asked
from kripke.engines.explicit.search import Order, SearchOptions, Watch
from kripke.engines.explicit.stores import DEFAULT_TABLE, StoreOptions
from kripke.engines.memory import default_limit
from kripke.engines.plan import DEFAULT_WALK_LENGTH, DEFAULT_WALKS, SearchPlan, Unsupported
from kripke.model.model import Model
from kripke.model.property import Safety
from kripke.model.result import Result

if TYPE_CHECKING:
    from kripke.model.dependencies import DependencyAnalysis


def check(
    model: Model,
    options: SearchPlan | None = None,
    *,
    watch: Watch | None = None,
    origin: Mapping[str, Any] | None = None,
    engine: Engine | None = None,
) -> Result:
    """Search the state space of a model for deadlocks, violations and broken invariants.

    ``watch`` is called about ten times a second. ``origin`` goes into saved traces.
    """
    options = options or SearchPlan()
    asked = search_options(model, options, options.safety_search)
    refuse_combination(options, asked.order, "safety", bounded=asked.max_depth > 0)
    if options.threads > 1 and model.one_thread:
        raise Unsupported(f"--threads {options.threads}: {model.one_thread}; leave it out")
    notes: tuple[str, ...] = ()
    if options.max_switches is not None and not model.has_processes:
        raise Unsupported(f"--max-switches: a {model.language} model has no processes; leave it out")
    if options.por:
        analysis = dependencies_on(model, asked.invariants, asked)
        if isinstance(analysis, str):
            options, notes = replace(options, por=False), (f"searched without partial-order reduction: {analysis}",)
            asked = search_options(model, options, options.safety_search)
        else:
            asked = replace(asked, dependencies=analysis)
    asked = replace(asked, threads=options.threads, store=store_options(options))
    asked, more = with_symmetry(model, options, asked)
    notes += more
    engine = engine or prepare(model, options.wanted_engine, options.time_limit, dependencies=options.por)
    if options.checkpoints:
        from kripke.engines.explicit.checkpoint import checkpoints_of

        asked = replace(asked, checkpoints=checkpoints_of(model, options, asked))
    outcome = search_as_asked(engine, model, in_time_left(asked, engine), options, watch)
    assertions = any(kind.name == "assertion" for kind in model.violation_kinds)
    safety = Safety(options.deadlock and model.has_deadlocks, options.invariants, assertions)
    return conclude(model, safety, options, asked, engine, outcome, origin, notes=notes)


def search_options(model: Model, options: SearchPlan, order: Order) -> SearchOptions:
    atoms = {name: number for number, name in enumerate(model.atoms)}
    unknown = [name for name in options.invariants if name not in atoms]
    if unknown:
        raise Unsupported(f"the model has no atom {unknown[0]!r} to serve as an invariant")
    return SearchOptions(
        order=order,
        deadlock=options.deadlock,
        invariants=tuple(atoms[name] for name in options.invariants),
        stop_at_first=not options.all_errors,
        max_depth=options.max_depth or (DEFAULT_WALK_LENGTH if order == "walk" else 0),
        max_states=options.max_states or 0,
        memory=options.memory or default_limit(),
        time_limit=options.time_limit or 0.0,
        walks=(options.walks or DEFAULT_WALKS) if order == "walk" else 0,
        seed=(options.seed or 0) % 2**64,
    )


def store_options(options: SearchPlan) -> StoreOptions:
    name = options.chosen_store
    memory = options.memory or default_limit()
    usual = DEFAULT_TABLE.get(name, 0)
    table = options.store_size or min(usual, memory // 2)
    folder = ""
    if name == "disk" or options.search == "sweep":
        from tempfile import gettempdir

        folder = gettempdir()
    return StoreOptions(name, options.hash_bits or 64, options.hashes or 4, table if usual else 0, folder=folder)


def refuse_combination(
    options: SearchPlan, search: Search, sort: PropertySort, *, bounded: bool, name: str = ""
) -> None:
    """Unsupported, where this search does not go with what else was asked for. ``bounded``: by a depth limit. ``name``:
    of the property, where there may be several."""
    por = options.por and (sort == "safety" or options.threads == 1)  # else it is left out, with a note
    by_name = options.symmetry not in ("off", "auto")
    reason = refusal(_combination(options, search, sort, por=por, bounded=bounded, symmetry=by_name))
    if reason is None:
        return
    given = [f"--search {search}"] if options.search is not None else []
    given += [f"--store {options.store}"] if options.store is not None else []
    given += ["--por"] if por else []
    given += [f"--threads {options.threads}"] if options.threads > 1 else []
    given += [f"--symmetry {options.symmetry}"] if by_name else []
    given += ["--checkpoint"] if options.checkpoint is not None else []
    given += ["--resume"] if options.resume is not None else []
    given += ["--max-depth"] if options.max_depth is not None else []
    given += {"once": [], "deepening": ["--deepen"], "switches": ["--max-switches"], "swarm": ["--swarm"]}[options.way]
    about = f"{name}: " if name else ""
    raise Unsupported(f"{about}{' with '.join(given)}: {reason}")


def _combination(
    options: SearchPlan, search: Search, sort: PropertySort, *, por: bool, bounded: bool, symmetry: bool
) -> Combination:
    bounded = bounded or options.deepen is not None
    store, way = options.chosen_store, options.way
    return Combination(search, store, por, options.threads, sort, bounded, symmetry, way, options.checkpoints)


def dependencies_on(model: Model, atoms: tuple[int, ...], asked: SearchOptions) -> DependencyAnalysis | str:
    """What partial-order reduction needs for a property of these atoms; a sentence where the model does not have it."""
    if asked.max_depth:
        raise Unsupported("--por with --max-depth: a depth limit cuts off what the reduction puts off; leave one out")
    return model.dependencies(atoms)


def with_symmetry(model: Model, options: SearchPlan, asked: SearchOptions) -> tuple[SearchOptions, tuple[str, ...]]:
    """What is asked with the symmetry of the model; where it was not asked for by name, a note that says why not."""
    if options.symmetry == "off" or options.way in ("switches", "swarm") or asked.order == "walk":
        return asked, ()
    if options.symmetry == "auto":
        bounded = asked.max_depth > 0
        reason = refusal(_combination(options, asked.order, "safety", por=options.por, bounded=bounded, symmetry=True))
        if reason is not None:
            return asked, (f"searched without symmetry: {reason}",)
    found = model.symmetry(asked.invariants)
    if not isinstance(found, str):
        method = "canonical" if options.symmetry == "auto" else options.symmetry
        if method not in found.methods:
            known = " or ".join(found.methods)
            raise Unsupported(f"--symmetry {method}: this is for like processes; a net takes {known}")
        return replace(asked, symmetry=found, method=method), found.left_out
    if options.symmetry == "auto":
        return asked, (f"searched without symmetry: {found}",)
    raise Unsupported(f"--symmetry {options.symmetry}: {found}; leave it out, or give --symmetry auto")


def in_time_left(asked: SearchOptions, engine: Engine) -> SearchOptions:
    """What is left for a search of the time that was given for compiling and searching."""
    if not asked.time_limit:
        return asked
    return replace(asked, time_limit=max(asked.time_limit - engine.seconds, 0.001))
