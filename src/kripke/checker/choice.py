"""What is to be checked: of the properties of a model those that a plan chooses."""

from __future__ import annotations

from collections.abc import Mapping

from kripke.engines.plan import SearchPlan
from kripke.engines.registry import asked_with
from kripke.engines.unsupported import Unsupported
from kripke.model.assertions import Assertion, Assertions
from kripke.model.model import Model
from kripke.model.property import ACCEPTANCE, PROGRESS, SAFETY, Temporal


def chosen_assertions(model: Model, plan: SearchPlan) -> list[Assertion]:
    """Of the assertions in the text of a model, by their names or numbers; none where it has none."""
    if not isinstance(model, Assertions) or not model.assertions:
        return []
    known = {f"assert{number}": assertion for number, assertion in enumerate(model.assertions, start=1)}
    known |= {assertion.name: assertion for assertion in model.assertions}
    for name in plan.properties:
        if name not in known:
            raise Unsupported(f"--property {name}: there is no assertion of that name; there are {', '.join(known)}")
    for option, given in (
        ("--ctl", plan.ctl),
        ("--mu", plan.mu),
        ("--possible", plan.possible),
        ("--invariant", plan.invariants),
    ):
        if given:
            raise Unsupported(f"{option} does not go with assertions about processes yet: leave it out")
    return [known[name] for name in plan.properties] if plan.properties else list(model.assertions)


def choose(model: Model, plan: SearchPlan) -> tuple[bool, list[Temporal]]:
    """Is safety to be checked, and which temporal properties? ModelError where one of them cannot be."""
    safety, chosen = _chosen(model, plan)
    for property_ in chosen:
        if property_.refused is not None:
            raise property_.refused
    return safety, chosen


def _chosen(model: Model, plan: SearchPlan) -> tuple[bool, list[Temporal]]:
    available = {property_.name: property_ for property_ in model.properties}
    if not (plan.properties or plan.possible or asked_with(plan)):
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
