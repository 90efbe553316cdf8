"""A whole check: safety and the temporal properties of a model, each in a search of its own, joined to one result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from kripke.engines.combinations import NET_SEARCHES
from kripke.engines.explicit.prepare import prepare
from kripke.engines.explicit.safety import check, refuse_combination
from kripke.engines.explicit.search import Watch
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.model.model import Model
from kripke.model.property import ACCEPTANCE, PROGRESS, SAFETY, Temporal
from kripke.model.result import Result


def check_properties(
    model: Model,
    options: SearchPlan | None = None,
    *,
    watch: Watch | None = None,
    origin: Mapping[str, Any] | None = None,
) -> Result:
    """Check what the options choose: by default safety and every formula and claim of the model.

    The figures of the result are those of the first search; ``parts`` has all of them.
    """
    options = options or SearchPlan()
    if options.search in NET_SEARCHES:
        return _checked_as_net(model, options, origin)
    if model.always_fair and choose(model, options)[1]:
        if options.fair not in (None, "events"):
            raise Unsupported(f"--fair {options.fair}: formulas are about the model's own fairness sets here")
        options = replace(options, fair="events")
    result = _checked(model, options, watch, origin)
    if result.interrupted:
        return result
    if options.another is not None or (options.all_errors and _deadlocks(result, options)):
        result = _others(model, result, options, origin)
    if not options.coverage:
        return result
    try:
        from kripke.engines.coverage import measure
    except ImportError as error:
        raise Unsupported(f"--coverage needs numpy ({error}); install it with: pip install 'kripke[data]'") from error
    held = {part.name for part in result.parts or (result,) if part.verdict == "holds"}
    holding = [property_ for property_ in choose(model, options)[1] if property_.name in held]
    return replace(result, coverage=measure(model, options, holding))


def _checked_as_net(model: Model, options: SearchPlan, origin: Mapping[str, Any] | None) -> Result:
    """By an engine that sees the model as a net."""
    from kripke.engines.nets.searches import SEARCHES

    assert options.search is not None
    refuse_combination(options, options.search, "safety", bounded=options.max_depth is not None)
    return SEARCHES[options.search].check(model, options, origin or {})


def _deadlocks(result: Result, options: SearchPlan) -> bool:
    """Are there several deadlocks, which may have different causes? Not where a limit has kept some out."""
    whole = options.store in (None, "full", "tree", "collapse") and options.search != "sweep"
    plain = options.max_depth is None and not options.por and whole
    return plain and result.complete and result.errors > 1 and any(f.kind == "deadlock" for f in result.findings)


def _others(model: Model, result: Result, options: SearchPlan, origin: Mapping[str, Any] | None) -> Result:
    """All causes of errors, or another counterexample than the first."""
    try:
        from kripke.engines.causes import another, another_run, by_cause
    except ImportError as error:
        if options.another is None:
            return result
        raise Unsupported(f"--another needs numpy ({error}); install it with: pip install 'kripke[data]'") from error
    parts = list(result.parts or (result,))
    for index, part in enumerate(parts):
        if part.verdict != "violated" or not part.findings:
            continue
        if part.name == SAFETY:
            change = another if options.another is not None else by_cause
            parts[index] = change(model, part, options, origin)
        elif options.another is not None:
            temporal = next((p for p in model.properties if p.name == part.name), None)
            if temporal is not None:
                engine = prepare(model, options.wanted_engine, options.time_limit)
                parts[index] = another_run(model, temporal, part, options, engine, origin)
        if options.another is not None:
            break
    else:
        if options.another is not None:
            return replace(result, warnings=(*result.warnings, "--another: no error was found, so there is no other"))
    return joined(parts)


def _checked(model: Model, options: SearchPlan, watch: Watch | None, origin: Mapping[str, Any] | None) -> Result:
    safety, chosen = choose(model, options)
    branching: list[Result] = []
    if options.ctl or options.mu:
        from kripke.engines.branching.branching import check_branching

        branching = check_branching(model, options, watch=watch, origin=origin)
        if not safety and not chosen:
            return joined(branching)
    if not chosen and not branching:
        _refuse_without_cycles(options)
        return check(model, options, watch=watch, origin=origin)
    from kripke.engines.linear.many_valued import check_value
    from kripke.engines.linear.possibility import check_possible
    from kripke.engines.linear.temporal import check_temporal, choose_search

    if options.unusual and safety + len(chosen) > 1:
        # What is refused is refused before anything is searched, which may take hours.
        for property_ in chosen:
            choose_search(model, property_.cut(1) if property_.cuts else property_, options)
    engine = prepare(model, options.wanted_engine, options.time_limit, dependencies=options.por)
    parts: list[Result] = branching
    if safety:
        parts.append(check(model, options, watch=watch, origin=origin, engine=engine))
    for property_ in chosen:
        if parts and parts[-1].interrupted:
            break
        if property_.kind == "possible":
            search = check_possible
        else:
            search = check_value if property_.cuts else check_temporal
        parts.append(search(model, property_, options, engine, watch=watch, origin=origin))
    return joined(parts)


def choose(model: Model, options: SearchPlan) -> tuple[bool, list[Temporal]]:
    """Is safety to be checked, and which temporal properties? ModelError where one of them cannot be."""
    safety, chosen = _chosen(model, options)
    for property_ in chosen:
        if property_.refused is not None:
            raise property_.refused
    return safety, chosen


def _chosen(model: Model, options: SearchPlan) -> tuple[bool, list[Temporal]]:
    available = {property_.name: property_ for property_ in model.properties}
    if not (options.properties or options.possible or options.ctl or options.mu):
        return True, [p for p in model.properties if p.kind in ("ltl", "never")]
    chosen: list[Temporal] = []
    for name in options.properties:
        if name == SAFETY:
            continue
        if name not in available:
            raise Unsupported(_unknown(name, available))
        chosen.append(available[name])
    for name in options.possible:
        if name not in available or available[name].formula is None:
            raise Unsupported(f"--possible {name}: the language {model.language} has no formulas of runs yet")
        if available[name].cuts:
            raise Unsupported("--possible is about formulas that are true or false: it does not go with --values")
        chosen.append(available[name].possible())
    return SAFETY in options.properties or bool(options.invariants), chosen


def _unknown(name: str, available: Mapping[str, Temporal]) -> str:
    if name == ACCEPTANCE:
        return "--property acceptance: no process of the model has an accept label"
    if name == PROGRESS:
        return "--property progress: no process of the model has a progress label, so every cycle is without progress"
    from difflib import get_close_matches

    known = [SAFETY, *available]
    close = get_close_matches(name, known, n=1)
    if close:
        return f"--property {name}: the model has no property of that name; did you mean {close[0]}?"
    there = f"there are {', '.join(known)}" if available else f"there is {SAFETY} alone"
    return f"--property {name}: the model has no property of that name; {there}"


def _refuse_without_cycles(options: SearchPlan) -> None:
    """What only makes sense where cycles are looked for."""
    if options.fair:
        raise Unsupported(
            f"--fair {options.fair}: fairness is about infinite runs, and only safety is checked here; "
            "give a formula with --ltl, or a property of the model with --property"
        )
    if options.search in ("ndfs", "scc"):
        raise Unsupported(
            f"--search {options.search} looks for cycles, and only safety is checked here; choose bfs or dfs, "
            "or give a formula with --ltl"
        )


def joined(parts: Sequence[Result]) -> Result:
    """One result: violated (or impossible) if a part is, else unknown if a part is."""
    first = parts[0]
    if len(parts) == 1:
        return replace(first, parts=tuple(parts))
    decisive = next(
        (part for verdict in ("violated", "impossible", "unknown") for part in parts if part.verdict == verdict),
        None,
    )
    findings = tuple(finding for part in parts for finding in part.findings)
    warnings = tuple(dict.fromkeys(warning for part in parts for warning in part.warnings))
    if decisive is None:
        verdict, reason, kind = min(part.verdict for part in parts), "", first.kind  # "holds" before "possible"
        property_ = ", ".join(part.property for part in parts)
    else:
        verdict, reason, kind, property_ = decisive.verdict, decisive.reason, decisive.kind, decisive.property
    return replace(
        first,
        verdict=verdict,
        reason=reason,
        property=property_,
        kind=kind,
        errors=sum(part.errors for part in parts),
        complete=all(part.complete for part in parts),
        trace=findings[0].trace if findings else None,
        warnings=warnings,
        findings=findings,
        parts=tuple(parts),
    )
