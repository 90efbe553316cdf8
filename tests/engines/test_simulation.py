"""Random and chosen runs."""

from __future__ import annotations

from kripke.engines.runs.simulation import choose_at_random, simulate
from tests.support.toys import Chain, Counters, Graph


def test_the_same_seed_gives_the_same_run() -> None:
    runs = [simulate(Counters(5), choose_at_random(7)).trace.steps for _ in range(2)]
    assert runs[0] == runs[1]
    others = {simulate(Counters(5), choose_at_random(seed)).trace.steps for seed in range(20)}
    assert len(others) > 10


def test_what_ends_a_run() -> None:
    first = choose_at_random(0)
    assert simulate(Counters(2), first).end == "valid end"
    assert simulate(Chain(5), first).end == "deadlock"
    assert simulate(Chain(5), first, steps=5).end == "deadlock"
    assert simulate(Chain(6), first, steps=5).end == "limit"
    assert simulate(Graph([[1], [None]]), first).end == "violation"
    assert simulate(Chain(5), lambda state, steps: None).end == "stopped"
    assert simulate(Graph([[]], initial=()), first).end == "stopped"


def test_output_of_the_model() -> None:
    simulation = simulate(Counters(2), choose_at_random(1))
    assert simulation.output == "y moves\ny moves\n"
