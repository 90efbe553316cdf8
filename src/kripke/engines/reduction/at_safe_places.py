"""``AtSafePlaces``: a model with the steps of one actor alone wherever these are enough (``model/safe_places.py``)."""

from __future__ import annotations

from kripke.model.capabilities.placed import Placed
from kripke.model.model import Model, Transition
from kripke.model.product import Product
from kripke.model.safe_places import SafePlaces
from kripke.model.wrapper import Wrapper


class AtSafePlaces(Wrapper):
    """The reference for what compiled models do."""

    def __init__(self, base: Model, safe: SafePlaces) -> None:
        super().__init__(base)
        self._safe = safe
        placed = base.capability(Placed)
        assert placed is not None
        self._placed = placed

    def inner_state(self, state: bytes) -> bytes:
        return state

    def initial(self) -> list[bytes]:
        return self.base.initial()

    def successors(self, state: bytes) -> list[Transition]:
        steps = self._placed.steps_at_safe_place(self._safe, state)
        return list(self.base.successors(state)) if steps is None else steps


def at_safe_places(model: Model, safe: SafePlaces) -> Model:
    """A model, or a product of one, that takes fewer steps."""
    if isinstance(model, Product):
        return Product(AtSafePlaces(model.base, safe), model.observer)
    return AtSafePlaces(model, safe)
