"""All reachable states as one diagram, shortest ways in rings, and what is wrong in states.

In the engine's own diagrams the set is closed by saturation, group by group of commands from the bottom up. With other
packages, or where a command is several relations, it is closed by chaining: every command is applied to all that is
known when its turn comes, those near the bottom of the diagrams first (Roig, Cortadella, Pastor: Verification of
asynchronous circuits by BDD-based model checking of Petri nets, ICATPN 1995). Ways are found afterwards, in rings of
equal distance, and where these take long, through the sets of such a chain.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from time import perf_counter

from kripke.engines.apart import Report
from kripke.engines.diagrams.manager import Node
from kripke.engines.diagrams.native import NativeManager
from kripke.engines.diagrams.space import Relation, Space
from kripke.engines.explicit.search import Progress

#: sets of states in which something is wrong, each with what that is: kind, code, statement
Wrong = list[tuple[Node, str, int, int]]


_PAUSE = 0.3  # seconds between two counts of states


class Reached:
    """The states of a system that are reached. ``sweeps`` says how often all commands, or a group of them, were closed
    under. Saturation gives up (``DiagramsTooLarge``) beyond ``most_nodes``; 0: never."""

    def __init__(self, space: Space, report: Report, most_nodes: int = 0) -> None:
        self.space = space
        self.manager = space.manager
        self._report, self._begin = report, perf_counter()
        self.states: Node = space.initial
        self.sweeps = 0
        self.most_nodes = most_nodes
        self._count, self._told = 0, 0.0

    def close(self, stop: Callable[[Node], bool]) -> bool:
        """Everything that is reached; False: ``stop`` was true of what was reached so far."""
        if self.space.own is not None:
            return self._saturated(self.space.own, stop)
        return self._chained(self.space.relations, stop)

    def _chained(self, relations: Sequence[Relation], stop: Callable[[Node], bool]) -> bool:
        fired: list[Node] = [None] * len(relations)
        while True:
            before = self.states
            for number, relation in enumerate(relations):
                if fired[number] is not None and fired[number] == self.states:
                    continue
                fired[number] = self.states
                self.states |= self.space.image(relation, self.states)
            self.sweeps += 1
            self.manager.watch_growth()
            self.tell()
            if stop(self.states):
                return False
            if self.states == before:
                return True

    def _saturated(self, own: NativeManager, stop: Callable[[Node], bool]) -> bool:
        """By the commands that are single relations; by the others in between."""
        numbers = [relation.number for relation in self.space.relations if relation.number is not None]
        others = [relation for relation in self.space.relations if relation.number is None]
        groups = own.arranged(numbers)
        while True:
            for group in reversed(range(groups)):
                self.states = own.closure(self.states, group, self.most_nodes, self._tell_nodes)
                self.sweeps += 1
                self.tell()
                if stop(self.states):
                    return False
            before = self.states
            for relation in others:
                self.states |= self.space.image(relation, self.states)
            if self.states == before:
                return True

    def tell(self) -> None:
        now = perf_counter()
        if now - self._told > _PAUSE:
            self._told = now
            self._count = self.manager.count(self.states, self.space.names)
            self._told = perf_counter()
            self._tell_nodes()

    def _tell_nodes(self) -> None:
        """The states are those of the last time they were counted."""
        seconds = perf_counter() - self._begin
        self._report(Progress(self._count, 0, self.sweeps, self.manager.nodes, self.manager.bytes, seconds))


class Rings:
    """Layers of states, nearest first; those inside a step lie between the ring it starts from and the next."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self.layers: list[Node] = [space.initial]
        self.known: Node = space.initial
        self.ring: Node = space.initial
        self.depth = 0

    def advance(self) -> bool:
        """One step of the model further; False: nothing new."""
        space, nothing = self.space, self.space.manager.false
        waiting, following = self.ring, nothing
        while waiting != nothing:
            new = space.after(waiting) & ~self.known
            self.known |= new
            following |= new & space.stable
            waiting = new & ~space.stable
            if waiting != nothing:
                self.layers.append(waiting)
        self.ring = following
        if following == nothing:
            return False
        self.layers.append(following)
        self.depth += 1
        return True

    def way_to(self, state: Sequence[int]) -> list[tuple[int, ...]]:
        """A shortest way from an initial state, states inside of steps included."""
        space = self.space
        path = [tuple(state)]
        while space.only(path[-1]) & space.initial == space.manager.false:
            before = space.before(space.only(path[-1]))
            layer = next(layer for layer in self.layers if layer & before != space.manager.false)
            path.append(space.one(layer & before))
        return path[::-1]


class Chain:
    """Growing sets of states, each by one command from the one before: they end after a few rounds of the commands,
    where there are hundreds of rings. A way through them need not be a shortest one."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self._sets: list[Node] = [space.initial]
        self._by: list[Relation] = []

    def until(self, goal: Node) -> Node:
        """What is known when some state of the goal is; it must be reachable."""
        nothing = self.space.manager.false
        while self._sets[-1] & goal == nothing:
            before = self._sets[-1]
            for relation in self.space.relations:
                known = self._sets[-1] | self.space.image(relation, self._sets[-1])
                if known != self._sets[-1]:
                    self._sets.append(known)
                    self._by.append(relation)
                    if known & goal != nothing:
                        break
            if self._sets[-1] == before:
                raise RuntimeError("the goal is not reached")
        return self._sets[-1]

    def way_to(self, state: Sequence[int]) -> list[tuple[int, ...]]:
        """A way from an initial state, states inside of steps included."""
        space, nothing = self.space, self.space.manager.false
        path, last = [tuple(state)], len(self._sets)
        while True:
            here = space.only(path[-1])
            last = bisect_left(range(last), True, key=lambda number: self._sets[number] & here != nothing)
            if last == 0:
                return path[::-1]
            path.append(space.one(space.before(here, [self._by[last - 1]]) & self._sets[last - 1]))


def first_wrong(states: Node, wrong: Wrong, nothing: Node) -> tuple[Node, str, int, int] | None:
    for where, kind, code, statement in wrong:
        found = states & where
        if found != nothing:
            return found, kind, code, statement
    return None
