"""From a formula to a generalised Büchi automaton: the tableau of Couvreur (FM 1999), made on the fly.

A state is a formula that the rest of the run must satisfy, and every formula says what must be true now and what from
the next position on: F g is g, or F g again from the next position. An edge that puts off g *promises* it; a promise
may not be made forever, so there is an acceptance set for each, of the edges that do not make it. (Going back to
Gerth, Peled, Vardi, Wolper, PSTV 1995.)
"""

from __future__ import annotations

from typing import NamedTuple

from kripke.logic.formula import FALSE, TRUE, Formula, Kind, conjunction
from kripke.logic.guards import FALSE as NEVER
from kripke.logic.guards import TRUE as ALWAYS
from kripke.logic.implication import Refinement
from kripke.logic.rewriting import Rewriting
from kripke.logic.symbolic_automaton import Out, SymbolicAutomaton

_MANY_TERMS = 600  # so many are not compared with each other
_MOST_TERMS = 2000  # more edges from one state are too many
_EDGES_PER_STATE = 10  # of the largest automaton, on average


class TooLarge(Exception):
    """The automaton would have more states or edges than allowed."""


class _Term(NamedTuple):
    """One way to satisfy a formula: under this guard now, and with this formula next, making these promises."""

    guard: int
    next: Formula
    promises: int


class Tableau:
    def __init__(self, rewriting: Rewriting, largest: int) -> None:
        self.rewriting = rewriting
        self.guards = rewriting.guards
        self.refinement = Refinement(rewriting.guards, rewriting.function)
        self.largest = largest
        self.promised: dict[Formula, int] = {}
        self._terms: dict[Formula, list[_Term]] = {}
        self._states: dict[Formula, Formula] = {}

    def build(self, formula: Formula) -> SymbolicAutomaton:
        """The automaton of a formula in negation normal form."""
        initial = self.state(formula)
        numbers = {initial: 0}
        order = [initial]
        expanded: list[list[_Term]] = []
        edges = 0
        for state in order:
            terms = self.reduced(self.terms(state))
            expanded.append(terms)
            for term in terms:
                if term.next not in numbers:
                    numbers[term.next] = len(order)
                    order.append(term.next)
                    if len(order) > self.largest:
                        raise TooLarge
            edges += len(terms)
            if edges > _EDGES_PER_STATE * self.largest:
                raise TooLarge
        sets = len(self.promised)
        every = (1 << sets) - 1
        out = [[Out(term.guard, numbers[term.next], every & ~term.promises) for term in terms] for terms in expanded]
        return SymbolicAutomaton(self.guards, sets, 0, out)

    # --- states -------------------------------------------------------------------------------------------------------

    def state(self, formula: Formula) -> Formula:
        """The formula without the parts that others refine: the same state for the same future."""
        if formula.operator != "and":
            return formula
        found = self._states.get(formula)
        if found is None:
            refines = self.refinement.holds
            kept: list[Formula] = []
            parts = formula.operands
            for index, part in enumerate(parts):
                if not any(refines(other, part) for other in kept) and not any(
                    refines(other, part) for other in parts[index + 1 :]
                ):
                    kept.append(part)
            found = self._states[formula] = conjunction(kept)
        return found

    def reduced(self, terms: list[_Term]) -> list[_Term]:
        """Terms with their next states; where one term refines another, the other one alone is enough."""
        together: dict[tuple[Formula, int], int] = {}
        for guard, after, promises in terms:
            state = self.state(after)
            if state is not FALSE:
                key = (state, promises)
                known = together.get(key)
                together[key] = guard if known is None else self.guards.either(known, guard)
        result: list[_Term] = []
        both, refines = self.guards.both, self.refinement.holds
        items = [_Term(guard, state, promises) for (state, promises), guard in together.items()]
        if len(items) > _MANY_TERMS:
            return items
        for index, (guard, state, promises) in enumerate(items):
            for other_index, other in enumerate(items):
                if (
                    other_index != index
                    and not other.promises & ~promises
                    and refines(state, other.next)
                    and (other_index < index or other.promises != promises or not refines(other.next, state))
                ):
                    guard = both(guard, other.guard ^ 1)
                    if guard == NEVER:
                        break
            if guard != NEVER:
                result.append(_Term(guard, state, promises))
        return result

    # --- terms --------------------------------------------------------------------------------------------------------

    def terms(self, formula: Formula) -> list[_Term]:
        found = self._terms.get(formula)
        if found is None:
            found = self._terms[formula] = self._expanded(formula)
        return found

    def _expanded(self, formula: Formula) -> list[_Term]:
        if formula.kinds & Kind.BOOLEAN:
            function = self.rewriting.function(formula)
            return [_Term(function, TRUE, 0)] if function != NEVER else []
        parts = formula.operands
        again = _Term(ALWAYS, formula, 0)
        match formula.operator:
            case "and":
                terms = self.terms(parts[0])
                for part in parts[1:]:
                    terms = self.product(terms, self.terms(part))
                return terms
            case "or":
                return self.union(*(self.terms(part) for part in parts))
            case "X":
                return [_Term(ALWAYS, parts[0], 0)]
            case "G":
                return self.product(self.terms(parts[0]), [again])
            case "F":
                return self.union(self.terms(parts[0]), [self.promise(again, parts[0])])
            case "U":
                waiting = self.product(self.terms(parts[0]), [self.promise(again, parts[1])])
                return self.union(self.terms(parts[1]), waiting)
            case "W":
                return self.union(self.terms(parts[1]), self.product(self.terms(parts[0]), [again]))
            case "R":
                return self.product(self.terms(parts[1]), self.union(self.terms(parts[0]), [again]))
            case "M":
                ways = self.union(self.terms(parts[0]), [self.promise(again, parts[0])])
                return self.product(self.terms(parts[1]), ways)
        raise ValueError(f"{formula} is not in negation normal form")

    def promise(self, term: _Term, formula: Formula) -> _Term:
        number = self.promised.setdefault(formula, len(self.promised))
        return _Term(term.guard, term.next, term.promises | 1 << number)

    def union(self, *alternatives: list[_Term]) -> list[_Term]:
        return self.grouped([term for terms in alternatives for term in terms])

    def product(self, left: list[_Term], right: list[_Term]) -> list[_Term]:
        terms = []
        for guard, after, promises in left:
            for other_guard, other_after, other_promises in right:
                both = self.guards.both(guard, other_guard)
                if both != NEVER:
                    following = self.state(conjunction((after, other_after)))
                    terms.append(_Term(both, following, promises | other_promises))
        if len(terms) > _MOST_TERMS:
            raise TooLarge
        return self.grouped(terms)

    def grouped(self, terms: list[_Term]) -> list[_Term]:
        """Terms that differ in their guards only are one."""
        together: dict[tuple[Formula, int], int] = {}
        for guard, after, promises in terms:
            key = (after, promises)
            known = together.get(key)
            together[key] = guard if known is None else self.guards.either(known, guard)
        return [_Term(guard, after, promises) for (after, promises), guard in together.items()]
