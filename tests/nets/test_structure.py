"""Invariants, siphons and traps: small nets by hand, random ones by what the words mean."""

from __future__ import annotations

import random
from itertools import product

import pytest

from kripke.nets.place_transition import Arc, Place, PlaceTransitionNet, Transition, arcs
from kripke.nets.structure import invariants
from kripke.nets.structure.invariants import (
    bound_of_sum,
    bounds,
    place_invariants,
    transition_invariants,
    weighted,
)
from kripke.nets.structure.siphons import (
    deadlock_free,
    is_siphon,
    is_trap,
    largest_siphon,
    largest_trap,
    minimal_siphons,
    unmarked_siphon,
)
from tests.nets.test_reduction import markings
from tests.support.random_nets import model_of, random_net

# Two processes and a lock.
LOCK = PlaceTransitionNet(
    "lock",
    (Place("idle1", 1), Place("busy1"), Place("idle2", 1), Place("busy2"), Place("lock", 1)),
    (
        Transition("take1", (Arc(0, 1), Arc(4, 1)), (Arc(1, 1),)),
        Transition("give1", (Arc(1, 1),), (Arc(0, 1), Arc(4, 1))),
        Transition("take2", (Arc(2, 1), Arc(4, 1)), (Arc(3, 1),)),
        Transition("give2", (Arc(3, 1),), (Arc(2, 1), Arc(4, 1))),
    ),
)


def test_invariants_of_a_lock() -> None:
    found = place_invariants(LOCK)
    assert found is not None
    assert sorted(sorted(invariant.items()) for invariant in found) == [
        [(0, 1), (1, 1)],
        [(1, 1), (3, 1), (4, 1)],
        [(2, 1), (3, 1)],
    ]
    assert bounds(LOCK, found) == dict.fromkeys(range(5), 1)
    assert bound_of_sum(LOCK, found, [1, 3]) == 1
    assert bound_of_sum(LOCK, found, [0, 4]) == 2
    assert transition_invariants(LOCK) == [{0: 1, 1: 1}, {2: 1, 3: 1}]


def test_weights() -> None:
    net = PlaceTransitionNet("w", (Place("p", 7), Place("q")), (Transition("t", (Arc(0, 2),), (Arc(1, 3),)),))
    found = place_invariants(net)
    assert found == [{0: 3, 1: 2}]
    assert bounds(net, found) == {0: 7, 1: 10}
    assert transition_invariants(net) == []


def test_too_many_invariants_are_no_answer() -> None:
    """Every choice of one of two places in each of twenty steps is an invariant of its own."""
    steps = 20
    places = tuple(Place(f"p{n}", int(n < 2)) for n in range(2 * steps))
    transitions = tuple(
        Transition(f"t{n}", (Arc(2 * n, 1), Arc(2 * n + 1, 1)), (Arc((2 * n + 2) % 40, 1), Arc((2 * n + 3) % 40, 1)))
        for n in range(steps)
    )
    assert place_invariants(PlaceTransitionNet("wide", places, transitions), most=500) is None


def test_invariants_of_a_large_ring():
    """Philosophers: two invariants each, found long before the time for them is over."""
    count = 400
    places = tuple(Place(f"{kind}{n}", int(kind != "eat")) for n in range(count) for kind in ("think", "fork", "eat"))
    transitions = []
    for n in range(count):
        think, left, eat, right = 3 * n, 3 * n + 1, 3 * n + 2, (3 * n + 4) % (3 * count)
        transitions.append(Transition(f"take{n}", arcs({think: 1, left: 1, right: 1}), arcs({eat: 1})))
        transitions.append(Transition(f"give{n}", arcs({eat: 1}), arcs({think: 1, left: 1, right: 1})))
    net = PlaceTransitionNet("ring", places, tuple(transitions))
    found = place_invariants(net, most=2_000)
    assert found is not None and len(found) == 2 * count
    assert set(bounds(net, found).values()) == {1} and len(bounds(net, found)) == len(places)


def test_no_invariant_is_missed():
    """Whatever weights up to two are an invariant, their places contain those of one that was found."""
    compared = 0
    for seed in range(60):
        net = random_net(seed)
        if len(net.places) > 5:
            continue
        supports = [set(invariant) for invariant in place_invariants(net) or []]
        for weights in product(range(3), repeat=len(net.places)):
            sums = (sum(weights[place] * change for place, change in t.changes) for t in net.transitions)
            if any(weights) and not any(sums):
                compared += 1
                assert any(support <= {p for p, weight in enumerate(weights) if weight} for support in supports), seed
    assert compared > 100


@pytest.mark.parametrize("seed", range(60))
def test_random_invariants(seed: int) -> None:
    net = random_net(seed)
    found = place_invariants(net)
    assert found is not None
    reachable = markings(net) or [net.initial]
    most = bounds(net, found)
    for invariant in found:
        assert all(weight > 0 for weight in invariant.values())
        for transition in net.transitions:
            assert sum(invariant.get(place, 0) * change for place, change in transition.changes) == 0
        assert len({weighted(invariant, marking) for marking in reachable}) == 1
    for place, bound in most.items():
        assert max(marking[place] for marking in reachable) <= bound
    for counts in transition_invariants(net) or []:
        total: dict[int, int] = {}
        for transition, times in counts.items():
            for place, change in net.transitions[transition].changes:
                total[place] = total.get(place, 0) + times * change
        assert not any(total.values())


@pytest.mark.parametrize("seed", range(60))
def test_random_siphons_and_traps(seed: int) -> None:
    net = random_net(seed)
    source = random.Random(seed)
    within = frozenset(source.sample(range(len(net.places)), source.randint(1, len(net.places))))
    siphon, trap = largest_siphon(net, within), largest_trap(net, within)
    assert siphon <= within and is_siphon(net, siphon)
    assert trap <= within and is_trap(net, trap)
    for place in within:  # no larger one: what was taken away is in none
        for candidate in (frozenset({place}), siphon | {place}):
            assert not is_siphon(net, candidate) or candidate <= siphon
    empty = unmarked_siphon(net)
    assert all(marking[place] == 0 for marking in markings(net) or [net.initial] for place in empty)


def test_minimal_siphons_by_definition() -> None:
    from itertools import combinations

    for seed in range(80):
        net = random_net(seed)
        everything = [
            frozenset(places)
            for size in range(1, len(net.places) + 1)
            for places in combinations(range(len(net.places)), size)
            if is_siphon(net, frozenset(places))
        ]
        minimal = [places for places in everything if not any(other < places for other in everything)]
        assert minimal_siphons(net) == sorted(minimal, key=lambda places: (len(places), sorted(places))), seed


def test_siphons_with_marked_traps_exclude_deadlocks() -> None:
    excluded = 0
    for seed in range(200):
        net = random_net(seed, weights=(1,))
        siphons = minimal_siphons(net)
        if siphons is None or not deadlock_free(net, siphons):
            continue
        excluded += 1
        model = model_of(net)
        states = model.initial()
        seen = set(states)
        for state in states:
            steps = [step.target for step in model.successors(state) if step.target is not None]
            assert steps, seed
            for target in steps:
                if target not in seen and len(states) < 100:
                    seen.add(target)
                    states.append(target)
    assert excluded > 10


def test_nothing_is_tried_on_nets_of_very_many_places() -> None:
    count = invariants.MOST_UNKNOWNS + 1
    net = PlaceTransitionNet("wide", tuple(Place(f"p{number}", 0) for number in range(count)), ())
    assert invariants.place_invariants(net) is None
    assert invariants.transition_invariants(net) == []
