"""Branching time on the graph of a model: for every formula, the set of states in which it is true.

The operators of computation tree logic take time linear in the graph. A fix-point is approached step by step, one
inside another anew each time (Emerson, Lei, Efficient model checking in fragments of the propositional mu-calculus,
LICS 1986); those that say what ``EU`` says are found like it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import reduce
from operator import and_, or_
from typing import NamedTuple

from kripke.engines.branching.graph import StateGraph, StateSet
from kripke.logic.ctl import (
    And,
    Atom,
    ExistsGlobally,
    ExistsNext,
    ExistsStep,
    ExistsUntil,
    FixPoint,
    Not,
    Or,
    Same,
    StateFormula,
    Truth,
    Variable,
    free_variables,
    negation,
)

Statements = Callable[[tuple[str, ...]], Collection[int]]
"""The statements that are meant by the names of actions."""


def no_actions(names: tuple[str, ...]) -> Collection[int]:
    raise KeyError(names)


class FairSet(NamedTuple):
    """``happens`` is to come again and again; with ``demanded``: only if that does."""

    happens: StateSet
    demanded: StateSet | None = None


class Labelling:
    """Formulas evaluated on one graph; what several have in common is computed once.

    ``pause`` is called before every operator; what it raises ends the evaluation. Under ``fairness`` only fair paths
    count (Clarke, Emerson, Sistla, TOPLAS 1986): ``going_on`` are the states where one begins.
    """

    def __init__(
        self,
        graph: StateGraph,
        statements: Statements = no_actions,
        pause: Callable[[], None] | None = None,
        fairness: Sequence[FairSet] = (),
    ) -> None:
        self.graph = graph
        self.all: StateSet = (1 << graph.states) - 1
        self._statements = statements
        self._pause = pause
        self._known: dict[StateFormula, StateSet] = {}
        self._values: dict[str, StateSet] = {}
        self.fairness = tuple(fairness)
        self.going_on: StateSet = self._fair(self.all) if fairness else self.all

    def holds(self, formula: StateFormula) -> bool:
        """Is the formula true in every initial state?"""
        initial = (1 << self.graph.initial_states) - 1
        return self.states(formula) & initial == initial

    def states(self, formula: StateFormula) -> StateSet:
        """The states in which the formula is true."""
        found = self._known.get(formula)
        if found is None:
            found = self._compute(formula)
            if not (self._values and free_variables(formula)):
                self._known[formula] = found
        return found

    def _compute(self, formula: StateFormula) -> StateSet:
        if self._pause is not None:
            self._pause()
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
            case Same(left, right):
                return self.all & ~(self.states(left) ^ self.states(right))
            case ExistsNext(operand):
                return self.graph.exists_next(self.states(operand) & self.going_on)
            case ExistsUntil(through, reached):
                return self.graph.exists_until(self.states(through), self.states(reached) & self.going_on)
            case ExistsGlobally(operand):
                inside = self.states(operand)
                return self._fair(inside) if self.fairness else self.graph.exists_globally(inside)
            case ExistsStep(actions, others, operand):
                return self.graph.exists_step(self.chosen(actions, others), self.states(operand))
            case Variable(name):
                return self._values[name]
            case FixPoint():
                return self._fix_point(formula)
            case _:
                raise TypeError(formula)

    def _fair(self, inside: StateSet) -> StateSet:
        """Where a fair path begins that stays inside (Emerson, Lei, LICS 1986; what demands an event stays only if the
        event can still come: Kesten, Pnueli, Raviv, ICALP 1998). A path that ends stays in its last state."""
        graph, here, before = self.graph, inside, -1
        ends = self.all & ~graph.exists_next(self.all)
        while here != before:
            before = here
            for happens, demanded in self.fairness:
                if self._pause is not None:
                    self._pause()
                reaching = graph.exists_until(here, here & happens)
                here = reaching if demanded is None else (here & ~demanded) | reaching
            here &= graph.exists_next(here) | ends
        return here

    def chosen(self, actions: tuple[str, ...], others: bool) -> Collection[int]:
        """The statements whose steps are meant."""
        named = set(self._statements(actions))
        return set(self._statements(())) - named if others else named

    def _fix_point(self, formula: FixPoint) -> StateSet:
        known = as_until(formula)
        if known is not None:
            return self.states(known)
        name, outer = formula.variable, self._values.get(formula.variable)
        value, before = (self.all if formula.greatest else 0), None
        while value != before:
            before = value
            self._values[name] = value
            value = self.states(formula.body)
        if outer is None:
            del self._values[name]
        else:
            self._values[name] = outer
        return value


def as_until(formula: FixPoint) -> StateFormula | None:
    """``mu X. b || a && EX X`` is ``E[a U b]``; the greatest one is the negation of the least of the negation."""
    name, body = formula.variable, formula.body
    through: list[StateFormula] = []
    reached: list[StateFormula] = []
    steps = 0
    inside = body.operands if isinstance(body, And if formula.greatest else Or) else (body,)
    next_ = Not(ExistsNext(Not(Variable(name)))) if formula.greatest else ExistsNext(Variable(name))
    for part in inside:
        if name not in free_variables(part):
            reached.append(part)
            continue
        others = part.operands if isinstance(part, Or if formula.greatest else And) else (part,)
        rest = [other for other in others if other != next_]
        if len(rest) == len(others) or any(name in free_variables(other) for other in rest):
            return None
        through += rest
        steps += 1
    if steps != 1:
        return None
    if formula.greatest:
        return negation(ExistsUntil(And(tuple(map(negation, through))), Or(tuple(map(negation, reached)))))
    return ExistsUntil(And(tuple(through)), Or(tuple(reached)))
