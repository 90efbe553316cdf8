"""A walk through all states that remembers how each was first reached: shortest ways to whatever is of interest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from kripke.engines.explicit.traversal import NOWHERE, ReferenceWalk, StateWalk, Steps
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.model.columns import States
from kripke.model.model import Model

if TYPE_CHECKING:
    from collections.abc import Callable

    Array = np.ndarray[Any, Any]


class BreadthTree:
    """``truths`` are the atoms of a state, by the compiled model where there is one."""

    def __init__(self, model: Model, plan: SearchPlan) -> None:
        from kripke.engines.explicit.prepare import native_library

        self.walk: StateWalk | ReferenceWalk
        self.truths: Callable[[bytes], Iterable[bool]] = model.atom_values
        try:
            if plan.engine == "interpreter":
                raise Unsupported("by the interpreter")
            library = native_library(model)
            self.walk = StateWalk(library, max_states=plan.max_states or 0, memory=plan.memory)
            self.truths = library.atoms
        except Unsupported:
            self.walk = ReferenceWalk(model, max_states=plan.max_states or 0)
        self._known = self.walk.initial_count
        self._parents: list[Array] = [np.full(self._known, -1, np.int64)]

    def grow(self) -> Iterator[tuple[States, Steps]]:
        """Every state and step, in batches; parents are known of all states that these steps lead to."""
        for states, steps in self.walk.expand():
            # A state is numbered when the first step to it comes: that step's source is its parent.
            new = (steps.targets != np.uint64(NOWHERE)) & (steps.targets >= np.uint64(self._known))
            targets, at = np.unique(steps.targets[new], return_index=True)
            self._parents.append(steps.sources[new][at].astype(np.int64))
            self._known += len(targets)
            yield states, steps

    def ways(self, numbers: Iterable[int]) -> dict[int, tuple[bytes, ...]]:
        """The states on the shortest ways to these, an initial one first."""
        parents = np.concatenate(self._parents)
        self._parents = [parents]
        ways: dict[int, list[int]] = {}
        for number in numbers:
            way = [number]
            while (parent := int(parents[way[-1]])) >= 0:
                way.append(parent)
            ways[number] = way[::-1]
        states = self.states(sorted({state for way in ways.values() for state in way}))
        return {number: tuple(states[state] for state in way) for number, way in ways.items()}

    def states(self, wanted: list[int]) -> dict[int, bytes]:
        """The bytes of these states, given in their order."""
        found: dict[int, bytes] = {}
        first, left = 0, iter(wanted)
        number = next(left, None)
        for states in self.walk.states():
            if number is None:
                break
            while number is not None and number < first + len(states.lengths):
                found[number] = row(states, number - first)
                number = next(left, None)
            first += len(states.lengths)
        return found


def row(states: States, index: int) -> bytes:
    return bytes(states.rows[index, : states.lengths[index]])
