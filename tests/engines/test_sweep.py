"""The sweep-line search: every state is seen, whatever the measure; few are kept where it is a good one."""

from pathlib import Path

import pytest

import kripke
from kripke.engines.plan import Unsupported
from kripke.model.source import ModelError

# Two processes pass numbers on; `sent` only grows.
GROWING = """
byte sent, last;
chan q = [2] of { byte };
active proctype Sender() { end: do :: d_step { sent < 60 && len(q) < 2 -> sent++; q!sent } od }
active proctype Receiver() { byte got; end: do :: q?got -> assert(got == last + 1); last = got od }
"""
# A wheel that turns: every state comes again, and x + y goes back twice in each round.
WHEEL = """
byte x, y;
active proctype A() { end: do :: d_step { x < 9 -> x++ } :: d_step { x == 9 -> x = 0 } od }
active proctype B() { end: do :: d_step { y < 9 -> y++ } :: d_step { y == 9 -> y = 0 } od }
"""


def load(tmp_path, text):
    path = tmp_path / "model.pml"
    path.write_text(text)
    return kripke.load(path)


def test_visits_are_not_called_states(tmp_path):
    sweep = load(tmp_path, WHEEL).check(search="sweep", progress="x + y")
    assert f" in {sweep.states:,} visits\n\n{sweep.states:,} visits, " in str(sweep)
    sweep = load(tmp_path, GROWING).check(search="sweep", progress="sent")
    assert f" in {sweep.states:,} states\n" in str(sweep)


def test_few_are_kept(tmp_path):
    model = load(tmp_path, GROWING)
    whole, sweep = model.check(), model.check(search="sweep", progress="sent")
    assert (whole.verdict, sweep.verdict, sweep.complete) == ("holds", "holds", True)
    assert (sweep.states, sweep.transitions) == (whole.states, whole.transitions)
    assert (sweep.engine["sweeps"], sweep.engine["persistent"]) == (1, 0)
    assert sweep.engine["most_kept"] < whole.states / 10
    assert sweep.engine["progress"] == "sent"
    assert not sweep.warnings
    assert [one.text for one in sweep.unreached] == [one.text for one in whole.unreached]


def test_steps_back(tmp_path):
    model = load(tmp_path, WHEEL)
    sweep = model.check(search="sweep", progress="x + y")
    assert (sweep.verdict, sweep.complete) == ("holds", True)
    # x back to 0 with any y from 0 to 9, and y back to 0: 19 states; the start was stored, but dropped before.
    assert (sweep.engine["sweeps"], sweep.engine["persistent"]) == (2, 19)
    assert sweep.states > 100
    assert any("19 states, 2 sweeps in all" in warning for warning in sweep.warnings)
    assert model.check(search="sweep", progress="1").states == 100


@pytest.mark.parametrize("progress", ["sent", "255 - sent", "sent % 3", "last - sent", "0", "1 / (sent % 2)"])
def test_an_error_has_a_run(tmp_path, progress):
    model = load(tmp_path, GROWING.replace("last = got", "last = got + (got == 40)"))
    expected = model.check()
    result = model.check(search="sweep", progress=progress)
    assert (result.verdict, result.kind, result.reason) == ("violated", "assertion", expected.reason)
    assert len(result.trace) == len(expected.trace)  # there is but one way, as long as it is made clear


def test_all_errors_with_and_without_symmetry(tmp_path):
    text = """byte n; active [3] proctype P() {
        byte i; end: do :: d_step { i < 3 -> i++; n++ } :: n == 9 -> assert(n < 9) od }"""
    model = load(tmp_path, text)
    whole = model.check(all_errors=True)
    for more in ({}, {"symmetry": "canonical"}):
        result = model.check(search="sweep", progress="n", all_errors=True, **more)
        assert {finding.message for finding in result.findings} == {finding.message for finding in whole.findings}
        assert all(finding.trace is not None for finding in result.findings)
    assert model.check(search="sweep", progress="n", all_errors=True).errors == whole.errors


def test_limits(tmp_path):
    model = load(tmp_path, WHEEL)
    result = model.check(search="sweep", progress="x + y", max_states=50)
    assert (result.verdict, result.states, result.reason) == ("unknown", 50, "the limit of 50 states was reached")
    large = load(tmp_path, "byte w[8]; active [8] proctype P() { end: do :: w[_pid]++ od }")
    result = large.check(search="sweep", progress="w[0]", memory=3_000_000)
    assert (result.verdict, result.reason) == ("unknown", "the memory limit of 2.9 MB was reached")


def test_no_room_for_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    result = load(tmp_path, WHEEL).check(search="sweep", progress="x")
    assert (result.verdict, result.states) == ("unknown", 0)
    assert "could not be written" in result.reason


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"search": "sweep"}, "--search sweep goes by a measure"),
        ({"progress": "x"}, "--progress belongs to --search sweep"),
        ({"search": "sweep", "progress": "x", "threads": 2}, "--threads 2: a sweep is made by one thread"),
        ({"search": "sweep", "progress": "x", "store": "tree"}, "a sweep has a store of its own"),
        ({"search": "sweep", "progress": "x", "por": True}, "leave out --por"),
        ({"search": "sweep", "progress": "x", "max_depth": 5}, "leave out --max-depth"),
        ({"search": "sweep", "progress": "x", "ltl": "<> (x == 9)"}, "--search sweep finds no cycles"),
        ({"search": "sweep", "progress": "x", "ltl": "[] (x < 10)"}, "a sweep drops states"),
        ({"search": "sweep", "progress": "x", "engine": "interpreter"}, "--search sweep needs the native engine"),
    ],
)
def test_refusals(tmp_path, options, message):
    with pytest.raises(Unsupported, match=message):
        load(tmp_path, WHEEL).check(**options)


def test_a_measure_that_is_none(tmp_path):
    with pytest.raises(ModelError, match="nothing"):
        load(tmp_path, WHEEL).check(search="sweep", progress="nothing + 1")


EXAMPLES = Path(__file__).parents[2] / "examples"


def test_nets():
    model = kripke.load(EXAMPLES / "pnml" / "philosophers.pnml")
    whole = model.check(all_errors=True)
    place = next(iter(model.model.net.place_numbers))
    for progress in (f'"{place}"', f'7 - 2 * "{place}"', "3"):
        result = model.check(search="sweep", progress=progress, all_errors=True)
        assert (result.verdict, result.complete) == (whole.verdict, True)
        assert {finding.message for finding in result.findings} == {finding.message for finding in whole.findings}
    for wrong, message in ((f'"{place}" > 1', "a sum of tokens is wanted"), (f'99999 * "{place}"', "too large")):
        with pytest.raises(ModelError, match=message):
            model.check(search="sweep", progress=wrong)


def test_high_level_nets_have_no_measure():
    with pytest.raises(ModelError, match="not for high-level ones yet"):
        kripke.load(EXAMPLES / "maria" / "leader_election.pn").check(search="sweep", progress="1")
