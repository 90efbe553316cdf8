"""Formulas of nets with fairness sets: the answers of Maria, and sets in all their forms."""

from __future__ import annotations

from pathlib import Path

import pytest

from kripke.checker.check import check_properties
from kripke.cli.main import main
from kripke.engines.plan import EngineName, SearchPlan
from kripke.languages.maria import load
from kripke.model.result import Result
from tests.support.maria_corpus import QUESTIONS, Edits, edited, needed

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
    return check_properties(model, SearchPlan(properties=(formula,)))


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


@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_enabled_sets_that_stay_empty_are_listed(tmp_path: Path, engine: EngineName) -> None:
    file = tmp_path / "net.pn"
    file.write_text("""typedef unsigned (1..3) t; place p t: 1, 2;
        trans a in { p: x; } gate x < 3 out { p: x; } enabled t v: v == x;
        enabled trans a: x == 1, trans a: x == 3;
        subnet s { place q t: 3; trans b in { q: x; } out { q: x; } enabled x == 3 enabled 1 / (x - 3) == 1; };""")
    result = check_properties(load(str(file)), SearchPlan(engine=engine))
    assert result.unreached is not None
    assert [statement.text for statement in result.unreached] == [f"enabled, set {n}" for n in (3, 5, 7)]
    if engine == "interpreter":
        modular = check_properties(load(str(file), modular=True), SearchPlan(engine=engine))
        assert modular.unreached is not None
        assert [one.text for one in modular.unreached if one.text.startswith("enabled")] == [
            f"enabled, set {n}" for n in (3, 5, 7)
        ]


@needed
@pytest.mark.parametrize(("name", "edits", "flags", "formula", "holds"), [*QUESTIONS[12:24], *QUESTIONS[-6:-4]])
def test_examples_of_maria(tmp_path: Path, name: str, edits: Edits, flags: str, formula: str, holds: bool) -> None:
    """With three processes, and the smallest window."""
    result = checked(edited(tmp_path, name, edits), formula, *flags.split())
    assert result.verdict == ("holds" if holds else "violated")
