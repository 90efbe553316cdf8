"""A shortest way to a set of markings: layers back from it to the initial marking, then forward through them."""

from __future__ import annotations

from kripke.engines.nets.symbolic.sets import Markings, MarkingSet
from kripke.nets.place_transition import Marking, PlaceTransitionNet
from kripke.nets.predicates import enabled


def way_to(markings: Markings, goal: MarkingSet, within: MarkingSet | None = None) -> list[int]:
    """The transitions of a shortest way from the initial marking to some marking of ``goal``, which can be reached; by
    way of markings ``within`` a set only."""
    net = markings.net
    within = markings.reachable if within is None else within
    layers = [goal]
    seen = goal
    while net.initial not in layers[-1]:
        layers.append(markings.predecessors(layers[-1], within) - seen)
        seen |= layers[-1]
        if not layers[-1]:
            raise ValueError("the goal cannot be reached")
    way = []
    marking = net.initial
    for layer in reversed(layers[:-1]):
        transition, marking = _step_into(net, marking, layer)
        way.append(transition)
    return way


def _step_into(net: PlaceTransitionNet, marking: Marking, layer: MarkingSet) -> tuple[int, Marking]:
    for number, transition in enumerate(net.transitions):
        if enabled(net, number, marking):
            tokens = list(marking)
            for place, change in transition.changes:
                tokens[place] += change
            if tuple(tokens) in layer:
                return number, tuple(tokens)
    raise ValueError("no step leads into the next layer")
