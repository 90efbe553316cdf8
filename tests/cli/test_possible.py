"""``kripke check --possible F``, and properties of fair runs where there are none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

LAMP = """\
byte lit;
bool off;
active proctype Lamp() { do :: !off -> lit = (lit + 1) % 3 od }
active proctype Switch() { off = true }
"""

# Fairness asks for the step of Q, which is an error and leads nowhere.
NO_FAIR_RUN = """\
bool go;
active proctype P() { do :: go = !go od }
active proctype Q() { int zero; zero = 1 / zero }
"""


@pytest.fixture
def lamp(tmp_path: Path) -> str:
    (tmp_path / "lamp.pml").write_text(LAMP)
    return "lamp.pml"


@pytest.fixture
def no_fair_run(tmp_path: Path) -> str:
    (tmp_path / "none.pml").write_text(NO_FAIR_RUN)
    return "none.pml"


@pytest.mark.parametrize("engine", ["native", "interpreter"])
@pytest.mark.parametrize(
    ("formula", "options", "verdict", "loop"),
    [
        ("<> (lit == 2)", (), "possible", None),  # as soon as it is, whatever follows
        ("[] <> (lit == 2)", (), "possible", 0),
        ("[] <> (lit == 2)", ("--search", "scc"), "possible", 0),
        ("[] <> (lit == 2)", ("--search", "ndfs", "--no-merge"), "possible", 0),
        ("[] <> (lit == 2)", ("--fair", "weak"), "possible", 1),  # the switch has moved, and left the lamp lit
        ("[] !off", (), "possible", 0),
        ("[] !off", ("--fair", "weak"), "impossible", None),
        ("[] !off", ("--fair", "strong"), "impossible", None),
        ("<> (lit == 3)", (), "impossible", None),
        ("false", (), "impossible", None),
        ("true", ("--fair", "strong"), "possible", 0),
    ],
)
def test_verdicts(kripke, lamp: str, engine: str, formula: str, options: tuple[str, ...], verdict: str, loop) -> None:
    ran = kripke("check", lamp, "--possible", formula, *options, "--json", "--engine", engine)
    record = json.loads(ran.out)
    assert (record["verdict"], record["kind"], record["errors"]) == (verdict, "possible", 0)
    assert ran.code == (0 if verdict == "possible" else 1)
    assert (record["trace"] is not None) == (verdict == "possible")
    if record["trace"] is not None:
        assert (record["trace"]["loop_start"] is None) == (loop is None)


def test_the_run_is_shown_and_can_be_replayed(kripke, lamp: str) -> None:
    for options in ((), ("--fair", "strong"), ("--search", "scc")):
        ran = kripke("check", lamp, "--possible", "[] <> (lit == 2) && <> off", "--trace", "run.json", *options)
        assert ran.code == 0
        fair = "strongly fair " if "--fair" in options else ""
        assert ran.out.startswith(
            f"possible: a {fair}run satisfies [] <> (lit == 2) && <> off, a loop of 1 step after "
        )
        replayed = kripke("replay", "run.json")
        assert replayed.code == 0, replayed.err
        assert "from here on the steps repeat for ever" in replayed.out


def test_beside_what_must_hold(kripke, lamp: str) -> None:
    ran = kripke("check", lamp, "--possible", "[] !off", "--ltl", "[] !off", "--possible", "<> (lit == 3)", "--json")
    record = json.loads(ran.out)
    assert (ran.code, record["verdict"]) == (1, "violated")
    assert [part["verdict"] for part in record["properties"]] == ["violated", "possible", "impossible"]
    ran = kripke("check", lamp, "--possible", "[] !off", "--ltl", "[] (lit < 3)")
    assert ran.code == 0
    assert ran.out.startswith("holds: all 2 properties\n")


def test_errors_on_the_way_are_no_answer(kripke, no_fair_run: str) -> None:
    ran = kripke("check", no_fair_run, "--possible", "[] <> go")
    assert ran.code == 0
    assert ran.out.startswith("possible: a run satisfies [] <> go, a loop of 2 steps")
    assert "there are errors in the model" in ran.err


def test_a_condition_that_cannot_be_evaluated(kripke, tmp_path: Path) -> None:
    (tmp_path / "index.pml").write_text("byte i; bool b[2]; active proctype P() { do :: i < 5 -> i++ od }")
    ran = kripke("check", "index.pml", "--possible", "<> b[i]")
    assert ran.code == 3
    assert ran.out.startswith("unknown: a condition of the formula cannot be evaluated everywhere")


@pytest.mark.parametrize("fair", ["weak", "strong"])
@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_no_fair_run(kripke, no_fair_run: str, engine: str, fair: str) -> None:
    ran = kripke("check", no_fair_run, "--ltl", "<> !go", "--fair", fair, "--engine", engine)
    assert ran.code == 0
    assert ran.err.startswith(f"warning: no fair run exists: sooner or later {fair} fairness asks for a step")
    ran = kripke("check", no_fair_run, "--possible", "true", "--fair", fair, "--engine", engine)
    assert ran.code == 1
    assert ran.out.startswith(f"impossible: no {fair}ly fair run satisfies true")


def test_where_there_are_fair_runs_nothing_is_said(kripke, lamp: str) -> None:
    ran = kripke("check", lamp, "--ltl", "<> off", "--fair", "weak")
    assert (ran.code, ran.err) == (0, "")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--search", "bfs"), "--search bfs finds no cycles"),
        (("--fair", "weak", "--search", "ndfs"), "--fair weak needs the search by components"),
        (("--fair", "weak", "--shortest"), "--shortest finds shortest loops, fair or not"),
        (("--values", "3"), "it does not go with --values"),
        (("--prove", "p.json"), "--prove proves what holds of every run"),
        (("--possible", "[] <> (nothing == 1)"), "nothing"),
    ],
)
def test_refused(kripke, lamp: str, options: tuple[str, ...], sentence: str) -> None:
    ran = kripke("check", lamp, "--possible", "[] <> (lit == 2)", *options)
    assert ran.code == 2
    assert sentence in ran.err


def test_from_python(tmp_path: Path) -> None:
    import kripke

    (tmp_path / "lamp.pml").write_text(LAMP)
    model = kripke.load(tmp_path / "lamp.pml")
    assert model.check(possible="[] !off").verdict == "possible"
    assert not model.check(possible="[] !off", fair="weak")


def test_no_run_is_fair_to_events(kripke, tmp_path: Path) -> None:
    (tmp_path / "alone.pml").write_text("chan c = [0] of { byte }; active proctype P() { wl_send: c ! 1 }")
    ran = kripke("check", "alone.pml", "--ltl", "false", "--fair", "events")
    assert (ran.code, ran.out.split(":")[0]) == (0, "holds")
    assert "no fair run exists: no run is fair to every event" in ran.err
    assert kripke("check", "alone.pml", "--possible", "true").code == 0
    ran = kripke("check", "alone.pml", "--possible", "true", "--fair", "events")
    assert (ran.code, ran.out.split(",")[0]) == (1, "impossible: no fair run satisfies true")


def test_quantifiers_over_runs(kripke, lamp: str) -> None:
    """As papers and other tools write them."""
    assert kripke("check", lamp, "--possible", "E<> (lit == 2)").out.startswith(
        "possible: a run satisfies <> (lit == 2)"
    )
    assert kripke("check", lamp, "--ltl", "A[] (lit < 3)").out.startswith("holds: [] (lit < 3)")
    refused = kripke("check", lamp, "--ltl", "E (<> (lit == 2))")
    assert (refused.code, "E asks for some run: --possible '(<> (lit == 2))'" in refused.err) == (2, True)
    assert "A is about every run: --ltl '[] off'" in kripke("check", lamp, "--possible", "A[] off").err
