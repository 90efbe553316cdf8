"""Deadlocks and reachable markings on a complete prefix, with a SAT solver.

A variable per event that is no cut-off says that it happens; a configuration is a choice that contains causes and no
two events that take the same condition. The prefix is complete, so every reachable marking is that of a configuration,
and a marking is dead if no event of the prefix is left to happen: K. L. McMillan, A technique of state space search
based on unfolding, Formal Methods in System Design 6(1), 1995; V. Khomenko, Model checking based on prefixes of Petri
net unfoldings, dissertation, Newcastle 2003.
"""

from __future__ import annotations

from kripke.nets.predicates import Predicate
from kripke.nets.unfolding.cubes import TooManyCubes, cubes_of
from kripke.nets.unfolding.prefix import NOBODY, NotUnfoldable, Prefix

Clause = list[int]

_FEW = 5  # consumers of a condition that exclude each other pair by pair


def way_to_deadlock(prefix: Prefix) -> tuple[int, ...] | None:
    """Transitions that lead to a dead marking; None: there is none."""
    problem = _Problem(prefix)
    for event in prefix.events:
        causes = problem.causes(event.preset)
        later = {taker for condition in event.preset for taker in problem.takers[condition]}
        problem.clauses.append([-problem.happens[cause] for cause in causes] + [problem.happens[e] for e in later])
    return problem.solution()


def way_to(prefix: Prefix, goal: Predicate) -> tuple[int, ...] | None:
    """Transitions that lead to a marking in which the predicate is true; None: there is none."""
    problem = _Problem(prefix)
    try:
        cubes = cubes_of(goal, prefix.net)
    except TooManyCubes as refusal:
        raise NotUnfoldable(str(refusal)) from refusal
    chosen: Clause = []
    for cube in cubes:
        variable = problem.fresh()
        chosen.append(variable)
        problem.clauses += [[-variable, problem.marked(place)] for place in cube.marked]
        problem.clauses += [[-variable, -problem.marked(place)] for place in cube.unmarked]
    problem.clauses.append(chosen)
    return problem.solution()


class _Problem:
    def __init__(self, prefix: Prefix) -> None:
        self.prefix = prefix
        self.clauses: list[Clause] = []
        self.happens = {
            number: position
            for position, number in enumerate((n for n, e in enumerate(prefix.events) if not e.is_cut_off), start=1)
        }
        self._last = len(self.happens)
        self._marked: dict[int, int] = {}
        self.takers: list[list[int]] = [[] for _ in prefix.conditions]
        for number in self.happens:
            for condition in prefix.events[number].preset:
                self.takers[condition].append(number)
        self._of_place: dict[int, list[int]] = {}
        for number, (place, producer) in enumerate(prefix.conditions):
            if producer == NOBODY or producer in self.happens:
                self._of_place.setdefault(place, []).append(number)
        for number, variable in self.happens.items():
            causes = self.causes(prefix.events[number].preset)
            self.clauses += [[-variable, self.happens[cause]] for cause in causes]
        for takers in self.takers:
            self._at_most_one([self.happens[taker] for taker in takers])

    def fresh(self) -> int:
        self._last += 1
        return self._last

    def causes(self, conditions: tuple[int, ...]) -> set[int]:
        return {self.prefix.conditions[condition].producer for condition in conditions} - {NOBODY}

    def _at_most_one(self, variables: list[int]) -> None:
        """Pair by pair, or, of many, one after the other with a variable that says "one of those before"."""
        if len(variables) <= _FEW:
            self.clauses += [[-a, -b] for i, a in enumerate(variables) for b in variables[:i]]
            return
        before = variables[0]
        for variable in variables[1:]:
            now = self.fresh()
            self.clauses += [[-before, -variable], [-before, now], [-variable, now]]
            before = now

    def marked(self, place: int) -> int:
        """A variable that is true exactly if the place is marked."""
        if place not in self._marked:
            variable = self._marked[place] = self.fresh()
            here = [self._holds(condition) for condition in self._of_place.get(place, ())]
            self.clauses += [[-one, variable] for one in here]
            self.clauses.append([-variable, *here])
        return self._marked[place]

    def _holds(self, condition: int) -> int:
        """A variable that is true exactly if the condition holds a token."""
        variable = self.fresh()
        producer = self.prefix.conditions[condition].producer
        needed = [] if producer == NOBODY else [self.happens[producer]]
        excluded = [self.happens[taker] for taker in self.takers[condition]]
        self.clauses += [[-variable, one] for one in needed] + [[-variable, -one] for one in excluded]
        self.clauses.append([variable, *(-one for one in needed), *excluded])
        return variable

    def solution(self) -> tuple[int, ...] | None:
        try:
            from pysat.solvers import Cadical153
        except ImportError as error:
            raise NotUnfoldable("this needs a SAT solver: pip install 'kripke[sat]'") from error
        with Cadical153(bootstrap_with=self.clauses) as solver:
            if not solver.solve():
                return None
            true = {literal for literal in solver.get_model() if literal > 0}
        return tuple(self.prefix.events[n].transition for n, variable in self.happens.items() if variable in true)
