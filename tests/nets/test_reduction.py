"""Structural reductions: every rule keeps what it says, on random nets; and what the rules make of small ones."""

from __future__ import annotations

import random

import pytest

from kripke.engines.nets.structural.reduced_goals import _renumbered, _without_transitions, deadlock_of, reduce_for
from kripke.nets.place_transition import Arc, Place, PlaceTransitionNet, Transition
from kripke.nets.predicates import Predicate, holds, places_of
from kripke.nets.structure import reduction
from kripke.nets.structure.reduction import MutableNet, reduce_net
from tests.support.random_nets import model_of, random_net, random_predicate

MOST = 400


def markings(net: PlaceTransitionNet) -> list[tuple[int, ...]] | None:
    """All of them, in breadth-first order; None where there are too many."""
    found = [net.initial]
    seen = set(found)
    steps = [(t.preset, t.changes) for t in net.transitions]
    for marking in found:
        for preset, changes in steps:
            if all(marking[place] >= weight for place, weight in preset):
                after = list(marking)
                for place, change in changes:
                    after[place] += change
                if tuple(after) not in seen:
                    seen.add(tuple(after))
                    found.append(tuple(after))
        if len(found) > MOST:
            return None
    return found


def projections(net: PlaceTransitionNet, places: list[int]) -> set[tuple[int, ...]] | None:
    found = markings(net)
    return None if found is None else {tuple(marking[place] for place in places) for marking in found}


def has_deadlock(net: PlaceTransitionNet) -> bool | None:
    found = markings(net)
    return None if found is None else any(holds(deadlock_of(net), net, marking) for marking in found)


REACHABILITY = [rule.__name__ for rule in reduction.RULES["reachability"]]
DEADLOCK = [rule.__name__ for rule in reduction.RULES["deadlock"]]


def thin_net(seed: int) -> PlaceTransitionNet:
    """Few arcs, one token each: here agglomerations apply."""
    source = random.Random(seed)
    places = source.randint(3, 8)
    transitions = []
    for number in range(source.randint(2, 8)):
        taken = source.sample(range(places), source.choice((1, 1, 1, 2)))
        brought = source.sample(range(places), source.choice((0, 1, 1, 1, 2)))
        transitions.append(
            Transition(
                f"t{number}",
                tuple(Arc(place, 1) for place in sorted(taken)),
                tuple(Arc(place, 1) for place in sorted(brought)),
            )
        )
    return PlaceTransitionNet(
        f"thin {seed}", tuple(Place(f"p{n}", source.choice((0, 0, 0, 1, 2))) for n in range(places)), tuple(transitions)
    )


@pytest.mark.parametrize("make", [random_net, thin_net])
@pytest.mark.parametrize("name", REACHABILITY)
def test_a_rule_keeps_the_reachable_markings_of_protected_places(name: str, make) -> None:
    applied = compared = 0
    for seed in range(400):
        net = make(seed)
        source = random.Random(seed)
        protected = source.sample(range(len(net.places)), source.randint(1, min(2, len(net.places))))
        mutable = MutableNet(net, frozenset(protected))
        if not getattr(reduction, name)(mutable):
            continue
        applied += 1
        reduced = mutable.reduced()
        numbers = reduced.place_numbers()
        expected = projections(net, protected)
        if expected is not None:
            compared += 1
            assert projections(reduced.net, [numbers[place] for place in protected]) == expected, seed
    assert applied > 0 and compared > 0
    assert make is random_net or applied > 20


@pytest.mark.parametrize("make", [random_net, thin_net])
@pytest.mark.parametrize("name", DEADLOCK)
def test_a_rule_keeps_deadlocks(name: str, make) -> None:
    answers = set()
    for seed in range(400):
        net = make(seed)
        mutable = MutableNet(net, frozenset())
        expected = has_deadlock(net)
        if expected is None or not getattr(reduction, name)(mutable):
            continue
        answers.add(expected)
        assert has_deadlock(mutable.reduced().net) == expected, seed
    assert answers
    assert make is random_net or answers == {True, False}


@pytest.mark.parametrize("make", [random_net, thin_net])
def test_all_rules_together(make) -> None:
    smaller = 0
    for seed in range(500, 900):
        net = make(seed)
        expected = has_deadlock(net)
        if expected is None:
            continue
        reduced = reduce_net(net, frozenset(), "deadlock").net
        assert has_deadlock(reduced) == expected, seed
        smaller += len(reduced.places) < len(net.places)
        goal: Predicate = _without_transitions(random_predicate(net, seed), net)
        found = markings(net)
        assert found is not None
        kept = reduce_net(net, places_of(goal, net), "reachability")
        renumbered = _renumbered(goal, kept.place_numbers())
        left = markings(kept.net)
        assert left is not None
        assert any(holds(goal, net, m) for m in found) == any(holds(renumbered, kept.net, m) for m in left), seed
    assert smaller > 50


@pytest.mark.parametrize("make", [random_net, thin_net])
def test_ways_in_the_reduced_net_are_ways_in_the_net(make) -> None:
    from kripke.engines.branching.graph import GraphLimits
    from kripke.engines.explicit.goals import find_goals

    followed = 0
    for seed in range(200):
        net = make(seed)
        for goal in (random_predicate(net, seed), deadlock_of(net)):
            reduced = reduce_for(model_of(net), {"goal": goal})
            found = find_goals(reduced.model, ["goal"], GraphLimits(max_states=300))
            if "goal" in found.ways:
                reduced.transitions("goal", found.ways["goal"])  # raises where it is none
                followed += len(found.ways["goal"]) > 1
    assert followed > 20


def chain(length: int) -> PlaceTransitionNet:
    """One token that goes round a ring."""
    places = tuple(Place(f"p{n}", int(n == 0)) for n in range(length))
    transitions = tuple(Transition(f"t{n}", (Arc(n, 1),), (Arc((n + 1) % length, 1),)) for n in range(length))
    return PlaceTransitionNet("ring", places, transitions)


def test_a_ring_shrinks_to_what_is_asked() -> None:
    reduced = reduce_net(chain(10), frozenset({5}), "reachability")
    assert [place.name for place in reduced.net.places] == ["p0", "p5"]
    assert reduced.sequences == ((0, 1, 2, 3, 4), (5, 6, 7, 8, 9))
    assert len(reduce_net(chain(10), frozenset(), "deadlock").net.places) <= 1


def test_a_transition_without_effect_is_no_deadlock() -> None:
    net = PlaceTransitionNet("idle", (Place("p", 1),), (Transition("t", (Arc(0, 1),), (Arc(0, 1),)),))
    reduced = reduce_net(net, frozenset(), "deadlock")
    assert has_deadlock(reduced.net) is False
    assert len(reduced.net.transitions) == 1
