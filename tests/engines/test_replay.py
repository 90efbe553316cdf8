"""Replay: paths become traces, saved traces are followed or the deviation is named."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kripke.checker.check import check_properties
from kripke.deadline import Deadline, OutOfTime
from kripke.engines.explicit.safety import check
from kripke.engines.explicit.search import ErrorPath, Order
from kripke.engines.plan import SearchPlan
from kripke.engines.runs.replay import (
    ReplayFailure,
    end_of,
    replay_error,
    replay_path,
    replay_saved,
)
from kripke.languages.promela import load
from kripke.model.model import Transition, no_pause
from kripke.model.trace import SavedTrace, Trace
from tests.support.toys import Counters, Graph

PATH = (b"\0\0", b"\1\0", b"\1\1")


def saved(trace: Trace, folder: Path) -> SavedTrace:
    return SavedTrace.read(str(trace.save(folder / "trace.json").file))


def test_a_path_becomes_a_trace() -> None:
    trace = replay_path(Counters(2), PATH)
    assert [(step.number, step.actor, step.statements, step.state) for step in trace.steps] == [
        (1, "P:0", ("x = x + 1",), b"\1\0"),
        (2, "P:1", ("y = y + 1",), b"\1\1"),
    ]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ((), "the engine gave no state at all"),
        ((b"\1\0",), "the first state of the path is not an initial state"),
        ((b"\0\0", b"\1\1"), "step 1 of the path is not a step of the model"),
    ],
)
def test_a_wrong_path(path: tuple[bytes, ...], message: str) -> None:
    with pytest.raises(ReplayFailure, match=message):
        replay_path(Counters(2), path)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ErrorPath("deadlock", -1, -1, PATH), "the last state of the path is no deadlock"),
        (ErrorPath("invariant", 0, -1, PATH), r"the invariant x \+ y < 3 holds in the last state of the path"),
        (ErrorPath("violation", 0, 0, PATH), "no step from the last state of the path has the violation"),
    ],
)
def test_a_wrong_error(error: ErrorPath, message: str) -> None:
    with pytest.raises(ReplayFailure, match=message):
        replay_error(Counters(2), error)


# Of 2^40 paths through the atomic sequence the second one fails.
BRANCHING = """byte x;
active proctype P() { byte i;
  atomic { do :: i < 40 -> i++; if :: x = 1 :: x = 0 fi :: else -> break od; assert(x != 0) }
}"""


@pytest.mark.parametrize("search", ["bfs", "dfs"])
def test_an_error_in_a_branching_atomic_sequence_is_replayed(search: Order, tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text(BRANCHING)
    result = check_properties(load(str(path)), SearchPlan(search=search))
    assert (result.verdict, result.kind) == ("violated", "assertion")
    assert result.trace is not None and len(result.trace) == 1
    assert result.trace.explanation is not None and str(result.trace.explanation.reasons[0].text) == "x != 0 is false"
    model = result.trace.model
    ends = {step.target for step in model.distinct_successors(result.trace.initial) if step.target is not None}
    assert sorted(model.describe(end)["x"] for end in ends) == ["0", "1"]


class Slow(Graph):
    """The step that is wanted is always still to come."""

    def distinct_successors(self, state: bytes, pause: Callable[[], None] = no_pause) -> Iterator[Transition]:
        while True:
            pause()
            yield from ()


class Interrupted(Graph):
    def distinct_successors(self, state: bytes, pause: Callable[[], None] = no_pause) -> Iterator[Transition]:
        raise KeyboardInterrupt


def test_replay_ends_when_the_time_is_over() -> None:
    with pytest.raises(OutOfTime):
        replay_path(Slow([[1], []]), (b"\0", b"\1"), deadline=Deadline(0.01))


@pytest.mark.parametrize("kind", [Slow, Interrupted])
def test_an_error_without_replay_is_an_error_all_the_same(kind: type[Graph]) -> None:
    result = check(kind([[1], [None]]), SearchPlan(engine="interpreter", time_limit=0.5))
    assert (result.verdict, result.kind, result.trace) == ("violated", "assertion", None)
    assert result.warnings == (
        "the error was found, but its trace could not be replayed in time: it is neither confirmed nor shown",
    )


def test_a_violation_is_one_more_step() -> None:
    model = Graph([[1], [None]])
    trace = replay_error(model, ErrorPath("violation", 0, 0, (b"\0", b"\1")))
    assert [(step.state, step.violations) for step in trace.steps] == [(b"\1", ()), (None, ((0, 0),))]
    assert trace.final == b"\1"
    assert end_of(trace) == "assertion violated: go 0 (toy.pml:1:5)"


def test_ends() -> None:
    assert end_of(replay_path(Counters(1), PATH)) == "valid end: no step is left"
    assert end_of(replay_path(Counters(1, valid=False), PATH)) == (
        "deadlock: no process can move, and not all have reached a valid end"
    )
    assert end_of(replay_path(Counters(2), PATH)) == "the run could go on"


def test_a_saved_trace_is_replayed(tmp_path: Path) -> None:
    trace = replay_path(Counters(2), PATH)
    replayed = replay_saved(Counters(2), saved(trace, tmp_path))
    assert replayed
    assert (replayed.deviation, replayed.changed) == (None, None)
    assert replayed.trace.steps == trace.steps


def test_a_step_that_has_gone_is_named(tmp_path: Path) -> None:
    record = saved(replay_path(Counters(2), (*PATH, b"\1\2")), tmp_path)
    replayed = replay_saved(Counters(1), record)
    assert not replayed
    assert replayed.deviation == "step 3 is not possible here: P:1 y = y + 1"
    assert len(replayed.trace) == 2
    assert replayed.enabled == ()


def test_another_effect_is_named(tmp_path: Path) -> None:
    record = saved(replay_path(Graph([[1], [2], []]), (b"\0", b"\1", b"\2")), tmp_path)
    replayed = replay_saved(Graph([[1], [0], []]), record)
    assert replayed
    assert replayed.changed == "step 2 (P:0 go 0) has another effect than it had"


def test_a_violation_that_now_ends_the_run(tmp_path: Path) -> None:
    record = saved(replay_path(Graph([[1], [2], []]), (b"\0", b"\1", b"\2")), tmp_path)
    replayed = replay_saved(Graph([[None], [2], []]), record)
    assert replayed.deviation == "step 1 ends in a violation; the trace goes on: P:0 go 0"


def test_of_steps_that_look_alike_the_one_to_the_saved_state_is_taken(tmp_path: Path) -> None:
    class Twins(Graph):
        def __init__(self, steps: list[list[int]]) -> None:
            super().__init__(steps)
            self.statements = (self.statements[0],) * 2

    record = saved(replay_path(Twins([[1, 2], [], []]), (b"\0", b"\2")), tmp_path)
    assert replay_saved(Twins([[1, 2], [], []]), record).trace.final == b"\2"
