"""Linear time on sets of markings: the automaton of the negated formula state by state, the net by sets.

The product of net and automaton is a set of markings for every state of the automaton. Runs of the net that end go on
in their last marking for ever. A wrong run is looked for by the fixpoint of Emerson and Lei (Efficient model checking
in fragments of the propositional mu-calculus, LICS 1986): of what is reached, only that is kept which can
reach, for every acceptance set, an edge of that set, and go on to what is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kripke.engines.nets.symbolic.branching import Branching
from kripke.engines.nets.symbolic.sets import MarkingSet
from kripke.logic.automaton import Automaton, Edge
from kripke.nets.formulas import Formula, predicates_of
from kripke.nets.predicates import Predicate

# Of every state of the automaton, the markings with it.
Product = dict[int, MarkingSet]


class WrongRuns:
    """Runs of a net that an automaton accepts. ``atoms`` are the predicates that its atoms stand for."""

    def __init__(self, branching: Branching, automaton: Automaton, atoms: Mapping[Any, Predicate]) -> None:
        self.branching = branching
        self.markings = branching.markings
        self.automaton = automaton
        self.predicates = [atoms[atom] for atom in automaton.atoms]
        self.guards = {edge: self._guard(edge) for edge in automaton.edges}

    def exist(self) -> bool:
        here = self._reached()
        while any(here.values()):
            kept = self._pruned(here)
            if kept == here:
                return True
            here = kept
        return False

    def _guard(self, edge: Edge) -> MarkingSet:
        """The reachable markings in which an edge can be taken."""
        found = self.markings.nothing
        for cube in edge.guard:
            part = self.markings.reachable
            for number, wanted in cube.literals():
                atom = self.branching.of_predicate(self.predicates[number])
                part = part & atom if wanted else part - atom
            found |= part
        return found

    def _after(self, start: MarkingSet) -> MarkingSet:
        """One step, or none for ever."""
        markings = self.markings
        return markings.successors(start, markings.reachable) | (start & markings.dead)

    def _before(self, goal: MarkingSet, within: MarkingSet) -> MarkingSet:
        """Markings of ``within`` from which one step leads to ``goal``, or that are dead and in it."""
        markings = self.markings
        return markings.predecessors(goal, within) | (goal & markings.dead & within)

    def _reached(self) -> Product:
        """All of the product that is reached, from what was new in the last round."""
        markings = self.markings
        states = range(self.automaton.states)
        here = dict.fromkeys(states, markings.nothing)
        new = {state: markings.initial if state in self.automaton.initial else markings.nothing for state in states}
        while any(new.values()):
            here = {state: here[state] | new[state] for state in states}
            found = dict.fromkeys(states, markings.nothing)
            for edge in self.automaton.edges:
                start = new[edge.source] & self.guards[edge]
                if start:
                    found[edge.target] |= self._after(start) - here[edge.target]
            new = found
        return here

    def _pruned(self, here: Product) -> Product:
        """What can reach an edge of every acceptance set, and then still be in ``here``."""
        for number in range(self.automaton.sets):
            edges = [edge for edge in self.automaton.edges if edge.marks >> number & 1]
            here = self._reaching(self._step_back(here, here, edges), here)
        return self._step_back(here, here, self.automaton.edges)

    def _step_back(self, goal: Product, within: Product, edges: tuple[Edge, ...] | list[Edge]) -> Product:
        found = dict.fromkeys(within, self.markings.nothing)
        for edge in edges:
            if goal[edge.target]:
                start = within[edge.source] & self.guards[edge]
                if start:
                    found[edge.source] |= self._before(goal[edge.target], start)
        return found

    def _reaching(self, goal: Product, within: Product) -> Product:
        """Everything within ``within`` from which ``goal`` is reached."""
        here = goal
        new = goal
        while any(new.values()):
            more = self._step_back(new, within, self.automaton.edges)
            new = {state: more[state] - here[state] for state in here}
            here = {state: here[state] | new[state] for state in here}
        return here


def breaks(branching: Branching, path: Formula) -> bool:
    """Whether some run of the net breaks a formula of linear time. TranslationTooLarge where its automaton is."""
    from kripke.logic.translation import generalised
    from kripke.nets.translation import linear_formula

    names = {predicate: f"atom {number}" for number, predicate in enumerate(predicates_of(path))}
    automaton = generalised(linear_formula(path, names), negated=True)
    return WrongRuns(branching, automaton, {name: predicate for predicate, name in names.items()}).exist()
