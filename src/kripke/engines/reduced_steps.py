"""The steps that a search with partial-order reduction takes from a state of a model, or of a product of one.

A set of steps is enough (``stubborn.py``) only if it does not put off the others for ever: it must lead away from where
the search has been. One step that does is enough for what is wrong in states and steps of a model. In a product every
step must: then every cycle has a state of which all steps are taken, and what an observer waits for in one of its
states is not put off because it can move in another.
"""

from __future__ import annotations

from collections.abc import Callable

from kripke.engines.stubborn import Reduction
from kripke.model.model import Model, Transition
from kripke.model.product import MarkedTransition, Product


class ReducedSteps:
    """Chooses the steps of states, the observer's moves included."""

    def __init__(self, model: Model, reduction: Reduction) -> None:
        self._model = model
        self._reduction = reduction

    def pick(self, state: bytes, is_old: Callable[[bytes], bool]) -> list[MarkedTransition]:
        """The steps of the first set that leads away from old states, at last all."""
        product = self._model if isinstance(self._model, Product) else None
        inner = state if product is None else product.split(state)[0]
        steps: list[MarkedTransition] = []
        for chosen in self._reduction.choices(inner):
            if not chosen:
                break
            if product is None:
                steps = [_unmarked(step) for step in chosen]
            else:
                steps = product.marked_steps(state, chosen)
            if self._reduction.deadlocks_only and product is None:
                return steps
            away = [not is_old(step.transition.target) for step in steps if step.transition.target is not None]
            if any(away) and (product is None or all(away)):
                return steps
        if steps:
            return steps
        if product is None:
            return [_unmarked(step) for step in self._model.successors(state)]
        return product.marked_successors(state)


def _unmarked(step: Transition) -> MarkedTransition:
    return MarkedTransition(step, 0, step.parts[0].actor if step.parts else None)
