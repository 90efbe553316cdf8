"""Formulas of branching time on diagrams: a formula is the set of reachable states that satisfy it.

A step of the model may be several commands: ``EX`` goes back to the last stable state. Paths are maximal, so that one
may end where nothing can happen. Under fairness only fair paths count (Clarke, Emerson, Sistla, TOPLAS 1986).
"""

from __future__ import annotations

from collections.abc import Callable

from kripke.engines.diagrams.manager import Node
from kripke.engines.diagrams.space import Space
from kripke.engines.unsupported import Unsupported
from kripke.logic import ctl

#: of a set of stable states, those from which a fair path stays in it
Fair = Callable[[Node], Node]


class Satisfying:
    """Sets of reachable stable states."""

    def __init__(self, space: Space, reached: Node, atoms: dict[str, int], fair: Fair | None = None) -> None:
        self.space, self.reached = space, reached
        self.all: Node = reached & space.stable
        self.nothing: Node = space.manager.false
        self.resting = space.resting(reached)
        self._atoms = atoms
        self._known: dict[ctl.StateFormula, Node] = {}
        self._fair = fair
        #: where some fair path begins: other paths do not count
        self._going_on: Node = self.all if fair is None else fair(self.all)

    def of(self, formula: ctl.StateFormula) -> Node:
        if formula not in self._known:
            self._known[formula] = self._found(formula)
        return self._known[formula]

    def _found(self, formula: ctl.StateFormula) -> Node:
        match formula:
            case ctl.Truth(value):
                return self.all if value else self.nothing
            case ctl.Atom(name):
                return self.space.truth(self.space.system.atoms[self._atoms[name]]) & self.all
            case ctl.Not(operand):
                return self.all & ~self.of(operand)
            case ctl.And(operands):
                found = self.all
                for operand in operands:
                    found &= self.of(operand)
                return found
            case ctl.Or(operands):
                found = self.nothing
                for operand in operands:
                    found |= self.of(operand)
                return found
            case ctl.Same(left, right):
                return self.all & ~self.space.manager.xor(self.of(left), self.of(right))
            case ctl.ExistsNext(operand):
                return self.before(self.of(operand) & self._going_on)
            case ctl.ExistsUntil(through, reached):
                return self._until(self.of(through), self.of(reached) & self._going_on)
            case ctl.ExistsGlobally(operand):
                return self._globally(self.of(operand))
            case _:
                raise Unsupported("--engine bdd: a formula with named steps is checked on the graph: leave it out")

    def before(self, goal: Node) -> Node:
        """One step of the model back."""
        found = new = self.space.before(goal) & self.reached
        while new != self.nothing:
            inside = new & ~self.space.stable
            new = self.space.before(inside) & self.reached & ~found if inside != self.nothing else self.nothing
            found |= new
        return found & self.space.stable

    def _until(self, through: Node, goal: Node) -> Node:
        found = new = goal
        while new != self.nothing:
            new = self.before(new) & through & ~found
            found |= new
        return found

    def _globally(self, within: Node) -> Node:
        if self._fair is not None:
            return self._fair(within)
        ends, here = within & self.resting, within
        while True:
            kept = here & (self.before(here) | ends)
            if kept == here:
                return here
            here = kept
