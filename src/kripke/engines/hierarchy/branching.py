"""Branching time on sets of states: a formula is the set of reachable states that satisfy it. Paths are maximal."""

from __future__ import annotations

from collections.abc import Mapping

from kripke.engines.hierarchy.macro_relation import MacroRelation, Region
from kripke.engines.unsupported import Unsupported
from kripke.logic import ctl


class Satisfaction:
    """``atoms``: where each of them is true."""

    def __init__(self, steps: MacroRelation, atoms: Mapping[str, Region]) -> None:
        self.steps, self.atoms = steps, atoms
        self._known: dict[ctl.StateFormula, Region] = {}

    def of(self, formula: ctl.StateFormula) -> Region:
        if formula not in self._known:
            self._known[formula] = self._found(formula)
        return self._known[formula]

    def _found(self, formula: ctl.StateFormula) -> Region:
        steps = self.steps
        everything = steps.reachable
        match formula:
            case ctl.Truth(value):
                return everything if value else steps.nothing
            case ctl.Atom(name):
                return self.atoms[name]
            case ctl.Not(operand):
                return everything - self.of(operand)
            case ctl.And(operands):
                found = everything
                for operand in operands:
                    found &= self.of(operand)
                return found
            case ctl.Or(operands):
                found = steps.nothing
                for operand in operands:
                    found |= self.of(operand)
                return found
            case ctl.Same(left, right):
                one, other = self.of(left), self.of(right)
                return everything - ((one - other) | (other - one))
            case ctl.ExistsNext(operand):
                return steps.predecessors(self.of(operand), everything)
            case ctl.ExistsUntil(through, reached):
                return self._until(self.of(through), self.of(reached))
            case ctl.ExistsGlobally(operand):
                return self._globally(self.of(operand))
        raise Unsupported("--search hierarchic: formulas with fix-points or named steps are checked on the graph")

    def _until(self, through: Region, reached: Region) -> Region:
        here = new = reached
        while new:
            new = self.steps.predecessors(new, through) - here
            here |= new
        return here

    def _globally(self, within: Region) -> Region:
        """The greatest set in which every state is dead or has a successor in it."""
        here = within
        while here:
            kept = self.steps.predecessors(here, here) | (here & self.steps.dead)
            if kept == here:
                break
            here = kept
        return here
