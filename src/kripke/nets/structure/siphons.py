"""Siphons and traps: sets of places that stay empty once they are, or marked once they are.

A *siphon* is a set of places such that every transition that brings a token into it takes one from it; a *trap* is one
such that every transition that takes a token from it brings one into it. In an ordinary net (weights 1), a deadlock
empties some siphon; so where every siphon contains a trap with a token, there is no deadlock: F. Commoner, Deadlocks
in Petri nets, 1972.
"""

from __future__ import annotations

from collections.abc import Sequence

from kripke.deadline import current
from kripke.nets.place_transition import PlaceTransitionNet

_MOST_TRIED = 100_000  # sets of places


def is_siphon(net: PlaceTransitionNet, places: frozenset[int]) -> bool:
    return all(
        not places.isdisjoint(arc.place for arc in t.preset)
        for t in net.transitions
        if not places.isdisjoint(arc.place for arc in t.postset)
    )


def is_trap(net: PlaceTransitionNet, places: frozenset[int]) -> bool:
    return all(
        not places.isdisjoint(arc.place for arc in t.postset)
        for t in net.transitions
        if not places.isdisjoint(arc.place for arc in t.preset)
    )


def largest_siphon(net: PlaceTransitionNet, within: frozenset[int]) -> frozenset[int]:
    """The union of all siphons inside a set of places; empty where there is none."""
    return _largest(net, within, to_siphon=True)


def largest_trap(net: PlaceTransitionNet, within: frozenset[int]) -> frozenset[int]:
    """The union of all traps inside a set of places."""
    return _largest(net, within, to_siphon=False)


def _largest(net: PlaceTransitionNet, within: frozenset[int], *, to_siphon: bool) -> frozenset[int]:
    """Take away places that some transition fills (empties) without touching the rest, until none is left."""
    inside = set(within)
    sides = [
        (
            [arc.place for arc in (t.postset if to_siphon else t.preset)],
            [arc.place for arc in (t.preset if to_siphon else t.postset)],
        )
        for t in net.transitions
    ]
    changed = True
    while changed:
        changed = False
        for moved, needed in sides:
            if inside.isdisjoint(needed):
                out = inside.intersection(moved)
                if out:
                    inside -= out
                    changed = True
    return frozenset(inside)


def unmarked_siphon(net: PlaceTransitionNet) -> frozenset[int]:
    """The largest siphon without a token in the initial marking: these places never get one."""
    return largest_siphon(net, frozenset(number for number, tokens in enumerate(net.initial) if not tokens))


def minimal_siphons(net: PlaceTransitionNet, most: int = 50, seconds: float = 1.0) -> list[frozenset[int]] | None:
    """Those that contain no other, smallest first; None where there are more, or the time is over.

    A siphon with a place is completed by what fills it: who brings tokens in must take some from it; every choice of
    from where is tried.
    """
    end = current().within(seconds)
    fills = [[t for t in net.transitions if any(arc.place == p for arc in t.postset)] for p in range(len(net.places))]
    found: list[frozenset[int]] = []
    waiting = [frozenset({place}) for place in range(len(net.places))]
    seen = set(waiting)
    for size in range(1, len(net.places) + 1):
        layer = [places for places in waiting if len(places) == size]
        waiting = [places for places in waiting if len(places) > size]
        for places in layer:
            if end.is_over or len(seen) > _MOST_TRIED:
                return None
            if any(siphon <= places for siphon in found):
                continue
            missing = next(
                (t for place in sorted(places) for t in fills[place] if places.isdisjoint(a.place for a in t.preset)),
                None,
            )
            if missing is None:
                found.append(places)
                if len(found) > most:
                    return None
                continue
            for arc in missing.preset:
                larger = places | {arc.place}
                if larger not in seen:
                    seen.add(larger)
                    waiting.append(larger)
    return sorted(found, key=lambda places: (len(places), sorted(places)))


def deadlock_free(net: PlaceTransitionNet, siphons: Sequence[frozenset[int]]) -> bool:
    """Does every minimal siphon contain a marked trap, in a net with weights of 1? Then there is no deadlock."""
    ordinary = all(arc.weight == 1 for t in net.transitions for arc in (*t.preset, *t.postset))
    never_waits = any(not t.preset for t in net.transitions)
    marked = {number for number, tokens in enumerate(net.initial) if tokens}
    return bool(net.transitions) and (
        never_waits or (ordinary and all(largest_trap(net, siphon) & marked for siphon in siphons))
    )
