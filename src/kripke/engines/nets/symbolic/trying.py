"""All reachable markings of a net as a set, in an order of levels that is found by trying.

A good order takes milliseconds where a bad one takes for ever, and no measure tells them apart surely. So each order
gets half a second of work, then each six times as much, and so on: the whole takes a few times what the best one takes
alone. Where places hold many tokens, the orders are tried on the same net with few tokens instead, and the one with
the smallest diagrams is taken (the shape of the sets is the same).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kripke.deadline import Deadline
from kripke.engines.nets.symbolic.orders import Levels, orders
from kripke.engines.nets.symbolic.sets import Markings, OutOfBudget
from kripke.nets.place_transition import PlaceTransitionNet

_FIRST = 0.5  # seconds of work for an order
_LONGER = 6  # times as long in the next round
_MANY_TOKENS = 16  # in a place
_FEW_TOKENS = 6  # to which so many are shrunk
_TRIAL = 1.0  # seconds of work for an order on the shrunk net


def reached(net: PlaceTransitionNet, memory: int, deadline: Deadline) -> Markings:
    """Markings whose ``reachable`` is known. OutOfBudget where a limit comes first."""
    first = _shrunk_order(net, memory, deadline) if max(net.initial, default=0) > _MANY_TOKENS else None
    if first is not None:
        return _explored(net, memory, first, deadline, deadline)
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


def _shrunk_order(net: PlaceTransitionNet, memory: int, deadline: Deadline) -> Levels | None:
    """The best on the net with few tokens; None where none was good."""
    most = max(net.initial)
    places = tuple(
        replace(place, initial=min(place.initial, max(1, place.initial * _FEW_TOKENS // most) + 1))
        for place in net.places
    )
    few = replace(net, places=places)
    found: list[tuple[int, Levels]] = []
    for levels in orders(net):
        try:
            markings = _explored(few, memory, levels, deadline.within_work(_TRIAL), deadline)
        except OutOfBudget:
            if deadline.is_over:
                raise
            continue
        found.append((markings.native.peak_nodes, levels))
    return min(found, key=lambda one: one[0])[1] if found else None
