"""Checks by unfoldings with a SAT solver: the same answers as all reachable markings, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.engines.nets.test_prefix import markings, random_safe_net
from tests.support.random_nets import random_predicate

pytest.importorskip("kripke._native")
pytest.importorskip("pysat", reason="pip install 'kripke[sat]'")
from kripke.cli.main import main
from kripke.engines.nets.unfolding.prefix import unfold
from kripke.engines.nets.unfolding.satisfiability import way_to, way_to_deadlock
from kripke.nets.predicates import enabled, holds

TWO_LOCKS = """PEP
PTNet
FORMAT_N
PL
1"a"0@0M1
2"b"0@0M1
3"idle1"0@0M1
4"half1"0@0
5"idle2"0@0M1
6"half2"0@0
7"work"0@0
TR
1"a1"0@0
2"b1"0@0
3"b2"0@0
4"a2"0@0
5"done1"0@0
TP
1<4
2<7
3<6
4<5
4<1
4<2
5<1
5<2
5<3
PT
1>1
3>1
2>2
4>2
2>3
5>3
1>4
6>4
7>5
"""


def followed(net, way):
    tokens = list(net.initial)
    for transition in way:
        assert enabled(net, transition, tokens)
        for place, change in net.transitions[transition].changes:
            tokens[place] += change
    return tokens


@pytest.mark.parametrize("seed", range(40))
def test_random_nets(seed: int) -> None:
    net = random_safe_net(seed)
    reached = [list(state) for state in markings(net)]
    prefix = unfold(net)
    dead = [tokens for tokens in reached if not any(enabled(net, t, tokens) for t in range(len(net.transitions)))]
    way = way_to_deadlock(prefix)
    assert (way is not None) == bool(dead)
    assert way is None or followed(net, way) in dead
    for number in range(4):
        goal = random_predicate(net, 100 * seed + number)
        way = way_to(prefix, goal)
        assert (way is not None) == any(holds(goal, net, tokens) for tokens in reached)
        assert way is None or holds(goal, net, followed(net, way))


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    net = tmp_path / "locks.ll_net"
    net.write_text(TWO_LOCKS)
    assert main(["check", str(net), "--search", "prefix"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("violated: deadlock: no transition is enabled, after 2 steps")
    assert "unfolding of " in out
    assert main(["check", str(net), "--search", "prefix", "--no-deadlock", "--invariant", "work + half1 <= 1"]) == 0
    assert capsys.readouterr().out.startswith("holds: invariant work + half1 <= 1 in ")
    assert main(["check", str(net), "--search", "prefix", "--ltl", "[] <> work", "--json"]) == 1
    record = json.loads(capsys.readouterr().out)
    assert record["engine"]["search"] == "prefix"
    assert record["trace"]["loop_start"] is not None
    # The net can end: then an unfolding does not tell that all runs are right.
    assert main(["check", str(net), "--search", "prefix", "--ltl", "[] (work -> <> idle1)"]) == 3
    assert "leave out --search prefix" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--ltl", "<> X work"], "a formula with X counts steps"),
        (["--threads", "2"], "--search prefix with --threads 2: this search is made by one thread"),
        (["--por"], "--search prefix with --por: this search visits no single states"),
    ],
)
def test_what_is_refused(options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    net = tmp_path / "locks.ll_net"
    net.write_text(TWO_LOCKS)
    assert main(["check", str(net), "--search", "prefix", *options]) == 2
    assert message in capsys.readouterr().err


def test_nets_that_are_not_safe_and_programs_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    net = tmp_path / "two.ll_net"
    net.write_text(TWO_LOCKS.replace("M1", "M2", 1))
    assert main(["check", str(net), "--search", "prefix"]) == 2
    assert "the net is not 1-safe: a holds 2 tokens at the start" in capsys.readouterr().err
    program = tmp_path / "m.pml"
    program.write_text("active proctype P() { skip }")
    assert main(["check", str(program), "--search", "prefix"]) == 2
    assert "--search prefix is for Petri nets" in capsys.readouterr().err
