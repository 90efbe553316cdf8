"""The whole state space of a model as a graph in memory, with the operators of branching time.

``build`` makes it with the native engine where the model can be compiled, else by the reference semantics. A set of
states is an integer: bit i is state i. Both forms number states in the same order and give the same sets.
"""

from __future__ import annotations

import builtins
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from kripke.engines.explicit.search import Progress, Reason, Watch
from kripke.model.model import Model

if TYPE_CHECKING:
    from kripke import _native
    from kripke.engines.explicit import native

StateSet = int


@dataclass(frozen=True, slots=True)
class GraphLimits:
    """A limit of 0 is none."""

    max_states: int = 0
    memory: int = 0
    time_limit: float = 0.0


class StateGraph(Protocol):
    """States from 0 on, the initial ones first. Operators are for graphs that are complete."""

    @property
    def states(self) -> int: ...
    @property
    def edges(self) -> int: ...
    @property
    def initial_states(self) -> int: ...
    @property
    def reason(self) -> Reason:
        """Why the graph is not complete; "error": a step broke something and leads nowhere."""

    @property
    def bytes(self) -> int:
        """Memory it takes; 0 where that is not known."""

    @property
    def longest(self) -> int:
        """The length of its longest state."""

    def state(self, number: int) -> builtins.bytes: ...
    def successors(self, number: int) -> Sequence[int]: ...
    def labels(self, number: int) -> Sequence[int]:
        """The statements of the steps to the successors; empty where the graph is not labelled."""

    @property
    def undecided(self) -> bool:
        """Could an atom not be evaluated in some state? There it counts as false."""

    def atom(self, name: str) -> StateSet: ...
    def exists_step(self, statements: Collection[int], inside: StateSet) -> StateSet:
        """A step of one of these statements leads inside; only of graphs that are labelled."""

    def exists_next(self, inside: StateSet) -> StateSet: ...
    def exists_until(self, through: StateSet, reached: StateSet) -> StateSet: ...
    def exists_globally(self, inside: StateSet) -> StateSet: ...


def build(
    model: Model,
    atoms: Sequence[str] = (),
    limits: GraphLimits | None = None,
    library: native.Model | None = None,
    watch: Watch | None = None,
    *,
    labelled: bool = False,
) -> StateGraph:
    """The graph, with the truth of these atoms; by the native engine where there is a compiled model."""
    limits = limits or GraphLimits()
    if library is None:
        return ReferenceGraph(model, atoms, limits)
    return NativeGraph(library, model, atoms, limits, watch, labelled=labelled)


class NativeGraph:
    def __init__(
        self,
        library: native.Model,
        model: Model,
        atoms: Sequence[str],
        limits: GraphLimits,
        watch: Watch | None,
        *,
        labelled: bool,
    ) -> None:
        from kripke._native import graph
        from kripke.memory import default_limit

        numbers = {name: number for number, name in enumerate(model.atoms)}
        self._places = {name: place for place, name in enumerate(atoms)}
        self._graph: _native.Graph = graph(
            library,
            atoms=[numbers[name] for name in atoms],
            max_states=limits.max_states,
            memory_limit=limits.memory or default_limit(),
            time_limit=limits.time_limit,
            progress=None if watch is None else lambda *figures: watch(Progress(*figures)),
            labelled=labelled,
        )
        self._statements = len(model.statements)
        self.undecided = self._graph.undecided
        self.bytes = self._graph.bytes
        self.longest = self._graph.longest
        self.states = self._graph.states
        self.edges = self._graph.edges
        self.initial_states = self._graph.initial_states
        self.reason: Reason = self._graph.reason  # type: ignore[assignment]
        self._set_bytes = (self.states + 63) // 64 * 8

    def state(self, number: int) -> builtins.bytes:
        return self._graph.state(number)

    def successors(self, number: int) -> Sequence[int]:
        return self._graph.successors(number)

    def labels(self, number: int) -> Sequence[int]:
        return self._graph.labels(number)

    def atom(self, name: str) -> StateSet:
        return int.from_bytes(self._graph.atom(self._places[name]), "little")

    def exists_next(self, inside: StateSet) -> StateSet:
        return int.from_bytes(self._graph.ex(self._bits(inside)), "little")

    def exists_step(self, statements: Collection[int], inside: StateSet) -> StateSet:
        labels = bytes(number in statements for number in range(self._statements))
        return int.from_bytes(self._graph.ex_by(self._bits(inside), labels), "little")

    def exists_until(self, through: StateSet, reached: StateSet) -> StateSet:
        return int.from_bytes(self._graph.eu(self._bits(through), self._bits(reached)), "little")

    def exists_globally(self, inside: StateSet) -> StateSet:
        return int.from_bytes(self._graph.eg(self._bits(inside)), "little")

    def _bits(self, states: StateSet) -> builtins.bytes:
        return states.to_bytes(self._set_bytes, "little")


class ReferenceGraph:
    """By the interpreter: slow and simple, to check the native graph against."""

    def __init__(self, model: Model, atoms: Sequence[str], limits: GraphLimits) -> None:
        from time import perf_counter

        start = perf_counter()
        numbers: dict[builtins.bytes, int] = {}
        for state in model.initial():
            numbers.setdefault(state, len(numbers))
        self.initial_states = len(numbers)
        self.reason: Reason = ""
        self._states = list(numbers)
        self._successors: list[list[int]] = []
        self._labels: list[list[int]] = []
        self.undecided = False
        for state in self._states:  # the list grows while we walk along it
            targets: list[int] = []
            labels: list[int] = []
            for parts, target, violations, _ in model.successors(state):
                if violations:
                    self.reason = "error"
                if target is None:
                    continue
                if target not in numbers:
                    if limits.max_states and len(numbers) >= limits.max_states:
                        self.reason = "states"
                        break
                    numbers[target] = len(numbers)
                    self._states.append(target)
                targets.append(numbers[target])
                labels.append(parts[-1].statement if parts else 0)
            self._successors.append(targets)
            self._labels.append(labels)
            if limits.time_limit and perf_counter() - start > limits.time_limit:
                self.reason = "time"
            if self.reason in ("states", "time"):
                break
        self.states = len(self._states)
        self.bytes = 0
        self.longest = max(map(len, self._states), default=0)
        self.edges = sum(map(len, self._successors))
        wanted = [(name, list(model.atoms).index(name)) for name in atoms]
        self._atoms = dict.fromkeys(atoms, 0)
        if wanted:
            for number, state in enumerate(self._states):
                truth = model.atom_values(state)
                failed = model.failed_atoms(state)
                for name, place in wanted:
                    self.undecided |= bool(failed >> place & 1)
                    self._atoms[name] |= truth[place] << number

    def state(self, number: int) -> builtins.bytes:
        return self._states[number]

    def successors(self, number: int) -> Sequence[int]:
        return self._successors[number]

    def labels(self, number: int) -> Sequence[int]:
        return self._labels[number]

    def atom(self, name: str) -> StateSet:
        return self._atoms[name]

    def exists_next(self, inside: StateSet) -> StateSet:
        found = 0
        for number, targets in enumerate(self._successors):
            if any(inside >> target & 1 for target in targets):
                found |= 1 << number
        return found

    def exists_step(self, statements: Collection[int], inside: StateSet) -> StateSet:
        found = 0
        for number, (targets, labels) in enumerate(zip(self._successors, self._labels, strict=True)):
            steps = zip(targets, labels, strict=True)
            if any(label in statements and inside >> target & 1 for target, label in steps):
                found |= 1 << number
        return found

    def exists_until(self, through: StateSet, reached: StateSet) -> StateSet:
        """The least set with ``reached`` and everything in ``through`` that leads into it."""
        found, before = reached, -1
        while found != before:
            before = found
            found |= through & self.exists_next(found)
        return found

    def exists_globally(self, inside: StateSet) -> StateSet:
        """The greatest part of ``inside`` whose every state leads into it, or nowhere."""
        ends = sum(1 << number for number, targets in enumerate(self._successors) if not targets)
        found, before = inside, -1
        while found != before:
            before = found
            found = inside & (ends | self.exists_next(found))
        return found
