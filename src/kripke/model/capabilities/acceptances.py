"""``Acceptances``: what a state offers and refuses. Failures (refinement, fairness to events) are about these."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from kripke.model.capabilities.events import Events
from kripke.model.model import Model


@runtime_checkable
class Acceptances(Protocol):
    """For models that have ``Events``, whose numbers these sets contain."""

    def offers(self, state: bytes) -> frozenset[int]:
        """The visible events (and tick) that a step of the state carries."""

    def is_stable(self, state: bytes) -> bool:
        """Is there no tau? Only what a stable state does not offer is refused: sooner or later others move on."""

    def refuses(self, state: bytes, events: frozenset[int]) -> bool:
        """May the model, in this state, go on refusing all of these events?"""

    def ready(self, state: bytes) -> frozenset[int]:
        """The events that somebody is ready for, whether or not those who must take part are: strong and weak fairness
        to events ask for it."""


class StepAcceptances:
    """The acceptances of any model with events, read off the steps of its states."""

    def __init__(self, model: Model, events: Events) -> None:
        self._model = model
        self._events = events

    def offers(self, state: bytes) -> frozenset[int]:
        table = self._events.event_table
        return frozenset(event for event in self._numbers(state) if table[event].kind != "tau")

    def is_stable(self, state: bytes) -> bool:
        table = self._events.event_table
        return all(table[event].kind != "tau" for event in self._numbers(state))

    def refuses(self, state: bytes, events: frozenset[int]) -> bool:
        return self.is_stable(state) and not self.offers(state) & events

    def ready(self, state: bytes) -> frozenset[int]:
        return self.offers(state)

    def _numbers(self, state: bytes) -> list[int]:
        return [self._events.event_of(state, step) for step in self._model.each_successor(state)]


def acceptances_of(model: Model) -> Acceptances | None:
    """The acceptances of any model that has events."""
    known = model.capability(Acceptances)
    events = model.capability(Events)
    if known is not None or events is None:
        return known
    return StepAcceptances(model, events)
