"""The searches that are for Petri nets alone: by unfolding, and by sets of markings."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

from kripke.engines.memory import default_limit, resident_memory
from kripke.engines.nets.view import PlainNet, Subject
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.engines.runs.replay import Deadline, ReplayTimeout
from kripke.model.result import Result, unsearched
from kripke.nets.high_level.model import HighLevelModel
from kripke.nets.model import NetModel

if TYPE_CHECKING:
    from kripke.model.model import OwnSearch

_LEAST = 0.001  # seconds that are left of a time limit
_SELDOM = 1024  # calls between two looks at the memory


class _OutOfMemory(Exception):
    """While a net was unfolded."""


class _Limits:
    """Called with all that is unfolded, it raises ReplayTimeout or _OutOfMemory where a limit is reached."""

    def __init__(self, options: SearchPlan) -> None:
        self._deadline = Deadline(options.time_limit)
        self._most = resident_memory() + (options.memory or default_limit() or sys.maxsize)
        self._calls = 0

    def __call__(self) -> None:
        self._deadline()
        self._calls += 1
        if self._calls % _SELDOM == 0 and resident_memory() > self._most:
            raise _OutOfMemory


def net_search(model: NetModel | HighLevelModel, name: str) -> OwnSearch | None:
    return partial(_check, model, name) if name in ("prefix", "symbolic") else None


def _check(model: NetModel | HighLevelModel, search: str, options: SearchPlan, origin: Mapping[str, Any]) -> Result:
    begin = perf_counter()
    try:
        subject = _subject(model, search, _Limits(options))
        if options.time_limit is not None:
            options = replace(options, time_limit=max(options.time_limit - (perf_counter() - begin), _LEAST))
        if search == "symbolic":
            from kripke.engines.nets.symbolic.check import check_on_sets

            sys.set_int_max_str_digits(0)  # there may be more states than numbers usually have digits
            return check_on_sets(subject, options, origin)
        from kripke.engines.nets.unfolding.check import check_on_prefix

        return check_on_prefix(subject, options, origin)
    except (ReplayTimeout, _OutOfMemory) as limit:
        what = "time" if isinstance(limit, ReplayTimeout) else "memory"
        return _not_unfolded(model, search, what, perf_counter() - begin)
    except Unsupported as refusal:
        text = str(refusal)
        raise Unsupported(text if text.startswith("--") else f"--search {search}: {text}") from refusal


def _subject(model: NetModel | HighLevelModel, search: str, pause: Callable[[], None]) -> Subject:
    if isinstance(model, NetModel):
        return PlainNet(model)
    from kripke.engines.nets.unfolded_view import UnfoldedNet

    if model.joins_steps:
        raise Unsupported(f"single steps are looked at, which {model.joins_steps} joins: leave it out")
    if model.always_fair:
        raise Unsupported(
            "formulas are about runs that are fair to the fairness sets of the net: choose another search"
        )
    return UnfoldedNet(model, pause, limited=search == "symbolic")


def _not_unfolded(model: HighLevelModel | NetModel, search: str, limit: str, seconds: float) -> Result:
    reason = f"the {limit} limit was reached while the net was unfolded"
    engine = {"name": "native", "search": search, "store": "full", "por": False, "threads": 1}
    return replace(
        unsearched(reason, engine, {"file": model.file, "language": model.language}), compile_seconds=seconds
    )
