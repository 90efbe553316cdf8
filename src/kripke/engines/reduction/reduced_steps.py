"""The steps that a search with partial-order reduction takes from a state of a model, or of a product of one.

A set of steps is enough (``stubborn.py``) only if it does not put off the others for ever. For what is wrong in states
and steps of a model it is enough that, wherever one goes, a state can be reached of which all steps are taken: the
depth-first search takes care of that later (``terminal_components.py``), breadth-first one step must lead away from
where the search has been. In a product every step must: then every cycle has a state of which all steps are taken, and
what an observer waits for in one of its states is not put off because it can move in another.
"""

from __future__ import annotations

from collections.abc import Callable

from kripke.engines.reduction.stubborn import Reduction
from kripke.model.model import Model, Transition
from kripke.model.product import MarkedTransition, Product


class ReducedSteps:
    """Chooses the steps of states, the observer's moves included."""

    def __init__(self, model: Model, reduction: Reduction) -> None:
        self._model = model
        self._reduction = reduction

    def parts(self, state: bytes) -> tuple[list[Transition], list[Transition]]:
        """Of a model: the steps of the best set, and those that it leaves out."""
        chosen, others = self._reduction.parts(state)
        return (chosen, others) if chosen else (list(self._model.successors(state)), [])

    @property
    def may_put_off(self) -> bool:
        """Is no harm done where steps are put off for ever?"""
        return self._reduction.deadlocks_only

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
