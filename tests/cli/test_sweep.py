"""Sweeps: combinations, exclusions, skip rules, results in every form, going on after a kill, edits."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kripke.cli.main import UsageError
from kripke.cli.sweep_conditions import Condition
from kripke.cli.sweep_plan import read_plan
from tests.cli.conftest import Kripke

MODEL = "byte x;\nactive proctype p() { do :: x < N -> x++ :: x == N -> break od }\n"
PLAN = """
file = "count.pml"
name = "${N}/${K} ${property}"
finding = "BUG in ${N}"
[parameters]
N = "1..3"
K = [1, 2]
[derived]
sum = "N + K"
[defaults]
D = { N = "${N}" }
engine = "interpreter"
[[exclude]]
when = "K > N"
reason = "${K} is more than ${N}"
[[property]]
name = "small"
invariant = "x <= ${K}"
[[property]]
name = "reach"
when = "sum != 4"
possible = "<> (x == ${K})"
"""


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    (tmp_path / "count.pml").write_text(MODEL)
    (tmp_path / "count.toml").write_text(PLAN)
    return tmp_path / "count.toml"


def rows_of(folder: Path) -> list[dict[str, str]]:
    with open(folder / "count.results" / "results.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_every_combination_in_every_form(kripke: Kripke, plan: Path) -> None:
    ran = kripke("sweep", "count.toml", "--parquet", "--json", "rows.json")
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.splitlines()[:15] == [
        "1/1 small: holds",
        "1/1 reach: possible",
        "2 is more than 1",
        "2/1 small: violated  BUG in 2",
        "2/1 reach: possible",
        "2/2 small: holds",
        "3/1 small: violated  BUG in 3",
        "3/2 small: violated  BUG in 3",
        "3/2 reach: possible",
        "",
        "N K \\ property  small     reach",
        "1 1             holds     possible",
        "2 1             violated  possible",
        "2 2             holds     -",
        "3 1             violated  -",
    ]
    assert ran.out.splitlines()[-1].startswith("8 checks: 2 holds, 3 possible, 3 violated, 3 findings, in ")
    rows = rows_of(plan.parent)
    assert [(r["N"], r["K"], r["sum"], r["property"], r["verdict"], r["states"], r["finding"]) for r in rows[:3]] == [
        ("1", "1", "2", "small", "holds", "5", "false"),
        ("1", "1", "2", "reach", "possible", "3", "false"),
        ("2", "1", "3", "small", "violated", "5", "true"),
    ]
    page = (plan.parent / "count.results" / "index.html").read_text()
    links = re.findall(r'href="([^"]+)"', page)
    assert set(links) == {row["page"] for row in rows if row["page"]} and len(set(links)) == 6
    assert all((plan.parent / "count.results" / link).is_file() for link in links)
    written = json.loads((plan.parent / "rows.json").read_text())
    assert [row["verdict"] for row in written] == [row["verdict"] for row in rows]
    import pyarrow.parquet as pq

    table = pq.read_table(plan.parent / "count.results" / "results.parquet").to_pylist()
    assert table == written


def test_a_skip_rule_stops_at_the_first_finding(kripke: Kripke, plan: Path) -> None:
    rule = '[[stop]]\nwithin = ["N"]\nwhen = "N == 3"\n'
    plan.write_text(PLAN + rule + '[matrix]\nrows = ["N"]\ncolumns = ["property"]\n')
    ran = kripke("sweep", "count.toml", "-q")
    assert ran.out.splitlines()[1:5] == [
        "N \\ property  small     reach",
        "1             holds     possible",
        "2             violated  possible",
        "3             violated  skipped",
    ]
    assert [(r["verdict"], r["reason"]) for r in rows_of(plan.parent)[-2:]] == [
        ("skipped", "skipped after 3/1 small"),
        ("skipped", "skipped after 3/1 small"),
    ]


def test_a_combination_that_fails_does_not_stop_the_others(kripke: Kripke, plan: Path) -> None:
    (plan.parent / "count.pml").write_text(MODEL + "#if N == 2\nwrong\n#endif\n")
    ran = kripke("sweep", "count.toml")
    assert ran.code == 2
    assert [row["verdict"] for row in rows_of(plan.parent)] == [
        *("holds", "possible", "error", "error", "error", "violated", "violated", "possible")
    ]
    assert "2/1 small: error  " in ran.out


def test_an_edit_runs_again_what_it_touches(kripke: Kripke, plan: Path) -> None:
    text = PLAN.replace('file = "count.pml"', 'template = "count.pml"').replace('D = { N = "${N}" }\n', "")
    plan.write_text(text)
    (plan.parent / "count.pml").write_text(MODEL.replace("N", "${N}"))
    assert "from the cache" not in kripke("sweep", "count.toml").out
    first = [row["verdict"] for row in rows_of(plan.parent)]
    assert "8 from the cache" in kripke("sweep", "count.toml").out
    plan.write_text(text.replace("x <= ${K}", "x <= ${K} + 0"))  # the three questions about reachability are as before
    assert "3 from the cache" in kripke("sweep", "count.toml").out
    assert [row["verdict"] for row in rows_of(plan.parent)] == first
    (plan.parent / "count.pml").write_text(MODEL.replace("N", "${N}") + "/* an edit */")
    assert "from the cache" not in kripke("sweep", "count.toml").out
    page = next(row["page"] for row in rows_of(plan.parent) if row["page"])
    (plan.parent / "count.results" / page).unlink()  # an answer whose page is gone is asked again
    assert "7 from the cache" in kripke("sweep", "count.toml").out
    assert (plan.parent / "count.results" / page).is_file()


def test_a_sweep_that_was_killed_goes_on(kripke: Kripke, plan: Path) -> None:
    command = [sys.executable, "-m", "kripke", "sweep", "count.toml", "--jobs", "1"]
    cache = plan.parent / "count.results" / "cache"
    sweep = subprocess.Popen(command, cwd=plan.parent, stdout=subprocess.DEVNULL)
    while not cache.is_dir() or not list(cache.glob("*.json")):
        assert sweep.poll() is None
        time.sleep(0.01)
    os.kill(sweep.pid, signal.SIGKILL)
    sweep.wait()
    done = len(list(cache.glob("*.json")))
    assert not (plan.parent / "count.results" / "results.csv").exists()
    ran = kripke("sweep", "count.toml")
    assert int(re.search(r"(\d) from the cache", ran.out)[1]) >= done >= 1  # type: ignore[index]
    assert len(rows_of(plan.parent)) == 8


def test_a_list_checks_nothing(kripke: Kripke, plan: Path) -> None:
    ran = kripke("sweep", "count.toml", "--list")
    assert ran.code == 0 and ran.out.splitlines()[2] == "1/2  left out: 2 is more than 1"
    assert ran.out.splitlines()[-1] == "8 checks, 1 left out"
    assert not (plan.parent / "count.results").exists()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('N = "1..3"', 'N = "3..1"', "N has no value"),
        ('N = "1..3"', 'N = "1..9999999"', "N has more than 1,000,000 values"),
        ('N = "1..3"', "N = 3", 'the values of N are a list, such as [1, 2], or a range, such as "2..5"'),
        ("K > N", "K > M", "exclude 1: there is no parameter 'M' in 'K > M'; there are: K, N, sum"),
        ("K > N", "K >", "exclude 1: 'K >' is no condition: "),
        ("K > N", "open(K)", "there is no parameter 'open'"),
        ("K > N", "K.real > 1", "exclude 1: 'K.real' is not allowed; write comparisons"),
        ("K > N", "K > 'a'", "exclude 1: \"K > 'a'\" has no value: "),
        ("x <= ${K}", "x <= ${L}", "${L} in 1/1 small: there is no such parameter"),
        ('file = "count.pml"', "", 'needs one model: file = "model.pml"'),
        ('finding = "BUG in ${N}"', "colour = 1", "there is no setting 'colour': there are "),
        ("sum =", "verdict =", "the name 'verdict' is taken"),
        ('when = "K > N"', 'when = "true"', "every combination is excluded"),
        ('engine = "interpreter"', "nosuch = 3", "1/1 small: its options are wrong, see above"),
    ],
)
def test_plans_with_mistakes(kripke: Kripke, plan: Path, old: str, new: str, message: str) -> None:
    assert old in PLAN
    plan.write_text(PLAN.replace(old, new))
    ran = kripke("sweep", "count.toml")
    assert ran.code == 2 and message in ran.err


def test_conditions_calculate_and_never_run_programs() -> None:
    values: dict[str, bool | int | float | str] = {"n": 3, "f": "CFU", "on": True}
    for text, value in (
        ("n * 2 - 1", 5),
        ("1 < n <= 3 and f in ['CFU', 'CFB']", True),
        ("not on or f != 'CFU'", False),
        ("'a' if n % 2 == 0 else 'b'", "b"),
        ("-n // 2", -2),
        ("f + '!'", "CFU!"),
        ("false or on == true", True),
    ):
        assert Condition(text, "here", set(values)).value(values) == value
    for text in ("f * 1000000000", "n ** 99999999", "[n for n in f]", "n / 0", "f'{n}'", "(lambda: 1)()", "n[0]"):
        with pytest.raises(UsageError):
            Condition(text, "here", set(values)).value(values)


def test_the_last_parameter_changes_first(plan: Path) -> None:
    combinations = read_plan(str(plan)).combinations()
    assert [(c.values["N"], c.values["K"], c.property and c.property.name) for c in combinations][:4] == [
        *((1, 1, "small"), (1, 1, "reach"), (1, 2, None), (2, 1, "small"))
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("title = 3", "title is a text or a list of texts"),
        (
            "answers = { fine = 'errors: 0' }",
            "answers are texts for holds, violated, possible, impossible, unknown, error",
        ),
    ],
)
def test_words_of_the_log_that_are_none(plan: Path, line: str, message: str) -> None:
    plan.write_text(line + "\n" + plan.read_text())
    with pytest.raises(UsageError, match=message):
        read_plan(str(plan))
