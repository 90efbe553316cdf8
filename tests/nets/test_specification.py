"""Formulas of linear time about the marking of a net."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("kripke._native")

from kripke.cli.main import main

NETS = Path(__file__).parents[2] / "examples" / "pnml"


@pytest.mark.parametrize(
    ("formula", "code"),
    [
        ("[] (a + first_has_a <= 1)", 0),
        ("[] a + first_has_a + first_works == 1", 1),  # the second process holds it too
        ("<> first_works", 1),
        ("[] (first_works -> <> first_starts == 1)", 0),  # nobody else can move
        ("(fireable(first_takes_a) && a) U (first_has_a || second_has_b)", 0),
        ("! <> (first_works == 1 && second_works == 1)", 0),
        ("<>[] deadlock -> <> (first_has_a && second_has_b)", 0),
    ],
)
def test_two_locks(formula: str, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(NETS / "two_locks.pnml"), "--ltl", formula]) == code, capsys.readouterr()


@pytest.mark.parametrize(
    ("formula", "code"),
    [
        ("absence(deadlock) globally", 1),
        ("absence(first_has_a > 1) after (first_has_a > 0) until deadlock", 0),
        ("response(first_has_a > 0, deadlock || first_has_a == 0)", 0),
    ],
)
def test_patterns(formula: str, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(NETS / "two_locks.pnml"), "--ltl", formula]) == code, capsys.readouterr()


def test_errors_point_into_the_formula(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(NETS / "two_locks.pnml"), "--ltl", "[] (nothing <= 1)"]) == 2
    assert "<formula 1>:1:5: error: the net has no place nothing" in capsys.readouterr().err


def test_there_is_no_fairness_to_processes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(NETS / "two_locks.pnml"), "--ltl", "<> a", "--fair", "weak"]) == 2
    assert "--fair weak: a pnml model has no processes" in capsys.readouterr().err


# --- steps ------------------------------------------------------------------------------------------------------------

STEPS = [
    ("[] (fires(first_takes_a) -> a == 1 && X first_has_a == 1)", 0),
    ("[] ! fires(first_takes_a)", 1),
    ("fires(first_takes_a, second_takes_b)", 0),  # nothing else can happen first
    ("fires(first_takes_a)", 1),
    ("fires(first_takes_a) P fires(first_takes_b)", 0),
    ("fires(first_takes_b) P fires(first_takes_a)", 1),
    ("[] (fires(first_takes_b) -> X (! fires(first_takes_b) W fires(first_ends)))", 0),
    ("[] <> fires(first_ends)", 1),
    ("[] (first_has_a -> <> (fires(first_takes_b) || deadlock))", 0),
    ("<>[] deadlock -> <>[] ! fires(first_takes_a)", 0),  # a run that has ended stutters: nothing fires
    ("absence(fires(first_takes_b)) before fires(first_takes_a)", 0),
]


@pytest.mark.parametrize("options", [(), ("--search", "scc"), ("--threads", "2"), ("--engine", "interpreter")])
@pytest.mark.parametrize(("formula", "code"), STEPS)
def test_steps(formula: str, code: int, options: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(NETS / "two_locks.pnml"), "--ltl", formula, *options]) == code, capsys.readouterr()


def test_a_run_of_steps_is_explained_and_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    net, trace = str(NETS / "two_locks.pnml"), str(tmp_path / "t.json")
    assert main(["check", net, "--ltl", "[] ! fires(first_takes_b)", "--trace", trace]) == 1
    assert "fires(first_takes_b) is true" in capsys.readouterr().out
    assert main(["replay", trace]) == 0
    assert main(["check", net, "--possible", "<> fires(first_takes_b)"]) == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--invariant", "fires(first_takes_a)"], "<invariant 1>:1:1: error: fires(...) is about a step"),
        (["--ctl", "EF fires(first_takes_a)"], "fires(...) is about a step, not about a marking"),
        (["--ltl", "<> fires(a)"], "<formula 1>:1:10: error: a is a place, not a transition"),
        (["--ltl", "<> fires()"], "the name of a transition is missing"),
        (["--ltl", "[] ! fires(first_takes_a)", "--prove", "p"], "the formula speaks of steps"),
    ],
)
def test_steps_are_refused_where_only_states_count(
    arguments: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["check", str(NETS / "two_locks.pnml"), *arguments]) == 2
    assert told in capsys.readouterr().err


def test_steps_are_not_reduced_away(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(NETS / "two_locks.pnml"), "--ltl", "[] ! fires(first_takes_b)", "--por"]) == 1
    assert "may leave out steps that the formula speaks of" in capsys.readouterr().err
