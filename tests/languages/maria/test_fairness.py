"""Formulas of nets with fairness sets: the answers of Maria, and sets in all their forms."""

from __future__ import annotations

from pathlib import Path

import pytest
from maria_corpus import CORPUS, needed

from kripke.cli.main import main
from kripke.engines.options import CheckOptions
from kripke.engines.properties import check_properties
from kripke.languages.maria import load
from kripke.model.result import Result

MUTEX = """
typedef unsigned (1..2) pid_t;
place pending (0..2) pid_t;
place critical (0..1) pid_t;
place quiet (0..2) pid_t: pid_t p: p;
place lock (0..1) struct {}: {};
trans Request in { quiet: x; } out { pending: x; };
trans Enter in { pending: x; lock: {}; } out { critical: x; } WITHIN;
trans Leave in { critical: x; } out { quiet: x; lock: {}; };
OUTSIDE
"""
ACCESS = "[] (2 subset place pending => <> (2 subset place critical))"


def checked(file: Path, formula: str, *flags: str) -> Result:
    model = load(str(file), formulas=[formula], defines=dict.fromkeys(flags, ""))
    return check_properties(model, CheckOptions(properties=(formula,)))


@pytest.mark.parametrize(
    ("within", "outside", "verdict"),
    [
        ("", "", "violated"),
        ("weakly_fair pid_t p: p == x", "", "violated"),  # the lock is taken away in between
        ("strongly_fair pid_t p: p == x", "", "holds"),
        ("strongly_fair true", "", "violated"),  # to all of them together
        ("strongly_fair x == 1", "", "violated"),
        ("strongly_fair x == 2", "", "holds"),
        ("", "strongly_fair pid_t p: trans Enter: p == x;", "holds"),
        ("", "strongly_fair trans Enter: x == 2;", "holds"),
        ("", "strongly_fair (trans Enter: x == 2) || trans Leave;", "violated"),
        ("enabled x == 2", "", "violated"),
    ],
)
def test_sets(tmp_path: Path, within: str, outside: str, verdict: str) -> None:
    file = tmp_path / "mutex.pn"
    file.write_text(MUTEX.replace("WITHIN", within).replace("OUTSIDE", outside))
    result = checked(file, ACCESS)
    assert result.verdict == verdict
    if verdict == "violated":
        assert result.trace is not None
        assert result.trace.loop_start is not None


def test_weak_fairness_ends_waiting(tmp_path: Path) -> None:
    text = """place p bool: false; place q bool: false; trans idle in { q: x; } out { q: !x; };
              trans go in { p: false; } out { p: true; }"""
    for fair, code in (("", 1), (" weakly_fair true", 0)):
        file = tmp_path / "wait.pn"
        file.write_text(f"{text}{fair};")
        assert main(["check", str(file), "--ltl", "<> (true subset place p)", "-q"]) == code


def test_other_fairness_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mutex.pn"
    file.write_text(MUTEX.replace("WITHIN", "weakly_fair true").replace("OUTSIDE", ""))
    assert main(["check", str(file), "--ltl", ACCESS, "--fair", "strong-edges"]) == 2
    assert "the model's own fairness sets" in capsys.readouterr().err
    # Safety does not depend on fairness, and is compiled as ever.
    assert main(["check", str(file), "--invariant", "cardinality place critical <= 1"]) == 0


@needed
@pytest.mark.parametrize(
    ("edit", "verdicts"),
    [
        ("strongly_fair", ["violated", "violated", "holds", "holds"]),
        ("weakly_fair", ["violated", "violated", "violated", "holds"]),
        ("enabled", ["violated", "violated", "violated", "holds"]),
    ],
)
def test_mutual_exclusion_of_maria(tmp_path: Path, edit: str, verdicts: list[str]) -> None:
    file = tmp_path / "mutex.pn"
    text = (CORPUS / "mutex.pn").read_text(encoding="latin-1")
    file.write_text(text.replace("strongly_fair", edit).replace("(1..2)", "(1..3)"), encoding="latin-1")
    formulas = [line[3:].strip() for line in text.splitlines() if line.startswith(("// []", "// (["))]
    formulas.append("[] cardinality place critical <= 1")
    assert [checked(file, formula).verdict for formula in formulas] == verdicts


@needed
@pytest.mark.parametrize(("flags", "verdict"), [("", "violated"), ("FAIR", "holds")])
def test_sliding_window_of_maria(tmp_path: Path, flags: str, verdict: str) -> None:
    text = (CORPUS / "swn.pn").read_text(encoding="latin-1").replace("tw = 4", "tw = 1").replace("rw = 4", "rw = 1")
    file = tmp_path / "swn.pn"
    file.write_text(text, encoding="latin-1")
    formula = "[]<>true equals place white_req || <>true equals place blue_req"
    assert checked(file, formula, *flags.split()).verdict == verdict
