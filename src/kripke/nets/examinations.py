"""Questions that can be asked of every net by name, as the Model Checking Contest asks them.

In an unfolded net they are about the coloured places and transitions: a coloured place is safe if it never holds two
tokens of whatever colours, a coloured transition is live if one of its bindings always can be enabled again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from kripke.nets.formulas import (
    AllPaths,
    Bound,
    Finally,
    Formula,
    Globally,
    Now,
    Query,
    SomePath,
    conjunction,
)
from kripke.nets.place_transition import PlaceTransitionNet
from kripke.nets.predicates import AtLeastZero, Constant, Fireable, Predicate, negation
from kripke.nets.predicates import conjunction as all_of
from kripke.nets.predicates import disjunction as any_of

STATE_SPACE = "StateSpace"
EXAMINATIONS = ("ReachabilityDeadlock", "OneSafe", "QuasiLiveness", "Liveness", "StableMarking", STATE_SPACE)


@dataclass(frozen=True, slots=True)
class Examination:
    """One of ``EXAMINATIONS``."""

    name: str
    kind: ClassVar[str] = "examination"


def deadlock(net: PlaceTransitionNet) -> Formula:
    """Can a marking be reached in which no transition is enabled?"""
    return SomePath(Finally(Now(negation(Fireable(tuple(range(len(net.transitions))))))))


def one_safe(classes: Sequence[tuple[int, ...]]) -> Formula:
    """Does none of these places ever hold more than one token?"""
    return AllPaths(Globally(Now(all_of([_at_most(places, 1) for places in classes]))))


def quasi_live(net: PlaceTransitionNet) -> list[Formula]:
    """For each transition: can it ever be enabled?"""
    return [SomePath(Finally(Now(Fireable(transitions)))) for transitions in transition_classes(net)]


def live(net: PlaceTransitionNet) -> Formula:
    """Can every transition, whatever happens, be enabled again?"""
    return conjunction(
        tuple(
            AllPaths(Globally(SomePath(Finally(Now(Fireable(transitions)))))) for transitions in transition_classes(net)
        )
    )


def stable(net: PlaceTransitionNet) -> list[Formula]:
    """For each place: does it always hold as many tokens as in the initial marking?"""
    initial = net.initial
    formulas: list[Formula] = []
    for places in place_classes(net):
        number = sum(initial[place] for place in places)
        formulas.append(AllPaths(Globally(Now(all_of((_at_most(places, number), _at_least(places, number)))))))
    return formulas


def some_place_holds(net: PlaceTransitionNet, number: int) -> Predicate:
    return any_of([_at_least((place,), number) for place in range(len(net.places))])


def tokens_in_all(net: PlaceTransitionNet) -> Query:
    return Query("tokens in a marking", Bound(tuple(range(len(net.places)))))


def place_classes(net: PlaceTransitionNet) -> tuple[tuple[int, ...], ...]:
    return net.place_classes or tuple((place,) for place in range(len(net.places)))


def transition_classes(net: PlaceTransitionNet) -> tuple[tuple[int, ...], ...]:
    return net.transition_classes or tuple((transition,) for transition in range(len(net.transitions)))


def _at_least(places: tuple[int, ...], number: int) -> Predicate:
    return AtLeastZero(tuple((place, 1) for place in places), -number) if places else Constant(number <= 0)


def _at_most(places: tuple[int, ...], number: int) -> Predicate:
    return AtLeastZero(tuple((place, -1) for place in places), number) if places else Constant(number >= 0)
