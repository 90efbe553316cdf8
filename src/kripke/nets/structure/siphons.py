"""Siphons and traps: sets of places that stay empty once they are, or marked once they are.

A *siphon* is a set of places such that every transition that brings a token into it takes one from it; a *trap* is one
such that every transition that takes a token from it brings one into it. In an ordinary net (weights 1), a deadlock
empties some siphon; so where every siphon contains a trap with a token, there is no deadlock: F. Commoner, Deadlocks
in Petri nets, 1972.
"""

from __future__ import annotations

from kripke.nets.place_transition import PlaceTransitionNet


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
