"""Runs that show why a formula of branching time is true or false, out of sets of states."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Generic

from kripke.engines.linear.set_runs import S, Steps
from kripke.logic.ctl import ExistsGlobally, ExistsStep, StateFormula


class SetGround(Generic[S]):
    """``satisfying``: the states in which a formula is true. ``single``: the set of one state; ``some``: a state of a
    set that is not empty."""

    def __init__(
        self,
        steps: Steps[S],
        satisfying: Callable[[StateFormula], S],
        single: Callable[[bytes], S],
        some: Callable[[S], bytes],
    ) -> None:
        self.steps, self.satisfying, self.single, self.some = steps, satisfying, single, some

    def holds(self, formula: StateFormula, state: bytes) -> bool:
        return bool(self.single(state) & self.satisfying(formula))

    def following(self, state: bytes, formula: StateFormula, step: ExistsStep | None) -> Iterator[bytes]:
        assert step is None, "sets of states know no actions"
        left = self.steps.successors(self.single(state), self.satisfying(formula))
        while left:
            yield (found := self.some(left))
            left = left - self.single(found)

    def path(self, start: bytes, through: StateFormula, reached: StateFormula) -> tuple[bytes, ...]:
        """Forwards layer by layer to the goal, then back."""
        inside, goal = self.satisfying(through), self.satisfying(reached)
        layers = [self.single(start)]
        known = layers[0]
        while not (met := layers[-1] & goal):
            layers.append(self.steps.successors(layers[-1] & inside, self.steps.reachable) - known)
            assert layers[-1], "a set that EU found is reached by a path"
            known = known | layers[-1]
        path = [self.some(met)]
        for layer in reversed(layers[:-1]):
            path.append(self.some(self.steps.predecessors(self.single(path[-1]), layer & inside)))
        return tuple(reversed(path))

    def for_ever(self, start: bytes, formula: ExistsGlobally) -> tuple[Sequence[bytes], int | None]:
        inside = self.satisfying(formula)
        path, passed = [start], self.single(start)
        while following := self.steps.successors(self.single(path[-1]), inside):
            back = following & passed
            path.append(self.some(back or following))
            if back:
                return path, path.index(path[-1])
            passed = passed | self.single(path[-1])
        return path, None
