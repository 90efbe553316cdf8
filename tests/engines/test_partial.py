"""Searches that see a part of the runs only: at random, with few preemptions, deeper and deeper, in swarms."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import pytest

import kripke
from kripke.engines.explicit import sketch
from kripke.engines.plan import Unsupported

# The assertion fails only where one process is interrupted between reading and writing.
LOST_UPDATE = """
byte x, done;
active [2] proctype p() { byte t; t = x; x = t + 1; done++; (done == 2) -> assert(x == 2) }
"""
# Two interruptions are needed: of the writer between the halves, and of the reader between its two looks.
TORN = """
byte low, high;
active proctype writer() { low = 1; high = 1; low = 2; high = 2 }
active proctype reader() { byte l; l = low; assert(!(l == 1 && high == 2)) }
"""
DEEP = "byte n; active proctype count() { do :: n < 200 -> n++ :: n == 200 -> assert(false) od }"
HOLDS = "byte n; active [2] proctype p() { do :: n < 9 -> n++ :: n > 0 -> n-- od }"


def model(folder: Path, text: str) -> kripke.LoadedModel:
    path = folder / "model.pml"
    path.write_text(text)
    return kripke.load(path)


@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_preemptions_are_counted_and_switches_that_must_be_are_not(tmp_path, engine):
    lost = model(tmp_path, LOST_UPDATE)
    none = lost.check(max_switches=0, engine=engine)
    assert none.verdict == "unknown"
    assert none.reason == "nothing was found in runs with at most 0 preemptions; there are runs with more"
    one = lost.check(max_switches=1, engine=engine)
    assert (one.verdict, one.kind) == ("violated", "assertion")
    assert one.trace is not None
    waits = "chan q = [0] of { byte }; active proctype a() { q!1; q!2 } active proctype b() { byte x; q?x; q?x }"
    alone = model(tmp_path, waits).check(max_switches=0, engine=engine)
    assert (alone.verdict, alone.complete) == ("holds", True)  # nobody could be interrupted


def test_the_trace_of_few_preemptions_has_no_more(tmp_path):
    torn = model(tmp_path, TORN)
    most = next(n for n in range(5) if torn.check(max_switches=n).verdict == "violated")
    assert most == 2
    trace = torn.check(max_switches=most, clarify=False).trace
    actors = [step.parts[0].actor for step in trace.steps]
    assert sum(a != b for a, b in pairwise(actors)) <= most + 1


@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_a_walk_finds_what_most_runs_meet(tmp_path, engine):
    lost = model(tmp_path, LOST_UPDATE)
    found = lost.check(search="walk", seed=3, engine=engine)
    assert (found.verdict, found.kind) == ("violated", "assertion")
    assert found.engine["walks"] == 1000
    again = lost.check(search="walk", seed=3, engine=engine)
    assert [step.parts for step in again.trace.steps] == [step.parts for step in found.trace.steps]


@pytest.mark.parametrize("engine", ["native", "interpreter"])
@pytest.mark.parametrize("seed", [-1, 2**64, 10**30])
def test_any_whole_number_is_a_seed(tmp_path, engine, seed):
    some = model(tmp_path, HOLDS)
    result = some.check(search="walk", walks=1, max_depth=50, seed=seed, engine=engine)
    assert result.reason.startswith("nothing was found in 1 walk of at most 50 steps; about ")
    assert result.states == some.check(search="walk", walks=1, max_depth=50, seed=seed % 2**64, engine=engine).states


def test_runs_end_with_the_time(tmp_path):
    some = model(tmp_path, HOLDS)
    result = some.check(store="bitstate", store_size="1M", runs=10**12, time_limit=0.5)
    assert (result.verdict, result.reason) == ("unknown", "the time limit of 0.5 s was reached")
    assert result.states == some.check().states  # the most of any run


@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_a_walk_never_says_that_it_holds(tmp_path, engine):
    some = model(tmp_path, HOLDS)
    result = some.check(search="walk", walks=30, max_depth=500, engine=engine)
    assert (result.verdict, result.complete) == ("unknown", False)
    assert result.reason.startswith("nothing was found in 30 walks of at most 500 steps; about ")
    assert result.depth == 500
    assert 100 < result.states < some.check().states


@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_deeper_and_deeper(tmp_path, engine):
    deep = model(tmp_path, DEEP)
    assert deep.check(deepen=10, engine=engine).verdict == "violated"
    short = deep.check(deepen=10, max_depth=100, engine=engine)
    assert (short.verdict, short.reason) == ("unknown", "the depth limit of 100 steps was reached")
    some = model(tmp_path, HOLDS)
    whole = some.check(deepen=3, engine=engine)
    assert (whole.verdict, whole.complete, whole.states) == ("holds", True, some.check().states)


def test_a_swarm_finds_errors_and_estimates_what_it_met(tmp_path):
    assert model(tmp_path, LOST_UPDATE).check(swarm=4, store_size="1M").verdict == "violated"
    large = "byte a, b, c; active proctype p() { do :: a++ :: a != 9 -> b++ :: b < 99 && c < 3 -> c++ od }"
    result = model(tmp_path, large).check(swarm=6, store_size="16K", hashes=2)
    assert result.verdict == "unknown"
    assert "6 of 6 searches of the swarm" in result.reason
    there = model(tmp_path, large).check().states
    assert there > 100_000
    assert 0 < result.states < there * 1.03
    assert result.engine["swarm"] == 6
    roomy = model(tmp_path, large).check(swarm=2, store_size="16M")
    assert abs(roomy.states - there) < 0.03 * there


@pytest.mark.parametrize("options", [{"swarm": 2, "store_size": "1M"}, {"search": "walk", "walks": 5}])
def test_an_estimate_does_not_look_like_a_count(tmp_path, options):
    result = model(tmp_path, HOLDS).check(**options)
    assert result.engine["estimated"] is True
    assert f"after about {result.states:,} states" in str(result)
    assert f"\nabout {result.states:,} states, " in str(result)
    assert "estimated" not in model(tmp_path, HOLDS).check().engine


def test_a_swarm_ends_when_asked_to(tmp_path):
    endless = "int a, b; active [2] proctype p() { do :: a++ :: b++ od }"

    def stop(progress):
        if progress.states:
            raise KeyboardInterrupt

    result = model(tmp_path, endless).check(swarm=3, store_size="1M", watch=stop)
    assert (result.verdict, result.reason) == ("unknown", "interrupted")
    assert result.states > 0 and result.transitions > 0  # what the searches had seen until then
    late = model(tmp_path, endless).check(swarm=3, store_size="64M", time_limit=0.5)
    assert late.verdict == "unknown"


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"walks": 3}, "--walks belongs to --search walk"),
        ({"seed": 3}, "--seed belongs to --search walk"),
        ({"max_switches": 256}, "256 switches: choose from 0 to 255"),
        ({"max_switches": 1, "deepen": 4}, "--max-switches and --deepen do not go together"),
        ({"swarm": 2, "runs": 2, "store": "bitstate"}, "--runs does not go with --swarm"),
        ({"swarm": 2, "engine": "interpreter"}, "--swarm 2 needs the native engine"),
        ({"deepen": 4, "threads": 2}, "--deepen: .* leave out --threads"),
        ({"deepen": 4, "store": "tree"}, "--deepen: .* leave out --store"),
        ({"search": "walk", "ltl": "[] (n < 99)"}, "a random walk looks for errors in states and steps only"),
    ],
)
def test_what_is_refused(tmp_path, options, reason):
    with pytest.raises(Unsupported, match=reason):
        model(tmp_path, HOLDS).check(**options)


@pytest.mark.parametrize("count", [0, 10, 1_000, 100_000])
def test_estimates_are_near(count):
    registers = sketch.empty()
    for number in range(count):
        sketch.add(registers, number.to_bytes(4, "little"))
    assert abs(sketch.estimate(registers) - count) <= 0.04 * count + 1


def test_a_population_by_overlap():
    chance = random.Random(1)
    samples = [set(chance.sample(range(10_000), 3_000)) for _ in range(4)]
    guess = sketch.population(3_000, len(set.union(*samples)), 4)
    assert abs(guess - 10_000) < 500
