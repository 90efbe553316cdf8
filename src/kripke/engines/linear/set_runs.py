"""Linear time on sets of states: the automaton of the negated formula state by state, the model by sets.

The product of model and automaton is a set of states for every state of the automaton. Runs that end go on in their
last state for ever. A wrong run is looked for by the fixpoint of Emerson and Lei (Efficient model checking in fragments
of the propositional mu-calculus, LICS 1986): of what is reached, only that is kept which can reach, for every
acceptance set, an edge of that set, and go on to what is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, Protocol, Self, TypeVar

from kripke.logic.automaton import Automaton, Edge


class StateSet(Protocol):
    def __or__(self, other: Self, /) -> Self: ...
    def __and__(self, other: Self, /) -> Self: ...
    def __sub__(self, other: Self, /) -> Self: ...
    def __bool__(self) -> bool: ...


S = TypeVar("S", bound=StateSet)


class Steps(Protocol[S]):
    """What a model does with sets of its states. ``dead``: the reachable states without a step."""

    @property
    def nothing(self) -> S: ...
    @property
    def initial(self) -> S: ...
    @property
    def reachable(self) -> S: ...
    @property
    def dead(self) -> S: ...
    def successors(self, start: S, within: S, /) -> S: ...
    def predecessors(self, goal: S, within: S, /) -> S: ...


class WrongRuns(Generic[S]):
    """Runs that an automaton accepts. ``atoms``: where each of its atoms is true, among the reachable states."""

    def __init__(self, steps: Steps[S], automaton: Automaton, atoms: Mapping[Any, S]) -> None:
        self.steps = steps
        self.automaton = automaton
        self.atoms = [atoms[atom] for atom in automaton.atoms]
        self.guards = {edge: self._guard(edge) for edge in automaton.edges}

    def exist(self) -> bool:
        return self.kept() is not None

    def kept(self) -> dict[int, S] | None:
        """Of the product, what lies on wrong runs or leads to them; None: there are none."""
        here = self._reached()
        while any(here.values()):
            kept = self._pruned(here)
            if kept == here:
                return here
            here = kept
        return None

    def _guard(self, edge: Edge) -> S:
        """The reachable states in which an edge can be taken."""
        found = self.steps.nothing
        for cube in edge.guard:
            part = self.steps.reachable
            for number, wanted in cube.literals():
                part = part & self.atoms[number] if wanted else part - self.atoms[number]
            found = found | part
        return found

    def after(self, start: S) -> S:
        """One step, or none for ever."""
        return self.steps.successors(start, self.steps.reachable) | (start & self.steps.dead)

    def _before(self, goal: S, within: S) -> S:
        """States of ``within`` from which one step leads to ``goal``, or that are dead and in it."""
        return self.steps.predecessors(goal, within) | (goal & self.steps.dead & within)

    def _reached(self) -> dict[int, S]:
        """All of the product that is reached, from what was new in the last round."""
        states, nothing = range(self.automaton.states), self.steps.nothing
        here = dict.fromkeys(states, nothing)
        new = {state: self.steps.initial if state in self.automaton.initial else nothing for state in states}
        while any(new.values()):
            here = {state: here[state] | new[state] for state in states}
            found = dict.fromkeys(states, nothing)
            for edge in self.automaton.edges:
                start = new[edge.source] & self.guards[edge]
                if start:
                    found[edge.target] = found[edge.target] | (self.after(start) - here[edge.target])
            new = found
        return here

    def _pruned(self, here: dict[int, S]) -> dict[int, S]:
        """What can reach an edge of every acceptance set, and then still be in ``here``."""
        for number in range(self.automaton.sets):
            edges = [edge for edge in self.automaton.edges if edge.marks >> number & 1]
            here = self._reaching(self.step_back(here, here, edges), here)
        return self.step_back(here, here, self.automaton.edges)

    def step_back(self, goal: dict[int, S], within: dict[int, S], edges: tuple[Edge, ...] | list[Edge]) -> dict[int, S]:
        found = dict.fromkeys(within, self.steps.nothing)
        for edge in edges:
            if goal[edge.target]:
                start = within[edge.source] & self.guards[edge]
                if start:
                    found[edge.source] = found[edge.source] | self._before(goal[edge.target], start)
        return found

    def _reaching(self, goal: dict[int, S], within: dict[int, S]) -> dict[int, S]:
        """Everything within ``within`` from which ``goal`` is reached."""
        here = goal
        new = goal
        while any(new.values()):
            more = self.step_back(new, within, self.automaton.edges)
            new = {state: more[state] - here[state] for state in here}
            here = {state: here[state] | new[state] for state in here}
        return here
