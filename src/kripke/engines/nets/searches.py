"""The engines that see a model as a place/transition net: by its unfolding, and by sets of markings.

Here the view is made, within the limits of the check; ``symbolic/check.py`` and ``unfolding/check.py`` do the rest.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

from kripke.engines.explicit.search import Watch
from kripke.engines.memory import default_limit, resident_memory
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.engines.runs.replay import Deadline, ReplayTimeout
from kripke.model.model import Model
from kripke.model.result import Result, unsearched
from kripke.nets.place_transition_view import Capacities, HasPlaceTransitionView, NotExpressible, PlaceTransitionView

_LEAST = 0.001  # seconds that are left of a time limit
_SELDOM = 1024  # calls between two looks at the memory

Check = Callable[[PlaceTransitionView, Sequence[Any], SearchPlan, Mapping[str, Any]], Sequence[Result]]


@dataclass(frozen=True, slots=True)
class NetSearch:
    """An engine, which ``load`` imports at its first use."""

    name: str
    capacities: Capacities
    load: Callable[[], Check]

    def check(
        self, model: Model, properties: Sequence[Any], plan: SearchPlan, origin: Mapping[str, Any]
    ) -> Sequence[Result]:
        assert isinstance(model, HasPlaceTransitionView)
        begin = perf_counter()
        try:
            view = model.place_transition_view(_Limits(plan), self.capacities)
            if plan.time_limit is not None:
                plan = replace(plan, time_limit=max(plan.time_limit - (perf_counter() - begin), _LEAST))
            return self.load()(view, properties, plan, origin)
        except (ReplayTimeout, _OutOfMemory) as limit:
            what = "time" if isinstance(limit, ReplayTimeout) else "memory"
            return [_not_unfolded(model, self.name, what, perf_counter() - begin)]
        except (Unsupported, NotExpressible) as refusal:
            text = str(refusal)
            raise Unsupported(text if text.startswith("--") else f"--search {self.name}: {text}") from refusal


def _prefix() -> Check:
    from kripke.engines.nets.unfolding.check import check_on_prefix

    return check_on_prefix


def _symbolic() -> Check:
    from kripke.engines.nets.symbolic.check import check_on_sets

    sys.set_int_max_str_digits(0)  # there may be more states than numbers usually have digits
    return check_on_sets


#: An unfolding has a condition for every token, so places for what is left of a capacity would make it larger.
SEARCHES = {
    search.name: search
    for search in (NetSearch("prefix", "as predicates", _prefix), NetSearch("symbolic", "as places", _symbolic))
}


def check(
    model: Model, properties: Sequence[Any], plan: SearchPlan, *, watch: Watch | None, origin: Mapping[str, Any]
) -> Sequence[Result]:
    assert plan.search is not None
    return SEARCHES[plan.search].check(model, properties, plan, origin)


class _OutOfMemory(Exception):
    """While a net was unfolded."""


class _Limits:
    """Called with all that is unfolded, it raises ReplayTimeout or _OutOfMemory where a limit is reached."""

    def __init__(self, plan: SearchPlan) -> None:
        self._deadline = Deadline(plan.time_limit)
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
