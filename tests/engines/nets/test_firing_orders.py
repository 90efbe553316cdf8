"""Walks along solutions of the state equation."""

from __future__ import annotations

import random

import pytest

from tests.support.random_nets import model_of, random_net, random_predicate

pytest.importorskip("kripke._native")
from kripke.engines.nets.formulas.answers import QueryAnswerer
from kripke.engines.nets.formulas.examinations import examine
from kripke.engines.nets.structural.firing_orders import follow
from kripke.nets.formulas import Bound, Finally, Now, Query, SomePath
from kripke.nets.place_transition import Place, PlaceTransitionNet, Transition, arcs
from kripke.nets.predicates import AtLeastZero, enabled, holds
from kripke.nets.structure.state_equation import solve


def line(tokens: int, length: int) -> PlaceTransitionNet:
    """Tokens that move from the first place to the last, and back: too many markings to look for the last one."""
    places = (Place("p0", tokens), *(Place(f"p{number}", 0) for number in range(1, length)))
    steps = [(number, number + 1) for number in range(length - 1)]
    transitions = tuple(
        Transition(f"t{a}_{b}", arcs({a: 1}), arcs({b: 1})) for one, two in steps for a, b in ((one, two), (two, one))
    )
    return PlaceTransitionNet("line", places, transitions)


def test_a_marking_far_away_is_reached_along_the_solution() -> None:
    net = line(40, 8)
    goal = AtLeastZero(((7, 1),), -40)
    (firings,) = solve(net, goal).firings
    walk = follow(net, firings, lambda tokens: holds(goal, net, tokens))
    assert walk is not None
    assert len(walk) == 7 * 40


def test_firings_that_have_no_order_lead_nowhere() -> None:
    # a needs b's token and b needs a's: the equation has a solution, the net does not move
    net = PlaceTransitionNet(
        "circle",
        (Place("p", 0), Place("q", 0), Place("r", 0)),
        (
            Transition("a", arcs({0: 1}), arcs({1: 1})),
            Transition("b", arcs({1: 1}), arcs({0: 1, 2: 1})),
        ),
    )
    goal = AtLeastZero(((2, 1),), -1)
    (firings,) = solve(net, goal).firings
    assert firings == {0: 1, 1: 1}
    assert follow(net, firings, lambda tokens: holds(goal, net, tokens)) is None


def test_what_is_found_is_a_run_of_the_net() -> None:
    followed = 0
    for seed in range(200):
        net = random_net(seed)
        goal = random_predicate(net, random.Random(seed).randrange(1 << 30))
        for firings in solve(net, goal).firings:
            walk = follow(net, firings, lambda tokens, goal=goal, net=net: holds(goal, net, tokens))
            if walk is None:
                continue
            tokens = list(net.initial)
            for number in walk:
                assert enabled(net, number, tokens)
                for place, change in net.transitions[number].changes:
                    tokens[place] += change
            assert holds(goal, net, tokens)
            followed += 1
    assert followed > 100


def test_bounds_of_nets_with_many_markings() -> None:
    answerer = QueryAnswerer(model_of(line(60, 9)))
    queries = [Query("last", Bound((8,))), Query("middle", Bound((3, 4)))]
    assert [answer.value for answer in answerer.answer(queries)] == [60, 60]
    assert answerer.states == 0


@pytest.mark.parametrize(("name", "value"), [("OneSafe", False), ("Liveness", False)])
def test_nets_that_end(name: str, value: bool) -> None:
    places = tuple(Place(f"p{number}", 1 if number % 2 == 0 else 0) for number in range(80))
    ends = tuple(Transition(f"t{n}", arcs({2 * n: 1}), arcs({2 * n + 1: 1 + n // 39})) for n in range(40))
    answerer = QueryAnswerer(model_of(PlaceTransitionNet("ends", places, ends)))
    assert examine(answerer, name).value is value
    assert answerer.states < 1000


def test_safe_by_invariants_alone() -> None:
    pairs = [(2 * n, 2 * n + 1) for n in range(40)]
    places = tuple(Place(f"p{number}", 1 if number % 2 == 0 else 0) for number in range(80))
    moves = tuple(Transition(f"t{a}_{b}", arcs({a: 1}), arcs({b: 1})) for x, y in pairs for a, b in ((x, y), (y, x)))
    answerer = QueryAnswerer(model_of(PlaceTransitionNet("pairs", places, moves)))
    assert examine(answerer, "OneSafe").value is True
    assert answerer.states == 0


def test_a_goal_far_away_has_a_way() -> None:
    net = line(30, 10)
    goal = AtLeastZero(((9, 1), (0, -1)), -30)
    (answer,) = QueryAnswerer(model_of(net)).answer([Query("far", SomePath(Finally(Now(goal))))])
    assert answer.value is True
    assert answer.way is not None
    assert answer.way.count("t8_9") >= 30
