"""What is to be checked: of the properties of a model those that a plan chooses."""

from __future__ import annotations

from collections.abc import Sequence

from kripke.engines.branching.asked import Branching
from kripke.engines.plan import SearchPlan
from kripke.engines.registry import asked_with
from kripke.engines.unsupported import Unsupported
from kripke.model.model import Model
from kripke.model.property import ACCEPTANCE, PROGRESS, SAFETY, Safety, Temporal


def choose(model: Model, plan: SearchPlan) -> tuple[bool, list[Temporal]]:
    """Is safety to be checked, and which temporal properties? ModelError where one of them cannot be."""
    safety, chosen = _chosen(model, plan)
    for property_ in chosen:
        if property_.refused is not None:
            raise property_.refused
    return safety, chosen


def _chosen(model: Model, plan: SearchPlan) -> tuple[bool, list[Temporal]]:
    available = {property_.name: property_ for property_ in model.properties}
    stated = {one.name for one in model.stated_invariants} | {one.name for one in model.branching_properties}
    if not (plan.properties or plan.possible or asked_with(plan)):
        return True, [p for p in model.properties if p.kind in ("ltl", "never")]
    chosen: list[Temporal] = []
    for name in plan.properties:
        if name == SAFETY or name in stated:
            continue
        if name not in available:
            raise Unsupported(_unknown(name, [*stated, *available]))
        chosen.append(available[name])
    for name in plan.possible:
        if name not in available or available[name].formula is None:
            raise Unsupported(f"--possible {name}: the language {model.language} has no formulas of runs yet")
        if available[name].cuts:
            raise Unsupported("--possible is about formulas that are true or false: it does not go with --values")
        chosen.append(available[name].possible())
    return SAFETY in plan.properties or bool(plan.invariants), chosen


def stated_by(model: Model, plan: SearchPlan) -> tuple[list[Safety], list[Branching]]:
    """Invariants and formulas of branching time of the text that are to be checked: all, or those that are named."""
    everything = not (plan.properties or plan.possible or asked_with(plan))
    invariants = [
        Safety(deadlock=False, invariants=(one.atom,), assertions=False, name=one.name)
        for one in model.stated_invariants
        if everything or one.name in plan.properties
    ]
    branching = [
        Branching("ctl", one.text, one.formula, one.name)
        for one in model.branching_properties
        if everything or one.name in plan.properties
    ]
    return invariants, branching


def _unknown(name: str, available: Sequence[str]) -> str:
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
