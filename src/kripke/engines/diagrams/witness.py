"""A run that shows why a formula of branching time is true or false in a state, where one run can, found in sets.

As ``engines/branching/witness.py`` does in a graph: ``EF p`` is shown by a path, ``EG p`` by a loop or a path that
ends, a broken ``AG p`` by a path to where p is false; what is nested is shown by going on from there.
"""

from __future__ import annotations

from dataclasses import dataclass

from kripke.engines.diagrams.branching import Satisfying
from kripke.engines.diagrams.manager import Node
from kripke.logic import ctl

_PATHS = (ctl.ExistsNext, ctl.ExistsUntil, ctl.ExistsGlobally)
_LONGEST = 10_000  # of a walk that looks for a loop

Values = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SetRun:
    """Stable states by their values; ``loop`` is the place that the last one, which is the same state, returns to.
    Unless ``whole``, what is true or false in the last state is itself shown by no single run."""

    states: tuple[Values, ...]
    loop: int | None = None
    whole: bool = True


class Showing:
    """Runs within the reachable states. Under fairness a single path that goes on for ever is not looked for."""

    def __init__(self, satisfying: Satisfying, fair: bool) -> None:
        self.satisfying, self.space = satisfying, satisfying.space
        self.nothing = satisfying.nothing
        self._fair = fair

    def show(self, formula: ctl.StateFormula, state: Values, truth: bool) -> SetRun | None:
        """From the state, in which the formula has this truth; None: no single run shows it."""
        if not _has_paths(formula):
            return SetRun((state,))
        match formula:
            case ctl.Not(operand):
                return self.show(operand, state, not truth)
            case ctl.And(operands) | ctl.Or(operands):
                if truth == isinstance(formula, ctl.And):
                    return self._all(operands, state, truth)
                runs = [self.show(one, state, truth) for one in operands if self._holds(one, state) == truth]
                return min((run for run in runs if run is not None), key=lambda run: len(run.states), default=None)
            case ctl.ExistsNext(operand) if truth and not self._fair:
                return self._reaching(state, self.space.only(state), operand, least=1)
            case ctl.ExistsUntil(through, goal) if truth and not self._fair and not _has_paths(through):
                return self._reaching(state, self.satisfying.of(through), goal, least=0)
            case ctl.ExistsGlobally(operand) if truth and not self._fair and not _has_paths(operand):
                return self._for_ever(state, self.satisfying.of(formula))
        return None

    def _holds(self, formula: ctl.StateFormula, state: Values) -> bool:
        return bool(self.space.only(state) & self.satisfying.of(formula) != self.nothing)

    def _all(self, operands: tuple[ctl.StateFormula, ...], state: Values, truth: bool) -> SetRun | None:
        """At most one of them may need more than the state itself."""
        longest = SetRun((state,))
        for operand in operands:
            run = self.show(operand, state, truth)
            if run is None or (len(run.states) > 1 and len(longest.states) > 1):
                return None
            longest = run if len(run.states) > 1 else longest
        return longest

    def _reaching(self, state: Values, inside: Node, goal: ctl.StateFormula, least: int) -> SetRun | None:
        path = self._way(state, inside, self.satisfying.of(goal), least)
        if path is None:
            return None
        rest = self.show(goal, path[-1], True)
        if rest is None:
            return SetRun(path, whole=False)
        loop = None if rest.loop is None else rest.loop + len(path) - 1
        return SetRun((*path[:-1], *rest.states), loop, rest.whole)

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
        stable = [state for state in reversed(path) if space.only(state) & space.stable != self.nothing]
        return tuple(stable)

    def _for_ever(self, start: Values, inside: Node) -> SetRun | None:
        """A path that stays inside, until it ends or returns to itself."""
        places, path = {start: 0}, [start]
        while len(path) < _LONGEST:
            step = self._way(path[-1], self.space.only(path[-1]), inside, least=1)
            if step is None:
                return SetRun(tuple(path))
            path.append(step[-1])
            if step[-1] in places:
                return SetRun(tuple(path), places[step[-1]])
            places[step[-1]] = len(path) - 1
        return None


def _has_paths(formula: ctl.StateFormula) -> bool:
    return any(isinstance(part, _PATHS) for part in ctl.walk(formula))
