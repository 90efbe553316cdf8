"""``--engine bdd``: the same states and verdicts as the explicit engine, runs replayed, limits kept."""

import json
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from random import Random

import pytest

import kripke
from kripke._native import DiagramsTooLarge
from kripke.engines.diagrams import check
from kripke.engines.diagrams.cudd import CuddManager
from kripke.engines.diagrams.native import NativeManager
from kripke.engines.diagrams.reach import Reached, Rings
from kripke.engines.diagrams.space import Space
from kripke.engines.encoded import Encodings
from kripke.engines.plan import Unsupported
from tests.support.processes import wait_for_work
from tests.support.random_nets import model_of as net_model
from tests.support.random_nets import random_net
from tests.support.shared_programs import meeting_program, shared_program

ROOT = Path(__file__).parents[3]
EXAMPLES = sorted((ROOT / "examples" / "promela").glob("*.pml"))
LTL = ["[] <> (x == 0)", "<> [] (y == 1)", "[] (x == 1 -> <> (y == 0))", "[] (x < 2)", "(x == 0) U (y == 2)"]
CTL = ["AG EF x == 0", "EF (x == 1 && y == 1)", "AF y == 1", "EG x == 0", "E (x == 0 U y == 1)", "EX x == 1"]
SLOW = ("termination",)  # agrees, but takes minutes as diagrams: 6,032 states of 365 bits
GROWING = "int x = 3, y = 5; active [2] proctype P() { do :: x = x * y + 1 :: y = y * x + 3 :: x = x / 7 + y od }"


def load(text, tmp_path):
    path = tmp_path / "m.pml"
    path.write_text(text)
    return kripke.load(path)


def same(explicit, symbolic):
    """Equal verdicts, equal numbers of states where all were seen, equally short ways."""
    for one, other in zip(explicit.parts or (explicit,), symbolic.parts or (symbolic,), strict=True):
        assert one.verdict == other.verdict, (one.reason, other.reason)
        if one.kind == "safety" and one.verdict == "holds":
            assert one.states == other.states
        if one.name == "safety" and one.verdict == "violated":
            assert len(one.trace.steps) == len(other.trace.steps)
        if one.verdict == "violated" and other.kind != "ctl":
            assert other.trace is not None


@pytest.mark.parametrize("path", [path for path in EXAMPLES if path.stem not in SLOW], ids=lambda path: path.stem)
def test_examples(path):
    model = kripke.load(path)
    explicit = model.check(clarify=False)
    same(explicit, model.check(engine="bdd", clarify=False))


@pytest.mark.parametrize("written", [shared_program, meeting_program])
def test_random_programs(written, tmp_path):
    for seed in range(4):
        model, choose = load(written(seed), tmp_path), Random(seed)
        for options in ({}, {"ltl": choose.choice(LTL)}, {"ctl": choose.choice(CTL)}):
            explicit = model.check(max_states=20_000, clarify=False, **options)
            if "limit" not in explicit.reason:
                same(explicit, model.check(engine="bdd", clarify=False, **options))


def test_random_nets():
    from kripke.checker.check import check_properties
    from kripke.engines.plan import SearchPlan

    compared = 0
    for seed in range(15):
        model = net_model(random_net(seed))
        explicit = check_properties(model, SearchPlan(engine="interpreter", max_states=500))
        if explicit.verdict != "unknown":
            compared += 1
            same(explicit, check_properties(model, SearchPlan(engine="bdd")))
    assert compared > 6


def test_long_ways_by_chains(tmp_path, monkeypatch):
    """Where rings take long, a way need not be a shortest one. It is replayed like any other."""
    from kripke.checker.check import check_properties
    from kripke.engines.plan import SearchPlan

    monkeypatch.setattr(check, "_FOR_RINGS", -1.0)
    plan = SearchPlan(engine="bdd", clarify=False)
    models = [net_model(random_net(seed)) for seed in range(8)]
    models += [load(shared_program(seed), tmp_path).model for seed in range(4)]
    violated = 0
    for model in models:
        explicit = check_properties(model, SearchPlan(engine="interpreter", max_states=500, clarify=False))
        if explicit.verdict == "unknown":
            continue
        chained = check_properties(model, plan)
        assert chained.verdict == explicit.verdict, chained.reason
        if chained.verdict == "violated":
            violated += 1
            assert len(chained.trace.steps) >= len(explicit.trace.steps)
    assert violated > 3


def test_the_diameter_by_rings(tmp_path):
    model = load("byte x; active proctype P() { do :: x < 9 -> x++ :: x > 0 -> x-- od }", tmp_path)
    result = model.check(engine="bdd", shortest=True)
    assert (result.verdict, result.states, result.engine["diameter"]) == ("holds", 28, 19)
    assert model.check(search="bfs").depth == result.depth == 19


def test_atomic_sequences_are_one_step(tmp_path):
    text = "byte x; active [2] proctype P() { atomic { x++; x++ }; assert(x != 4) }"
    model = load(text, tmp_path)
    result = model.check(engine="bdd", clarify=False)
    assert (result.verdict, result.kind, len(result.trace.steps)) == ("violated", "assertion", 3)


def test_a_lasso_is_shown(tmp_path):
    text = "byte x; active proctype P() { x = 1; do :: x = 2; x = 3 od }"
    result = load(text, tmp_path).check(engine="bdd", ltl="<> [] (x == 2)", properties=None)
    part = result.parts[-1] if result.parts else result
    assert part.verdict == "violated"
    assert part.trace.loop_start is not None


@pytest.mark.parametrize("formula", CTL)
def test_runs_that_show_formulas_of_branching_time(formula, tmp_path):
    """Wherever the graph has a run to show, sets have one, which the interpreter has replayed; where the formula is
    about single paths, it is as long."""
    for seed in range(3):
        model = load(shared_program(seed), tmp_path)
        explicit = model.check(ctl=formula, clarify=False)
        symbolic = model.check(ctl=formula, clarify=False, engine="bdd")
        assert (explicit.verdict, explicit.trace is None) == (symbolic.verdict, symbolic.trace is None)
        if explicit.trace is not None and "G" not in formula and "AF" not in formula:
            assert len(explicit.trace.steps) == len(symbolic.trace.steps)


def test_a_loop_shows_that_something_need_not_come(tmp_path):
    text = "byte x; active proctype P() { do :: x = 1; x = 2 :: x = 3; break od; x = 4 }"
    result = load(text, tmp_path).check(engine="bdd", ctl="AF x == 4", clarify=False)
    assert (result.verdict, result.reason) == ("violated", "formula violated: AF x == 4")
    assert result.trace.loop_start is not None


def test_more_processes_than_there_is_room_for_are_unknown(tmp_path):
    model = load("proctype P() { (0) } active proctype Q() { do :: run P() od }", tmp_path)
    result = model.check(engine="bdd", deadlock=False, time_limit=40)
    assert result.verdict == "unknown"
    assert "processes at once" in result.reason or "time limit" in result.reason


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("active proctype P() { skip }", {"store": "tree"}, "there are none to store: leave out --store"),
        ("active proctype P() { skip }", {"por": True}, "there are none|so none can be left out"),
        ("active proctype P() { skip }", {"threads": 2}, "--threads"),
        ("byte x = 1 / 0; active proctype P() { skip }", {}, "start values|division"),
        (
            "chan q = [1] of { byte }; trace { q!1 } active proctype P() { q!1 }",
            {},
            "--engine bdd: assertions about sequences of messages .* cannot be said in terms; leave it out",
        ),
    ],
)
def test_what_it_cannot_do_is_refused(text, options, message, tmp_path):
    with pytest.raises((Unsupported, kripke.ModelError), match=message):
        load(text, tmp_path).check(engine="bdd", **options)


def test_a_time_limit_ends_even_a_single_operation(tmp_path):
    result = load(GROWING, tmp_path).check(engine="bdd", time_limit=1.0)
    assert (result.verdict, result.reason) == ("unknown", "the time limit of 1 s was reached")


def test_a_memory_limit_ends_it(tmp_path):
    result = load(GROWING, tmp_path).check(engine="bdd", memory="60M", time_limit=100)
    assert result.verdict == "unknown"
    assert result.reason.startswith("the memory limit of") or "time limit" in result.reason


def test_ctrl_c_ends_it(tmp_path):
    (tmp_path / "m.pml").write_text(GROWING)
    command = [sys.executable, "-m", "kripke", "check", "m.pml", "--engine", "bdd", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=tmp_path, env=os.environ) as process:
        wait_for_work(process, 1.5)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=100)
    assert process.returncode == 3
    assert "interrupted" in json.loads(out)["reason"]


def random_function(manager, names, choose, size=12):
    node = manager.var(choose.choice(names))
    for _ in range(size):
        other = manager.var(choose.choice(names))
        kind = choose.randrange(4)
        if kind == 3:
            node = manager.ite(other, node, ~manager.var(choose.choice(names)))
        else:
            node = (manager.conj, manager.disj, manager.xor)[kind](node, other)
        node = ~node if choose.random() < 0.3 else node
    return node


def both_packages(seed):
    """The same function in either package."""
    names = [f"v{i}" for i in range(10)]
    managers = NativeManager(names), CuddManager(names)
    return [(manager, random_function(manager, names, Random(seed))) for manager in managers]


def test_solutions_are_counted_exactly():
    manager = CuddManager([f"v{i}" for i in range(70)])
    names = manager.names
    choose = Random(3)
    for _ in range(40):
        node = random_function(manager, names[:6], choose)
        assert manager.count(node, names[:6]) == manager.bdd.count(node, 6)
        assert manager.count(node, names) == manager.count(node, names[:6]) << 64


def test_both_packages_agree():
    for seed in range(60):
        results = []
        for manager, node in both_packages(seed):
            choose, names = Random(seed), manager.names
            other = random_function(manager, names, choose)
            gone = choose.sample(names, 3)
            found = [node, ~node, node & other, manager.and_exists(node, other, gone), manager.exists(gone, node)]
            low = manager.exists(names[1::2], node)
            found.append(manager.renamed(low, dict(zip(names[::2], names[1::2], strict=True))))
            results.append([(manager.count(one, names), sorted(manager.support(one))) for one in found])
            solution = manager.one(node | manager.var("v0"), names)
            assert manager.cube(solution) & (node | manager.var("v0")) == manager.cube(solution)
        assert results[0] == results[1]


def test_numbers_of_any_size():
    manager = NativeManager([f"v{i}" for i in range(300)])
    three = manager.false
    for i in range(0, 300, 100):
        three = three | (manager.var(f"v{i}") & ~manager.var(f"v{i + 1}"))
    assert manager.count(three, manager.names) == (4**3 - 3**3) << 294
    assert manager.count(~three, manager.names) == 3**3 << 294
    assert manager.count(manager.true, manager.names) == 1 << 300


@pytest.mark.parametrize("seed", range(8))
def test_saturation_reaches_what_chaining_reaches(seed, tmp_path):
    """Also where garbage is collected all the time, and where the diagrams are of another package."""
    model = load(shared_program(seed) if seed % 2 else meeting_program(seed), tmp_path).model
    system = next(iter(Encodings(model, "bdd"))).system
    counts = set()
    for package in (NativeManager, partial(NativeManager, memory=1), CuddManager):
        space = Space(system, package)
        reached = Reached(space, lambda _: None)
        assert reached.close(lambda _: False)
        counts.add((space.count(reached.states), space.count(space.resting(reached.states))))
        rings = Rings(space)
        while rings.advance():
            pass
        assert rings.known == reached.states
        assert reached.states & ~space.before(reached.states) & space.after(reached.states) == (
            space.after(reached.states) & ~space.before(reached.states)
        )
    assert len(counts) == 1


def test_a_set_that_grows_too_large_goes_to_the_other_package(tmp_path, monkeypatch):
    monkeypatch.setattr(check, "_MOST_NODES", 1)
    monkeypatch.setattr(check, "NativeManager", _Crowded)
    path = ROOT / "examples" / "promela" / "peterson.pml"
    result = kripke.load(path).check(engine="bdd")
    assert (result.verdict, result.states) == ("holds", 38)


class _Crowded(NativeManager):
    def closure(self, *_):
        raise DiagramsTooLarge
