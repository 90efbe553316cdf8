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
