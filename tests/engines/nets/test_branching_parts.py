"""Branching time of a net with more markings than can be visited."""

from __future__ import annotations

import random

import pytest

from tests.support.random_nets import model_of, random_net, random_predicate

pytest.importorskip("kripke._native")
from kripke.engines.branching.graph import GraphLimits
from kripke.engines.nets.formulas.answers import QueryAnswerer
from kripke.engines.nets.formulas.branching_parts import Parts
from kripke.nets.formulas import AllPaths, Finally, Formula, Globally, Next, Now, SomePath
from kripke.nets.place_transition import Place, PlaceTransitionNet, Transition, arcs
from kripke.nets.predicates import FALSE, AtLeastZero, before, enabled, holds

CYCLES = 40


def cycles() -> PlaceTransitionNet:
    """2^40 markings: so many tokens go back and forth; the first of them may also get lost."""
    places = tuple(Place(f"p{number}", 1 if number % 2 == 0 else 0) for number in range(2 * CYCLES))
    transitions = [
        Transition(f"t{a}", arcs({a: 1}), arcs({b: 1}))
        for number in range(CYCLES)
        for a, b in ((2 * number, 2 * number + 1), (2 * number + 1, 2 * number))
    ]
    return PlaceTransitionNet("cycles", places, (*transitions, Transition("lose", arcs({0: 1}), arcs({}))))


def at(place: int, least: int = 1) -> Formula:
    return Now(AtLeastZero(((place, 1),), -least))


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        (AllPaths(Globally(SomePath(Finally(at(2, 2))))), False),  # never two tokens
        (AllPaths(Finally(SomePath(Finally(at(5))))), True),  # true at once
        (SomePath(Next(AllPaths(Globally(Now(AtLeastZero(((0, -1), (1, -1)), 0)))))), True),  # lost in one step
        (SomePath(Globally(AllPaths(Next(at(2))))), False),  # another step can be taken at once
        (AllPaths(Globally(AllPaths(Finally(at(2))))), False),  # the token need not move
    ],
)
def test_what_is_known_without_the_graph(formula: Formula, value: bool) -> None:
    answerer = QueryAnswerer(model_of(cycles()), limits=GraphLimits(max_states=20_000, time_limit=120))
    assert Parts(answerer, 1.0).value(formula) is value


def test_what_holds_before_a_transition_fires() -> None:
    checked = 0
    for seed in range(300):
        net = random_net(seed)
        source = random.Random(seed)
        predicate = random_predicate(net, source.randrange(1 << 30))
        tokens = [source.randrange(4) for _ in net.places]
        for number, transition in enumerate(net.transitions):
            if enabled(net, number, tokens):
                after = list(tokens)
                for place, change in transition.changes:
                    after[place] += change
                assert holds(before(predicate, net, number), net, tokens) is holds(predicate, net, after)
                checked += 1
    assert checked > 300
    assert before(FALSE, net, 0) == FALSE
