"""``Events``: what is seen of steps. Refinement, composition and properties of actions are about these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, runtime_checkable

if TYPE_CHECKING:
    from kripke.model.model import Transition

EventKind = Literal["visible", "tau", "tick"]


class Event(NamedTuple):
    """An event: its name, the data it carries, as text for people, and what it is.

    ``tau`` is a step nobody sees, ``tick`` successful termination (Roscoe, The Theory and Practice of Concurrency).
    """

    name: str
    data: tuple[str, ...] = ()
    kind: EventKind = "visible"

    def __str__(self) -> str:
        return ".".join((self.name, *self.data))


TAU = Event("tau", kind="tau")
TICK = Event("tick", kind="tick")


@runtime_checkable
class Events(Protocol):
    """Every step carries an event, a number into ``event_table``."""

    @property
    def event_table(self) -> Sequence[Event]:
        """The events by number. Where data has no bounds it grows as states are looked at; what is in it stays."""

    def event_of(self, state: bytes, step: Transition) -> int:
        """The event of a step from the state."""

    def actors_of(self, state: bytes, step: Transition) -> Sequence[int]:
        """All who take part in a step from the state, who leads it first. There is no limit to their number."""
