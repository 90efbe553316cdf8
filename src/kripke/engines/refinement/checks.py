"""The checks: refinement, deadlock, divergence, determinism, traces. All breadth-first, so that traces are shortest."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from kripke.deadline import NEVER, Deadline
from kripke.engines.refinement.normal_form import Node, NormalForm, acceptance
from kripke.engines.refinement.systems import TAU, TICK, Divergence, EventSystem
from kripke.memory import resident_memory

OUT_OF_TIME = "the time limit was reached"


@dataclass(frozen=True, slots=True)
class Limits:
    """When to give up; ``pause`` is called now and then, and what it raises ends the search."""

    states: int | None = None
    deadline: Deadline = NEVER
    depth: int | None = None
    #: bytes that the process may hold in all; 0: no limit
    memory: int = 0
    pause: Callable[[int, int], None] = lambda states, transitions: None


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A way to an error: the steps, and what is wrong at their end.

    ``kind``: event (``event`` is forbidden), refusal (``offered`` is all that is offered; ``demanded`` are sets one of
    which must be), revival (``event`` is offered where only ``offered`` is, and no state of the specification does so),
    refused before (``event`` comes after a rest; the specification allows ``offered`` then), unrest (``offered`` is all
    that is offered; the specification never refuses so much, its refusals before counted), divergence (``loop`` are
    the states of a cycle of invisible steps behind the end), deadlock, nondeterminism (``event`` is possible, and may
    be refused where only ``offered`` is offered), trace (``position``), refused (``event`` of a trace may be, where
    only ``offered`` is offered).
    """

    kind: str
    steps: tuple[tuple[int, Any], ...]
    event: int | None = None
    offered: frozenset[int] = frozenset()
    demanded: tuple[frozenset[int], ...] = ()
    loop: tuple[Any, ...] = ()
    position: int = 0


@dataclass(slots=True)
class Outcome:
    """``holds`` is None where a limit was reached; ``reason`` says which."""

    holds: bool | None
    states: int = 0
    transitions: int = 0
    depth: int = 0
    reason: str = ""
    spec_nodes: int = 0
    seconds: float = 0.0
    counterexample: Counterexample | None = None
    #: states of the implementation alone
    met: int = field(default=0)


class Search:
    """Pairs that were met, in the order they were met, each with the way to it."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.pairs: list[tuple[Any, Any]] = []
        self.parents: list[int] = []
        self.events: list[int] = []
        self._known: set[tuple[Any, Any]] = set()
        self.transitions = 0
        self.depth = 0
        self.reason = ""
        self._layer_end = 0
        self._started = time.monotonic()

    def add(self, pair: tuple[Any, Any], parent: int, event: int) -> None:
        if pair not in self._known:
            self._known.add(pair)
            self.pairs.append(pair)
            self.parents.append(parent)
            self.events.append(event)

    def go_on(self, at: int) -> bool:
        """Is there a pair to look at, and no limit reached?"""
        if at == self._layer_end and at < len(self.pairs):
            self._layer_end = len(self.pairs)
            self.depth += at > 0
            if self.limits.depth is not None and self.depth > self.limits.depth:
                self.reason = f"the depth limit of {self.limits.depth} was reached"
                return False
        if at >= len(self.pairs):
            return False
        if self.limits.states is not None and len(self.pairs) > self.limits.states:
            self.reason = f"the limit of {self.limits.states} states was reached"
            return False
        if not at & 15 and self.limits.deadline.is_over:
            self.reason = OUT_OF_TIME
            return False
        if not at & 1023:
            self.limits.pause(len(self.pairs), self.transitions)
            if self.limits.memory and resident_memory() > self.limits.memory:
                self.reason = "the memory limit was reached"
                return False
        return True

    def way(self, at: int) -> tuple[tuple[int, Any], ...]:
        steps: list[tuple[int, Any]] = []
        while self.parents[at] >= 0:
            steps.append((self.events[at], self.pairs[at][0]))
            at = self.parents[at]
        return tuple(reversed(steps))

    def outcome(self, found: Counterexample | None, nodes: int = 0) -> Outcome:
        holds = False if found is not None else (None if self.reason else True)
        return Outcome(
            holds,
            len(self.pairs),
            self.transitions,
            self.depth,
            self.reason,
            nodes,
            time.monotonic() - self._started,
            found,
        )


def check_refinement(spec: EventSystem[Any], impl: EventSystem[Any], model: str, limits: Limits) -> Outcome:
    """Does the implementation do only what the specification allows? ``model``: T, F, FD, V or VD."""
    search = Search(limits)
    normal = NormalForm(spec, model)
    divergence = Divergence(impl) if model in ("FD", "VD") else None
    search.add((impl.initial(), normal.start), -1, TAU)
    at = 0
    while search.go_on(at):
        state, node = search.pairs[at]
        if not node.divergent:
            found = _broken(search, at, impl, state, node, model, divergence)
            if found is None:
                found = _follow(search, at, impl, state, node, normal)
            if found is not None:
                return search.outcome(found, len(normal))
        at += 1
    return search.outcome(None, len(normal))


def _broken(
    search: Search, at: int, impl: EventSystem[Any], state: Any, node: Node, model: str, divergence: Divergence | None
) -> Counterexample | None:
    """What a state may not be after its trace: divergent, or stable and refusing too much."""
    if divergence is not None and divergence.diverges(state):
        loop, start = divergence.loop(state)
        return Counterexample("divergence", search.way(at), loop=tuple(loop), position=start)
    if model == "T":
        return None
    offered = acceptance(impl, state)
    if offered is None:
        return None
    if not any(demanded <= offered for demanded in node.acceptances):
        return Counterexample("refusal", search.way(at), offered=offered, demanded=tuple(node.acceptances))
    if model in ("V", "VD"):
        return _not_revived(search, at, offered, node)
    return None


def _not_revived(search: Search, at: int, offered: frozenset[int], node: Node) -> Counterexample | None:
    """A revival is an event that is offered while others are refused; where nothing is offered it is a deadlock
    (A. Roscoe, *Revivals, stuckness and the hierarchy of CSP models*, 2009)."""
    if not offered:
        if frozenset() not in node.acceptances:
            return Counterexample("refusal", search.way(at), offered=offered, demanded=tuple(node.acceptances))
        return None
    for event in sorted(offered):
        if not any(event in own and own <= offered for own in node.acceptances):
            return Counterexample("revival", search.way(at), event=event, offered=offered)
    return None


def _follow(
    search: Search, at: int, impl: EventSystem[Any], state: Any, node: Node, normal: NormalForm
) -> Counterexample | None:
    after = normal.successors(node)
    for event, target in impl.steps(state):
        search.transitions += 1
        if event == TAU:
            search.add((target, node), at, event)
            continue
        following = after.get(event)
        if following is None:
            return Counterexample("event", (*search.way(at), (event, target)), event=event, offered=frozenset(after))
        search.add((target, following), at, event)
    return None


def check_deadlock(impl: EventSystem[Any], model: str, limits: Limits) -> Outcome:
    """Can something always happen, until successful termination? With FD also: without diverging."""
    search = Search(limits)
    divergence = Divergence(impl) if model == "FD" else None
    search.add((impl.initial(), False), -1, TAU)
    at = 0
    while search.go_on(at):
        state, ended = search.pairs[at]
        if not ended:
            if divergence is not None and divergence.diverges(state):
                loop, start = divergence.loop(state)
                return search.outcome(Counterexample("divergence", search.way(at), loop=tuple(loop), position=start))
            steps = list(impl.steps(state))
            if not steps:
                return search.outcome(Counterexample("deadlock", search.way(at)))
            for event, target in steps:
                search.transitions += 1
                search.add((target, event == TICK), at, event)
        at += 1
    return search.outcome(None)


def check_divergence(impl: EventSystem[Any], limits: Limits) -> Outcome:
    """Is there no way to go on for ever unseen?"""
    search = Search(limits)
    divergence = Divergence(impl)
    search.add((impl.initial(), None), -1, TAU)
    at = 0
    while search.go_on(at):
        state = search.pairs[at][0]
        if divergence.diverges(state):
            loop, start = divergence.loop(state)
            return search.outcome(Counterexample("divergence", search.way(at), loop=tuple(loop), position=start))
        for event, target in impl.steps(state):
            search.transitions += 1
            search.add((target, None), at, event)
        at += 1
    return search.outcome(None)


def check_determinism(impl: EventSystem[Any], model: str, limits: Limits) -> Outcome:
    """Is an event that can happen after a trace never refused after it, and is there no divergence (FD)?"""
    search = Search(limits)
    normal = NormalForm(impl, "FD" if model == "FD" else "F")
    search.add((normal.start, None), -1, TAU)
    at = 0
    while search.go_on(at):
        node = search.pairs[at][0]
        found = _undetermined(node, normal)
        if found is not None:
            kind, event, offered = found
            outcome = search.outcome(_realised(impl, kind, [e for e, _ in search.way(at)], event, offered), len(normal))
            return outcome
        for event, following in normal.successors(node).items():
            search.transitions += 1
            if following is not None:
                search.add((following, None), at, event)
        at += 1
    return search.outcome(None, len(normal))


def _undetermined(node: Node, normal: NormalForm) -> tuple[str, int | None, frozenset[int]] | None:
    if node.divergent:
        return "divergence", None, frozenset()
    for event in sorted(normal.successors(node)):
        for offered in node.acceptances:
            if event not in offered:
                return "nondeterminism", event, offered
    return None


def _realised(
    impl: EventSystem[Any], kind: str, trace: list[int], event: int | None, offered: frozenset[int]
) -> Counterexample:
    """A run with this trace to a state that shows the fault."""
    divergence = Divergence(impl)

    def shows(state: Any) -> bool:
        return divergence.diverges(state) if kind == "divergence" else acceptance(impl, state) == offered

    steps = run_of(impl, trace, shows)
    assert steps is not None
    if kind == "divergence":
        loop, start = divergence.loop(steps[-1][1] if steps else impl.initial())
        return Counterexample(kind, steps, loop=tuple(loop), position=start)
    return Counterexample(kind, steps, event=event, offered=offered)


def run_of(
    impl: EventSystem[Any], trace: list[int], shows: Callable[[Any], bool] = lambda state: True
) -> tuple[tuple[int, Any], ...] | None:
    """A shortest run with this trace to a state with a property."""
    search = Search(Limits())
    search.add((impl.initial(), 0), -1, TAU)
    at = 0
    while at < len(search.pairs):
        state, done = search.pairs[at]
        if done == len(trace) and shows(state):
            return search.way(at)
        for event, target in impl.steps(state):
            if event == TAU:
                search.add((target, done), at, event)
            elif done < len(trace) and event == trace[done]:
                search.add((target, done + 1), at, event)
        at += 1
    return None


def check_trace(impl: EventSystem[Any], trace: list[int], model: str, limits: Limits) -> Outcome:
    """Can the process do these events in this order? With F: must it, so that no stable state on the way refuses the
    next one? With FD also: without diverging before the last of them?"""
    search = Search(limits)
    divergence = Divergence(impl) if model == "FD" else None
    search.add((impl.initial(), 0), -1, TAU)
    at, furthest = 0, 0
    while search.go_on(at):
        state, done = search.pairs[at]
        if done > search.pairs[furthest][1]:
            furthest = at
        if done == len(trace):
            if model == "T":
                return search.outcome(None)
            at += 1
            continue
        if divergence is not None and divergence.diverges(state):
            loop, start = divergence.loop(state)
            return search.outcome(Counterexample("divergence", search.way(at), loop=tuple(loop), position=start))
        offered = acceptance(impl, state) if model != "T" else None
        if offered is not None and trace[done] not in offered:
            way = search.way(at)
            return search.outcome(Counterexample("refused", way, event=trace[done], offered=offered, position=done))
        for event, target in impl.steps(state):
            search.transitions += 1
            if event == TAU:
                search.add((target, done), at, event)
            elif event == trace[done]:
                search.add((target, done + 1), at, event)
        at += 1
    if search.reason:
        return search.outcome(None)
    reached = search.pairs[furthest][1]
    if reached == len(trace):
        return search.outcome(None)
    states = [state for state, done in search.pairs if done == reached]
    offered = frozenset(event for state in states for event, _ in impl.steps(state)) - {TAU}
    return search.outcome(
        Counterexample("trace", search.way(furthest), event=trace[reached], offered=offered, position=reached)
    )
