"""A whole check: every property by the engine that serves it, joined to one result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from kripke.checker.choice import choose, stated_by
from kripke.checker.joining import joined
from kripke.deadline import OutOfTime, current, keeping
from kripke.engines.branching.asked import Branching
from kripke.engines.explicit.search import Watch
from kripke.engines.linear.refusals import refuse_fairness
from kripke.engines.plan import SearchPlan
from kripke.engines.refusals import refuse_combination
from kripke.engines.registry import Engine, Property, asked_with, engine_for, loaded, owner_of
from kripke.engines.unsupported import Unsupported
from kripke.model.assertions import Assertion, Assertions
from kripke.model.model import Model
from kripke.model.property import SAFETY, Safety, Temporal
from kripke.model.result import Result, unsearched
from kripke.model.source import ModelError

OUT_OF_TIME = "the time limit was reached before anything was known"


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
    refuse_fairness(model, plan.fair)
    with keeping(current().within(plan.time_limit)):
        return _checked(model, plan, watch, None if origin is None else {**origin, "plan": plan.to_json()})


def refusal(model: Model, plan: SearchPlan) -> str | None:
    """Why this check would be refused before anything is searched; None: it would not. What only its search can find
    out, such as that a model cannot be compiled, is not known here."""
    try:
        refuse_fairness(model, plan.fair)
        model, properties = _asked(model, plan)
        for engine, own in _chosen(model, properties, plan):
            if engine.refuse_check:
                loaded(engine.refuse_check)(model, own, plan)
    except (Unsupported, ModelError) as error:
        return str(error) if isinstance(error, Unsupported) else error.message
    return None


def _asked(model: Model, plan: SearchPlan) -> tuple[Model, list[Property]]:
    """What is to be checked, and of which model."""
    if isinstance(model, Assertions) and model.assertions:
        by_states = plan.ctl or plan.mu or _is_searched_by_states(model, plan)
        assertions = [] if by_states else _assertions(model, plan)
        if assertions:
            return model, list(assertions)
        model = model.as_asked()
    safety, runs = choose(model, plan)
    invariants, branching = stated_by(model, plan)
    properties = [property_ for engine in asked_with(plan) for property_ in _read(engine, model, plan)]
    alone = not (properties or runs or invariants or branching)
    properties += [_safety(model, plan)] if safety or alone else []
    return model, [*properties, *invariants, *branching, *runs]


def _is_searched_by_states(model: Assertions, plan: SearchPlan) -> bool:
    """Is a search of states asked for by its name, and can it tell what is asserted?"""
    other = plan.search not in (None, "bfs") and not plan.properties
    owner = owner_of(plan.search) if other and plan.search is not None else None
    named = owner is not None and owner.visits_states and "safety" in owner.serves
    return named and len(model.assertions) == 1 and model.assertions[0].about_states


def _assertions(model: Model, plan: SearchPlan) -> list[Assertion]:
    """Those of the text of a model that are to be checked."""
    if not isinstance(model, Assertions) or not model.assertions:
        return []
    from kripke.engines.refinement.choice import chosen_assertions

    return chosen_assertions(model, plan)


def _checked(model: Model, plan: SearchPlan, watch: Watch | None, origin: Mapping[str, Any] | None) -> Result:
    asked, properties = _asked(model, plan)
    result = joined(_results(asked, properties, plan, watch, origin or {}))
    if result.interrupted or _assertions(asked, plan):
        return result
    if not (plan.another is not None or plan.all_errors or plan.coverage):
        return result
    from kripke.engines.explicit.engine import fair_as_the_model

    runs = [property_ for property_ in properties if isinstance(property_, Temporal)]
    plan = fair_as_the_model(asked, runs, plan)
    if plan.another is not None or (plan.all_errors and _deadlocks(result, plan)):
        result = _others(asked, result, plan, origin)
    return _with_coverage(asked, result, plan, runs) if plan.coverage else result


def _safety(model: Model, plan: SearchPlan) -> Safety:
    assertions = any(kind.name == "assertion" for kind in model.violation_kinds)
    return Safety(plan.deadlock and model.has_deadlocks, plan.invariants, assertions)


def _read(engine: Engine, model: Model, plan: SearchPlan) -> Sequence[Property]:
    """What the plan asks of the engine, in its own words."""
    engine.refuse_model(model, plan)
    properties: Sequence[Property] = loaded(engine.read)(model, plan)
    return properties


def _chosen(model: Model, properties: Sequence[Property], plan: SearchPlan) -> list[tuple[Engine, list[Property]]]:
    """Which engine checks which of them; Unsupported where one refuses by what it has registered."""
    chosen: dict[str, tuple[Engine, list[Property]]] = {}
    for property_ in properties:
        engine = engine_for(property_.kind, _choosing(property_, plan))
        chosen.setdefault(engine.name, (engine, []))[1].append(property_)
    for engine, own in chosen.values():
        engine.refuse_model(model, plan)
        if not engine.asks_rules and _choosing(own[0], plan) is plan:
            refuse_combination(plan, plan.search or engine.name, "safety", bounded=plan.max_depth is not None)
    return list(chosen.values())


def _choosing(property_: Property, plan: SearchPlan) -> SearchPlan:
    """The plan by which an engine is chosen. How states are searched and kept means nothing to a formula of branching
    time that stands in the text and was not asked for by name."""
    if isinstance(property_, Branching) and property_.name and property_.name not in plan.properties:
        return SearchPlan(engine=plan.engine)
    return plan


def _results(
    model: Model, properties: Sequence[Property], plan: SearchPlan, watch: Watch | None, origin: Mapping[str, Any]
) -> list[Result]:
    """Of every property, in their order, as far as an interruption. Each engine has the part of the time that its
    properties are of all that are left."""
    found: list[Result] = []
    for engine, own in _chosen(model, properties, plan):
        before = len(found)
        with keeping(current().part(len(own) / (len(properties) - before))):
            try:
                for result in loaded(engine.check)(model, own, plan, watch=watch, origin=origin):
                    found.append(result)  # what is known stays known, whatever the time
                    with suppress(OutOfTime):
                        found[-1] = _clear(result, plan)
                    if result.interrupted:
                        return found
            except OutOfTime:
                found += [_too_late(model, engine, property_, plan) for property_ in own[len(found) - before :]]
    return found


def _too_late(model: Model, engine: Engine, property_: Property, plan: SearchPlan) -> Result:
    """A property that was not decided, nor was anything learnt, before the time was over."""
    facts = {"name": engine.name, "search": plan.search or engine.name, "store": "full", "por": False, "threads": 1}
    result = unsearched(OUT_OF_TIME, facts, {"file": model.file, "language": model.language})
    name = getattr(property_, "name", None) or property_.kind
    return replace(result, property=str(property_), kind=property_.kind, name=name)


def _clear(result: Result, plan: SearchPlan) -> Result:
    if not result.findings:
        return result
    from kripke.clarity.clear import clear_result

    return clear_result(result, plan)


def _with_coverage(model: Model, result: Result, plan: SearchPlan, runs: Sequence[Temporal]) -> Result:
    try:
        from kripke.engines.coverage import measure
    except ImportError as error:
        raise Unsupported(f"--coverage needs numpy ({error}); install it with: pip install 'kripke[data]'") from error
    held = {part.name for part in result.parts or (result,) if part.verdict == "holds"}
    holding = [property_ for property_ in runs if property_.name in held]
    return replace(result, coverage=measure(model, plan, holding))


def _deadlocks(result: Result, plan: SearchPlan) -> bool:
    """Are there several deadlocks, which may have different causes? Not where a limit has kept some out."""
    whole = (
        plan.store in (None, "full", "tree", "collapse", "numbers")
        and plan.search != "sweep"
        and engine_for(SAFETY, plan).visits_states
    )
    plain = plan.max_depth is None and not plan.por and whole
    return plain and result.complete and result.errors > 1 and any(f.kind == "deadlock" for f in result.findings)


def _others(model: Model, result: Result, plan: SearchPlan, origin: Mapping[str, Any] | None) -> Result:
    """All causes of errors, or another counterexample than the first."""
    from kripke.engines.explicit.prepare import prepare

    try:
        from kripke.checker.causes import another, another_run, by_cause
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
                engine = prepare(model, plan.wanted_engine)
                parts[index] = another_run(model, temporal, part, plan, engine, origin)
        if plan.another is not None:
            break
    else:
        if plan.another is not None:
            return replace(result, warnings=(*result.warnings, "--another: no error was found, so there is no other"))
    return joined(parts)
