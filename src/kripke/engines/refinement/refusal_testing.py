"""Refinement of refusal traces: what is refused counts before every event, not at the end of a trace only.

A refusal trace says of each event what the process refused before it, or nothing, if it was not seen to rest
(A. Roscoe, *Understanding Concurrent Systems*, 11.5 and 12.4; I. Phillips, *Refusal testing*, 1987). Of all that can
be seen of a state at rest, that it refuses everything it does not offer says most, so only this is followed: the states
of the specification that could have refused as much are those that may go on.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kripke.engines.refinement.checks import Counterexample, Limits, Outcome, Search
from kripke.engines.refinement.normal_form import Node, NormalForm, acceptance
from kripke.engines.refinement.systems import TAU, Divergence, EventSystem


class RefusalTraces:
    """A specification, by the states it may be in after a refusal trace."""

    def __init__(self, system: EventSystem[Any], model: str) -> None:
        self._system = system
        self._normal = NormalForm(system, "FD" if model == "RD" else "T")
        self._offered: dict[Any, frozenset[int] | None] = {}
        self._after: dict[tuple[int, frozenset[int], int], Node | None] = {}
        self.start = self._normal.start

    def __len__(self) -> int:
        return len(self._normal)

    def at_rest(self, node: Node, offered: frozenset[int]) -> list[Any]:
        """The states that refuse whatever is not offered here."""
        found = []
        for state in node.states:
            if state not in self._offered:
                self._offered[state] = acceptance(self._system, state)
            own = self._offered[state]
            if own is not None and own <= offered:
                found.append(state)
        return found

    def after_refusal(self, node: Node, offered: frozenset[int], event: int) -> Node | None:
        key = (node.number, offered, event)
        if key not in self._after:
            resting = self.at_rest(node, offered)
            targets = (target for state in resting for target in self._targets(state, event))
            self._after[key] = self._normal.node_of(targets)
        return self._after[key]

    def after(self, node: Node, event: int) -> Node | None:
        return self._normal.successors(node).get(event)

    def allowed(self, node: Node, offered: frozenset[int] | None) -> frozenset[int]:
        if offered is None:
            return frozenset(self._normal.successors(node))
        return frozenset(event for state in self.at_rest(node, offered) for event in self._offered[state] or ())

    def _targets(self, state: Any, event: int) -> Iterable[Any]:
        # One that can end refuses all else: what it does besides was not done after a refusal.
        if event in (self._offered[state] or ()):
            return (target for other, target in self._system.steps(state) if other == event)
        return ()


def check_refusal_traces(spec: EventSystem[Any], impl: EventSystem[Any], model: str, limits: Limits) -> Outcome:
    """Is every refusal trace of the implementation one of the specification? ``model``: R or RD."""
    search = Search(limits)
    traces = RefusalTraces(spec, model)
    divergence = Divergence(impl) if model == "RD" else None
    search.add((impl.initial(), traces.start), -1, TAU)
    at = 0
    while search.go_on(at):
        state, node = search.pairs[at]
        found = None if node.divergent else _looked_at(search, at, impl, state, node, traces, divergence)
        if found is not None:
            return search.outcome(found, len(traces))
        at += 1
    return search.outcome(None, len(traces))


def _looked_at(
    search: Search,
    at: int,
    impl: EventSystem[Any],
    state: Any,
    node: Node,
    traces: RefusalTraces,
    divergence: Divergence | None,
) -> Counterexample | None:
    if divergence is not None and divergence.diverges(state):
        loop, start = divergence.loop(state)
        return Counterexample("divergence", search.way(at), loop=tuple(loop), position=start)
    offered = acceptance(impl, state)
    if offered is not None and not traces.at_rest(node, offered):
        return Counterexample("unrest", search.way(at), offered=offered)
    for event, target in impl.steps(state):
        search.transitions += 1
        if event == TAU:
            search.add((target, node), at, event)
            continue
        rested = offered is not None and event in offered
        following = traces.after_refusal(node, offered, event) if rested and offered else traces.after(node, event)
        if following is None:
            way = (*search.way(at), (event, target))
            allowed = traces.allowed(node, offered if rested else None)
            return Counterexample("refused before" if rested else "event", way, event=event, offered=allowed)
        search.add((target, following), at, event)
    return None
