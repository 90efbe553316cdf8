"""``--por auto``: partial-order reduction that costs nothing where it does not pay.

A small state space is searched as it is: that takes less time than to think about it. If there are more states, the
places are looked for at which the steps of one process are enough (``model/safe_places.py``), by what steps read and
write alone, and the search begins anew with these. From there on a state costs no more than without reduction, most
often less, and there are never more of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from kripke.engines.explicit.prepare import Engine
from kripke.engines.explicit.search import Outcome, SearchRequest
from kripke.engines.plan import SearchPlan
from kripke.model.capabilities.placed import safe_places_of
from kripke.model.model import Model

#: state spaces up to this size are searched as they are, by the interpreter up to that
FEW_STATES = 30_000
FEW_FOR_INTERPRETER = 1_000


class Automatic(NamedTuple):
    """What came of a search, what was asked in the end, and what was done about reduction, for people."""

    outcome: Outcome
    request: SearchRequest
    account: str


def search_automatically(
    search: Callable[[SearchRequest], Outcome],
    model: Model,
    atoms: Sequence[int],
    plan: SearchPlan,
    request: SearchRequest,
    few: int,
) -> Automatic:
    """``search`` runs a request on the model, or on a product with it; ``atoms`` are those that the property sees.
    ``few``: up to so many states, as they are; 0: places are looked for at once."""
    reason = _obstacle(plan, request)
    if reason:
        return Automatic(search(request), request, f"none: {reason}")
    seconds = 0.0
    if few and request.store.exact and not 0 < request.max_states <= few:
        outcome = search(replace(request, max_states=few))
        if outcome.reason != "states":
            return Automatic(outcome, request, "none: there are few states")
        seconds = outcome.seconds
    safe = safe_places_of(model, atoms)
    if not isinstance(safe, str):
        request = replace(request, safe=safe)
    outcome = search(request)
    outcome = replace(outcome, seconds=outcome.seconds + seconds)
    return Automatic(outcome, request, f"none: {safe}" if isinstance(safe, str) else f"safe places: {safe.count}")


def few_states(engine: Engine) -> int:
    """How many states an engine has searched before anybody has thought about them."""
    return FEW_STATES if engine.facts()["name"] == "native" else FEW_FOR_INTERPRETER


def _obstacle(plan: SearchPlan, request: SearchRequest) -> str:
    """Why there are to be no steps left out whatever the model is; empty: nothing speaks against it."""
    if request.order == "walk" or plan.way in ("switches", "swarm"):
        return "the search is to take every step"
    if request.max_depth or plan.deepen is not None:
        return "a depth limit would cut off what is put off"
    if request.symmetry is not None:
        return "symmetry leaves out states already"
    if request.fairness is not None:
        return "it would hide who can move, which fairness is about"
    if request.checkpoints is not None:
        return "a search with checkpoints takes all steps"
    return ""
