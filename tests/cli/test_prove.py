"""Proofs through the command: made, verified, shown, refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

TURNS = Path(__file__).parents[2] / "examples" / "promela" / "turns.pml"

CHANCE = """\
bool open = true, done;
active proctype A() { do :: open = !open od }
active proctype B() { open -> done = true }
ltl finish { <> done }
ltl safe { [] (done -> !done || done) }
"""


@pytest.fixture
def turns(tmp_path: Path) -> str:
    shutil.copy(TURNS, tmp_path / "turns.pml")
    return "turns.pml"


@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_a_proof_is_made_and_accepted(kripke, tmp_path: Path, turns: str, engine: str) -> None:
    ran = kripke("check", turns, "--engine", engine, "--prove", "p.proof")
    assert (ran.code, ran.err) == (0, "")
    ran = kripke("verify-proof", "p.proof")
    assert ran == (
        0,
        "accepted: every run of turns.pml satisfies enter: [] <> (T[1]@cr || T[2]@cr)\n"
        "13 states; product of 26 nodes and 54 edges, 4 failed; 1 induction\n",
        "",
    )
    ran = kripke("verify-proof", "p.proof", "--show", "--html", "p.html")
    assert ran.code == 0
    assert "FAIL  x2 where T:1 at cr (line 15) || T:2 at cr (line 15)" in ran.out
    assert "refuted" in (tmp_path / "p.html").read_text()


def test_a_changed_proof_or_model_is_rejected(kripke, tmp_path: Path, turns: str) -> None:
    kripke("check", turns, "--prove", "p.proof")
    proof = tmp_path / "p.proof"
    text = proof.read_text()
    proof.write_text(text.replace('"rank": 3', '"rank": 2', 1))
    ran = kripke("verify-proof", "p.proof")
    assert (ran.code, ran.out) == (1, "rejected: the file was changed after it was written: its digest is wrong\n")
    proof.write_text(text)
    (tmp_path / turns).write_text(TURNS.read_text() + "\n")
    ran = kripke("verify-proof", "p.proof")
    assert ran.code == 1
    assert "turns.pml is not the one the proof is about" in ran.out
    assert kripke("verify-proof", "p.proof", "--model", str(TURNS)).code == 0


def test_fairness_is_part_of_what_is_proved(kripke, tmp_path: Path) -> None:
    (tmp_path / "chance.pml").write_text(CHANCE)
    ran = kripke("check", "chance.pml", "--property", "finish", "--fair", "weak", "--prove", "p.proof")
    assert ran.code == 1
    assert ran.err == "no proof written: finish is violated\n"
    assert not (tmp_path / "p.proof").exists()
    ran = kripke("check", "chance.pml", "--property", "finish", "--fair", "strong", "--prove", "p.proof")
    assert (ran.code, ran.err) == (0, "")
    ran = kripke("verify-proof", "p.proof", "--show")
    assert ran.out.startswith("accepted: every strongly fair run of chance.pml satisfies finish: <> done\n")
    assert "as process 1 never moves, so that a strongly fair run leaves the states where it could" in ran.out


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--prove", "p"), "--prove proves one formula, and there are several: choose one with --ltl or --property"),
        (("--property", "safety", "--prove", "p"), "--prove proves one formula, and there is none"),
        (("--prove", "nowhere/p"), "cannot write nowhere/p: there is no directory nowhere"),
    ],
)
def test_what_cannot_be_proved_is_refused(kripke, tmp_path: Path, options: tuple[str, ...], sentence: str) -> None:
    (tmp_path / "chance.pml").write_text(CHANCE)
    ran = kripke("check", "chance.pml", *options)
    assert ran.code == 2
    assert sentence in ran.err


def test_a_file_that_is_no_proof(kripke, tmp_path: Path) -> None:
    (tmp_path / "p").write_bytes(b"\xff\xfe\0")
    assert kripke("verify-proof", "p") == (1, "rejected: the file is no proof: it is not JSON\n", "")
    ran = kripke("verify-proof", "missing")
    assert (ran.code, ran.err) == (2, "error: cannot read missing: No such file or directory\n")
    assert "which file?" in kripke("verify-proof").err
