"""Sets of markings beside the other ways to an answer: all reachable markings at once, or given up in time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from kripke.deadline import current
from kripke.engines.nets.symbolic.branching import Branching
from kripke.engines.nets.symbolic.sets import OutOfBudget
from kripke.engines.nets.symbolic.trying import reached
from kripke.engines.nets.symbolic.way import way_to
from kripke.nets.place_transition import PlaceTransitionNet
from kripke.nets.predicates import Predicate

_LONGEST = 60.0  # seconds, where no limit is given
_FOR_A_GOAL = 0.5  # seconds, though there are many
_FOR_A_WAY = 2.0  # seconds, to show how a marking that is known to be reached is reached

_T = TypeVar("_T")


@dataclass
class SaturationRun:
    """One net, for all that is asked of it. ``tried`` is how many seconds the reachable markings got in vain."""

    net: PlaceTransitionNet
    memory: int = 0
    tried: float = 0.0
    hopeless: bool = False
    _branching: Branching | None = field(default=None, repr=False)
    _ready: bool = False

    @property
    def bytes(self) -> int:
        """The memory that is used."""
        return 0 if self._branching is None else self._branching.markings.native.bytes

    @property
    def ready(self) -> Branching | None:
        """Where all reachable markings are known already."""
        return self._branching if self._ready else None

    def reach(self, seconds: float) -> Branching | None:
        """Find all reachable markings within this time (0: a minute), unless that was tried and gives little hope."""
        seconds = seconds or _LONGEST
        self.hopeless = self.hopeless or self.net.grows_for_ever
        if self._ready or self.hopeless or seconds < 2 * self.tried:
            return self.ready
        try:
            self._branching = Branching(reached(self.net, self.memory, current().within(seconds)))
            self._ready = True
        except OutOfBudget as stopped:
            self.tried = seconds
            if stopped.reason != "time":
                self.hopeless = True
        return self.ready

    def ask(self, question: Callable[[Branching], _T], seconds: float) -> _T | None:
        """The answer to a question about the reachable markings, which are known; None where the time is too short."""
        branching = self.ready
        assert branching is not None
        branching.markings.deadline = current().within(seconds or _LONGEST)
        try:
            return question(branching)
        except OutOfBudget:
            return None

    def decide(self, goals: Mapping[str, Predicate], seconds: float) -> dict[str, bool]:
        """Which of the goals can be reached, and which cannot; those that take too long are left out."""
        end = current().within(seconds or _LONGEST)
        found = {}
        for number, (name, goal) in enumerate(goals.items()):
            left = end.limit()
            share = max(left / (len(goals) - number), min(_FOR_A_GOAL, left / 4))
            value = self.ask(partial(_can_be_reached, goal), share)
            if value is not None:
                found[name] = value
        return found

    def way(self, goal: Predicate, seconds: float) -> tuple[str, ...] | None:
        """The transitions of a way to a goal that can be reached, where it is found in a short time."""
        seconds = min(seconds or _FOR_A_WAY, _FOR_A_WAY)
        way = self.ask(lambda branching: way_to(branching.markings, branching.of_predicate(goal)), seconds)
        return None if way is None else tuple(self.net.transitions[number].name for number in way.transitions)


def _can_be_reached(goal: Predicate, branching: Branching) -> bool:
    return bool(branching.of_predicate(goal))
