"""Which place goes to which level of a diagram: several orders, the most promising first.

Places of a transition should lie close together, and so should places that share their tokens. An order is improved
for groups of places (``native/symbolic/variable_order.h``). What a group is, differs:

- the places of each transition;
- besides, those of each place invariant: tokens that are not on one of them are on another;
- *machines*: places between which single tokens are moved, such as the states of one process. They stay together as
  one, and the groups are of machines that a transition joins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kripke import _native
from kripke.nets.place_transition import PlaceTransitionNet

Levels = list[int]

_MOST_INVARIANTS = 300


def orders(net: PlaceTransitionNet) -> Iterator[Levels]:
    """Each is made when it is asked for."""
    groups = groups_of_transitions(net)
    by_transitions = _native.orders_of_places(len(net.places), groups)
    yield by_transitions[0]
    kept, others = machines(net)
    if kept:
        yield from _of_machines(net, kept, groups)[:1]
    if others:
        yield from reversed(_of_machines(net, [*kept, *others], groups)[:2])
    from kripke.nets.structure.invariants import place_invariants

    invariants = place_invariants(net, most=_MOST_INVARIANTS)
    if invariants:
        more = [*groups, *(sorted(invariant) for invariant in invariants)]
        yield from _native.orders_of_places(len(net.places), more)[:2]
    yield from by_transitions[1:3]


def best_order(net: PlaceTransitionNet) -> Levels:
    """The order with the shortest transitions."""
    return next(orders(net))


def groups_of_transitions(net: PlaceTransitionNet) -> list[list[int]]:
    return [sorted({arc.place for arc in (*transition.preset, *transition.postset)}) for transition in net.transitions]


def machines(net: PlaceTransitionNet) -> tuple[list[list[int]], list[list[int]]]:
    """Places between which some transition moves a token and changes nothing else, in classes: those whose number of
    tokens no transition changes, and others."""
    of_place = list(range(len(net.places)))

    def machine(place: int) -> int:
        while of_place[place] != place:
            of_place[place] = of_place[of_place[place]]
            place = of_place[place]
        return place

    for transition in net.transitions:
        match transition.changes:
            case (one, other) if one.weight + other.weight == 0:
                of_place[machine(one.place)] = machine(other.place)
    classes: dict[int, list[int]] = {}
    for place in range(len(net.places)):
        classes.setdefault(machine(place), []).append(place)
    changing: set[int] = set()
    for transition in net.transitions:
        total: dict[int, int] = {}
        for place, change in transition.changes:
            total[machine(place)] = total.get(machine(place), 0) + change
        changing |= {number for number, change in total.items() if change}
    large = {number: places for number, places in classes.items() if len(places) > 1}
    kept = [places for number, places in large.items() if number not in changing]
    return kept, [places for number, places in large.items() if number in changing]


def _of_machines(
    net: PlaceTransitionNet, together: Sequence[Sequence[int]], groups: Sequence[Sequence[int]]
) -> list[Levels]:
    """Orders of machines, in which the places of each follow one another."""
    units = [list(places) for places in together]
    unit_of = {place: number for number, places in enumerate(units) for place in places}
    for place in range(len(net.places)):
        if place not in unit_of:
            unit_of[place] = len(units)
            units.append([place])
    joined = [units_ for units_ in (sorted({unit_of[place] for place in group}) for group in groups) if len(units_) > 1]
    found = []
    for positions in _native.orders_of_places(len(units), joined):
        levels = [0] * len(net.places)
        following = 0
        for unit in sorted(range(len(units)), key=positions.__getitem__):
            for place in units[unit]:
                levels[place] = following
                following += 1
        found.append(levels)
    return found
