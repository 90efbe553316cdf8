"""Deadlocks and reachable markings on a complete prefix, with a SAT solver.

A variable per event that is no cut-off says that it happens; a configuration is a choice that contains causes and no
two events that take the same condition. The prefix is complete, so every reachable marking is that of a configuration,
and a marking is dead if no event of the prefix is left to happen: K. L. McMillan, A technique of state space search
based on unfolding, Formal Methods in System Design 6(1), 1995; V. Khomenko, Model checking based on prefixes of Petri
net unfoldings, dissertation, Newcastle 2003.
"""

from __future__ import annotations

from threading import Timer

from kripke.deadline import OutOfTime, current
from kripke.engines.nets.unfolding.prefix import NOBODY, NotUnfoldable, Prefix
from kripke.nets.predicates import TRUE, And, AtLeastZero, Constant, Fireable, Not, Or, Predicate

Clause = list[int]

_FEW = 5  # consumers of a condition that exclude each other pair by pair


def way_to_deadlock(prefix: Prefix, also: Predicate = TRUE) -> tuple[int, ...] | None:
    """Transitions that lead to a dead marking in which a predicate is true; None: there is none."""
    problem = _Problem(prefix)
    problem.require(also)
    for event in prefix.events:
        causes = problem.causes(event.preset)
        later = {taker for condition in event.preset for taker in problem.takers[condition]}
        problem.clauses.append([-problem.happens[cause] for cause in causes] + [problem.happens[e] for e in later])
    return problem.solution()


def way_to(prefix: Prefix, goal: Predicate) -> tuple[int, ...] | None:
    """Transitions that lead to a marking in which the predicate is true; None: there is none."""
    problem = _Problem(prefix)
    problem.require(goal)
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

    # --- predicates: a literal that is true exactly where the predicate is (G. S. Tseitin 1968) -----------------------

    def require(self, predicate: Predicate) -> None:
        self.clauses.append([self.literal(predicate)])

    def literal(self, predicate: Predicate) -> int:
        match predicate:
            case Constant(value):
                return self._all_of([]) if value else -self._all_of([])
            case AtLeastZero(terms, constant):
                return self._sum(tuple(sorted(terms, key=lambda term: -abs(term[1]))), constant)
            case Fireable(transitions):
                net = self.prefix.net
                enabled = [self._all_of([self.marked(a.place) for a in net.transitions[t].preset]) for t in transitions]
                return -self._all_of([-one for one in enabled])
            case Not(operand):
                return -self.literal(operand)
            case And(operands):
                return self._all_of([self.literal(operand) for operand in operands])
            case Or(operands):
                return -self._all_of([-self.literal(operand) for operand in operands])
            case _:
                raise TypeError(predicate)

    def _all_of(self, literals: list[int]) -> int:
        if len(literals) == 1:
            return literals[0]
        variable = self.fresh()
        self.clauses += [[-variable, literal] for literal in literals]
        self.clauses.append([variable, *(-literal for literal in literals)])
        return variable

    def _sum(self, terms: tuple[tuple[int, int], ...], constant: int) -> int:
        """A decision diagram, place by place: a variable for each total that what is left has yet to decide about."""
        least, most = [0], [0]  # that the terms from each position on may add
        for _, factor in reversed(terms):
            least.append(least[-1] + min(factor, 0))
            most.append(most[-1] + max(factor, 0))
        least.reverse()
        most.reverse()
        totals = [{constant}]
        for at, (_, factor) in enumerate(terms):
            undecided = (total for total in totals[at] if total + least[at] < 0 <= total + most[at])
            totals.append({after for total in undecided for after in (total, total + factor)})
        true = self._all_of([])
        rest: dict[int, int] = {}
        for at in reversed(range(len(totals))):
            here = {}
            for total in totals[at]:
                if total + least[at] >= 0:
                    here[total] = true
                elif total + most[at] < 0:
                    here[total] = -true
                else:
                    place, factor = terms[at]
                    here[total] = self._choice(self.marked(place), rest[total + factor], rest[total])
            rest = here
        return rest[constant]

    def _choice(self, condition: int, then: int, otherwise: int) -> int:
        variable = self.fresh()
        self.clauses += [[-condition, -then, variable], [-condition, then, -variable]]
        self.clauses += [[condition, -otherwise, variable], [condition, otherwise, -variable]]
        return variable

    # --- conditions ---------------------------------------------------------------------------------------------------

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
        model = _solved(self.clauses)
        if model is None:
            return None
        true = {literal for literal in model if literal > 0}
        return tuple(self.prefix.events[n].transition for n, variable in self.happens.items() if variable in true)


def _solved(clauses: list[Clause]) -> list[int] | None:
    """Literals that make all clauses true; None: there are none. OutOfTime where the deadline comes first."""
    try:
        from pysat.solvers import Cadical153, Glucose4
    except ImportError as error:
        raise NotUnfoldable("this needs a SAT solver: pip install 'kripke[sat]'") from error
    deadline = current()
    left = deadline.left
    if left is None:
        with Cadical153(bootstrap_with=clauses) as solver:
            return solver.get_model() if solver.solve() else None
    deadline()
    # Of the two, only this one can be stopped.
    with Glucose4(bootstrap_with=clauses) as solver:
        bell = Timer(left, solver.interrupt)
        bell.start()
        try:
            answer = solver.solve_limited(expect_interrupt=True)
        finally:
            bell.cancel()
            bell.join()
        if answer is None:
            raise OutOfTime
        return solver.get_model() if answer else None
