"""Branching and linear time where nets are too large for the whole: the same answers, or none."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from tests.nets.test_state_equation import markings
from tests.support.random_nets import model_of, random_net, random_predicate

pytest.importorskip("kripke._native")
from kripke.engines.nets.formulas import branching_parts, temporal
from kripke.engines.nets.formulas.answers import QueryAnswerer
from kripke.logic.ctl import And, Not, Or
from kripke.nets.formulas import AllPaths, Finally, Formula, Globally, Next, Now, Query, SomePath, Until
from kripke.nets.place_transition import PlaceTransitionNet


def random_branching(net: PlaceTransitionNet, source: random.Random, depth: int) -> Formula:
    def part() -> Formula:
        return random_branching(net, source, depth - 1)

    if not depth:
        return Now(random_predicate(net, source.randrange(1 << 30), 1))
    quantifier = source.choice((AllPaths, SomePath))
    match source.randrange(8):
        case 0:
            return Not(part())
        case 1:
            return And((part(), part()))
        case 2:
            return Or((part(), part()))
        case 3:
            return quantifier(Next(part()))
        case 4 | 5:
            return quantifier(source.choice((Finally, Globally))(part()))
        case _:
            return quantifier(Until(part(), part()))


def random_linear(net: PlaceTransitionNet, source: random.Random, depth: int) -> Formula:
    def part() -> Formula:
        return random_linear(net, source, depth - 1)

    if not depth:
        return Now(random_predicate(net, source.randrange(1 << 30), 1))
    match source.randrange(4):
        case 0:
            return source.choice((And, Or))((part(), part()))
        case 1:
            return Until(part(), part())
        case _:
            return source.choice((Finally, Globally))(part())


def bounded_nets(first: int, count: int) -> Iterator[tuple[int, PlaceTransitionNet]]:
    while count:
        net = random_net(first)
        reached, complete = markings(net)
        if complete and len(reached) > 4:
            yield first, net
            count -= 1
        first += 1


def test_branching_time_in_parts() -> None:
    decided = total = 0
    for seed, net in bounded_nets(0, 4):
        source = random.Random(seed)
        model = model_of(net)
        queries = [Query(f"q{n}", random_branching(net, source, 1 + n % 3)) for n in range(8)]
        whole = QueryAnswerer(model).answer(queries)
        for query, answer in zip(queries, whole, strict=True):
            value = branching_parts.Parts(QueryAnswerer(model), 1.0).value(query.formula)
            assert value is None or value is answer.value, (seed, query)
            decided += value is not None
            total += 1
    assert decided > total / 2


def test_linear_time_on_reduced_nets() -> None:
    for seed, net in bounded_nets(100, 6):
        source = random.Random(seed)
        model = model_of(net)
        queries = [Query(f"q{n}", AllPaths(random_linear(net, source, 2))) for n in range(3)]
        for query, answer in zip(queries, temporal.linear(QueryAnswerer(model), queries), strict=True):
            reduced = temporal.on_reduced_net(QueryAnswerer(model), query, QueryAnswerer(model).limits)
            assert reduced.value is answer.value, (seed, query)
