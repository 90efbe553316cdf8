"""An observer beside an unrolling: a literal for each of its states at every moment, and the sets its steps belong to.

In a stable state the observer takes an edge together with the command of the model; inside a step of the model it
waits.
"""

from __future__ import annotations

from dataclasses import replace

from kripke.engines.satisfiability.circuit import Circuit, Literal
from kripke.engines.satisfiability.unrolling import Moment, Unrolling
from kripke.engines.satisfiability.wrong import refuse_unclear_ends
from kripke.model.observer import Observer, ObserverEdge
from kripke.terms.system import Command, TransitionSystem


def stuttering(system: TransitionSystem, observer: Observer) -> TransitionSystem:
    """Where a run that ends goes on for ever in its last state, that is a command."""
    if not observer.stutters:
        return system
    refuse_unclear_ends(system)
    return replace(system, commands=[*system.commands, Command(system.resting, {})])


class Watching:
    """``states[i][s]``: at moment i the observer is in state s. ``marks[i]``: of the step from moment i on, a literal
    for each acceptance set; those of strong fairness come last."""

    def __init__(self, unrolling: Unrolling, observer: Observer) -> None:
        self.unrolling, self.observer = unrolling, observer
        self.circuit: Circuit = unrolling.circuit
        self.states: list[list[Literal]] = []
        self.stable: list[Literal] = []
        self.marks: list[list[Literal]] = []

    def begin(self) -> None:
        """In an initial state of the observer."""
        self.begin_free()
        self.circuit.require(*(self.states[0][state] for state in self.observer.initial))

    def begin_free(self) -> None:
        self._arrive([self.circuit.fresh() for _ in self.observer.edges])

    def _arrive(self, states: list[Literal]) -> None:
        self.circuit.require(*states)
        self.unrolling.at_most_one(states)
        self.states.append(states)
        self.stable.append(self.unrolling.moments[-1].truth(self.unrolling.system.stable))

    def step(self) -> None:
        """Along with the step that the unrolling has just made."""
        circuit, now = self.circuit, self.unrolling.moments[-2]
        here, stable = self.states[-1], self.stable[-1]
        later = [circuit.fresh() for _ in here]
        taken: list[tuple[Literal, ObserverEdge]] = []
        for source, edges in enumerate(self.observer.edges):
            for edge in edges:
                if edge.alarm < 0:
                    selected = circuit.fresh()
                    taken.append((selected, edge))
                    for needed in (here[source], self.guard(now, edge), stable, later[edge.target]):
                        circuit.require(-selected, needed)
        circuit.require(-stable, *(selected for selected, _ in taken))
        self.unrolling.at_most_one([selected for selected, _ in taken])
        for before, after in zip(here, later, strict=True):
            circuit.require(stable, -before, after)
        self.marks.append(self._marks(now, stable, taken))
        self._arrive(later)

    def _marks(self, now: Moment, stable: Literal, taken: list[tuple[Literal, ObserverEdge]]) -> list[Literal]:
        circuit, observer = self.circuit, self.observer
        plain = observer.sets - len(observer.waiting)
        found = [self._any([selected for selected, edge in taken if edge.marks >> n & 1]) for n in range(plain)]
        for atom in (*observer.waiting, *(atom for atom, _ in observer.strong)):
            found.append(circuit.conj(stable, -now.truth(self.unrolling.system.atoms[atom])))
        return found

    def demands(self, moment: int) -> list[Literal]:
        """Of each pair of strong fairness: is its second atom true at this moment?"""
        now, system = self.unrolling.moments[moment], self.unrolling.system
        return [
            self.circuit.conj(self.stable[moment], now.truth(system.atoms[able])) for _, able in self.observer.strong
        ]

    def guard(self, now: Moment, edge: ObserverEdge) -> Literal:
        """Can the edge be taken, as far as the atoms go?"""
        circuit, cubes = self.circuit, list[Literal]()
        for cube in edge.guard:
            whole = circuit.true
            for number, wanted in cube.literals():
                truth = now.truth(self.unrolling.system.atoms[number])
                whole = circuit.conj(whole, truth if wanted else -truth)
            cubes.append(whole)
        return self._any(cubes)

    def alarm(self, number: int) -> Literal:
        """Is this alarm raised at the last moment?"""
        return self._edges([edge.alarm == number for edges in self.observer.edges for edge in edges])

    def goes_along(self) -> Literal:
        """Could the observer go along with a step from the last moment?"""
        moving = self._edges([edge.alarm < 0 for edges in self.observer.edges for edge in edges])
        return self.circuit.disj(-self.stable[-1], moving)

    def _edges(self, chosen: list[bool]) -> Literal:
        circuit, now = self.circuit, self.unrolling.moments[-1]
        every = [(source, edge) for source, edges in enumerate(self.observer.edges) for edge in edges]
        found = [
            circuit.conj(self.states[-1][source], self.guard(now, edge))
            for (source, edge), wanted in zip(every, chosen, strict=True)
            if wanted
        ]
        return circuit.conj(self.stable[-1], self._any(found))

    def _any(self, literals: list[Literal]) -> Literal:
        found = self.circuit.false
        for literal in literals:
            found = self.circuit.disj(found, literal)
        return found

    def bits(self, moment: int) -> list[Literal]:
        """Everything that tells this moment from another: of the model and of the observer."""
        return [*self.unrolling.moments[moment].literals(), *self.states[moment]]

    def state(self, moment: int, model: set[int]) -> int:
        """Of the observer in a solution."""
        return next(state for state, literal in enumerate(self.states[moment]) if literal in model)
