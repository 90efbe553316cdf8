"""A run that shows why a formula of branching time is true or false in a state, where one run can.

``EF p`` is shown by a path, ``EG p`` by a loop or a path that ends, a broken ``AG p`` by a path to where p is false;
what is nested is shown by going on from there. That all paths do something is shown by no single one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from kripke.engines.branching.ctl import Labelling, as_until
from kripke.engines.branching.graph import StateSet
from kripke.logic.ctl import (
    And,
    ExistsGlobally,
    ExistsNext,
    ExistsStep,
    ExistsUntil,
    FixPoint,
    Not,
    Or,
    Same,
    StateFormula,
    Variable,
    walk,
)

_PATHS = (ExistsNext, ExistsUntil, ExistsGlobally, ExistsStep, FixPoint, Variable)

Steps = Callable[[int], list[tuple[int, int]]]
"""Of a state, by its number: the statements of its steps and the numbers of the states they lead to."""


class Run(NamedTuple):
    """States by their numbers; ``loop`` is the place that the last one, which is the same state, returns to.
    Unless ``whole``, what is true or false in the last state is itself shown by no single run."""

    states: tuple[int, ...]
    loop: int | None = None
    whole: bool = True


def shown(labelling: Labelling, formula: StateFormula, state: int, steps: Steps) -> Run | None:
    """A run from the state that shows the truth of the formula there, or its falsity; None: no single run does."""
    truth = bool(labelling.states(formula) >> state & 1)
    return _Showing(labelling, steps).show(formula, state, truth)


class _Showing:
    def __init__(self, labelling: Labelling, steps: Steps) -> None:
        self.labelling = labelling
        self.steps = steps

    def show(self, formula: StateFormula, state: int, truth: bool) -> Run | None:
        if not any(isinstance(part, _PATHS) for part in walk(formula)):
            return Run((state,))
        match formula:
            case Not(operand):
                return self.show(operand, state, not truth)
            case And(operands) | Or(operands):
                if truth == isinstance(formula, And):
                    return self._all(operands, state, truth)
                return self._one(operands, state, truth)
            case Same(left, right):
                return self._all((left, right), state, None)
            case ExistsNext(operand) if truth:
                return self._step(state, operand, None)
            case ExistsStep(actions, others, operand) if truth:
                return self._step(state, operand, set(self.labelling.chosen(actions, others)))
            case ExistsUntil(through, reached) if truth:
                return self._until(state, through, reached)
            case ExistsGlobally(operand) if truth and not any(isinstance(part, _PATHS) for part in walk(operand)):
                return self._for_ever(state, self.labelling.states(formula))
            case FixPoint():
                plain = as_until(formula)
                return None if plain is None else self.show(plain, state, truth)
        return None

    def _all(self, operands: tuple[StateFormula, ...], state: int, truth: bool | None) -> Run | None:
        """At most one of them may need more than the state itself; without a ``truth``, each has the one it has."""
        longest = Run((state,))
        for operand in operands:
            own = bool(self.labelling.states(operand) >> state & 1) if truth is None else truth
            run = self.show(operand, state, own)
            if run is None or (len(run.states) > 1 and len(longest.states) > 1):
                return None
            if len(run.states) > 1:
                longest = run
        return longest

    def _one(self, operands: tuple[StateFormula, ...], state: int, truth: bool) -> Run | None:
        runs = [
            self.show(operand, state, truth)
            for operand in operands
            if bool(self.labelling.states(operand) >> state & 1) == truth
        ]
        return min((run for run in runs if run is not None), key=lambda run: len(run.states), default=None)

    def _step(self, state: int, operand: StateFormula, statements: set[int] | None) -> Run | None:
        wanted = self.labelling.states(operand)
        for statement, target in self.steps(state):
            if wanted >> target & 1 and (statements is None or statement in statements):
                rest = self.show(operand, target, True)
                if rest is not None:
                    return _joined((state,), rest)
        return None

    def _until(self, state: int, through: StateFormula, reached: StateFormula) -> Run | None:
        if any(isinstance(part, _PATHS) for part in walk(through)):
            return None
        path = self._path(state, self.labelling.states(through), self.labelling.states(reached))
        rest = self.show(reached, path[-1], True)
        return Run(path, whole=False) if rest is None else _joined(path[:-1], rest)

    def _path(self, start: int, inside: StateSet, goal: StateSet) -> tuple[int, ...]:
        """A shortest path to the goal."""
        before: dict[int, int | None] = {start: None}
        waiting = deque([start])
        while waiting:
            state = waiting.popleft()
            if goal >> state & 1:
                found: list[int] = []
                at: int | None = state
                while at is not None:
                    found.append(at)
                    at = before[at]
                return tuple(reversed(found))
            if not inside >> state & 1:
                continue
            for _, target in self.steps(state):
                if target not in before:
                    before[target] = state
                    waiting.append(target)
        raise AssertionError("a set that EU found is reached by a path")

    def _for_ever(self, start: int, inside: StateSet) -> Run:
        """A path that stays inside, until it ends or returns to itself."""
        places = {start: 0}
        path = [start]
        while True:
            targets = [target for _, target in self.steps(path[-1])]
            following = next((target for target in targets if inside >> target & 1), None)
            if following is None:
                return Run(tuple(path))
            path.append(following)
            if following in places:
                return Run(tuple(path), places[following])
            places[following] = len(path) - 1


def _joined(path: tuple[int, ...], rest: Run) -> Run:
    return Run((*path, *rest.states), None if rest.loop is None else rest.loop + len(path), rest.whole)
