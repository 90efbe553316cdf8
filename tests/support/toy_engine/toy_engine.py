"""A whole engine in one file, as a package beside Kripke would have it: deadlocks, found with a plain set of states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

from kripke.engines.plan import SearchPlan
from kripke.engines.registry import Engine, Need, Search, register
from kripke.engines.runs.replay import replay_path
from kripke.model.model import Model
from kripke.model.property import Safety
from kripke.model.result import Finding, Result, unsearched

register(
    Engine(
        name="toy",
        words="toy",
        serves=("safety",),
        check="toy_engine:check",
        answers="every state was seen",
        searches=(Search("toy", "toy"),),
        names=("toy",),
        because="which keeps a plain set",
        needs=(Need("kripke.model.capabilities.compilable:Compilable", "models that can be compiled"),),
    )
)


def check(
    model: Model, properties: Sequence[Safety], plan: SearchPlan, *, watch: Any, origin: Mapping[str, Any]
) -> Any:
    for property_ in properties:
        yield _checked(model, property_, origin)


def _checked(model: Model, property_: Safety, origin: Mapping[str, Any]) -> Result:
    start, steps = perf_counter(), 0
    paths = {state: (state,) for state in model.initial()}
    stuck = None
    for state in (waiting := list(paths)):
        successors = model.successors(state)
        steps += len(successors)
        if not successors and not model.valid_end(state):
            stuck = stuck or paths[state]
        for target in [step.target for step in successors if step.target is not None]:
            if target not in paths:
                paths[target] = (*paths[state], target)
                waiting.append(target)
    findings = ()
    if stuck is not None and property_.deadlock:
        findings = (Finding("deadlock", "no deadlock", "deadlock", trace=replay_path(model, stuck, origin)),)
    engine = {"name": "toy", "search": "toy", "store": "full", "por": False, "threads": 1}
    return replace(
        unsearched("deadlock" if findings else "", engine, {"file": model.file, "language": model.language}),
        verdict="violated" if findings else "holds",
        property=str(property_),
        states=len(paths),
        transitions=steps + len(model.initial()),
        errors=len(findings),
        seconds=perf_counter() - start,
        complete=True,
        findings=findings,
        trace=findings[0].trace if findings else None,
    )
