"""Computation tree logic on the graph of a model: for every formula, the set of states in which it is true."""

from __future__ import annotations

from functools import reduce
from operator import and_, or_

from kripke.engines.graph import StateGraph, StateSet
from kripke.logic.ctl import And, Atom, ExistsGlobally, ExistsNext, ExistsUntil, Not, Or, StateFormula, Truth


class Labelling:
    """Formulas evaluated on one graph; what several have in common is computed once."""

    def __init__(self, graph: StateGraph) -> None:
        self.graph = graph
        self.all: StateSet = (1 << graph.states) - 1
        self._known: dict[StateFormula, StateSet] = {}

    def holds(self, formula: StateFormula) -> bool:
        """Is the formula true in every initial state?"""
        initial = (1 << self.graph.initial_states) - 1
        return self.states(formula) & initial == initial

    def states(self, formula: StateFormula) -> StateSet:
        """The states in which the formula is true."""
        found = self._known.get(formula)
        if found is None:
            found = self._known[formula] = self._compute(formula)
        return found

    def _compute(self, formula: StateFormula) -> StateSet:
        match formula:
            case Truth(value):
                return self.all if value else 0
            case Atom(name):
                return self.graph.atom(name)
            case Not(operand):
                return self.all & ~self.states(operand)
            case And(operands):
                return reduce(and_, map(self.states, operands), self.all)
            case Or(operands):
                return reduce(or_, map(self.states, operands), 0)
            case ExistsNext(operand):
                return self.graph.exists_next(self.states(operand))
            case ExistsUntil(through, reached):
                return self.graph.exists_until(self.states(through), self.states(reached))
            case ExistsGlobally(operand):
                return self.graph.exists_globally(self.states(operand))
            case _:
                raise TypeError(formula)
