"""simulate, replay, explore, info, emit."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

Toy = Callable[[str], str]


def test_simulate_says_its_seed_and_can_be_repeated(kripke, toy: Toy) -> None:
    first = kripke("simulate", toy("counters"))
    seed = first.out.split()[3].rstrip(":")
    assert first.out.startswith(f"random run, seed {seed}: --seed {seed} repeats it\n")
    assert kripke("simulate", toy("counters"), "--seed", seed).out == first.out
    assert first.code == 0


def test_simulate_shows_steps_and_output(kripke, toy: Toy) -> None:
    ran = kripke("simulate", toy("once"), "--seed", "1")
    assert ran.out == (
        "random run, seed 1: --seed 1 repeats it\n"
        "    1  P:0           toy.pml:3         x = x + 1                         x: 0 -> 1\n"
        "    2  P:1           toy.pml:7         y = y + 1                         y: 0 -> 1\n"
        "       | y moves\n"
        "valid end: no step is left, after 2 steps\n"
        "state at the end:\n"
        "  x = 1, y = 1\n"
    )


def test_simulate_ends(kripke, toy: Toy) -> None:
    ran = kripke("simulate", toy("deadlock"), "--quiet", "--seed", "1")
    assert ran.code == 1
    assert ran.out.endswith("deadlock: no process can move, and not all have reached a valid end, after 3 steps\n")
    ran = kripke("simulate", toy("huge"), "--quiet", "--seed", "1", "--steps", "5")
    assert ran.code == 0
    assert ran.out.endswith("the limit of steps is reached (--steps N allows more), after 5 steps\n")


def test_simulate_by_hand(kripke, toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("s\n9\n2\n1\n\n\n"))
    ran = kripke("simulate", toy("once"), "--interactive")
    assert ran.code == 0
    assert ran.out.startswith(
        "\n"
        "  1  P:0 toy.pml:3 x = x + 1   [x: 0 -> 1]\n"
        "  2  P:1 toy.pml:7 y = y + 1   [y: 0 -> 1]\n"
        "step 1-2, s state, ? help, q quit>   x = 0, y = 0\n"
        "step 1-2, s state, ? help, q quit> '9' is none of the choices; ? shows them\n"
    )
    assert "valid end: no step is left, after 2 steps" in ran.out


def test_the_end_of_the_input_ends_the_run(kripke, toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    ran = kripke("simulate", toy("once"), "-i")
    assert (ran.code, "stopped, after 0 steps" in ran.out) == (0, True)


def test_simulate_along_a_trace(kripke, toy: Toy) -> None:
    kripke("check", toy("assertion"), "--trace", "t.json")
    ran = kripke("simulate", "assertion.toy", "--trace", "t.json")
    assert ran.code == 0
    assert ran.out.endswith("replayed 2 steps: assertion violated: y = y + 1 (toy.pml:7:5)\n")


def test_a_trace_is_stepped_through_by_hand(kripke, toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    kripke("check", toy("assertion"), "--trace", "t.json")
    monkeypatch.setattr("sys.stdin", io.StringIO("\n\nt\nb\n?\n\nq\n"))
    ran = kripke("simulate", "assertion.toy", "--trace", "t.json", "-i")
    assert ran.code == 1
    assert "  s            the state\n" in ran.out  # lines stay lines
    assert ran.out.count("y = y + 1") > 2
    assert "after 2 steps" in ran.out


def test_simulate_refuses_contradictions(kripke, toy: Toy) -> None:
    ran = kripke("simulate", toy("once"), "-i", "--seed", "3")
    assert (ran.code, ran.err) == (2, "error: --seed is for random runs; --interactive asks you\n")
    ran = kripke("simulate", toy("once"), "--trace", "t.json", "--seed", "3")
    assert ran.err == "error: --trace says which steps to take; leave out --seed\n"


def test_a_simulation_can_be_saved(kripke, toy: Toy) -> None:
    kripke("simulate", toy("once"), "--seed", "1", "--save", "run.json")
    ran = kripke("replay", "run.json", "--model", "once.toy")
    assert ran.code == 0
    assert ran.out.endswith("replayed 2 steps: valid end: no step is left\n")


def test_ctrl_c_outside_a_check(kripke, toy: Toy) -> None:
    ran = kripke("simulate", toy("interrupt"))
    assert (ran.code, ran.err) == (130, "\ninterrupted\n")


def test_replay(kripke, toy: Toy) -> None:
    kripke("check", toy("assertion"), "--trace", "t.json")
    ran = kripke("replay", "t.json", "--model", "assertion.toy")
    assert ran.code == 0
    assert ran.out == (
        "step  process  place      statement  changes\n"
        "   1  P:0      toy.pml:3  x = x + 1  x: 0 -> 1\n"
        "   2  P:1      toy.pml:7  y = y + 1  y: 0 -> 1\n"
        "      *** assertion violated ***\n"
        "\n"
        "state at the end:\n"
        "  x = 1, y = 1\n"
        "\n"
        "replayed 2 steps: assertion violated: y = y + 1 (toy.pml:7:5)\n"
    )


def test_replay_names_the_deviation(kripke, toy: Toy) -> None:
    kripke("simulate", toy("counters"), "--seed", "1", "--save", "t.json")
    Path("counters.toy").write_text("once")
    ran = kripke("replay", "t.json", "--model", "counters.toy")
    assert ran.code == 1
    assert ran.err == "note: counters.toy has changed since the trace was saved\n"
    assert "\nthe trace deviates: step " in ran.out
    assert " is not possible here: P:" in ran.out


def test_replay_refuses_what_it_cannot_read(kripke) -> None:
    assert kripke("replay", "nothing.json").err == "error: cannot read nothing.json: No such file or directory\n"
    Path("t.json").write_text("{}")
    ran = kripke("replay", "t.json")
    assert (ran.code, ran.err) == (2, "error: t.json is not a trace of Kripke\n")


def test_explore(kripke, toy: Toy) -> None:
    ran = kripke("explore", toy("once"), "--output", "g.aut")
    assert (ran.code, ran.out) == (0, "4 states, 4 steps written to g.aut\n")
    assert Path("g.aut").read_text().startswith("des (0,4,4)\n")
    assert kripke("explore", toy("once"), "-o", "g.dot").code == 0
    assert Path("g.dot").read_text().startswith("digraph statespace {\n")


def test_explore_refuses(kripke, toy: Toy) -> None:
    assert kripke("explore", toy("once"), "-o", "g.txt").err == (
        "error: cannot write g.txt: the formats are .parquet, .aut, .dot, .graphml, .svg, .csp\n"
    )
    assert kripke("explore", toy("once")).err == (
        "error: where to? name a file with --output; its ending chooses the format: "
        ".parquet, .aut, .dot, .graphml, .svg, .csp\n"
    )
    ran = kripke("explore", toy("huge"), "-o", "g.aut", "--max-states", "5")
    assert ran.code == 3
    assert ran.out.endswith("incomplete: the limit of 5 states was reached (--max-states N allows more)\n")
    ran = kripke("explore", toy("once"), "-o", "no/g.aut")
    assert (ran.code, ran.err) == (2, "error: cannot write no/g.aut: there is no directory no\n")


def test_info(kripke, toy: Toy) -> None:
    ran = kripke("info", toy("once"))
    assert (ran.code, ran.out) == (
        0,
        "file: toy.pml\nlanguage: toy\nstatements: 3\nlargest state in bytes: 2\nwarnings: none\n",
    )
    assert json.loads(kripke("info", "once.toy", "--json").out)["statements"] == 3


def test_emit(kripke, toy: Toy) -> None:
    assert kripke("emit", toy("once"), "--c").err == "error: once.toy has no compiled form\n"
    assert kripke("emit", toy("once")).err == (
        "error: say what to emit: --c, the generated C, --svg, a picture, or --ltl FORMULA, an automaton;"
        " of a net --pnml, --ll-net, --lola, --dot; of a Promela model --lf\n"
    )
    assert kripke("emit", toy("once"), "--hoa").err == (
        "error: --hoa writes the automaton of a formula: kripke emit --ltl FORMULA --hoa\n"
    )


def test_emit_automata(kripke, toy: Toy, tmp_path: Path) -> None:
    assert kripke("emit", "--ltl", "[]p").out.startswith('HOA: v1\nname: "[]p"\nStates: 1\n')
    assert kripke("emit", "--ltl", "always p", "--hoa").out == kripke("emit", "--ltl", "[]p").out
    claim = "never  {    /* <>p */\nT0_init:\n\tdo\n\t:: ((!p)) -> goto T0_init\n\t:: ((p)) -> goto accept_all\n\tod;\n"
    assert kripke("emit", "--ltl", "<>p", "--never").out == claim + "accept_all:\n\tskip\n}\n"
    assert kripke("emit", "--ltl", "absence(p) after q", "--dot", "-o", str(tmp_path / "a.dot")).out == ""
    assert (tmp_path / "a.dot").read_text().startswith("digraph automaton {\n")


def test_emit_automata_of_nonsense(kripke, toy: Toy) -> None:
    wrong = kripke("emit", "--ltl", "p U")
    assert (wrong.code, wrong.out) == (2, "")
    assert wrong.err.startswith("--ltl:1:4: error: expected a formula, found the end of the formula\n")
    many = " && ".join(f"<>(a{i} && X X b{i})" for i in range(12))
    assert kripke("emit", "--ltl", many).err == (
        "error: the automaton of this formula has thousands of states or edges; check its parts one by one\n"
    )
    assert kripke("emit", "--ltl", "p", "--c").err == "error: --ltl goes with --hoa, --never-claim, --dot or --svg\n"
    assert kripke("emit", toy("once"), "--ltl", "p").err == (
        "error: --ltl is about plain names here, not about a model: leave once.toy out\n"
    )


def test_emit_nets(kripke, tmp_path: Path) -> None:
    file = tmp_path / "net.pn"
    file.write_text("place p bool: true; trans t in { p: true; } out { p: false; };")
    out = kripke("emit", str(file), "--lola")
    assert (out.code, out.err) == (0, "")
    assert out.out.startswith("PLACE\n    p.true,\n    p.false;\n")
    assert "2 conditions, 1 events, 0 cut-offs" in kripke("emit", str(file), "--prefix").err
    file.write_text("place p (1) bool: true; trans t! in { p: true; } out { p: false; }; deadlock true;")
    refused = kripke("emit", str(file), "--pnml")
    assert (refused.code, refused.err) == (
        2,
        "error: --pnml: priorities cannot be expressed in a place/transition net\n",
    )
    file.write_text("place p (1) bool: true; trans t in { p: true; } out { p: false; }; deadlock true;")
    warned = kripke("emit", str(file), "--dot")
    assert warned.code == 0
    assert "the unfolded net does not know capacities" in warned.err
