"""``--por auto``: partial-order reduction that costs nothing where it does not pay.

A small state space is searched as it is: that takes less time than to think about it. If there are more states, the
places are looked for at which the steps of one process are enough (``model/safe_places.py``), by what steps read and
write alone, and the search begins anew with these. From there on a state costs no more than without reduction, most
often less, and there are never more of them. Beside a search that goes on for long, more places are looked for
(``more_places.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import NamedTuple

from kripke.engines.explicit.more_places import BeginAnew, MorePlaces
from kripke.engines.explicit.prepare import Engine
from kripke.engines.explicit.search import Outcome, SearchRequest, Watch
from kripke.engines.plan import SearchPlan
from kripke.model.capabilities.placed import Placed, safe_places_of
from kripke.model.capabilities.reducible import reduced_model
from kripke.model.model import Model
from kripke.model.safe_places import SafePlaces

#: state spaces up to this size are searched as they are, by the interpreter up to that: it takes about as long as to
#: look for safe places
FEW_STATES = 60_000
FEW_FOR_INTERPRETER = 1_000
#: so many of the steps of a state are few enough
_WORTH_IT = 0.95


class Automatic(NamedTuple):
    """What came of a search, what was asked in the end, and what was done about reduction, for people. ``by_model``: a
    model that leaves out steps by itself was searched."""

    outcome: Outcome
    request: SearchRequest
    account: str
    by_model: bool = False


@dataclass(frozen=True, slots=True)
class Subject:
    """What is searched: the ``engine`` with a ``model``, or with a product of it; ``atoms`` are those that the property
    sees. ``search`` runs a request and calls what it is given, if anything, while it runs; ``search_reduced`` runs one
    on a model that leaves out steps by itself."""

    engine: Engine
    model: Model
    atoms: Sequence[int]
    search: Callable[[SearchRequest, Watch | None], Outcome]
    search_reduced: Callable[[Model, SearchRequest], Outcome]


def search_automatically(
    subject: Subject, plan: SearchPlan, request: SearchRequest, few: int | None = None
) -> Automatic:
    """``few``: up to so many states, as they are; 0: places are looked for at once."""
    reason = _obstacle(plan, request)
    if reason:
        return Automatic(subject.search(request, None), request, f"none: {reason}")
    few = few_states(subject.engine) if few is None else few
    seconds, first = 0.0, None
    if few and request.store.exact and not 0 < request.max_states <= few:
        first = subject.search(replace(request, max_states=few), None)
        if first.reason != "states":
            return Automatic(first, request, "none: there are few states")
        seconds = first.seconds
    fewer = None if request.fairness is not None else reduced_model(subject.model, subject.atoms)
    if isinstance(fewer, Model):
        outcome = subject.search_reduced(fewer, request)
        outcome = replace(outcome, seconds=outcome.seconds + seconds)
        return Automatic(outcome, request, "what others may still touch", by_model=True)
    safe = fewer or safe_places_of(subject.model, subject.atoms, fair=request.fairness is not None)
    if not isinstance(safe, str):
        reduced = replace(request, safe=safe)
        if first is not None:
            sample = subject.search(replace(reduced, max_states=few), None)
            seconds += sample.seconds
            if sample.reason != "states":
                return Automatic(replace(sample, seconds=seconds), reduced, places_text(safe))
            if not _leaves_out(first, sample):
                safe = "hardly a step could be left out"
        request = request if isinstance(safe, str) else reduced
    start = perf_counter()
    try:
        outcome = _searched_beside(subject, request)
    except BeginAnew as better:
        safe, request = better.safe, replace(request, safe=better.safe)
        seconds += perf_counter() - start
        outcome = subject.search(request, None)
        account = f"safe places: {safe.count}, after a thorough look"
    else:
        account = f"none: {safe}" if isinstance(safe, str) else places_text(safe)
    return Automatic(replace(outcome, seconds=outcome.seconds + seconds), request, account)


def places_text(safe: SafePlaces) -> str:
    return f"safe places: {safe.count}"


def _leaves_out(before: Outcome, after: Outcome) -> bool:
    """Of two searches of as many states: do the second's safe places leave out more than they cost?"""
    steps = before.transitions / before.states, after.transitions / after.states
    return after.depth > before.depth or steps[1] <= _WORTH_IT * steps[0]


def _searched_beside(subject: Subject, request: SearchRequest) -> Outcome:
    """With a thorough look for more places beside it, where the engine is fast enough to be worth it."""
    unsuited = subject.engine.facts()["name"] != "native" or request.fairness is not None
    if unsuited or subject.model.capability(Placed) is None:
        return subject.search(request, None)

    def sample(one: SearchRequest) -> Outcome:
        return subject.engine.search(subject.model, one, None)

    with MorePlaces(subject.model, subject.atoms, request, sample) as more:
        return subject.search(request, more.look)


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
    if request.checkpoints is not None:
        return "a search with checkpoints takes all steps"
    return ""
