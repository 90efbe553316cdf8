"""All reachable markings of a net as a set, in an order of levels that is found by trying.

A good order takes milliseconds where a bad one takes for ever, and no measure tells them apart surely. So each order
gets half a second of work, then each six times as much, and so on: the whole takes a few times what the best one takes
alone. Where places hold many tokens, the orders are tried on the same net with few tokens instead (the shape of the
sets is the same). The one with the smallest diagrams gets half a second; where that is not enough, it is made better
on the small net first (``sifting``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kripke.deadline import Deadline
from kripke.engines.nets.symbolic.orders import Levels, orders
from kripke.engines.nets.symbolic.sets import Markings, OutOfBudget
from kripke.engines.nets.symbolic.sifting import sifted
from kripke.nets.place_transition import PlaceTransitionNet

_FIRST = 0.5  # seconds of work for an order
_LONGER = 6  # times as long in the next round
_MANY_TOKENS = 16  # in a place
_FEW_TOKENS = 6  # to which so many are shrunk
_TRIAL = 1.0  # seconds of work for an order on the shrunk net
_SIFTING = 3.0  # seconds of work to make it better
_HOPELESS = 0.05  # seconds of work for one try of that


def reached(net: PlaceTransitionNet, memory: int, deadline: Deadline) -> Markings:
    """Markings whose ``reachable`` is known. OutOfBudget where a limit comes first."""
    if max(net.initial, default=0) > _MANY_TOKENS:
        few = _with_few_tokens(net)
        first = _best_order_on(few, memory, deadline)
        if first is not None:
            return _explored_sifted(net, few, first, memory, deadline)
    seconds = _FIRST
    tried: list[Levels] = []
    more: Iterator[Levels] = orders(net)
    last = OutOfBudget("time")
    while True:
        hopeful: list[Levels] = []
        for levels in _chain(tried, more):
            if levels in hopeful:
                continue
            try:
                return _explored(net, memory, levels, deadline.within_work(seconds), deadline)
            except OutOfBudget as stopped:
                if stopped.reason == "error" or deadline.is_over:
                    raise
                last = stopped
                if stopped.reason == "time":
                    hopeful.append(levels)
        if not hopeful:
            raise last
        tried, more = hopeful, iter(())
        seconds *= _LONGER


def _chain(tried: list[Levels], more: Iterator[Levels]) -> Iterator[Levels]:
    yield from tried
    yield from more


def _explored(
    net: PlaceTransitionNet, memory: int, levels: Levels, deadline: Deadline, afterwards: Deadline
) -> Markings:
    markings = Markings(net, memory, levels)
    markings.deadline = deadline
    _ = markings.reachable
    markings.deadline = afterwards
    return markings


def _with_few_tokens(net: PlaceTransitionNet) -> PlaceTransitionNet:
    most = max(net.initial)
    places = tuple(
        replace(place, initial=min(place.initial, max(1, place.initial * _FEW_TOKENS // most) + 1))
        for place in net.places
    )
    return replace(net, places=places)


def _best_order_on(few: PlaceTransitionNet, memory: int, deadline: Deadline) -> Levels | None:
    """The order with the smallest diagrams; None where none was good."""
    found: list[tuple[int, Levels]] = []
    for levels in orders(few):
        nodes = _nodes(few, memory, levels, _TRIAL, deadline)
        if nodes is not None:
            found.append((nodes, levels))
    return min(found, key=lambda one: one[0])[1] if found else None


def _nodes(net: PlaceTransitionNet, memory: int, levels: Levels, seconds: float, deadline: Deadline) -> int | None:
    """How many nodes an order takes; None where that cannot be found out in so many seconds of work."""
    try:
        return _explored(net, memory, levels, deadline.within_work(seconds), deadline).native.peak_nodes
    except OutOfBudget:
        if deadline.is_over:
            raise
        return None


def _explored_sifted(
    net: PlaceTransitionNet, few: PlaceTransitionNet, levels: Levels, memory: int, deadline: Deadline
) -> Markings:
    try:
        return _explored(net, memory, levels, deadline.within_work(_FIRST), deadline)
    except OutOfBudget as stopped:
        if stopped.reason != "time" or deadline.is_over:
            raise
    better = sifted(
        few, levels, lambda other: _nodes(few, memory, other, _HOPELESS, deadline), deadline.within_work(_SIFTING)
    )
    return _explored(net, memory, better, deadline, deadline)
