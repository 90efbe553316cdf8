"""A way to a set of markings: a shortest one where that is cheap, else a short one.

Layers back from the goal to the initial marking give a shortest way, forward through them. Each layer is a set of its
own, made by all transitions: of a way of hundreds of steps that takes far longer than the answer did. After half a
second of work, markings near the goal are tried one by one, and then transitions are chained
(``native/symbolic/ways.h``): the way need not be a shortest one.
"""

from __future__ import annotations

from typing import NamedTuple

from kripke.engines.nets.symbolic.sets import Markings, MarkingSet, OutOfBudget
from kripke.nets.place_transition import Marking, PlaceTransitionNet
from kripke.nets.predicates import enabled

FOR_LAYERS = 0.5  # seconds of work


class Way(NamedTuple):
    transitions: list[int]
    shortest: bool


def way_to(markings: Markings, goal: MarkingSet, within: MarkingSet | None = None, *, shortest: bool = False) -> Way:
    """The transitions of a way from the initial marking to some marking of ``goal``, which can be reached; by way of
    markings ``within`` a set only. ``shortest``: of no other."""
    within = markings.reachable if within is None else within
    whole = markings.deadline
    try:
        if not shortest:
            markings.deadline = whole.within_work(FOR_LAYERS)
        return Way(_through_layers(markings, goal, within), True)
    except OutOfBudget:
        if shortest or whole.is_over:
            raise
    finally:
        markings.deadline = whole
    native, asked = markings.native, (markings.net.initial, goal.handle, within.handle)
    walk: list[int] | None = markings.diagrams.measured(native.walk, *asked)
    return Way(markings.diagrams.measured(native.chain, *asked) if walk is None else walk, False)


def _through_layers(markings: Markings, goal: MarkingSet, within: MarkingSet) -> list[int]:
    net = markings.net
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
