"""Directed searches in pure Python, as in ``native/searches/directed.h`` and ``native/searches/deepening.h``.

A*: P. Hart, N. Nilsson, B. Raphael, A formal basis for the heuristic determination of minimum cost paths, 1968.
IDA*: R. Korf, Depth-first iterative-deepening: an optimal admissible tree search, 1985.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace

from kripke.engines.directed.guidance import Guidance
from kripke.engines.explicit.reference import LOOK_EVERY, ReferenceSearch
from kripke.engines.explicit.search import Expansions, Outcome, SearchRequest, Watch
from kripke.model.capabilities.estimate import UNREACHABLE
from kripke.model.model import Model, Transition
from kripke.model.observer import Strength
from kripke.model.product import Product


def directed_search(model: Model, request: SearchRequest, watch: Watch | None) -> ReferenceSearch:
    if isinstance(model, Product) and model.observer.strength is not Strength.ALARMS:
        from kripke.engines.directed.cycles import DirectedCycles

        return DirectedCycles(model, request, watch)
    deep = request.order in ("ida", "directed-dfs")
    return (Deepening if deep else BestFirst)(model, request, watch)


class DirectedSearch(ReferenceSearch):
    """What both have in common: estimates, and errors that are looked for when a state is first met."""

    def __init__(self, model: Model, request: SearchRequest, watch: Watch | None) -> None:
        super().__init__(model, request, watch)
        assert request.guidance is not None
        self.guidance: Guidance = request.guidance
        self.estimate = self._estimate()
        self.expanded = self.reopened = self.rounds = 0
        self.deepest = 0

    def _estimate(self) -> Callable[[bytes], int]:
        guidance, model = self.guidance, self.model
        if guidance.active:
            return lambda state: movers(model.successors(state), has_actors=model.has_actors)
        if not guidance.estimators:
            return lambda state: 0
        if isinstance(model, Product):
            product = model

            def by_observer(state: bytes) -> int:
                number = guidance.of_observer[product.split(state)[1]]
                return 0 if number < 0 else guidance.estimators[number].steps(product.inner_state(state))

            return by_observer
        return guidance.estimators[0].steps

    def first_look(self, state: bytes) -> tuple[int, bool]:
        """Look for errors in a state that was just met: the estimate, at least 1 where there is none, and whether a
        deadlock was looked for."""
        self.states += 1
        self.longest = max(self.longest, len(state))
        if self.request.invariants:
            self.check_invariants(state)
        steps = min(self.estimate(state), UNREACHABLE)
        blind = self.guidance.is_blind
        looks = blind or steps == 0
        if looks and self.request.deadlock and not self.model.successors(state):
            self.check_end(state)
        return 0 if blind else max(1, steps), looks

    def targets(self, state: bytes, steps: list[Transition], *, muted: bool, looked: bool) -> list[bytes]:
        """Where steps lead; what goes wrong in them, and that there are none, is told."""
        found: list[bytes] = []
        if not steps and not muted and not looked:
            self.check_end(state)
        for parts, target, violations, _ in steps:
            for part in parts:
                self.covered[part[1]] = 1
            if violations and not muted:
                self.failing(len(found))
                self.found_violations(violations, state)
            if target is not None:
                found.append(target)
        return found

    def failing(self, before: int) -> None:
        """A step fails, after others that lead somewhere."""

    def depth(self) -> int:
        return self.deepest

    def outcome(self) -> Outcome:
        return replace(super().outcome(), expansions=Expansions(self.expanded, self.reopened, self.rounds))


class _Node:
    __slots__ = ("closed", "estimate", "expanded", "looked", "parent", "steps")

    def __init__(self, steps: int, parent: bytes | None) -> None:
        self.steps = steps
        self.estimate = 0
        self.parent = parent
        self.closed = self.expanded = self.looked = False


class BestFirst(DirectedSearch):
    """A*, weighted A*, greedy best-first and breadth-first search: one open list, in buckets of equal value."""

    def __init__(self, model: Model, request: SearchRequest, watch: Watch | None) -> None:
        super().__init__(model, request, watch)
        self.nodes: dict[bytes, _Node] = {}
        self.buckets: dict[int, deque[tuple[bytes, int]]] = {}
        self.open = 0
        self.closed = _Closed(self.nodes)
        self.successors = self.steps_away_from(self.closed)

    def explore(self) -> None:
        for state in self.initial():
            self.transitions += 1
            self._meet(state, 0, None)
        visits = 0
        while self.buckets:
            value = min(self.buckets)
            bucket = self.buckets[value]
            state, steps = bucket.pop() if self.guidance.newest else bucket.popleft()
            if not bucket:
                del self.buckets[value]
            node = self.nodes[state]
            if node.closed or node.steps != steps:
                continue  # it was put elsewhere since
            self.open -= 1
            node.closed = True
            self.expanded += 1
            if visits % LOOK_EVERY == 0:
                self.look_up()
            visits += 1
            muted, node.expanded = node.expanded, True
            for target in self.targets(state, self.successors(state), muted=muted, looked=node.looked):
                self.transitions += 1
                self._meet(target, steps + 1, state)

    def failing(self, before: int) -> None:
        if self.request.stop_at_first:
            self.transitions += before + 1

    def _meet(self, state: bytes, steps: int, parent: bytes | None) -> None:
        node = self.nodes.get(state)
        if node is None:
            if self.request.max_states and self.states >= self.request.max_states:
                self.stop("states")
            node = self.nodes[state] = _Node(steps, parent)
            self.deepest = max(self.deepest, steps)
            node.estimate, node.looked = self.first_look(state)
        elif steps < node.steps and self.guidance.behind:
            node.steps, node.parent = steps, parent
            self.reopened += node.closed
            self.open -= not node.closed
            node.closed = False
        else:
            return
        value = self.guidance.behind * steps + self.guidance.ahead * node.estimate
        self.buckets.setdefault(value, deque()).append((state, steps))
        self.open += 1

    def path(self, state: bytes) -> tuple[bytes, ...]:
        states = [state]
        while (parent := self.nodes[states[-1]].parent) is not None:
            states.append(parent)
        return tuple(reversed(states))

    def queue(self) -> int:
        return self.open

    def store_bytes(self) -> int:
        return len(self.nodes) * (self.longest + 64)


class _Closed:
    """The states that are expanded and wait for nothing, for partial-order reduction."""

    def __init__(self, nodes: dict[bytes, _Node]) -> None:
        self.nodes = nodes

    def __contains__(self, state: object) -> bool:
        node = self.nodes.get(state)  # type: ignore[call-overload]
        return node is not None and node.closed


class Deepening(DirectedSearch):
    """IDA*: depth-first, but not where steps behind and steps ahead are more than a limit, which is raised to the least
    value above it until nothing is left out. Depth-first search is the same without a limit.

    In a round, a state that is met again by a way that is not shorter is passed over.
    """

    def __init__(self, model: Model, request: SearchRequest, watch: Watch | None) -> None:
        super().__init__(model, request, watch)
        self.estimates: dict[bytes, tuple[int, bool]] = {}
        self.met: dict[bytes, int] = {}
        self.stack: list[bytes] = []
        self.told: set[bytes] = set()
        self.limited = request.order == "ida"

    def explore(self) -> None:
        limit: int | None = 0 if self.limited else None
        while limit is not None or self.rounds == 0:
            self.rounds += 1
            self.met = {}
            limit = self._round(limit)

    def _round(self, limit: int | None) -> int | None:
        """The least value that was above the limit; None: nothing was."""
        guidance = self.guidance
        above: int | None = None
        pending = [(state, 0) for state in reversed(self.initial())]
        visits = 0
        while pending:
            state, steps = pending.pop()
            del self.stack[steps:]
            self.transitions += 1
            if state in self.met and (not self.limited or self.met[state] <= steps):
                continue
            known = state in self.estimates
            if not known:
                if self.request.max_states and self.states >= self.request.max_states:
                    self.stop("states")
                self.stack.append(state)
                self.estimates[state] = self.first_look(state)
                self.stack.pop()
            estimate, looked = self.estimates[state]
            value = guidance.behind * steps + guidance.ahead * estimate
            if limit is not None and value > limit:
                above = value if above is None else min(above, value)
                continue
            self.reopened += state in self.met
            self.met[state] = steps
            self.stack.append(state)
            self.deepest = max(self.deepest, steps)
            self.expanded += 1
            if visits % LOOK_EVERY == 0:
                self.look_up()
            visits += 1
            targets = self.targets(state, self.all_steps(state), muted=state in self.told, looked=looked)
            self.told.add(state)
            pending += [(target, steps + 1) for target in reversed(targets)]
        return above

    def path(self, state: bytes) -> tuple[bytes, ...]:
        return tuple(self.stack)

    def queue(self) -> int:
        return len(self.stack)

    def store_bytes(self) -> int:
        return len(self.estimates) * (self.longest + 64)


def movers(steps: list[Transition], *, has_actors: bool) -> int:
    """How many can move: actors, or transitions where nobody acts."""
    if not has_actors:
        return len({step.parts[0].statement for step in steps if step.parts})
    return len({part.actor for step in steps for part in step.parts})
