"""Branching time on sets of markings: a formula is the set of reachable markings that satisfy it.

"Exists until" is a closure by steps back, "exists globally" the greatest set in which every marking is dead or has a
successor in it. What is asked of the initial marking alone needs less: everything reachable is reached from it, so
"in some marking that can be reached" is a set that is not empty, and a path is looked for forward from there.
"""

from __future__ import annotations

from kripke.engines.nets.symbolic.sets import Markings, MarkingSet
from kripke.logic.ctl import And, Not, Or
from kripke.nets import formulas
from kripke.nets.formulas import AllPaths, Finally, Formula, Globally, Next, Now, SomePath, Until
from kripke.nets.predicates import Predicate


class Branching:
    """Formulas of one net. What was found for one serves the next."""

    def __init__(self, markings: Markings) -> None:
        self.markings = markings
        self._predicates: dict[Predicate, MarkingSet] = {}
        self._formulas: dict[Formula, MarkingSet] = {}

    # --- of the initial marking ---------------------------------------------------------------------------------------

    def holds(self, formula: Formula) -> bool:
        """Whether the initial marking satisfies a formula of CTL."""
        markings = self.markings
        match formula:
            case Not(operand):
                return not self.holds(operand)
            case And(operands):
                return all(map(self.holds, operands))
            case Or(operands):
                return any(map(self.holds, operands))
            case SomePath(Finally(operand)):
                return bool(self.satisfying(operand))
            case SomePath(Globally(operand)):
                return self._path_within(self.satisfying(operand))
            case SomePath(Until(before, reached)):
                goal = self.satisfying(reached)
                here = self._from_start(self.satisfying(before))
                if self._initial_in(goal) or here & goal:
                    return True
                return bool(markings.successors(here, goal))
            case AllPaths(path):
                return (
                    not self.holds(SomePath(_negated(path))) if not isinstance(path, Until) else self._all_until(path)
                )
            case _:
                return self._initial_in(self.satisfying(formula))

    def _all_until(self, path: Until) -> bool:
        """No path on which the end is never reached, and none that leaves before it."""
        before, reached = self.satisfying(path.before), self.satisfying(path.reached)
        waiting = self.markings.reachable - reached
        if self._path_within(waiting):
            return False
        here = self._from_start(before & waiting)
        outside = waiting - before
        return not (self._initial_in(outside) or self.markings.successors(here, outside))

    def _initial_in(self, found: MarkingSet) -> bool:
        return self.markings.net.initial in found

    def _from_start(self, within: MarkingSet) -> MarkingSet:
        markings = self.markings
        return markings.forward(markings.initial, within) if self._initial_in(within) else markings.nothing

    def _path_within(self, within: MarkingSet) -> bool:
        """Whether a path from the initial marking stays there for ever, or until it is dead."""
        here = self._from_start(within)
        if not here or here & self.markings.dead:
            return bool(here)
        while here:
            kept = self.markings.predecessors(here, here)
            if kept == here:
                return True
            if not self._initial_in(kept):
                return False
            here = kept
        return False

    # --- everywhere ---------------------------------------------------------------------------------------------------

    def satisfying(self, formula: Formula) -> MarkingSet:
        """The reachable markings that satisfy a formula of CTL."""
        known = self._formulas.get(formula)
        if known is None:
            known = self._formulas[formula] = self._found(formula)
        return known

    def _found(self, formula: Formula) -> MarkingSet:
        markings = self.markings
        everything = markings.reachable
        match formula:
            case Now(predicate):
                return self.of_predicate(predicate)
            case Not(operand):
                return everything - self.satisfying(operand)
            case And(operands):
                found = everything
                for operand in operands:
                    found &= self.satisfying(operand)
                return found
            case Or(operands):
                found = markings.nothing
                for operand in operands:
                    found |= self.satisfying(operand)
                return found
            case SomePath(Next(operand)):
                return markings.predecessors(self.satisfying(operand), everything)
            case SomePath(Finally(operand)):
                return markings.backward(self.satisfying(operand), everything)
            case SomePath(Globally(operand)):
                return self._globally(self.satisfying(operand))
            case SomePath(Until(before, reached)):
                goal = self.satisfying(reached)
                return markings.backward(goal, self.satisfying(before) | goal)
            case AllPaths(Until(before, reached)):
                waiting = everything - self.satisfying(reached)
                outside = waiting - self.satisfying(before)
                return everything - self._globally(waiting) - markings.backward(outside, waiting)
            case AllPaths(path):
                return everything - self.satisfying(SomePath(_negated(path)))
            case _:
                raise TypeError(formula)

    def restrict(self, reachable: MarkingSet) -> None:
        """Take these markings for all that are reached. What was found before is forgotten."""
        self.markings.restrict(reachable)
        self._predicates.clear()
        self._formulas.clear()

    def of_predicate(self, predicate: Predicate) -> MarkingSet:
        known = self._predicates.get(predicate)
        if known is None:
            known = self.markings.satisfying(predicate, self.markings.reachable)
            self._predicates[predicate] = known
        return known

    def _globally(self, within: MarkingSet) -> MarkingSet:
        markings = self.markings
        ends = within & markings.dead
        here = within
        while here:
            kept = markings.predecessors(here, here) | ends
            if kept == here:
                break
            here = kept
        return here


def _negated(path: Formula) -> Formula:
    """The negation of a path formula but Until, as one."""
    match path:
        case Next(operand):
            return Next(formulas.negation(operand))
        case Finally(operand):
            return Globally(formulas.negation(operand))
        case Globally(operand):
            return Finally(formulas.negation(operand))
        case _:
            raise TypeError(path)
