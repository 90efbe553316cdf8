"""The value of a many-valued formula, by cuts: the greatest level at which every run satisfies it.

At each level the question is one of ordinary logic, asked of the same compiled model. The first level that a run
breaks gives the value, the level below, and that run has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kripke.engines.explicit.prepare import Engine
from kripke.engines.explicit.search import Watch
from kripke.engines.linear.product_search import check_temporal
from kripke.engines.plan import SearchPlan
from kripke.logic.valued import value_name
from kripke.model.model import Model
from kripke.model.property import Temporal
from kripke.model.result import Result


def check_value(
    model: Model,
    property_: Temporal,
    plan: SearchPlan,
    engine: Engine,
    *,
    watch: Watch | None = None,
    origin: Mapping[str, Any] | None = None,
) -> Result:
    """Holds where the value is the greatest there is; otherwise there is a run that has the value."""
    values = len(property_.cuts) + 1
    seconds = 0.0
    for level in range(1, values):
        about = {**(origin or {}), "level": level}
        result = check_temporal(model, property_.cut(level), plan, engine, watch=watch, origin=about)
        seconds += result.seconds
        if result.verdict != "holds":
            break
    else:
        level = values
    result = replace(result, seconds=seconds, values=values)
    name = value_name(level - 1, values)
    if result.verdict == "unknown":
        return replace(result, reason=f"{result.reason}; the value is at least {name}")
    result = replace(result, value=level - 1, property=f"{property_} = {name}")
    if result.verdict == "holds" or result.kind != property_.kind:
        return result
    findings = (replace(result.findings[0], message=_said(property_, name)), *result.findings[1:])
    return replace(result, reason=_said(property_, name), findings=findings)


def _said(property_: Temporal, name: str) -> str:
    return f"the value of {property_} is {name}"
