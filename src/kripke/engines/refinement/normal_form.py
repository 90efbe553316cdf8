"""A specification made deterministic, as far as it is needed.

A node is the set of all states a specification may be in after a trace. With failures it knows its smallest
acceptances: what a stable state among them insists on offering; with divergences whether one of them diverges, after
which nothing is forbidden any more.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from kripke.deadline import current
from kripke.engines.refinement.systems import TAU, TICK, Divergence, EventSystem


class Node:
    __slots__ = ("acceptances", "after", "divergent", "number", "states")

    #: ``states`` are in the order in which they were met: whatever is made of them is the same in every run
    def __init__(
        self, number: int, states: tuple[Hashable, ...], divergent: bool, acceptances: list[frozenset[int]]
    ) -> None:
        self.number = number
        self.states = states
        self.divergent = divergent
        #: the smallest sets of events that a stable state offers, for revivals all of them; none: no state is stable
        self.acceptances = acceptances
        self.after: dict[int, Node | None] | None = None


class NormalForm:
    """Nodes by their states. ``model`` is T, F, FD, V or VD."""

    def __init__(self, system: EventSystem[Any], model: str) -> None:
        self._system = system
        self._model = model
        self._nodes: dict[frozenset[Hashable], Node] = {}
        #: nodes by the states before invisible steps, and the targets of these steps: RUN of many events asks often
        self._reached: dict[frozenset[Hashable], Node] = {}
        self._invisible: dict[Hashable, list[Any]] = {}
        self._divergence = Divergence(system) if model in ("FD", "VD") else None
        self._deadline = current()
        self.start = self._node({system.initial(): None})

    def __len__(self) -> int:
        return len(self._nodes)

    def successors(self, node: Node) -> dict[int, Node | None]:
        """What follows each visible event."""
        if node.after is None:
            targets: dict[int, dict[Any, None]] = {}
            for state in node.states:
                for event, target in self._system.steps(state):
                    if event != TAU:
                        targets.setdefault(event, {})[target] = None
            node.after = {event: self._node(states) for event, states in targets.items()}
        return node.after

    def node_of(self, states: Iterable[Any]) -> Node | None:
        """The node of these states and of what follows them unseen; None where there are none."""
        those = dict.fromkeys(states)
        return self._node(those) if those else None

    def _node(self, states: dict[Any, None]) -> Node:
        reached = frozenset(states)
        known = self._reached.get(reached)
        if known is not None:
            return known
        node = self._reached[reached] = self._closed(self._closure(states))
        return node

    def _closed(self, met: tuple[Any, ...]) -> Node:
        closed = frozenset(met)
        known = self._nodes.get(closed)
        if known is not None:
            return known
        divergent = self._divergence is not None and any(self._divergence.diverges(state) for state in met)
        acceptances: list[frozenset[int]] = []
        if self._model != "T" and not divergent:
            acceptances = self._acceptances(met)
        node = self._nodes[closed] = Node(len(self._nodes), met, divergent, acceptances)
        if divergent:
            node.after = {}
        return node

    def _closure(self, states: dict[Any, None]) -> tuple[Any, ...]:
        found, stack = dict(states), list(states)
        while stack:
            state = stack.pop()
            invisible = self._invisible.get(state)
            if invisible is None:
                self._deadline()
                invisible = [target for event, target in self._system.steps(state) if event == TAU]
                self._invisible[state] = invisible
            for target in invisible:
                if target not in found:
                    found[target] = None
                    stack.append(target)
        return tuple(found)

    def _acceptances(self, states: tuple[Any, ...]) -> list[frozenset[int]]:
        offered: dict[frozenset[int], None] = {}
        for state in states:
            events = acceptance(self._system, state)
            if events is not None:
                offered[events] = None
        if self._model in ("V", "VD"):
            return list(offered)
        ordered = sorted(offered, key=len)
        smallest: list[frozenset[int]] = []
        for events in ordered:
            if not any(other <= events for other in smallest):
                smallest.append(events)
        return smallest


def acceptance(system: EventSystem[Any], state: Any) -> frozenset[int] | None:
    """What a state insists on offering; None if it is not stable.

    A state that can terminate refuses everything but termination: no environment can stop it from ending
    (Roscoe, Understanding Concurrent Systems, 6.3).
    """
    events = {event for event, _ in system.steps(state)}
    if TAU in events:
        return None
    if TICK in events:
        return frozenset((TICK,))
    return frozenset(events)
