"""``Placed``: at which places of its actors the steps of one actor are enough, for partial-order reduction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from kripke.model.model import Model, Transition
    from kripke.model.safe_places import SafePlaces


@runtime_checkable
class Placed(Protocol):
    def safe_places(self, atoms: Sequence[int] = (), *, thorough: bool = False, fair: bool = False) -> SafePlaces | str:
        """The safe places with respect to these atoms, which a property looks at; a sentence where there are none.
        ``thorough``: all that can be found, which may take long; it asks the deadline that is kept. ``fair``: those
        that are safe under weak fairness to actors."""

    def steps_at_safe_place(self, safe: SafePlaces, state: bytes) -> list[Transition] | None:
        """The steps that are enough of a state; None where all are needed."""


def safe_places_of(
    model: Model, atoms: Sequence[int] = (), *, thorough: bool = False, fair: bool = False
) -> SafePlaces | str:
    """Of any model; a sentence where there are none."""
    known = model.capability(Placed)
    if known is None:
        return "this kind of model has no places"
    return known.safe_places(atoms, thorough=thorough, fair=fair)
