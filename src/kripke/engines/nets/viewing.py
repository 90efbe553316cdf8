"""A model seen as a place/transition net, within the limits of a check: unfolding one may take long by itself."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

from kripke.deadline import OutOfTime, current
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.memory import default_limit, resident_memory
from kripke.model.model import Model
from kripke.model.result import Result, unsearched
from kripke.nets.place_transition_view import Capacities, HasPlaceTransitionView, NotExpressible, PlaceTransitionView

_SELDOM = 1024  # calls between two looks at the memory

CheckOnView = Callable[[PlaceTransitionView, Sequence[Any], SearchPlan, Mapping[str, Any]], Sequence[Result]]


def check_viewed(
    check: CheckOnView,
    search: str,
    capacities: Capacities,
    model: Model,
    properties: Sequence[Any],
    plan: SearchPlan,
    origin: Mapping[str, Any],
) -> Sequence[Result]:
    """The check of the view with what is left of the time; Unsupported where the view would not tell."""
    viewed = model.capability(HasPlaceTransitionView)
    assert viewed is not None, "the engine needs it"
    begin = perf_counter()
    try:
        view = viewed.place_transition_view(_Limits(plan), capacities)
    except (OutOfTime, _OutOfMemory) as limit:
        what = "time" if isinstance(limit, OutOfTime) else "memory"
        return [_not_unfolded(model, search, what, perf_counter() - begin)]
    except NotExpressible as refusal:
        raise _refused(search, refusal) from refusal
    try:
        return check(view, properties, plan, origin)
    except (Unsupported, NotExpressible) as refusal:
        raise _refused(search, refusal) from refusal


def _refused(search: str, refusal: Exception) -> Unsupported:
    text = str(refusal)
    return Unsupported(text if text.startswith("--") else f"--search {search}: {text}")


class _OutOfMemory(Exception):
    """While a net was unfolded."""


class _Limits:
    """Called with all that is unfolded, it raises OutOfTime or _OutOfMemory where a limit is reached."""

    def __init__(self, plan: SearchPlan) -> None:
        self._deadline = current().within(plan.time_limit)
        self._most = resident_memory() + (plan.memory or default_limit() or sys.maxsize)
        self._calls = 0

    def __call__(self) -> None:
        self._deadline()
        self._calls += 1
        if self._calls % _SELDOM == 0 and resident_memory() > self._most:
            raise _OutOfMemory


def _not_unfolded(model: Model, search: str, limit: str, seconds: float) -> Result:
    reason = f"the {limit} limit was reached while the net was unfolded"
    engine = {"name": "native", "search": search, "store": "full", "por": False, "threads": 1}
    return replace(
        unsearched(reason, engine, {"file": model.file, "language": model.language}), compile_seconds=seconds
    )
