"""Büchi automata: what a formula becomes, and what a search multiplies a model with.

An automaton reads an infinite sequence of letters; a letter says which atoms are true in a state of the model. It is
*generalised* (any number of acceptance sets) and *transition-based* (edges belong to acceptance sets): a run is
accepted if for every acceptance set it takes edges of that set infinitely often. With no acceptance set at all, every
infinite run is accepted. A plain Büchi automaton is the case of one set. A *state-based* automaton is the case in
which all edges that leave a state belong to the same sets; then the sets can be read off the states
(`marks_of_state`), and a run is accepted if it visits states of each set infinitely often. Automata may be non-
deterministic, and incomplete: a run that has no edge for the next letter ends, and is not accepted.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple

from kripke.presentation import presented


class Cube(NamedTuple):
    """A conjunction of atoms and negated atoms: bit i of `positive` asks for atom i, of `negative` for its absence."""

    positive: int
    negative: int

    def allows(self, letter: int) -> bool:
        """Is this true where exactly the atoms of the letter (bit i: atom i) are true?"""
        return letter & self.positive == self.positive and not letter & self.negative

    def literals(self) -> Iterator[tuple[int, bool]]:
        """(index of the atom, whether it must be true), by rising index."""
        rest, index = self.positive | self.negative, 0
        while rest:
            if rest & 1:
                yield index, bool(self.positive >> index & 1)
            rest >>= 1
            index += 1


ALWAYS = Cube(0, 0)
"""The cube without literals: true under every letter."""


class Edge(NamedTuple):
    """An edge is taken under a letter that one of the cubes allows. `marks`: bit k for membership in set k.

    `guard` has at least one cube (an edge that can never be taken is left out); `(ALWAYS,)` is true.
    """

    source: int
    guard: tuple[Cube, ...]
    target: int
    marks: int

    def allows(self, letter: int) -> bool:
        return any(cube.allows(letter) for cube in self.guard)


class Automaton:
    """States are the numbers 0 to `states` - 1.

    Invariants: edges are sorted by source; their masks stay below `1 << len(atoms)` and `1 << sets`; if `state_based`,
    edges from the same state have the same marks. There may be no initial state: the automaton that accepts nothing.

    atoms         what letters are about; atom i is bit i of a letter. Opaque here, shown with str()
    states        how many states
    initial       the initial states
    edges         all edges, sorted by source; `edges_from(state)` gives those of a state
    sets          how many acceptance sets; 0: every infinite run is accepted, 1: Büchi
    state_based   whether marks may be read off states
    title         what the automaton was made from, for people
    state_names   what the states stand for, for people; empty or one for each state
    """

    __slots__ = ("_first", "atoms", "edges", "initial", "sets", "state_based", "state_names", "states", "title")

    def __init__(
        self,
        atoms: Sequence[Hashable],
        states: int,
        initial: Iterable[int],
        edges: Iterable[Edge],
        sets: int,
        *,
        state_based: bool = False,
        title: str = "",
        state_names: Sequence[str] = (),
    ) -> None:
        self.atoms = tuple(atoms)
        self.states = states
        self.initial = tuple(initial)
        self.edges = tuple(sorted(edges, key=lambda edge: edge.source))
        self.sets = sets
        self.state_based = state_based
        self.title = title
        self.state_names = tuple(state_names)
        self._first = self._index()
        self._check()

    def _index(self) -> list[int]:
        """Where the edges of each state begin."""
        first = [0] * (self.states + 1)
        for edge in self.edges:
            if not 0 <= edge.source < self.states:
                raise ValueError(f"{edge} does not start in one of {self.states} states")
            first[edge.source + 1] += 1
        for state in range(self.states):
            first[state + 1] += first[state]
        return first

    def _check(self) -> None:
        letters, marks = 1 << len(self.atoms), 1 << self.sets
        for edge in self.edges:
            if not 0 <= edge.target < self.states:
                raise ValueError(f"{edge} does not end in one of {self.states} states")
            if not 0 <= edge.marks < marks:
                raise ValueError(f"{edge} is in more than {self.sets} acceptance sets")
            if not edge.guard or any(cube.positive | cube.negative >= letters for cube in edge.guard):
                raise ValueError(f"{edge} has no proper guard over {len(self.atoms)} atoms")
        if any(not 0 <= state < self.states for state in self.initial):
            raise ValueError(f"not all of {self.initial} are among {self.states} states")
        if self.state_based and any(
            edge.marks != following.marks
            for edge, following in zip(self.edges, self.edges[1:], strict=False)
            if edge.source == following.source
        ):
            raise ValueError("edges from the same state differ in their marks")

    def edges_from(self, state: int) -> tuple[Edge, ...]:
        return self.edges[self._first[state] : self._first[state + 1]]

    def marks_of_state(self, state: int) -> int:
        """The acceptance sets of a state of a state-based automaton; a state without edges is in none."""
        if not self.state_based:
            raise ValueError("this automaton has its marks on edges")
        edges = self.edges_from(state)
        return edges[0].marks if edges else 0

    @property
    def all_marks(self) -> int:
        return (1 << self.sets) - 1

    def successors(self, state: int, letter: int) -> Iterator[tuple[int, int]]:
        """(target, marks) of the edges that can be taken under a letter."""
        for edge in self.edges_from(state):
            if edge.allows(letter):
                yield edge.target, edge.marks

    def __repr__(self) -> str:
        kind = "state-based" if self.state_based else "transition-based"
        return f"<automaton: {self.states} states, {len(self.edges)} edges, {self.sets} sets, {kind}>"

    def _repr_svg_(self) -> str:
        return presented(self, "svg")
