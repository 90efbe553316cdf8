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
from kripke.model.assertions import Assertions
from kripke.model.model import Model
from kripke.model.property import ACCEPTANCE, PROGRESS, SAFETY, Temporal
from kripke.model.result import Result


def check_properties(
    model: Model,
    plan: SearchPlan | None = None,
    *,
    watch: Watch | None = None,
    origin: Mapping[str, Any] | None = None,
) -> Result:
    """Check what the plan chooses: by default safety and every formula and claim of the model.

    The figures of the result are those of the first search; ``parts`` has all of them.
    """
    plan = plan or SearchPlan()
    if plan.formula_files or plan.examine:
        from kripke.engines.nets.formulas.check import check as answer
        from kripke.engines.nets.formulas.check import questions

        return joined(answer(model, questions(model, plan), plan, watch=watch, origin=origin or {}))
    if isinstance(model, Assertions) and model.assertions:
        from kripke.engines.refinement.assertions import check_assertions

        return joined(check_assertions(model, plan, watch=watch, origin=origin))
    if plan.search in NET_SEARCHES:
        return _checked_as_net(model, plan, origin)
    if model.always_fair and choose(model, plan)[1]:
        if plan.fair not in (None, "events"):
            raise Unsupported(f"--fair {plan.fair}: formulas are about the model's own fairness sets here")
        plan = replace(plan, fair="events")
    result = _checked(model, plan, watch, origin)
    if result.interrupted:
        return result
    if plan.another is not None or (plan.all_errors and _deadlocks(result, plan)):
        result = _others(model, result, plan, origin)
    if not plan.coverage:
        return result
    try:
        from kripke.engines.coverage import measure
    except ImportError as error:
        raise Unsupported(f"--coverage needs numpy ({error}); install it with: pip install 'kripke[data]'") from error
    held = {part.name for part in result.parts or (result,) if part.verdict == "holds"}
    holding = [property_ for property_ in choose(model, plan)[1] if property_.name in held]
    return replace(result, coverage=measure(model, plan, holding))


def _checked_as_net(model: Model, plan: SearchPlan, origin: Mapping[str, Any] | None) -> Result:
    """By an engine that sees the model as a net."""
    from kripke.engines.nets.searches import SEARCHES

    assert plan.search is not None
    refuse_combination(plan, plan.search, "safety", bounded=plan.max_depth is not None)
    return SEARCHES[plan.search].check(model, plan, origin or {})


def _deadlocks(result: Result, plan: SearchPlan) -> bool:
    """Are there several deadlocks, which may have different causes? Not where a limit has kept some out."""
    whole = plan.store in (None, "full", "tree", "collapse") and plan.search != "sweep"
    plain = plan.max_depth is None and not plan.por and whole
    return plain and result.complete and result.errors > 1 and any(f.kind == "deadlock" for f in result.findings)


def _others(model: Model, result: Result, plan: SearchPlan, origin: Mapping[str, Any] | None) -> Result:
    """All causes of errors, or another counterexample than the first."""
    try:
        from kripke.engines.causes import another, another_run, by_cause
    except ImportError as error:
        if plan.another is None:
            return result
        raise Unsupported(f"--another needs numpy ({error}); install it with: pip install 'kripke[data]'") from error
    parts = list(result.parts or (result,))
    for index, part in enumerate(parts):
        if part.verdict != "violated" or not part.findings:
            continue
        if part.name == SAFETY:
            change = another if plan.another is not None else by_cause
            parts[index] = change(model, part, plan, origin)
        elif plan.another is not None:
            temporal = next((p for p in model.properties if p.name == part.name), None)
            if temporal is not None:
                engine = prepare(model, plan.wanted_engine, plan.time_limit)
                parts[index] = another_run(model, temporal, part, plan, engine, origin)
        if plan.another is not None:
            break
    else:
        if plan.another is not None:
            return replace(result, warnings=(*result.warnings, "--another: no error was found, so there is no other"))
    return joined(parts)


def _checked(model: Model, plan: SearchPlan, watch: Watch | None, origin: Mapping[str, Any] | None) -> Result:
    safety, chosen = choose(model, plan)
    branching: list[Result] = []
    if plan.ctl or plan.mu:
        from kripke.engines.branching.branching import check_branching

        branching = check_branching(model, plan, watch=watch, origin=origin)
        if not safety and not chosen:
            return joined(branching)
    if not chosen and not branching:
        _refuse_without_cycles(plan)
        return check(model, plan, watch=watch, origin=origin)
    from kripke.engines.linear.many_valued import check_value
    from kripke.engines.linear.possibility import check_possible
    from kripke.engines.linear.temporal import check_temporal, choose_search

    if plan.unusual and safety + len(chosen) > 1:
        # What is refused is refused before anything is searched, which may take hours.
        for property_ in chosen:
            choose_search(model, property_.cut(1) if property_.cuts else property_, plan)
    engine = prepare(model, plan.wanted_engine, plan.time_limit, dependencies=plan.por)
    parts: list[Result] = branching
    if safety:
        parts.append(check(model, plan, watch=watch, origin=origin, engine=engine))
    for property_ in chosen:
        if parts and parts[-1].interrupted:
            break
        if property_.kind == "possible":
            search = check_possible
        else:
            search = check_value if property_.cuts else check_temporal
        parts.append(search(model, property_, plan, engine, watch=watch, origin=origin))
    return joined(parts)


def choose(model: Model, plan: SearchPlan) -> tuple[bool, list[Temporal]]:
    """Is safety to be checked, and which temporal properties? ModelError where one of them cannot be."""
    safety, chosen = _chosen(model, plan)
    for property_ in chosen:
        if property_.refused is not None:
            raise property_.refused
    return safety, chosen


def _chosen(model: Model, plan: SearchPlan) -> tuple[bool, list[Temporal]]:
    available = {property_.name: property_ for property_ in model.properties}
    if not (plan.properties or plan.possible or plan.ctl or plan.mu):
        return True, [p for p in model.properties if p.kind in ("ltl", "never")]
    chosen: list[Temporal] = []
    for name in plan.properties:
        if name == SAFETY:
            continue
        if name not in available:
            raise Unsupported(_unknown(name, available))
        chosen.append(available[name])
    for name in plan.possible:
        if name not in available or available[name].formula is None:
            raise Unsupported(f"--possible {name}: the language {model.language} has no formulas of runs yet")
        if available[name].cuts:
            raise Unsupported("--possible is about formulas that are true or false: it does not go with --values")
        chosen.append(available[name].possible())
    return SAFETY in plan.properties or bool(plan.invariants), chosen


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
        answer=None,
        parts=tuple(parts),
    )
