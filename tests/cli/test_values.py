"""Many-valued formulas through the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

# How many of four have agreed: none F, less than half U, half M, more L, all T.
VOTES = """\
#define N 4
byte votes, agreed;
bool busy;
active [N] proctype P() {
	atomic {
		votes++;
		if
		:: votes == N -> agreed = 4
		:: votes > N/2 && votes < N -> agreed = 3
		:: votes == N/2 -> agreed = 2
		:: else -> agreed = 1
		fi
	}
	busy = true
}
ltl settled { <> [] agreed }
"""


def checked(kripke, *arguments: str):
    ran = kripke("check", "votes.pml", "--json", *arguments)
    return ran.code, json.loads(ran.out)


@pytest.fixture(autouse=True)
def votes(tmp_path: Path) -> None:
    (tmp_path / "votes.pml").write_text(VOTES)


@pytest.mark.parametrize("engine", ["native", "interpreter"])
@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("<> agreed", 4),
        ("[] agreed", 0),
        ("X X agreed", 1),
        ("<> (agreed && !agreed)", 2),
        ("[] (agreed || !agreed)", 2),
        ("[] (agreed -> agreed)", 2),
        ("[] (busy -> agreed)", 1),
        ("<> busy", 4),
        ("[] (votes == 3 -> agreed)", 3),
        ("!busy U agreed", 1),
        ("true", 4),
        ("!agreed", 4),
    ],
)
def test_values(kripke, engine: str, formula: str, value: int) -> None:
    code, record = checked(kripke, "--values", "5", "--ltl", formula, "--engine", engine)
    assert (record["value"], record["values"]) == (value, 5)
    assert (code, record["verdict"]) == ((0, "holds") if value == 4 else (1, "violated"))
    assert record["properties"][0]["value"] == value


def test_the_report_names_the_value(kripke, tmp_path: Path) -> None:
    ran = kripke("check", "votes.pml", "--values", "5", "--ltl", "[] (busy -> agreed)", "--trace", "t.json")
    first = ran.out.splitlines()[0]
    assert first == "violated: the value of [] (busy -> agreed) is unlikely (1 of 0 to 4), after 2 steps"
    assert kripke("replay", "t.json").code == 0
    ran = kripke("check", "votes.pml", "--values", "5", "--property", "settled", "-q")
    assert ran.out == "holds: settled: <> [] agreed = true (4 of 0 to 4) in 121 states\n"
    ran = kripke("check", "votes.pml", "--values", "3", "--ltl", "<> busy", "-q")
    assert ran.out.startswith("holds: <> busy = true (2 of 0 to 2) in ")


def test_values_out_of_range_count_as_the_last(kripke) -> None:
    assert checked(kripke, "--values", "3", "--ltl", "<> (agreed + 9)")[1]["value"] == 2
    assert checked(kripke, "--values", "3", "--ltl", "[] !(agreed + 9)")[1]["value"] == 0
    assert checked(kripke, "--values", "3", "--ltl", "<> (agreed - 9)")[1]["value"] == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--values", "1", "--ltl", "<> agreed"), "'1' is not a number of values: from 2 to 64"),
        (("--values", "x"), "'x' is not a number of values"),
        (("--values", "5", "--ltl", "<> agreed", "--prove", "p"), "no proofs of many-valued formulas"),
        (
            ("--values", "5", "--ltl", "[] once agreed"),
            "there are no operators of the past in many-valued formulas",
        ),
        (
            ("--values", "5", "--ltl", "existence(agreed)"),
            "there are no specification patterns of many-valued formulas",
        ),
    ],
)
def test_refused(kripke, arguments: tuple[str, ...], sentence: str) -> None:
    ran = kripke("check", "votes.pml", *arguments)
    assert ran.code == 2
    assert sentence in ran.err


def test_values_without_a_formula(kripke, tmp_path: Path) -> None:
    (tmp_path / "none.pml").write_text("active proctype P() { skip }")
    ran = kripke("check", "none.pml", "--values", "5")
    assert (ran.code, ran.err) == (2, "error: --values is about formulas, and there is none: give one with --ltl\n")
