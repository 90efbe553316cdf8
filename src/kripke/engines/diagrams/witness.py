"""Single states of diagrams, for the run that shows why a formula of branching time is true or false
(``engines/branching/witness.py``). A step of the model may be several commands: runs are of stable states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kripke.engines.branching.witness import Run, shown
from kripke.engines.diagrams.branching import Satisfying
from kripke.engines.diagrams.manager import Node
from kripke.logic.ctl import ExistsGlobally, ExistsStep, StateFormula

_LONGEST = 10_000  # of a walk that looks for a loop

Values = tuple[int, ...]


class _TooLong(Exception):
    """A walk has found neither an end nor a loop."""


def run_of(satisfying: Satisfying, formula: StateFormula, state: Values) -> Run[Values] | None:
    """From the state; None: no single run shows the truth or falsity of the formula there, or none was found."""
    try:
        return shown(DiagramGround(satisfying), formula, state)
    except _TooLong:
        return None


class DiagramGround:
    """Runs within the reachable states; fairness is not looked at."""

    def __init__(self, satisfying: Satisfying) -> None:
        self.satisfying, self.space = satisfying, satisfying.space
        self.nothing = satisfying.nothing

    def holds(self, formula: StateFormula, state: Values) -> bool:
        return bool(self.space.only(state) & self.satisfying.of(formula) != self.nothing)

    def following(self, state: Values, formula: StateFormula, step: ExistsStep | None) -> Iterator[Values]:
        assert step is None, "sets of states know no actions"
        left = self.satisfying.of(formula)
        while (way := self._way(state, self.space.only(state), left, least=1)) is not None:
            yield way[-1]
            left = left & ~self.space.only(way[-1])

    def path(self, start: Values, through: StateFormula, reached: StateFormula) -> tuple[Values, ...]:
        way = self._way(start, self.satisfying.of(through), self.satisfying.of(reached), least=0)
        assert way is not None, "a set that EU found is reached by a path"
        return way

    def for_ever(self, start: Values, formula: ExistsGlobally) -> tuple[Sequence[Values], int | None]:
        inside = self.satisfying.of(formula)
        places, path = {start: 0}, [start]
        while len(path) < _LONGEST:
            step = self._way(path[-1], self.space.only(path[-1]), inside, least=1)
            if step is None:
                return path, None
            path.append(step[-1])
            if step[-1] in places:
                return path, places[step[-1]]
            places[step[-1]] = len(path) - 1
        raise _TooLong

    def _way(self, start: Values, inside: Node, goal: Node, least: int) -> tuple[Values, ...] | None:
        """A shortest way, in commands, to a stable state of the goal; its stable states before are inside."""
        space = self.space
        layers = [space.only(start)]
        if least == 0 and layers[0] & goal != self.nothing:
            return (start,)
        known = self.nothing
        while True:
            last = layers[-1]
            new = space.after((last & ~space.stable) | (last & inside)) & self.satisfying.reached & ~known
            if new == self.nothing:
                return None
            known |= new
            layers.append(new)
            if new & goal & space.stable != self.nothing:
                break
        path = [space.one(layers[-1] & goal & space.stable)]
        for layer in reversed(layers[:-1]):
            before = space.before(space.only(path[-1])) & layer & (~space.stable | inside)
            path.append(space.one(before))
        return tuple(state for state in reversed(path) if space.only(state) & space.stable != self.nothing)
