"""Which steps of a trace are shown, and what stands for the others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kripke
from kripke.engines.runs.replay import replay_path
from kripke.model.trace import Trace
from kripke.report.folding import LONG, Fold, _local, _turns, folded
from kripke.report.terminal import Terminal
from kripke.report.trace_table import trace_table
from tests.support.toys import Counters


def counting(order: list[int]) -> Trace:
    at, path = [0, 0], [b"\0\0"]
    for lane in order:
        at[lane] += 1
        path.append(bytes(at))
    return replay_path(Counters(100), tuple(path))


def test_turns_are_shown_once() -> None:
    trace = counting([0, 1] * 6 + [0, 0])
    assert [entry if isinstance(entry, int) else entry[:3] for entry in folded(trace)] == [
        0,
        1,
        (2, 12, "the last 2 steps 5 times more"),
        12,
        13,
    ]
    lines = list(trace_table(trace, Terminal(width=100)))
    assert lines[3].strip() == "... the last 2 steps 5 times more: x: 1 -> 6, y: 1 -> 6 ..."
    assert len(list(trace_table(trace, Terminal(width=100), full=True))) == 15


def test_short_repetitions_are_not_worth_a_line() -> None:
    assert folded(counting([0, 0, 0, 0])) == [0, 1, 2, 3]


@given(st.lists(st.integers(0, 1), max_size=90))
def test_every_step_is_shown_or_folded(order: list[int]) -> None:
    trace = counting(order)
    at = 0
    for entry in folded(trace):
        start, stop = (entry, entry + 1) if isinstance(entry, int) else (entry.start, entry.stop)
        assert start == at
        at = stop
    assert at == len(trace)
    assert len(folded(trace)) <= LONG
    assert not order or folded(trace)[-1] == len(trace) - 1


def test_what_matters_is_never_folded() -> None:
    trace = counting([0] * 20)
    for place in (5, 12):
        shown = folded(Trace(trace.model, trace.initial, trace.steps, loop_start=place, deciding=place + 2))
        assert {place, place + 2, 19} <= {entry for entry in shown if isinstance(entry, int)}


def test_local_steps_of_a_long_trace(tmp_path: Path) -> None:
    noise = " ".join(f"i = {(i * 7) % 11}; j = i * {i % 5}; k = j - i;" for i in range(12))
    file = tmp_path / "m.pml"
    text = f"byte x; active proctype p() {{ int i, j, k; x = 1; {noise} x = 2; {noise} x = 3; assert(i + j + k < 0) }}"
    file.write_text(text)
    trace = kripke.load(file, merge=False, dead_variables="off").check(engine="interpreter", clarify=False).trace
    assert trace is not None and len(trace) > LONG
    folds = [entry.text for entry in folded(trace) if isinstance(entry, Fold)]
    assert len(folds) == 2 and all(text.endswith("that touch nothing but their own process") for text in folds)
    shown = [trace.steps[entry].statements[0] for entry in folded(trace) if isinstance(entry, int)]
    assert shown[:3] == ["x = 1", "x = 2", "x = 3"]


SEVERAL = """
byte a, b; bool up;
active [2] proctype p() {
  if
  :: a < 2 -> a++; (a > 5)
  :: b == 0 -> b = 1; assert(b == 0)
  :: up = 1; assert(!up)
  fi
}
"""


@pytest.fixture
def several(tmp_path: Path) -> kripke.LoadedModel:
    file = tmp_path / "m.pml"
    file.write_text(SEVERAL)
    return kripke.load(file)


@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_errors_are_grouped_by_cause(several: kripke.LoadedModel, engine: str) -> None:
    result = several.check(engine=engine, all_errors=True)  # type: ignore[arg-type]
    assert [(finding.kind, finding.count) for finding in result.findings] == [
        ("assertion", 18),
        ("assertion", 18),
        ("deadlock", 1),
        ("deadlock", 2),
        ("deadlock", 2),
    ]
    assert result.errors == 41
    assert [finding["count"] for finding in result.to_json()["findings"]] == [18, 18, 1, 2, 2]
    assert "after 5 steps (2 such errors)" in str(result)


def test_another_counterexample(several: kripke.LoadedModel) -> None:
    def shown(number: int | None) -> tuple[str, str]:
        result = several.check(another=number)
        assert not result and result.trace is not None and len(result.findings) == 1
        return result.kind, result.property

    assert [shown(n) for n in (None, 1, 2, 3)] == [
        ("assertion", "assert(!up)"),
        ("assertion", "assert(b == 0)"),
        ("deadlock", "no deadlock"),
        ("deadlock", "no deadlock"),
    ]
    again = [several.check(another=n).trace for n in range(5, 10)]
    assert len({trace.final for trace in again if trace is not None}) == 5  # the same causes in other states
    last = several.check(another=1000)
    assert any(w.startswith("--another: there are only ") for w in last.warnings)


def test_another_error_in_a_state_that_is_alone(tmp_path: Path) -> None:
    file = tmp_path / "m.pml"
    file.write_text("byte x; active proctype p() { x = 1; assert(x == 0) }")
    result = kripke.load(file).check(another=1)
    assert result.verdict == "violated" and result.warnings == ("--another: there is no other error",)
    file.write_text("byte x; active proctype p() { x = 1; assert(x == 1) }")
    result = kripke.load(file).check(another=1)
    assert result.verdict == "holds" and result.warnings == ("--another: no error was found, so there is no other",)


def test_another_run_and_another_broken_invariant(tmp_path: Path) -> None:
    file = tmp_path / "m.pml"
    file.write_text("byte x; active proctype p() { do :: x = 1 - x :: x = 2; do :: x = 5 - x od od }")
    model = kripke.load(file)
    loops = [model.check(ltl="[] <> (x == 7)", another=n).trace for n in (None, 1)]
    states = [
        frozenset(step.differences for step in trace.steps[trace.loop_start :])
        for trace in loops
        if trace is not None and trace.loop_start is not None
    ]
    assert len(set(states)) == 2
    broken = [model.check(invariants=["x < 2"], another=n).trace for n in (None, 1)]
    assert [trace and trace.model.describe(trace.final)["x"] for trace in broken] == ["2", "3"]


def test_the_middle_of_a_long_atomic_step_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "long.pml"
    path.write_text(
        "byte n; active proctype p() { atomic { do :: n < 9 -> n++ :: n == 9 -> break od }; assert(n == 0) }"
    )
    trace = kripke.load(path).check().trace
    assert trace is not None
    lines = [line.strip() for line in trace_table(trace, Terminal(width=100))]
    whole = [line.strip() for line in trace_table(trace, Terminal(width=100), full=True)]
    left_out = len(trace.steps[0].parts) - 6
    assert left_out > 10
    assert lines[4] == f"... {left_out} statements of the same atomic step ..."
    assert lines[:4] + lines[5:] == whole[:4] + whole[4 + left_out :]


def test_of_a_long_trace_only_the_ends_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a step changes takes long to find out: it is asked for steps near the ends alone."""
    alternating = [index % 7 % 2 if index % 5 else 1 for index in range(99)]
    trace = counting(alternating)
    monkeypatch.setattr("kripke.report.folding._is_local", lambda step: step.number % 9 < 5)
    found = list(_turns(trace))
    whole = list(_local(trace, found))
    assert list(_local(trace, found[::-1]))[::-1] == whole
    long = replace(trace, steps=trace.steps * 1000)
    asked = []
    monkeypatch.setattr("kripke.report.folding._is_local", lambda step: bool(asked.append(step)))
    assert len(folded(long)) == 51
    assert len(asked) < 100
