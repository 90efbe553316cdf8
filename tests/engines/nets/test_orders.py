"""Orders of levels: each gives the same set of markings, and one that is good is found by trying."""

from __future__ import annotations

import random

import pytest

from benchmarks.net_families import COUNTS, FAMILIES
from kripke.deadline import NEVER, Deadline
from kripke.engines.nets.symbolic import trying
from kripke.engines.nets.symbolic.orders import machines, orders
from kripke.engines.nets.symbolic.sets import Markings, OutOfBudget
from kripke.engines.nets.symbolic.trying import reached
from kripke.nets.place_transition import Place, PlaceTransitionNet, Transition, arcs


def net_of(family: str, size: int, seed: int | None = None) -> PlaceTransitionNet:
    """With places and transitions in any order, where there is a seed."""
    made = FAMILIES[family](size)
    places, transitions = list(made.places), list(made.transitions)
    if seed is not None:
        source = random.Random(seed)
        source.shuffle(places)
        source.shuffle(transitions)
    numbers = {place: number for number, place in enumerate(places)}
    return PlaceTransitionNet(
        family,
        tuple(Place(name, made.places[name]) for name in places),
        tuple(
            Transition(
                name, *(arcs({numbers[place]: n for place, n in side.items()}) for side in made.transitions[name])
            )
            for name in transitions
        ),
    )


def enumerated(net: PlaceTransitionNet) -> int:
    """How many markings are reached one by one."""
    seen = {net.initial}
    waiting = [net.initial]
    while waiting:
        marking = waiting.pop()
        for transition in net.transitions:
            if all(marking[place] >= weight for place, weight in transition.preset):
                tokens = list(marking)
                for place, change in transition.changes:
                    tokens[place] += change
                if (after := tuple(tokens)) not in seen:
                    seen.add(after)
                    waiting.append(after)
    return len(seen)


SMALL = [
    ("shared-memory", 3),
    ("kanban", 2),
    ("fms", 2),
    ("token-ring", 5),
    ("railroad", 4),
    ("database", 2),
    ("energy-bus", 4),
]


@pytest.mark.parametrize(("family", "size"), SMALL)
def test_every_order_gives_all_markings(family: str, size: int) -> None:
    net = net_of(family, size, seed=7)
    expected = enumerated(net)
    if family in COUNTS:
        assert COUNTS[family](size) == expected
    found = list(orders(net))
    assert len(found) > 2
    for levels in found:
        assert sorted(levels) == list(range(len(net.places)))
        assert Markings(net, 1 << 26, levels).reachable.count() == expected


@pytest.mark.parametrize(("family", "size"), [("kanban", 30), ("fms", 20), ("token-ring", 20), ("philosophers", 60)])
def test_counts_that_formulas_know(family: str, size: int) -> None:
    markings = reached(net_of(family, size, seed=1), 0, NEVER)
    assert markings.reachable.count() == COUNTS.get(family, lambda count: 3**count)(size)


def test_machines_are_places_between_which_tokens_move() -> None:
    kept, others = machines(net_of("token-ring", 4))
    assert [sorted(places) for places in kept] == [list(range(5 * i, 5 * i + 5)) for i in range(5)]
    assert others == []
    kept, others = machines(net_of("shared-memory", 2))
    assert kept == []
    assert len(others) == 2


def test_an_order_that_takes_too_long_gives_way_to_another(monkeypatch: pytest.MonkeyPatch) -> None:
    net = net_of("token-ring", 4)
    tried: list[int] = []
    explored = trying._explored

    def slow(net: PlaceTransitionNet, memory: int, levels: list[int], deadline: Deadline, after: Deadline) -> Markings:
        tried.append(len(tried))
        if len(tried) < 3:
            raise OutOfBudget("time" if len(tried) == 1 else "memory")
        return explored(net, memory, levels, deadline, after)

    monkeypatch.setattr(trying, "_explored", slow)
    assert reached(net, 0, NEVER).reachable.count() == 65
    assert len(tried) == 3


def test_where_the_time_is_over_nothing_more_is_tried() -> None:
    with pytest.raises(OutOfBudget) as stopped:
        reached(net_of("token-ring", 4), 0, Deadline(-1.0))
    assert stopped.value.reason == "time"
