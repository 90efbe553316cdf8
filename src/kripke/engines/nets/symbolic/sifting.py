"""An order of levels made better by trying, on a net so small that a try takes milliseconds.

As in R. Rudell, *Dynamic variable ordering for ordered binary decision diagrams*, ICCAD 1993, a few levels at a time
are moved through the whole order and stay where the diagrams are smallest. What moves is a group of places: those that
belong to the same place invariants (tokens that are not in one such group are in another), the machines of the net,
and each place alone. Where there are few groups, they are tried in every order.

Invariants of few tokens would split the groups of those with many, and matter less: so groups are made without them,
too, and the places of those join the group that they are about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, permutations

from kripke.deadline import Deadline
from kripke.engines.nets.symbolic.orders import Levels, invariants_of, machines
from kripke.nets.place_transition import PlaceTransitionNet

_FEW_CLASSES = 5  # so few that every order of them is tried

Cost = Callable[[Levels], "int | None"]


def sifted(net: PlaceTransitionNet, levels: Levels, cost: Cost, deadline: Deadline) -> Levels:
    """The best order that is found before the deadline. ``cost`` is None where an order is hopeless."""
    best = _Best(sorted(range(len(levels)), key=levels.__getitem__), cost(levels))
    invariants = invariants_of(net)
    classes = _classes_of(net, invariants)
    groups = _groups(net, invariants, classes)
    improved = True
    while improved:
        improved = False
        for other in chain(_arrangements(best, classes), (one for group in groups for one in _moves(best, group))):
            if deadline.is_over:
                return _levels(best.order)
            improved = best.consider(other, cost) or improved
    return _levels(best.order)


@dataclass
class _Best:
    order: list[int]
    least: int | None

    def consider(self, order: list[int], cost: Cost) -> bool:
        found = cost(_levels(order))
        if found is None or (self.least is not None and found >= self.least):
            return False
        self.order, self.least = order, found
        return True


def _arrangements(best: _Best, classes: Sequence[frozenset[int]]) -> Iterator[list[int]]:
    """The classes one after the other, in every order where they are few."""
    if len(classes) <= _FEW_CLASSES:
        for blocks in permutations(classes):
            yield [place for block in blocks for place in best.order if place in block]


def _moves(best: _Best, group: frozenset[int]) -> Iterator[list[int]]:
    """The places of the group next to each other at every place of the order, and the other way round."""
    moved = [place for place in best.order if place in group]
    others = [place for place in best.order if place not in group]
    for at in range(len(others) + 1):
        yield [*others[:at], *moved, *others[at:]]
    if len(moved) > 1:
        turned = iter(moved[::-1])
        yield [next(turned) if place in group else place for place in best.order]


def _classes_of(net: PlaceTransitionNet, invariants: Sequence[Mapping[int, int]]) -> list[frozenset[int]]:
    """All places in classes, by the invariants of many tokens that they belong to."""
    tokens = [sum(net.initial[place] * weight for place, weight in invariant.items()) for invariant in invariants]
    most = max(tokens, default=0)
    with_many = [one for one, its in zip(invariants, tokens, strict=True) if 2 * its > most]
    with_few = [one for one, its in zip(invariants, tokens, strict=True) if 2 * its <= most]
    classes = [frozenset(group) for group in _joined(_alike(with_many), with_few)]
    left = frozenset(range(len(net.places))).difference(*classes)
    return [*classes, left] if left else classes


def _groups(
    net: PlaceTransitionNet, invariants: Sequence[Mapping[int, int]], classes: Sequence[frozenset[int]]
) -> list[frozenset[int]]:
    """Each once, the largest first."""
    kept, others = machines(net)
    found = {*classes, *(frozenset(group) for group in (*_alike(invariants), *kept, *others))}
    found |= {frozenset((place,)) for place in range(len(net.places))}
    return sorted(found, key=lambda group: (-len(group), sorted(group)))


def _joined(classes: Iterable[set[int]], invariants: Sequence[Mapping[int, int]]) -> Iterator[set[int]]:
    """Classes of places, each with the invariants that have places in it and in no other class."""
    classes = list(classes)
    in_some = set().union(*classes)
    for group in classes:
        near = (set(one) for one in invariants)
        yield group.union(*(one for one in near if one & group and not one & (in_some - group)))


def _alike(invariants: Sequence[Mapping[int, int]]) -> Iterable[set[int]]:
    """The places of invariants, those of the same ones together."""
    members: dict[int, set[int]] = {}
    for number, invariant in enumerate(invariants):
        for place in invariant:
            members.setdefault(place, set()).add(number)
    alike: dict[frozenset[int], set[int]] = {}
    for place, numbers in members.items():
        alike.setdefault(frozenset(numbers), set()).add(place)
    return alike.values()


def _levels(order: Sequence[int]) -> Levels:
    levels = [0] * len(order)
    for level, place in enumerate(order):
        levels[place] = level
    return levels
