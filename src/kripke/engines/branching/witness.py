"""A run that shows why a formula of branching time is true or false in a state, where one run can.

``EF p`` is shown by a path, ``EG p`` by a loop or a path that ends, a broken ``AG p`` by a path to where p is false;
what is nested is shown by going on from there. That all paths do something is shown by no single one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

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

T = TypeVar("T", bound=Hashable)


class Run(NamedTuple, Generic[T]):
    """States; ``loop`` is the place that the last one, which is the same state, returns to. Unless ``whole``, what is
    true or false in the last state is itself shown by no single run."""

    states: tuple[T, ...]
    loop: int | None = None
    whole: bool = True


class Ground(Protocol[T]):
    """What formulas were evaluated on: single states of a graph, or of sets."""

    def holds(self, formula: StateFormula, state: T, /) -> bool: ...
    def following(self, state: T, formula: StateFormula, step: ExistsStep | None, /) -> Iterator[T]:
        """Where a step leads to a state in which the formula is true; ``step``: one of these actions."""

    def path(self, start: T, through: StateFormula, reached: StateFormula, /) -> tuple[T, ...]:
        """A shortest one: there is one."""

    def for_ever(self, start: T, formula: ExistsGlobally, /) -> tuple[Sequence[T], int | None]:
        """A path on which it stays true, until it ends or returns to the place given."""


def shown(ground: Ground[T], formula: StateFormula, state: T) -> Run[T] | None:
    """A run from the state that shows the truth of the formula there, or its falsity; None: no single run does."""
    return _Showing(ground).show(formula, state, ground.holds(formula, state))


class _Showing(Generic[T]):
    def __init__(self, ground: Ground[T]) -> None:
        self.ground = ground

    def show(self, formula: StateFormula, state: T, truth: bool) -> Run[T] | None:
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
            case ExistsStep(_, _, operand) if truth:
                return self._step(state, operand, formula)
            case ExistsUntil(through, reached) if truth:
                return self._until(state, through, reached)
            case ExistsGlobally(operand) if truth and not any(isinstance(part, _PATHS) for part in walk(operand)):
                path, loop = self.ground.for_ever(state, formula)
                return Run(tuple(path), loop)
            case FixPoint():
                plain = as_until(formula)
                return None if plain is None else self.show(plain, state, truth)
        return None

    def _all(self, operands: tuple[StateFormula, ...], state: T, truth: bool | None) -> Run[T] | None:
        """At most one of them may need more than the state itself; without a ``truth``, each has the one it has."""
        longest = Run((state,))
        for operand in operands:
            own = self.ground.holds(operand, state) if truth is None else truth
            run = self.show(operand, state, own)
            if run is None or (len(run.states) > 1 and len(longest.states) > 1):
                return None
            if len(run.states) > 1:
                longest = run
        return longest

    def _one(self, operands: tuple[StateFormula, ...], state: T, truth: bool) -> Run[T] | None:
        runs = [
            self.show(operand, state, truth) for operand in operands if self.ground.holds(operand, state) == truth
        ]  # fmt: skip
        return min((run for run in runs if run is not None), key=lambda run: len(run.states), default=None)

    def _step(self, state: T, operand: StateFormula, step: ExistsStep | None) -> Run[T] | None:
        for target in self.ground.following(state, operand, step):
            rest = self.show(operand, target, True)
            if rest is not None:
                return _joined((state,), rest)
        return None

    def _until(self, state: T, through: StateFormula, reached: StateFormula) -> Run[T] | None:
        if any(isinstance(part, _PATHS) for part in walk(through)):
            return None
        path = self.ground.path(state, through, reached)
        rest = self.show(reached, path[-1], True)
        return Run(path, whole=False) if rest is None else _joined(path[:-1], rest)


def _joined(path: tuple[T, ...], rest: Run[T]) -> Run[T]:
    return Run((*path, *rest.states), None if rest.loop is None else rest.loop + len(path), rest.whole)


class GraphGround:
    """States of a graph, by their numbers."""

    def __init__(self, labelling: Labelling, steps: Steps) -> None:
        self.labelling = labelling
        self.steps = steps

    def holds(self, formula: StateFormula, state: int) -> bool:
        return bool(self.labelling.states(formula) >> state & 1)

    def following(self, state: int, formula: StateFormula, step: ExistsStep | None) -> Iterator[int]:
        wanted = self.labelling.states(formula) & self.labelling.going_on
        statements = None if step is None else set(self.labelling.chosen(step.actions, step.others))
        for statement, target in self.steps(state):
            if wanted >> target & 1 and (statements is None or statement in statements):
                yield target

    def path(self, start: int, through: StateFormula, reached: StateFormula) -> tuple[int, ...]:
        found = self._way(
            start, self.labelling.states(through), self.labelling.states(reached) & self.labelling.going_on
        )
        assert found is not None, "a set that EU found is reached by a path"
        return found

    def _way(self, start: int, inside: StateSet, goal: StateSet) -> tuple[int, ...] | None:
        """A shortest one; None where there is none."""
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
        return None

    def for_ever(self, start: int, formula: ExistsGlobally) -> tuple[Sequence[int], int | None]:
        inside: StateSet = self.labelling.states(formula)
        if self.labelling.fairness:
            return self._fair_loop(start, inside)
        places = {start: 0}
        path = [start]
        while True:
            targets = [target for _, target in self.steps(path[-1])]
            following = next((target for target in targets if inside >> target & 1), None)
            if following is None:
                return path, None
            path.append(following)
            if following in places:
                return path, places[following]
            places[following] = len(path) - 1

    def _fair_loop(self, start: int, inside: StateSet) -> tuple[Sequence[int], int | None]:
        """To where each constraint asks for, in turn, until the way closes. Where it does not, it has come to a
        component further down."""
        path = [start]
        while True:
            begin = len(path) - 1
            for fair in self.labelling.fairness:
                way = self._way(path[-1], inside, fair.happens & inside)
                path += (way or (path[-1],))[1:]
            for _, target in self.steps(path[-1]):
                back = self._way(target, inside, 1 << path[begin]) if inside >> target & 1 else None
                if back is not None:
                    return [*path, *back], begin
            if len(path) - 1 == begin:
                following = next((target for _, target in self.steps(path[-1]) if inside >> target & 1), None)
                if following is None:
                    return path, None
                path.append(following)
