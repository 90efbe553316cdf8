"""Which place goes to which level of a diagram."""

from __future__ import annotations

from kripke import _native
from kripke.nets.place_transition import PlaceTransitionNet

Levels = list[int]


def groups_of_transitions(net: PlaceTransitionNet) -> list[list[int]]:
    return [sorted({arc.place for arc in (*transition.preset, *transition.postset)}) for transition in net.transitions]


def best_order(net: PlaceTransitionNet) -> Levels:
    """The order with the shortest transitions."""
    return _native.orders_of_places(len(net.places), groups_of_transitions(net))[0]
