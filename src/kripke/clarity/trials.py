"""Trying out other runs of a model, within a budget: "can this step be taken here, and where does it lead?"

Everything in this package finds out by trying, so it serves every language: the model's reference semantics is asked,
nothing is assumed about which steps depend on which.
"""

from __future__ import annotations

from kripke.deadline import current
from kripke.model.model import Model, Transition
from kripke.model.trace import Step

CALLS = 12_000  # of Model.successors, for all that is tried on one trace
SECONDS = 1.5  # and never longer than that
_REMEMBERED = 500_000  # executed statements in the steps that are remembered: an atomic sequence can have many


class Exhausted(Exception):
    """The budget is used up: whoever is trying keeps what was achieved so far."""


class Trials:
    """The successors of states, remembered, and a budget for asking."""

    def __init__(self, model: Model, calls: int | None = None, seconds: float | None = None) -> None:
        self.model = model
        self._left = CALLS if calls is None else calls
        self._until = current().within(SECONDS if seconds is None else seconds)
        self._room = _REMEMBERED
        self._known: dict[bytes, list[Transition]] = {}

    def successors(self, state: bytes) -> list[Transition]:
        known = self._known.get(state)
        if known is None:
            if self._left <= 0 or self._until.is_over:
                raise Exhausted
            self._left -= 1
            known = []
            for transition in self.model.each_successor(state):
                known.append(transition)
                self.go_on()
            self._room -= 1 + sum(len(transition.parts) for transition in known)
            if self._room > 0:
                self._known[state] = known
        return known

    def go_on(self) -> None:
        """Exhausted where the time is over."""
        if self._until.is_over:
            raise Exhausted

    def same_step(self, state: bytes, step: Step) -> Transition | None:
        """The step with the very statements, values and violations of the given one, from another state."""
        for transition in self.successors(state):
            if transition.parts == step.parts and transition.violations == step.violations:
                return transition
        return None
