"""Why does it hold? What was executed, what never changes, what holds for no reason; by both engines alike."""

from __future__ import annotations

from pathlib import Path

import pytest

import kripke
from kripke.model.coverage import Coverage
from kripke.report.coverage_report import coverage_report
from kripke.report.page.page import html_report
from kripke.report.terminal import Terminal

MODEL = """\
mtype = { ok, nack, ping };
chan c = [1] of { mtype };
byte x, limit = 3;
active proctype a() {
  do
  :: x < limit -> x++; c!ok
  :: x > 5 -> c!nack
  :: x == limit -> break
  od
}
active proctype b() {
end: do
  :: c?ok
  :: c?nack -> assert(x > 5)
  od
}
ltl calms { [] (x > 5 -> <> (x == 0)) }
ltl small { [] (x <= 3) }
ltl starts { x == 0 && <> (x == 3) }
"""


@pytest.fixture(scope="module", params=["native", "interpreter"])
def coverage(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Coverage:
    file = tmp_path_factory.mktemp("coverage") / "m.pml"
    file.write_text(MODEL)
    result = kripke.load(file).check(engine=request.param, coverage=True)
    assert result.verdict == "holds" and result.coverage is not None
    assert (result.states, result.transitions) == (result.coverage.states, result.coverage.transitions)
    assert result.to_json()["coverage"]["complete"] is True
    return result.coverage


def test_statements_branches_and_messages(coverage: Coverage) -> None:
    missed = {
        s.text for s, done in zip(coverage.statements, coverage.executed, strict=True) if not done and s.span.line
    }
    assert missed == {"x > 5", "c!nack", "c?nack", "assert(x > 5)", "-end-"}
    assert [(option.statement.text, option.taken) for option in coverage.options] == [
        ("x < limit", True),
        ("x > 5", False),
        ("x == limit", True),
        ("c?ok", True),
        ("c?nack", False),
    ]
    assert [tuple(use) for use in coverage.messages] == [("nack", False, False), ("ok", True, True)]
    assert sum(coverage.executions) + 1 == coverage.transitions


def test_what_never_changes(coverage: Coverage) -> None:
    assert coverage.unchanging == (("limit", "3"),)
    assert coverage.constant_atoms == (("x > 5", False), ("x <= 3", True))


def test_what_holds_for_no_reason(coverage: Coverage) -> None:
    assert [(v.property, v.part) for v in coverage.vacuous] == [("calms", "<>(x == 0)")]
    assert coverage.vacuous[0].text == (
        "what x > 5 is to lead to does not matter: (x > 5) -> <>(x == 0) would hold with false for <>(x == 0)"
    )


def test_sample_runs_execute_everything(coverage: Coverage) -> None:
    shown = {part.statement for trace in coverage.samples for step in trace.steps for part in step.parts}
    assert shown == {number for number, done in enumerate(coverage.executed) if done}
    for trace in coverage.samples:
        states = [trace.initial, *(step.state for step in trace.steps)]
        for before, step in zip(states, trace.steps, strict=False):
            assert before is not None
            assert (step.parts, step.state) in [(t.parts, t.target) for t in trace.model.successors(before)]


def test_as_text(coverage: Coverage) -> None:
    lines = list(coverage_report(coverage, Terminal(width=100)))
    text = "\n".join(lines)
    assert "  messages     of 2 types 1 sent, 1 received" in lines
    assert "nack is never sent and never received" in text
    assert "never: m.pml:7   a  c!nack" not in text and "never: m.pml:7  a  c!nack" in text
    assert "limit = 3" in text and "x <= 3 is always true" in text
    assert max(map(len, lines)) <= 100
    assert "sample run 1:" in "\n".join(coverage_report(coverage, Terminal(width=100), full=True))


def test_a_tautology_says_nothing(tmp_path: Path) -> None:
    file = tmp_path / "m.pml"
    file.write_text("byte x; active proctype p() { x = 1 - x }")
    result = kripke.load(file).check(ltl="<> [] (x == 1) -> [] <> (x == 1)", engine="interpreter", coverage=True)
    assert result.coverage is not None
    assert result.coverage.vacuous[0].text.endswith("is true of every run whatsoever")


def test_a_limit_is_told(tmp_path: Path) -> None:
    file = tmp_path / "m.pml"
    file.write_text("byte x; active proctype p() { do :: x < 99 -> x++ od }")
    result = kripke.load(file).check(max_states=10, coverage=True)
    assert result.coverage is not None and result.coverage.reason == "states"
    assert "only 10 states were looked at" in "\n".join(coverage_report(result.coverage, Terminal()))


def test_on_the_page(tmp_path: Path) -> None:
    file = tmp_path / "m.pml"
    file.write_text(MODEL)
    result = kripke.load(file).check(coverage=True)
    page = html_report(result, result.coverage.samples[0].model if result.coverage else None, ["kripke"])
    assert "Why does it hold?" in page and "nack is never sent and never received" in page
    assert '"message":"sample run 1: something the model can do"' in page and "active proctype a()" in page


def test_nets(tmp_path: Path) -> None:
    examples = Path(__file__).parents[2] / "examples"
    result = kripke.load(examples / "maria" / "lift.pn").check(coverage=True)
    assert result.coverage is not None
    assert result.coverage.states == result.states
    assert sum(result.coverage.executed) == 4


def test_empty_places_are_values_too() -> None:
    """A place that is marked in some states only changes, though an empty one is not mentioned."""
    folder = Path(__file__).parents[2] / "examples"
    for file in ("pep/alternator.ll_net", "pnml/readers_writers.pnml"):
        coverage = kripke.load(folder / file).check(coverage=True).coverage
        assert coverage is not None and coverage.unchanging == ()


def test_what_must_never_be_is_not_missed() -> None:
    file = Path(__file__).parents[2] / "examples" / "maria" / "lift.pn"
    result = kripke.load(file).check(coverage=True)
    assert (result.unreached, result.statement_count) == ((), 4)
    assert result.coverage is not None
    assert "  statements   4 of 4 statements executed" in list(coverage_report(result.coverage, Terminal(width=100)))
