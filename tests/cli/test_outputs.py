"""What verbs write: no file that is read is replaced, and what could not be written is said, with -q, too."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Kripke = Callable[..., Any]

MODEL = '#include "part.h"\nbyte x; active proctype P() { do :: x < LIMIT -> x++ :: else -> break od; assert(x < 9) }\n'
VERBS = [
    "check m.pml --trace",
    "check m.pml --html",
    "check m.pml --prove",
    "check m.pml --junit",
    "check m.pml --sarif",
    "check m.pml --checkpoint",
    "explore m.pml -o",
    "emit m.pml --c -o",
    "emit m.pml --svg -o",
    "simulate m.pml --plot x -o",
]
NAMES = ["m.pml", "./m.pml", "part.h", "link", "hard"]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "m.pml").write_text(MODEL)
    (tmp_path / "part.h").write_text("#define LIMIT 9\n")
    (tmp_path / "link").symlink_to("m.pml")
    os.link(tmp_path / "m.pml", tmp_path / "hard")
    return tmp_path


@pytest.mark.parametrize("verb", VERBS)
def test_no_input_is_overwritten(kripke: Kripke, files: Path, verb: str) -> None:
    for name in NAMES:
        ran = kripke(*verb.split(), name)
        refused = "would overwrite a file that is read: choose another name" in ran.err
        refused = refused or (
            name != "m.pml" and ("cannot write" in ran.err or "cannot draw" in ran.err)
        )  # not with this ending
        assert (ran.code, refused) == (2, True), (name, ran.err)
        assert (files / "m.pml").read_text() == MODEL
        assert (files / "part.h").read_text() == "#define LIMIT 9\n"


def test_a_trace_is_not_overwritten_by_what_is_made_of_it(kripke: Kripke, files: Path) -> None:
    assert kripke("check", "m.pml", "--trace", "t.json", "-q").code == 1
    saved = (files / "t.json").read_text()
    for name in ("t.json", "m.pml"):
        assert "would overwrite a file that is read" in kripke("shorten", "t.json", "-o", name).err
    assert (files / "t.json").read_text() == saved


def test_quiet_says_that_checkpoints_could_not_be_written(kripke: Kripke, files: Path, monkeypatch: Any) -> None:
    """The folder was there when the command looked, and is gone when the search writes."""
    monkeypatch.setattr("kripke.cli.output._refuse_unwritable", lambda name: None)
    ran = kripke("check", "m.pml", "-q", "--checkpoint", "gone/point", "--max-states", "5")
    assert (ran.code, ran.out) == (3, "unknown: the limit of 5 states was reached, after 5 states\n")
    assert "could not be written" in ran.err


def test_the_footer_under_complete_figures(kripke: Kripke, files: Path) -> None:
    """A violation ends a search or not; where all states were seen, the figures are those of all."""
    early = "the search ended at the first error: the figures are not those of the whole state space"
    assert early in kripke("check", "m.pml").out
    ran = kripke("check", "m.pml", "--all-errors")
    assert (ran.code, "the figures are not" in ran.out) == (1, False)
    (files / "m.pml").write_text("byte x; active proctype P() { do :: x < 9 -> x++ :: else -> break od }")
    for options in (["--ctl", "AG (x < 5)"], ["--all-errors", "--no-deadlock", "--invariant", "x < 9"]):
        ran = kripke("check", "m.pml", *options)
        assert (ran.code, "the figures are not" in ran.out) == (1, False), options
