"""``--engine auto``: two engines side by side, the first answer, and no answer where neither has one."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import kripke
from kripke.engines.plan import Unsupported
from kripke.engines.portfolio import check as portfolio
from tests.support.processes import wait_for_processor_time
from tests.support.shared_programs import shared_program

ROOT = Path(__file__).parents[3]
#: 42^9 states in a diagram of a few nodes
COUNTERS = "byte c[9]; active [9] proctype P() { do :: c[_pid] < 20 -> c[_pid]++ :: c[_pid] == 20 -> c[_pid] = 0 od }"
#: neither engine comes to an end
ENDLESS = (
    "int x = 3, y = 5; byte c[9]; active [2] proctype P() "
    "{ do :: x = x * y + 1 :: y = y * x + 3 :: x = x / 7 + y :: c[x & 7]++; assert(x * x * y != 91733) od }"
)


def load(text, tmp_path):
    path = tmp_path / "m.pml"
    path.write_text(text)
    return kripke.load(path)


def test_the_symbolic_engine_answers_where_there_are_too_many_states(tmp_path):
    result = load(COUNTERS, tmp_path).check(engine="auto")
    assert (result.verdict, result.states, result.engine["name"]) == ("holds", 42**9, "bdd")
    assert result.engine["auto"].startswith("bdd, which answered first, beside native (bdd: 63 bits of state")


def test_wide_variables_are_for_clauses(tmp_path):
    text = "int x, y; active proctype P() { do :: x < 1000000000 -> x = x + 2 :: y < 1000000000 -> y = y + 2 od }"
    result = load(text, tmp_path).check(engine="auto", invariants="x % 2 == 0", deadlock=False)
    assert (result.verdict, result.engine["name"]) == ("holds", "pdr")
    assert "too wide for diagrams" in result.engine["auto"]


@pytest.mark.parametrize("seed", range(4))
def test_the_same_verdicts_as_each_engine_alone(seed, tmp_path):
    model = load(shared_program(seed), tmp_path)
    for options in ({}, {"ltl": "[] <> (x == 0)"}, {"ctl": "AG EF x == 0"}):
        alone, both = (model.check(engine=name, clarify=False, **options) for name in (None, "auto"))
        assert [part.verdict for part in alone.parts] == [part.verdict for part in both.parts]
        assert all(part.engine["auto"] for part in both.parts)
        assert (both.trace is None) == (alone.trace is None)


@pytest.mark.parametrize(
    ("name", "alone"), [("modes/peterson.modes", False), ("cspm/buffer.csp", True), ("lf/bounded_buffer.lf", False)]
)
def test_other_languages(name, alone):
    model = kripke.load(ROOT / "examples" / name)
    usual, both = model.check(clarify=False), model.check(engine="auto", clarify=False)
    assert both.verdict == usual.verdict
    assert not alone or all("alone: " in part.engine["auto"] for part in both.parts)


@pytest.mark.parametrize("options", [{"store": "tree"}, {"por": True}, {"max_states": 100_000}, {"all_errors": True}])
def test_options_of_one_engine_leave_it_alone(options, tmp_path):
    result = load("byte x; active [2] proctype P() { x++; x-- }", tmp_path).check(engine="auto", **options)
    assert result.verdict == "holds"
    assert result.engine["auto"].startswith("native alone: ")


def test_what_neither_engine_takes_is_refused(tmp_path):
    model = load("active proctype P() { skip }", tmp_path)
    with pytest.raises(Unsupported, match=r"--depth does not go with --engine auto, which lets two engines run side"):
        model.check(engine="auto", depth=3)
    with pytest.raises(Unsupported, match=r"--fair weak: fairness is about infinite runs"):
        model.check(engine="auto", fair="weak")


def test_a_limit_ends_both(tmp_path):
    result = load(ENDLESS, tmp_path).check(engine="auto", time_limit=1.0)
    assert result.verdict == "unknown"
    assert "the time limit" in result.reason
    assert "neither engine came to an answer" in result.engine["auto"]


def test_an_engine_without_memory_leaves_it_to_the_other(tmp_path):
    result = load(COUNTERS, tmp_path).check(engine="auto", memory="300M")
    assert (result.verdict, result.engine["name"]) == ("holds", "bdd")


def test_on_one_core_they_come_in_turn(tmp_path, monkeypatch):
    monkeypatch.setattr(portfolio, "_cores", lambda: 1)
    result = load("byte x; active [2] proctype P() { x++; x-- }", tmp_path).check(engine="auto")
    assert (result.verdict, result.engine["auto"]) == ("holds", "native, since there is one core")
    result = load(COUNTERS, tmp_path).check(engine="auto", memory="40M")
    assert (result.verdict, result.engine["name"]) == ("holds", "bdd")
    assert result.engine["auto"].startswith("native, since there is one core; then bdd: 63 bits")


def test_engines_that_do_not_agree_are_no_answer(tmp_path, monkeypatch):
    """Should one of them be wrong, nobody knows which."""
    look = portfolio._Contest._look

    def wrong(contest, apart):
        apart.wait()
        look(contest, apart)
        contest.other = replace(contest.other, verdict="violated")

    monkeypatch.setattr(portfolio._Contest, "_look", wrong)
    monkeypatch.setattr(portfolio._Contest, "_looking_at", lambda *_: None)
    result = load("byte x; active [2] proctype P() { x++; x-- }", tmp_path).check(engine="auto")
    assert result.verdict == "unknown"
    assert result.reason.startswith("native says holds, bdd says violated; ")


def test_ctrl_c_ends_both_and_leaves_no_process(tmp_path):
    (tmp_path / "m.pml").write_text(ENDLESS)
    command = [sys.executable, "-m", "kripke", "check", "m.pml", "--engine", "auto", "--json"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, cwd=tmp_path, env=os.environ, start_new_session=True
    ) as process:
        wait_for_processor_time(process, 0.5)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=100)
    assert process.returncode == 3
    assert "interrupted" in json.loads(out)["reason"]
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


def test_reports_and_traces(tmp_path, capsys):
    from kripke.cli.main import main

    text = "byte c[9]; active [9] proctype P() { do :: c[_pid]++; assert(c[0] < 5 || c[1] < 5) od }"
    (tmp_path / "m.pml").write_text(text)
    outputs = [str(tmp_path / "t.json"), str(tmp_path / "r.html")]
    code = main(["check", str(tmp_path / "m.pml"), "--engine", "auto", "--trace", outputs[0], "--html", outputs[1]])
    assert code == 1
    assert "engine: " in capsys.readouterr().out
    assert "assertion" in Path(outputs[1]).read_text()
    assert main(["replay", outputs[0]]) == 0
