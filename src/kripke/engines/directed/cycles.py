"""Directed search for accepted cycles, in pure Python: A* to where cycles may be accepted, a nested search there.

After HSF-SPIN (SPIN 2001, section 4): outside of components of the observer with accepted cycles, states come in the
order of their promise. A state in such a component is searched depth-first, inside the component: where every cycle is
accepted (F), a state on the stack closes one at once; where only some are (P), a second search looks for the way back
to a marked edge, nearest states first. States beyond the component wait among the others.

A nested search of one component after the other, in any order, finds a cycle if there is one: a cycle of the product
lies in one component of the observer, and inside it this is nested depth-first search (C. Courcoubetis, M. Vardi,
P. Wolper, M. Yannakakis, 1992).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from heapq import heappop, heappush

from kripke.engines.directed.claim import classify
from kripke.engines.directed.reference import DirectedSearch
from kripke.engines.explicit.reference import LOOK_EVERY
from kripke.engines.explicit.search import ErrorPath, SearchRequest, Watch
from kripke.model.capabilities.estimate import UNREACHABLE, Estimate
from kripke.model.model import Model
from kripke.model.product import MarkedTransition, Product


class DirectedCycles(DirectedSearch):
    """Orders "astar" and "best-first" as above; "directed-dfs" is the improved nested search alone."""

    def __init__(self, model: Model, request: SearchRequest, watch: Watch | None) -> None:
        super().__init__(model, request, watch)
        assert isinstance(model, Product)
        self.product = model
        self.claim = classify(model.observer)
        self.only_nested = request.order == "directed-dfs"
        self.parents: dict[bytes, bytes | None] = {}
        self.steps_to: dict[bytes, int] = {}
        self.seen: set[bytes] = set()
        self.closed: set[bytes] = set()  # expanded, or on or behind a stack
        self.returning: set[bytes] = set()  # seen by a second search
        self.buckets: dict[int, deque[tuple[bytes, int]]] = {}
        self.visits = 0

    # --- the open list ------------------------------------------------------------------------------------------------

    def explore(self) -> None:
        for state in self.initial():
            self.transitions += 1
            self._count(state)
            self._meet(state, 0, None)
        while self.buckets:
            value = min(self.buckets)
            bucket = self.buckets[value]
            state, steps = bucket.pop() if self.guidance.newest else bucket.popleft()
            if not bucket:
                del self.buckets[value]
            if state in self.closed or self.steps_to[state] != steps:
                continue
            if self.only_nested or self._kind(state) != "N":
                self._nested(state)
                continue
            self._close(state)
            for step in self._steps(state):
                assert step.transition.target is not None
                self._meet(step.transition.target, steps + 1, state)

    def _kind(self, state: bytes) -> str:
        return self.claim.kind[self.product.split(state)[1]]

    def _component(self, state: bytes) -> int:
        return self.claim.component[self.product.split(state)[1]]

    def _meet(self, state: bytes, steps: int, parent: bytes | None) -> None:
        known = self.steps_to.get(state)
        if state in self.closed or (known is not None and known <= steps):
            return
        self.parents[state], self.steps_to[state] = parent, steps
        self.deepest = max(self.deepest, steps)
        estimate = 0 if self.only_nested or self._kind(state) != "N" else min(self.estimate(state), UNREACHABLE)
        value = self.guidance.behind * steps + self.guidance.ahead * estimate
        self.buckets.setdefault(value, deque()).append((state, steps))

    def _count(self, state: bytes) -> None:
        if state in self.seen:
            return
        self.seen.add(state)
        if self.request.max_states and self.states >= self.request.max_states:
            self.stop("states")
        self.states += 1
        self.longest = max(self.longest, len(state))

    def _close(self, state: bytes) -> None:
        self.closed.add(state)
        self.expanded += 1
        if self.visits % LOOK_EVERY == 0:
            self.look_up()
        self.visits += 1

    def _steps(self, state: bytes) -> list[MarkedTransition]:
        """The steps that lead somewhere; alarms are told."""
        found: list[MarkedTransition] = []
        for step in self.product.marked_successors(state):
            for part in step.transition.parts:
                self.covered[part.statement] = 1
            if step.transition.violations:
                self.found_violations(step.transition.violations, state)
            if step.transition.target is not None:
                found.append(step)
        for step in found:
            assert step.transition.target is not None
            self.transitions += 1
            self._count(step.transition.target)
        return found

    # --- the nested search --------------------------------------------------------------------------------------------

    def _nested(self, root: bytes) -> None:
        """Depth-first from a state, inside the component of the observer that it is in; the improved search alone goes
        everywhere."""
        stack: list[tuple[bytes, Iterator[MarkedTransition], list[MarkedTransition]]] = []
        on_stack: dict[bytes, int] = {}

        def enter(state: bytes) -> None:
            self._close(state)
            steps = self._steps(state)
            on_stack[state] = len(stack)
            stack.append((state, iter(steps), steps))
            self.deepest = max(self.deepest, self.steps_to[root] + len(stack))

        enter(root)
        while stack:
            state, rest, steps = stack[-1]
            step = next(rest, None)
            if step is None:
                if self._kind(state) == "P":
                    for marked in steps:
                        target = marked.transition.target
                        assert target is not None
                        if marked.marks and self._component(target) == self._component(state):
                            self._way_back(state, target, on_stack)
                stack.pop()
                del on_stack[state]
                continue
            target = step.transition.target
            assert target is not None
            inside = self._component(target) == self._component(state)
            if inside and target in on_stack and (self._kind(state) == "F" or step.marks):
                # In F every cycle is accepted; in P this one is, by its last edge.
                path = [one for one, _, _ in stack]
                self._report(path, on_stack[target], [target])
            if target in self.closed:
                continue
            if not inside and not self.only_nested:
                self._meet(target, self.steps_to[state] + 1, state)
                continue
            self.parents[target], self.steps_to[target] = state, self.steps_to[state] + 1
            enter(target)

    def _way_back(self, seed: bytes, start: bytes, on_stack: dict[bytes, int]) -> None:
        """From the target of a marked edge of the seed back to it, or to a state on the stack before it: what looks
        nearest to the seed comes first."""
        if start in on_stack:
            self._close_cycle(seed, [start], on_stack)
        if start in self.returning:
            return
        distance = self._distance_to(seed)
        before: dict[bytes, bytes | None] = {start: None}
        self.returning.add(start)
        order = 0
        waiting = [(distance(start), order, start)]
        while waiting:
            _, _, state = heappop(waiting)
            if self.visits % LOOK_EVERY == 0:
                self.look_up()
            self.visits += 1
            self.reopened += 1
            for step in self.product.marked_successors(state):
                target = step.transition.target
                if target is None or self._component(target) != self._component(seed):
                    continue
                self.transitions += 1
                if target in on_stack:
                    way = [target]
                    at: bytes | None = state
                    while at is not None:
                        way.append(at)
                        at = before[at]
                    self._close_cycle(seed, way[::-1], on_stack)
                if target not in self.returning:
                    self.returning.add(target)
                    before[target] = state
                    order -= 1
                    heappush(waiting, (distance(target), order, target))

    def _close_cycle(self, seed: bytes, way: list[bytes], on_stack: dict[bytes, int]) -> None:
        """A way from the seed to a state on the stack."""
        path = list(on_stack)
        assert path[-1] == seed
        self._report(path, on_stack[way[-1]], way)

    def _report(self, stack: list[bytes], first: int, way: list[bytes]) -> None:
        """The cycle from the state of the stack with this number to its end, and on by a way back to it."""
        lead = list(self.path(stack[0]))[:-1]
        path = (*lead, *stack, *way)
        self.errors += 1
        self.error_paths["cycle", -1, -1] = ErrorPath("cycle", -1, -1, path, len(lead) + first)
        self.stop("error")

    def _distance_to(self, seed: bytes) -> Callable[[bytes], int]:
        """An estimate of the steps to a state: by the model, else in how many bytes a state differs from it."""
        known = self.product.base.capability(Estimate)
        wanted = self.product.inner_state(seed)
        found = known.distance_to_state(wanted) if known is not None else None
        if found is not None:
            local = found
            return lambda state: local(self.product.inner_state(state))
        return lambda state: sum(a != b for a, b in zip(state, seed, strict=False)) + abs(len(state) - len(seed))

    # --- figures ------------------------------------------------------------------------------------------------------

    def path(self, state: bytes) -> tuple[bytes, ...]:
        states = [state]
        while (parent := self.parents[states[-1]]) is not None:
            states.append(parent)
        return tuple(reversed(states))

    def queue(self) -> int:
        return sum(map(len, self.buckets.values()))

    def store_bytes(self) -> int:
        return len(self.steps_to) * (self.longest + 64)
