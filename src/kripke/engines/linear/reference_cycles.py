"""The search for accepting cycles in pure Python: the whole product first, then its components.

Simple on purpose, and another algorithm than the native engine's: every state and edge is kept, the strongly connected
components are computed once, and fairness is decided on each (Emerson, Lei, 1987). For machines without a C compiler,
and to check the native engine against.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import NamedTuple

from kripke.engines.explicit.reference import BreadthFirst
from kripke.engines.explicit.search import ErrorPath, SearchRequest, Watch
from kripke.engines.reduction.at_safe_places import AtSafePlaces
from kripke.model.product import MarkedTransition, Product

Mover = Hashable
"""Whom fairness is about: a process, a statement of a process, or an event that demands its set."""


class _Edge(NamedTuple):
    target: bytes
    marks: int
    movers: frozenset[Mover]


class Cycles(BreadthFirst):
    """Breadth-first, so the way to the cycle is a shortest one."""

    def __init__(self, model: Product, request: SearchRequest, watch: Watch | None) -> None:
        super().__init__(model, request, watch)
        self.product = model
        self.chosen: dict[bytes, list[MarkedTransition]] = {}

    def note_steps(self, state: bytes, steps: list[MarkedTransition]) -> None:
        self.chosen[state] = steps

    def explore(self) -> None:
        super().explore()
        edges: dict[bytes, list[_Edge]] = {}
        enabled: dict[bytes, frozenset[Mover]] = {}
        fairness = self.request.fairness or ""
        for number, state in enumerate(self.parents):
            if number % 64 == 0:
                self.look_up()
            steps = self.chosen[state] if self.request.dependencies else self.product.marked_successors(state)
            enabled[state] = frozenset().union(
                events(self.product.demands(state)),
                *(able(step, fairness) for step in self._able(state, steps)),
            )
            edges[state] = [
                _Edge(step.transition.target, step.marks, movers(step, fairness) | events(step.marks))
                for step in steps
                if step.transition.target is not None and step.transition.target in self.parents
            ]
        found = self._accepting(edges, enabled)
        if found is not None:
            self._report(found, edges, enabled)

    def _able(self, state: bytes, steps: list[MarkedTransition]) -> Sequence[MarkedTransition]:
        """Steps by all who can move, those of them that a reduction leaves out included."""
        if not isinstance(self.product.base, AtSafePlaces):
            return self.product.able(state, steps)
        everything = Product(self.product.base.base, self.product.observer)
        return everything.able(state, everything.marked_successors(state))

    def _accepting(
        self, edges: dict[bytes, list[_Edge]], enabled: dict[bytes, frozenset[Mover]]
    ) -> frozenset[bytes] | None:
        """The states of a component in which there is an accepted, fair cycle through all of them."""
        waiting = [frozenset(edges)]
        while waiting:
            for component in components(waiting.pop(), lambda state: [edge.target for edge in edges[state]]):
                inside = [edge for state in component for edge in edges[state] if edge.target in component]
                marks = 0
                for edge in inside:
                    marks |= edge.marks
                if not inside or ~marks & (1 << self.request.sets) - 1:
                    continue
                moved = frozenset().union(*(edge.movers for edge in inside))
                if (self.request.fairness or "").startswith("weak"):
                    always = frozenset.intersection(*(enabled[state] for state in component))
                    if not always <= moved:
                        continue
                else:
                    starved = frozenset().union(*(enabled[state] for state in component)) - moved
                    if starved:
                        waiting.append(frozenset(state for state in component if not enabled[state] & starved))
                        continue
                return component
        return None

    def _report(
        self,
        component: frozenset[bytes],
        edges: dict[bytes, list[_Edge]],
        enabled: dict[bytes, frozenset[Mover]],
    ) -> None:
        """A cycle in the component with every mark, and every edge or state that fairness asks for."""
        start = next(state for state in self.parents if state in component)
        loop = [start]

        def walk(accept: Callable[[bytes, _Edge], bool]) -> None:
            loop.extend(_walk(loop[-1], component, edges, accept))

        missing = (1 << self.request.sets) - 1
        while missing:
            gained = 0

            def marked(_: bytes, edge: _Edge, wanted: int = missing) -> bool:
                nonlocal gained
                gained = edge.marks
                return bool(edge.marks & wanted)

            walk(marked)
            missing &= ~gained
        moved = frozenset().union(
            *(edge.movers for state in component for edge in edges[state] if edge.target in component)
        )
        for mover in sorted(frozenset().union(*(enabled[state] for state in component)), key=repr):
            if mover in moved:
                walk(lambda _, edge, mover=mover: mover in edge.movers)  # type: ignore[misc]
            else:
                walk(lambda state, _, mover=mover: mover not in enabled[state])  # type: ignore[misc]
        if len(loop) == 1 or loop[-1] != start:
            walk(lambda _, edge: edge.target == start)
        path = (*self.path(start), *loop[1:])
        self.errors += 1
        loop_start = len(path) - len(loop)
        self.error_paths["cycle", -1, -1] = ErrorPath("cycle", -1, -1, path, loop_start)
        self.stop("error")


def able(step: MarkedTransition, fairness: str) -> frozenset[Mover]:
    """Who can make a step, as far as a fairness is concerned."""
    if not fairness or step.edge is None:
        return frozenset()
    return frozenset((step.edge,)) if fairness.endswith("-edges") else frozenset((step.actor,)) - {None}


def movers(step: MarkedTransition, fairness: str) -> frozenset[Mover]:
    """Who moves in a step: also those who receive in a rendezvous."""
    if not fairness or fairness.endswith("-edges"):
        return able(step, fairness)
    return frozenset(part.actor for part in step.transition.parts)


def events(sets: int) -> frozenset[Mover]:
    """Sets of events as those who are to move."""
    return frozenset(("event", number) for number in range(sets.bit_length()) if sets >> number & 1)


def _walk(
    start: bytes,
    component: frozenset[bytes],
    edges: dict[bytes, list[_Edge]],
    accept: Callable[[bytes, _Edge], bool],
) -> list[bytes]:
    """The shortest way from a state, inside, whose last edge is accepted; without the state itself."""
    before: dict[bytes, bytes] = {}
    queue = deque([start])
    while queue:
        state = queue.popleft()
        for edge in edges[state]:
            if edge.target not in component:
                continue
            if accept(state, edge):
                way = [edge.target]
                while state != start:
                    way.append(state)
                    state = before[state]
                return way[::-1]
            if edge.target != start and edge.target not in before:
                before[edge.target] = state
                queue.append(edge.target)
    raise AssertionError("the component is not connected")


def components(states: frozenset[bytes], targets: Callable[[bytes], Iterable[bytes]]) -> list[frozenset[bytes]]:
    """The strongly connected components of a part of a graph (Kosaraju, Sharir)."""
    order: list[bytes] = []
    seen: set[bytes] = set()
    for start in states:
        if start in seen:
            continue
        seen.add(start)
        stack = [(start, iter([t for t in targets(start) if t in states]))]
        while stack:
            state, following = stack[-1]
            target = next(following, None)
            if target is None:
                order.append(state)
                stack.pop()
            elif target not in seen:
                seen.add(target)
                stack.append((target, iter([t for t in targets(target) if t in states])))
    back: dict[bytes, list[bytes]] = {state: [] for state in states}
    for state in states:
        for target in targets(state):
            if target in states:
                back[target].append(state)
    found: list[frozenset[bytes]] = []
    done: set[bytes] = set()
    for start in reversed(order):
        if start in done:
            continue
        done.add(start)
        component, waiting = [start], [start]
        while waiting:
            for state in back[waiting.pop()]:
                if state not in done:
                    done.add(state)
                    component.append(state)
                    waiting.append(state)
        found.append(frozenset(component))
    return found
