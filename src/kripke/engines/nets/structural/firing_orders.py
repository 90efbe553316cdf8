"""Walks along a solution of the state equation: how often each transition fires is known, the order is tried.

Where the order can be found, the marking the equation speaks of is reached, however far away it is. Y. Thierry-Mieg,
Structural reductions revisited, Petri Nets 2020, section 4, does the same with solutions of an SMT solver.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

from kripke.nets.place_transition import PlaceTransitionNet

_MOST_STEPS = 20_000
_TRIES = 4


def follow(
    net: PlaceTransitionNet, firings: Mapping[int, int], is_goal: Callable[[Sequence[int]], bool]
) -> list[int] | None:
    """Transitions to fire one after the other to come to a goal; None where none was found."""
    if sum(firings.values()) > _MOST_STEPS:
        return None
    for number in range(_TRIES):
        walk = _walk(net, firings, is_goal, random.Random(number))
        if walk is not None:
            return walk
    return None


def _walk(
    net: PlaceTransitionNet,
    firings: Mapping[int, int],
    is_goal: Callable[[Sequence[int]], bool],
    chance: random.Random,
) -> list[int] | None:
    """Fire any of those that are left, until nothing is left or can fire."""
    tokens = list(net.initial)
    takers: dict[int, list[int]] = {}
    for transition in firings:
        for arc in net.transitions[transition].preset:
            takers.setdefault(arc.place, []).append(transition)
    left = {transition: count for transition, count in firings.items() if count}
    ready = [transition for transition in left if _is_enabled(net, transition, tokens)]
    walk: list[int] = []
    while True:
        if is_goal(tokens):
            return walk
        while ready:
            position = chance.randrange(len(ready))
            transition = ready[position]
            if left.get(transition) and _is_enabled(net, transition, tokens):
                break
            ready[position] = ready[-1]
            ready.pop()
        else:
            return None
        left[transition] -= 1
        walk.append(transition)
        for place, change in net.transitions[transition].changes:
            tokens[place] += change
            if change > 0:
                ready += [t for t in takers.get(place, ()) if left.get(t) and _is_enabled(net, t, tokens)]


def _is_enabled(net: PlaceTransitionNet, transition: int, tokens: Sequence[int]) -> bool:
    return all(tokens[place] >= weight for place, weight in net.transitions[transition].preset)
