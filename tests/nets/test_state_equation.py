"""What the state equation rules out is never reached, and what it allows is enough."""

from __future__ import annotations

import random

import pytest

from kripke.nets.place_transition import Arc, Place, PlaceTransitionNet, Transition
from kripke.nets.predicate_text import parse_predicate
from kripke.nets.predicates import holds
from kripke.nets.structure.state_equation import most_tokens, out_of_reach
from tests.support.random_nets import model_of, random_net, random_predicate


def markings(net: PlaceTransitionNet, most: int = 300) -> tuple[list[list[int]], bool]:
    """Reachable ones, and whether these are all."""
    model = model_of(net)
    states = model.initial()
    seen = set(states)
    for state in states:
        for step in model.successors(state):
            if step.target is not None and step.target not in seen and len(states) < most:
                seen.add(step.target)
                states.append(step.target)
    return [list(model.interpreter.tokens(state)) for state in states], len(states) < most


def test_random_nets() -> None:
    ruled_out = out = 0
    for seed in range(120):
        net = random_net(seed)
        reached, complete = markings(net)
        for number in range(5):
            goal = random_predicate(net, 100 * seed + number)
            found = any(holds(goal, net, tokens) for tokens in reached)
            impossible = out_of_reach(net, goal)
            assert not (found and impossible), (seed, number)
            ruled_out += impossible
            out += complete and not found
        source = random.Random(seed)
        places = source.sample(range(len(net.places)), source.randint(1, len(net.places)))
        bound = most_tokens(net, places).tokens
        assert bound is None or bound >= max(sum(tokens[place] for place in places) for tokens in reached), seed
    assert ruled_out > 0.7 * out > 50


@pytest.mark.parametrize(("goal", "impossible"), [("p + q != 3", True), ("p == 0 && q == 0", True), ("q == 3", False)])
def test_tokens_that_move(goal: str, impossible: bool) -> None:
    net = PlaceTransitionNet("move", (Place("p", 3), Place("q")), (Transition("t", (Arc(0, 1),), (Arc(1, 1),)),))
    assert out_of_reach(net, parse_predicate(goal, "x", net)) is impossible
    assert most_tokens(net, [1]).tokens == most_tokens(net, [0, 1]).tokens == 3


def test_a_bound_that_no_place_invariant_gives() -> None:
    """Two tokens of p make one of q: at most one comes of three."""
    net = PlaceTransitionNet("pairs", (Place("p", 3), Place("q")), (Transition("t", (Arc(0, 2),), (Arc(1, 1),)),))
    assert most_tokens(net, [1]).tokens == 1
    source = PlaceTransitionNet("source", (Place("p"),), (Transition("t", (), (Arc(0, 1),)),))
    assert most_tokens(source, [0]).tokens is None
