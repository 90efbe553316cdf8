"""Many questions of reachability in one search: for each of some atoms, is there a state in which it is true?

Each goal is looked for until it is found; when all are found the search ends. Breadth-first, so that the way to each is
a shortest one, or deep: depth-first, which comes to what is far away earlier.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kripke.engines.branching.graph import GraphLimits
from kripke.engines.explicit.search import Reason, SearchRequest, Watch
from kripke.model.model import Model

if TYPE_CHECKING:
    from kripke.engines.explicit import native

_AT_ONCE = 90  # a search keeps the ways to a hundred findings


@dataclass(frozen=True, slots=True)
class GoalsFound:
    """``ways`` has the states on the way to each goal that was found, an initial one first.

    Where ``complete``, every other goal is out of reach; else ``reason`` says why nothing is known about them.
    """

    ways: Mapping[str, tuple[bytes, ...]]
    complete: bool
    reason: Reason
    states: int
    transitions: int


def find_goals(
    model: Model,
    goals: Sequence[str],
    limits: GraphLimits | None = None,
    library: native.Model | None = None,
    watch: Watch | None = None,
    *,
    deep: bool = False,
) -> GoalsFound:
    """Look for states in which these atoms are true; natively where there is a compiled model."""
    limits = limits or GraphLimits()
    if library is None:
        return _by_interpreter(model, goals, limits)
    numbers = {name: number for number, name in enumerate(model.atoms)}
    ways: dict[str, tuple[bytes, ...]] = {}
    outcome = GoalsFound({}, True, "", 0, 0)
    for first in range(0, len(goals), _AT_ONCE):
        wanted = {numbers[name]: name for name in goals[first : first + _AT_ONCE]}
        outcome = _natively(library, wanted, limits, watch, deep=deep)
        ways.update(outcome.ways)
        if not outcome.complete:
            break
    return GoalsFound(ways, outcome.complete, outcome.reason, outcome.states, outcome.transitions)


def _natively(
    library: native.Model, wanted: Mapping[int, str], limits: GraphLimits, watch: Watch | None, *, deep: bool
) -> GoalsFound:
    from kripke.engines.explicit import native

    request = SearchRequest(
        order="dfs" if deep else "bfs",
        deadlock=False,
        stop_at_first=False,
        goals=tuple(wanted),
        max_states=limits.max_states,
        memory=limits.memory,
        time_limit=limits.time_limit,
    )
    outcome = native.search(library, request, watch)
    ways = {wanted[atom]: path for atom, path in outcome.reached.items()}
    broken = bool(outcome.error_paths)  # a step that broke something: what is behind it is not known
    reason: Reason = "error" if broken else outcome.reason
    complete = len(ways) == len(wanted) or (outcome.complete and not broken)
    return GoalsFound(ways, complete, "" if complete else reason, outcome.states, outcome.transitions)


def _by_interpreter(model: Model, goals: Sequence[str], limits: GraphLimits) -> GoalsFound:
    from time import perf_counter

    start = perf_counter()
    parents: dict[bytes, bytes | None] = dict.fromkeys(model.initial())
    open_goals = {name: list(model.atoms).index(name) for name in goals}
    ways: dict[str, tuple[bytes, ...]] = {}
    reason: Reason = ""
    transitions = len(parents)

    def look(state: bytes) -> None:
        truth = model.atom_values(state)
        for name in [name for name, number in open_goals.items() if truth[number]]:
            del open_goals[name]
            ways[name] = _way(parents, state)

    states = list(parents)
    for state in states:
        look(state)
    for state in states:  # the list grows while we walk along it
        if not open_goals or reason in ("states", "time"):
            break
        for _, target, violations, _ in model.successors(state):
            if violations:
                reason = "error"
            if target is None:
                continue
            transitions += 1
            if target in parents:
                continue
            if limits.max_states and len(states) >= limits.max_states:
                reason = "states"
                break
            parents[target] = state
            states.append(target)
            look(target)
        if limits.time_limit and perf_counter() - start > limits.time_limit:
            reason = "time"
    complete = not open_goals or not reason
    return GoalsFound(ways, complete, "" if complete else reason, len(states), transitions)


def _way(parents: Mapping[bytes, bytes | None], state: bytes) -> tuple[bytes, ...]:
    way = [state]
    while (parent := parents[way[-1]]) is not None:
        way.append(parent)
    return tuple(reversed(way))
