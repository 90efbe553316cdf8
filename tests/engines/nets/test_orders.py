"""Orders of levels: each gives the same set of markings, and one that is good is found by trying."""

from __future__ import annotations

import random

import pytest

from benchmarks.net_families import COUNTS, FAMILIES
from kripke.deadline import NEVER, Deadline
from kripke.engines.nets.symbolic import trying
from kripke.engines.nets.symbolic.orders import flows, machines, orders
from kripke.engines.nets.symbolic.sets import Markings, OutOfBudget
from kripke.engines.nets.symbolic.sifting import sifted
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


def test_flows_keep_a_process_together_whose_steps_need_others() -> None:
    net = net_of("railroad", 6, seed=3)
    names = [sorted(net.places[place].name for place in places) for places in flows(net)]
    for train in range(1, 7):
        parts = ("coming", "far", "head", "left", "tail", "track")
        assert [f"{part}{train}" for part in parts] in names


@pytest.mark.parametrize(("family", "size", "nodes"), [("railroad", 8, 6_000), ("token-ring", 10, 3_000)])
def test_some_order_is_good_whatever_the_order_of_the_file(family: str, size: int, nodes: int) -> None:
    net = net_of(family, size, seed=5)
    found = []
    for levels in orders(net):
        markings = Markings(net, 1 << 24, levels)
        markings.deadline = NEVER.within_work(1.0)
        try:
            assert markings.reachable
        except OutOfBudget:
            continue
        found.append(markings.native.peak_nodes)
    assert min(found) < nodes


@pytest.mark.parametrize(("family", "size"), [("fms", 3), ("kanban", 3)])
def test_sifting_finds_a_smaller_order(family: str, size: int) -> None:
    net = net_of(family, size, seed=2)

    def nodes(levels: list[int]) -> int:
        markings = Markings(net, 1 << 26, levels)
        assert markings.reachable.count() == COUNTS[family](size)
        return markings.native.peak_nodes

    given = list(range(len(net.places)))
    tries = 0

    def cost(levels: list[int]) -> int | None:
        nonlocal tries
        tries += 1
        return nodes(levels) if tries <= 100 else None

    found = sifted(net, given, cost, NEVER)
    assert sorted(found) == given
    assert nodes(found) < nodes(given) // 2


def test_sifting_ends_with_the_time() -> None:
    net = net_of("kanban", 2)
    given = list(range(len(net.places)))
    assert sifted(net, given, lambda levels: 1, Deadline(-1.0)) == given


def test_many_tokens_are_sifted_where_the_first_order_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    net = net_of("kanban", 20, seed=1)
    explored = trying._explored
    of_the_net: list[list[int]] = []

    def slow(one: PlaceTransitionNet, memory: int, levels: list[int], deadline: Deadline, after: Deadline) -> Markings:
        if one is net:
            of_the_net.append(levels)
            if len(of_the_net) == 1:
                raise OutOfBudget("time")
        return explored(one, memory, levels, deadline, after)

    monkeypatch.setattr(trying, "_explored", slow)
    monkeypatch.setattr(trying, "_SIFTING", 0.2)
    assert reached(net, 0, NEVER).reachable.count() == COUNTS["kanban"](20)
    assert len(of_the_net) == 2
