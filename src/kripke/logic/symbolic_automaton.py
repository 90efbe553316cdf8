"""An automaton while it is being made, a *symbolic* one: guards are decision diagrams, edges lie with their source."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

from kripke.logic.automaton import Automaton, Cube, Edge
from kripke.logic.components import components
from kripke.logic.guards import FALSE, TRUE, Guards, TooManyCubes


class Out(NamedTuple):
    """An edge without its source."""

    guard: int
    target: int
    marks: int


class SymbolicAutomaton:
    """As in `Automaton`; one initial state; it is not changed once made."""

    __slots__ = ("_components", "guards", "initial", "out", "sets")

    def __init__(self, guards: Guards, sets: int, initial: int, out: list[list[Out]]) -> None:
        self.guards = guards
        self.sets = sets
        self.initial = initial
        self.out = out
        self._components: list[list[int]] | None = None

    @property
    def states(self) -> int:
        return len(self.out)

    @property
    def edges(self) -> int:
        return sum(map(len, self.out))

    @property
    def all_marks(self) -> int:
        return (1 << self.sets) - 1

    def components(self) -> list[list[int]]:
        """Strongly connected components; those that others lead to come first."""
        if self._components is None:
            self._components = components([[edge.target for edge in out] for out in self.out])
        return self._components

    def component_of(self) -> list[int]:
        """For every state the number of its component in `components()`."""
        number = [0] * self.states
        for index, component in enumerate(self.components()):
            for state in component:
                number[state] = index
        return number

    def renamed(self, name: Callable[[int], int | None], states: int) -> SymbolicAutomaton:
        """States under other names; states that get none are left out, states that get the same one are one.

        Where states become one, the edges of that which has the smallest number are kept: they must be equivalent.
        """
        out: list[list[Out] | None] = [None] * states
        for state, edges in enumerate(self.out):
            new = name(state)
            if new is not None and out[new] is None:
                found = []
                for guard, target, marks in edges:
                    to = name(target)
                    if to is not None:
                        found.append(Out(guard, to, marks))
                out[new] = merged(self.guards, found)
        initial = name(self.initial)
        if initial is None:
            return SymbolicAutomaton(self.guards, self.sets, 0, [[]])
        return reachable(SymbolicAutomaton(self.guards, self.sets, initial, [edges or [] for edges in out]))


def merged(guards: Guards, edges: Sequence[Out]) -> list[Out]:
    """Edges with the same target and marks are one edge."""
    together: dict[tuple[int, int], int] = {}
    for guard, target, marks in edges:
        key = (target, marks)
        known = together.get(key)
        together[key] = guard if known is None else guards.either(known, guard)
    return [Out(guard, target, marks) for (target, marks), guard in together.items() if guard != FALSE]


def reachable(symbolic: SymbolicAutomaton) -> SymbolicAutomaton:
    """Only states that can be reached, numbered in the order in which they are found, the initial one first."""
    names = {symbolic.initial: 0}
    order = [symbolic.initial]
    for state in order:
        for edge in symbolic.out[state]:
            if edge.target not in names:
                names[edge.target] = len(order)
                order.append(edge.target)
    if order == list(range(symbolic.states)):
        return symbolic
    out = [[Out(guard, names[target], marks) for guard, target, marks in symbolic.out[state]] for state in order]
    return SymbolicAutomaton(symbolic.guards, symbolic.sets, 0, out)


def automaton_of(symbolic: SymbolicAutomaton, atoms: Sequence[Hashable], title: str) -> Automaton:
    """The automaton; with no initial state if it accepts nothing."""
    ends = {state for state in range(symbolic.states) if symbolic.out[state] == [Out(TRUE, state, symbolic.all_marks)]}
    edges = []
    for state, out in enumerate(symbolic.out):
        for guard, target, marks in out:
            edges.append(Edge(state, _cubes(symbolic, guard, out, ends), target, marks))
    initial = [symbolic.initial] if edges else []
    state_based = all(len({edge.marks for edge in out}) <= 1 for out in symbolic.out)
    return Automaton(atoms, symbolic.states, initial, edges, symbolic.sets, state_based=state_based, title=title)


def _cubes(symbolic: SymbolicAutomaton, guard: int, out: list[Out], ends: set[int]) -> tuple[Cube, ...]:
    """The cubes of a guard; with too many, simpler ones that differ only where the run is accepted whatever follows."""
    try:
        return symbolic.guards.cubes(guard)
    except TooManyCubes:
        free = FALSE
        for edge in out:
            if edge.target in ends:
                free = symbolic.guards.either(free, edge.guard)
        return symbolic.guards.cubes_between(guard, symbolic.guards.either(guard, free))


def symbolic_of(automaton: Automaton) -> SymbolicAutomaton:
    """The way back, for automata that were read; several initial states become one."""
    guards = Guards()
    out = [
        [Out(guards.from_cubes(edge.guard), edge.target, edge.marks) for edge in automaton.edges_from(state)]
        for state in range(automaton.states)
    ]
    if len(automaton.initial) == 1:
        return SymbolicAutomaton(guards, automaton.sets, automaton.initial[0], out)
    out.append(merged(guards, [edge for state in automaton.initial for edge in out[state]]))
    return SymbolicAutomaton(guards, automaton.sets, len(out) - 1, out)
