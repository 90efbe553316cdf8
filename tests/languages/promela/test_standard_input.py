"""``STDIN``: a simulation reads it, character by character; a verification cannot."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from kripke.cli.main import main

COUNTS = """chan STDIN;
int c; byte n;
active proctype P() { do :: n < 7 -> STDIN?c; printf("%d\\n", c); n++ :: else -> break od }
"""


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder with a model; standard input is given."""
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"ab\nc")))
    path = tmp_path / "m.pml"
    path.write_text(COUNTS)
    return path


def test_characters_are_read_as_in_spin_and_the_end_blocks(given: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", str(given), "--quiet", "--seed", "1"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:5] == ["97", "98", "10", "99"]
    assert lines[5].startswith("deadlock:")


def test_reading_is_one_step(given: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["simulate", str(given), "--seed", "1", "--steps", "2"])
    shown = [re.sub(r"\s+", " ", line.strip()) for line in capsys.readouterr().out.splitlines()[1:3]]
    assert shown == ["1 P:0 m.pml:3 n < 7", "2 P:0 m.pml:3 STDIN?c STDIN read: 0 -> 1, c: 0 -> 97"]


def test_a_saved_run_remembers_its_input(given: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = tmp_path / "run.json"
    main(["simulate", str(given), "--quiet", "--seed", "1", "--save", str(trace)])
    assert main(["replay", str(trace), "--full"]) == 0
    shown = capsys.readouterr().out
    assert "c: 10 -> 99" in shown
    assert "STDIN read = 4, STDIN = none, c = 99, n = 4, P:0 at line 3" in shown


def test_two_variables_read_two_characters(given: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given.write_text('chan STDIN; byte a, b; init { STDIN?a,b; printf("%c%c|", a, b); STDIN?a; STDIN?a,b }')
    assert main(["simulate", str(given), "--quiet", "--seed", "1"]) == 1
    assert capsys.readouterr().out.splitlines()[1] == "ab|"


def test_a_verification_has_no_input(given: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(given)]) == 1
    printed = capsys.readouterr()
    assert printed.err == f"{given}:3:38: warning: STDIN can be read in a simulation only (kripke simulate)\n"
    assert printed.out.startswith("violated: use of an uninitialised channel: STDIN?c ")


@pytest.mark.parametrize(
    ("arguments", "text", "message"),
    [
        (
            ["--interactive"],
            COUNTS,
            "error: --interactive reads your choices from where STDIN of the model would read: leave it out\n",
        ),
        (
            [],
            "chan STDIN; byte a; init { STDIN?1 }",
            ":1:28: error: STDIN is read into variables only: STDIN?c\n  chan STDIN; byte a; init { STDIN?1 }\n"
            "                             ^~~~~~~\n",
        ),
    ],
)
def test_what_is_refused(
    given: Path, arguments: list[str], text: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given.write_text(text)
    assert main(["simulate", str(given), *arguments]) == 2
    assert capsys.readouterr().err.removeprefix(str(given)) == message
