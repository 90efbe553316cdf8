"""Which place goes to which level of a diagram: several orders, the most promising first.

Places of a transition should lie close together, and so should places that share their tokens. An order is improved
for groups of places (``native/symbolic/variable_order.h``). What a group is, differs:

- the places of each transition;
- besides, those of each place invariant: tokens that are not on one of them are on another;
- *machines*: places between which single tokens are moved, such as the states of one process. They stay together as
  one, and the groups are of machines that a transition joins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from kripke import _native
from kripke.nets.place_transition import PlaceTransitionNet

Levels = list[int]

_MOST_INVARIANTS = 300
_MOST_PAIRS = 400  # of places of one transition
_DIGITS = re.compile(r"(\d{1,9})")


def orders(net: PlaceTransitionNet) -> Iterator[Levels]:
    """Each is made when it is asked for."""
    groups = groups_of_transitions(net)
    by_transitions = _native.orders_of_places(len(net.places), groups)
    yield by_transitions[0]
    by_name = _by_name(net)
    streams = flows(net)
    if streams:
        yield _with_hubs_last(net, streams, groups, by_name)
    kept, others = machines(net)
    if kept:
        yield from _of_machines(net, kept, groups, by_name)[:1]
    if others:
        yield from reversed(_of_machines(net, [*kept, *others], groups, by_name)[:2])
    yield _levels(by_name)
    yield _levels(_by_index(net))
    invariants = invariants_of(net)
    if invariants:
        more = [*groups, *(sorted(invariant) for invariant in invariants)]
        yield from _native.orders_of_places(len(net.places), more)[:2]
    yield from by_transitions[1:3]


def invariants_of(net: PlaceTransitionNet) -> list[dict[int, int]]:
    """Place invariants, not too many."""
    from kripke.nets.structure.invariants import place_invariants

    return place_invariants(net, most=_MOST_INVARIANTS) or []


def best_order(net: PlaceTransitionNet) -> Levels:
    """The order with the shortest transitions."""
    return next(orders(net))


def groups_of_transitions(net: PlaceTransitionNet) -> list[list[int]]:
    return [sorted({arc.place for arc in (*transition.preset, *transition.postset)}) for transition in net.transitions]


def machines(net: PlaceTransitionNet) -> tuple[list[list[int]], list[list[int]]]:
    """Places between which some transition moves a token and changes nothing else, in classes: those whose number of
    tokens no transition changes, and others."""
    pairs = []
    for transition in net.transitions:
        match transition.changes:
            case (one, other) if one.weight + other.weight == 0:
                pairs.append((one.place, other.place))
    classes = dict(enumerate(_classes(len(net.places), pairs)))
    machine = {place: number for number, places in classes.items() for place in places}
    changing: set[int] = set()
    for transition in net.transitions:
        total: dict[int, int] = {}
        for place, change in transition.changes:
            total[machine[place]] = total.get(machine[place], 0) + change
        changing |= {number for number, change in total.items() if change}
    large = {number: places for number, places in classes.items() if len(places) > 1}
    kept = [places for number, places in large.items() if number not in changing]
    return kept, [places for number, places in large.items() if number in changing]


def flows(net: PlaceTransitionNet) -> list[list[int]]:
    """Places between which tokens flow, in classes: of the transitions that take from the one or bring to the other,
    at least half do both. So the states of a process stay together though all its steps need something of others."""
    takes = [0] * len(net.places)
    brings = [0] * len(net.places)
    both: dict[tuple[int, int], int] = {}
    for transition in net.transitions:
        taken = [place for place, change in transition.changes if change < 0]
        brought = [place for place, change in transition.changes if change > 0]
        for place in taken:
            takes[place] += 1
        for place in brought:
            brings[place] += 1
        if len(taken) * len(brought) <= _MOST_PAIRS:
            for pair in product(taken, brought):
                both[pair] = both.get(pair, 0) + 1
    near = [pair for pair, times in both.items() if 2 * times >= max(takes[pair[0]], brings[pair[1]])]
    return [places for places in _classes(len(net.places), near) if len(places) > 1]


def _classes(count: int, pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Numbers below ``count``, those of a pair in the same class."""
    parent = list(range(count))

    def root(number: int) -> int:
        while parent[number] != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number

    for one, other in pairs:
        parent[root(one)] = root(other)
    classes: dict[int, list[int]] = {}
    for number in range(count):
        classes.setdefault(root(number), []).append(number)
    return list(classes.values())


def _of_machines(
    net: PlaceTransitionNet,
    together: Sequence[Sequence[int]],
    groups: Sequence[Sequence[int]],
    within: Sequence[int],
) -> list[Levels]:
    """Orders of machines, in which the places of each follow one another as they do in ``within``."""
    units, joined = _units(net, together, groups, within)
    found = []
    for positions in _native.orders_of_places(len(units), joined):
        in_order = sorted(range(len(units)), key=positions.__getitem__)
        found.append(_levels([place for unit in in_order for place in units[unit]]))
    return found


def _with_hubs_last(
    net: PlaceTransitionNet,
    together: Sequence[Sequence[int]],
    groups: Sequence[Sequence[int]],
    within: Sequence[int],
) -> Levels:
    """Machines in the best order, but those that very many others are joined with at the bottom: what they have in
    common is known there, and nothing need be remembered of single ones."""
    units, joined = _units(net, together, groups, within)
    partners: list[set[int]] = [set() for _ in units]
    for group in joined:
        for unit in group:
            partners[unit].update(group)
    counts = sorted(len(its) for its in partners if its)
    usual = counts[len(counts) // 2] if counts else 0
    hubs = {unit for unit, its in enumerate(partners) if len(its) > 2 * usual}
    between = [kept for kept in ([unit for unit in group if unit not in hubs] for group in joined) if len(kept) > 1]
    positions = _native.orders_of_places(len(units), between or joined)[0]
    largest_first = {unit: -len(units[unit]) for unit in hubs}
    in_order = sorted(range(len(units)), key=lambda unit: (unit in hubs, largest_first.get(unit, 0), positions[unit]))
    return _levels([place for unit in in_order for place in units[unit]])


def _units(
    net: PlaceTransitionNet,
    together: Sequence[Sequence[int]],
    groups: Sequence[Sequence[int]],
    within: Sequence[int],
) -> tuple[list[list[int]], list[list[int]]]:
    """Machines and the places of none, by the first place of each in ``within``; and which of them transitions join."""
    rank = _levels(within)
    alone = set(range(len(net.places))).difference(*together)
    units = sorted(
        (sorted(places, key=rank.__getitem__) for places in (*together, *([one] for one in alone))),
        key=lambda places: rank[places[0]],
    )
    unit_of = {place: number for number, places in enumerate(units) for place in places}
    joined = (sorted({unit_of[place] for place in group}) for group in groups)
    return units, [of_group for of_group in joined if len(of_group) > 1]


def _parts(net: PlaceTransitionNet, place: int) -> tuple[list[str], list[int]]:
    """The words and the numbers of a name, so that ``p10_2`` comes after ``p9_1``."""
    pieces = _DIGITS.split(net.places[place].name)
    return pieces[0::2], [int(number) for number in pieces[1::2]]


def _by_name(net: PlaceTransitionNet) -> list[int]:
    """Places by their names. Files may list them in any order, where names still tell what belongs together."""
    return sorted(range(len(net.places)), key=lambda place: _parts(net, place))


def _by_index(net: PlaceTransitionNet) -> list[int]:
    """By the numbers in their names first: all of the first process, then all of the second."""
    return sorted(range(len(net.places)), key=lambda place: _parts(net, place)[::-1])


def _levels(order: Sequence[int]) -> Levels:
    levels = [0] * len(order)
    for level, place in enumerate(order):
        levels[place] = level
    return levels
