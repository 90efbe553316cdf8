"""Traces made clear: exact examples, and the deciding step against a plain fixed point."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from heapq import heappop, heappush

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kripke
from benchmarks.switches import rows_of, violated_examples
from kripke.clarity.clarify import clarify
from kripke.clarity.decision import deciding_step
from kripke.clarity.ending import Ending, Run, has_ending
from kripke.clarity.reorder import best_order, reorder, switches
from kripke.clarity.shorten import shorten
from kripke.clarity.trials import Trials
from kripke.engines.explicit.search import ErrorPath
from kripke.engines.runs.replay import replay_error, replay_path
from kripke.model.explanation import FalseAtom, Stuck
from kripke.model.model import Model, Violation
from kripke.model.trace import Trace
from tests.support.toys import Counters, Graph

ZIGZAG = (b"\0\0", b"\1\0", b"\1\1", b"\2\1", b"\2\2")


def actors(trace: Trace) -> str:
    return " ".join(step.actor for step in trace.steps)


def test_independent_steps_are_put_together() -> None:
    model = Counters(2)
    trace = replay_path(model, ZIGZAG)
    clear = reorder(trace, Trials(model))
    assert (switches(trace.steps), switches(clear.steps)) == (3, 1)
    assert actors(clear) == "P:0 P:0 P:1 P:1"
    assert [step.number for step in clear.steps] == [1, 2, 3, 4]
    assert [step.state for step in clear.steps] == [b"\1\0", b"\2\0", b"\2\1", b"\2\2"]


def test_states_to_avoid_stay_at_the_end() -> None:
    model = Counters(2)
    trace = replay_path(model, ZIGZAG)
    clear = reorder(trace, Trials(model), lambda state: state == b"\2\0")
    assert actors(clear) == "P:1 P:1 P:0 P:0"
    clear = reorder(trace, Trials(model), lambda state: state in (b"\2\0", b"\0\1"))
    assert actors(clear) == "P:0 P:1 P:1 P:0"


def test_without_a_budget_nothing_changes() -> None:
    model = Counters(2)
    trace = replay_path(model, ZIGZAG)
    assert reorder(trace, Trials(model, calls=0)) == trace
    assert shorten(trace, FalseAtom(0), Trials(model, calls=0)) == trace
    assert deciding_step(trace, FalseAtom(0), Trials(model, calls=0)) is None


def test_a_lasso_keeps_its_order() -> None:
    model = Counters(2)
    trace = Trace(model, ZIGZAG[0], replay_path(model, ZIGZAG).steps, loop_start=1)
    assert reorder(trace, Trials(model)) is trace
    assert shorten(trace, Stuck(), Trials(model)) is trace
    assert deciding_step(trace, Stuck(), Trials(model)) is None


def test_what_the_error_does_not_need_is_left_out() -> None:
    # P breaks the assertion with its second step: what Q does is of no importance.
    class Loose(Counters):
        def _step(self, actor: int, target: tuple[int, int]):  # type: ignore[no-untyped-def]
            step = super()._step(actor, target)
            broken = (Violation(0, 0),) if actor == 0 and target[0] == 2 else ()
            return step._replace(violations=broken)

    model = Loose(2)
    trace = replay_error(model, ErrorPath("violation", 0, 0, (b"\0\0", b"\0\1", b"\1\1", b"\1\2")))
    clear = clarify(trace, ErrorPath("violation", 0, 0, ()))
    assert actors(clear) == "P:0 P:0"
    assert clear.omitted == 2
    assert clear.steps[-1].violations == (Violation(0, 0),)


def test_a_clear_trace_that_cannot_be_replayed_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Counters(2, valid=False)
    error = ErrorPath("deadlock", -1, -1, ZIGZAG)
    trace = replay_error(model, error)
    monkeypatch.setattr("kripke.clarity.clarify.shorten", lambda trace, *_: Trace(model, b"\0\0", trace.steps[:1]))
    assert clarify(trace, error).steps == trace.steps


def test_a_detour_is_left_out() -> None:
    graph = Graph([[1, 3], [2], [0], []])
    trace = replay_path(graph, (b"\0", b"\1", b"\2", b"\0", b"\3"))
    clear = shorten(trace, Stuck(), Trials(graph))
    assert [step.state for step in clear.steps] == [b"\3"]
    assert clear.omitted == 3


@pytest.mark.parametrize(
    ("graph", "path", "expected"),
    [
        # 2 only leads to the deadlock 3; in 1 there was still the way back.
        (Graph([[1], [0, 2], [3], []]), (0, 1, 2, 3), 1),
        # nothing could be done from the start
        (Graph([[1], [2], []]), (0, 1, 2), None),
        # the very last step
        (Graph([[0, 1], []]), (0, 1), 0),
        # a valid end is a way out
        (Graph([[1, 2], [], []], ends=frozenset({2})), (0, 1), 0),
    ],
)
def test_the_deciding_step(graph: Graph, path: tuple[int, ...], expected: int | None) -> None:
    trace = replay_path(graph, tuple(bytes((state,)) for state in path))
    assert deciding_step(trace, Stuck(), Trials(graph)) == expected


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    size = draw(st.integers(1, 9))
    targets = st.lists(st.integers(0, size - 1), max_size=3)
    steps = draw(st.lists(targets, min_size=size, max_size=size))
    ends = draw(st.frozensets(st.integers(0, size - 1)))
    return Graph(steps, ends=ends, bad=draw(st.frozensets(st.integers(0, size - 1), max_size=3)))


@given(graphs(), st.data())
def test_the_deciding_step_is_where_the_last_way_out_is_lost(graph: Graph, data: st.DataObject) -> None:
    atom = data.draw(st.booleans())
    # The greatest set of states from which an error can be avoided, by rounds.
    escaping = {s for s in range(len(graph.steps)) if not (atom and s in graph.bad)}
    while True:
        kept = {s for s in escaping if (not graph.steps[s] and s in graph.ends) or escaping & set(graph.steps[s])}  # type: ignore[arg-type]
        if kept == escaping:
            break
        escaping = kept
    path = [0]
    while graph.steps[path[-1]] and len(path) < 12:
        path.append(data.draw(st.sampled_from(graph.steps[path[-1]])))  # type: ignore[arg-type]
        if path[-1] not in escaping and data.draw(st.booleans()):
            break
    if path[-1] in escaping or any(s in escaping for s in path[next_doomed(path, escaping) :]):
        return
    trace = replay_path(graph, tuple(bytes((state,)) for state in path))
    expected = next_doomed(path, escaping) - 1
    ending = FalseAtom(0) if atom else Stuck()
    assert deciding_step(trace, ending, Trials(graph)) == (expected if expected >= 0 else None)


def next_doomed(path: list[int], escaping: set[int]) -> int:
    return next((i for i, state in enumerate(path) if state not in escaping), len(path))


def fewest_switches(model: Model, ending: Ending) -> tuple[int, int]:
    """The least number of switches of any run to the error, and of these runs the least number of steps."""
    trials, done = Trials(model, 1_000_000, 600), set[tuple[bytes, int]]()
    waiting: list[tuple[int, int, bytes, int, bool]] = [(0, 0, state, -1, False) for state in model.initial()]
    while waiting:
        cost, steps, state, actor, found = heappop(waiting)
        if found:
            return cost, steps
        if (state, actor) in done:
            continue
        done.add((state, actor))
        for step in trials.successors(state):
            mover = step.parts[0].actor
            further = (cost + (actor not in (-1, mover)), steps + 1)
            after = state if step.target is None else step.target
            if has_ending(trials, Run(after, step.violations), ending):
                heappush(waiting, (*further, after, mover, True))
            elif step.target is not None and not step.violations:
                heappush(waiting, (*further, after, mover, False))
    raise AssertionError("the error is not reachable")


def test_context_switches_of_depth_first_traces_of_the_examples() -> None:
    """What ``benchmarks/switches.py`` prints, and that the traces are the best there are."""
    rows = [row for file in violated_examples() for row in rows_of(file)]
    for row in rows:
        assert row.after <= row.before, row.file
        assert same_error(row.found, row.shown), row.file
        model = kripke.load(row.file)
        # Better still: no run to the error has fewer, and of those that have as many none is shorter.
        if row.shown.loop_start is not None or row.property != "safety":
            continue
        if model.model.language != "promela":  # several move in one step elsewhere, and each of them may count
            continue
        if model.check(all_errors=True, clarify=False, properties="safety").states > 5_000:
            continue  # too many for the search below
        last = row.shown.steps[-1]
        fewest = fewest_switches(model.model, last.violations[0] if last.violations else Stuck())
        assert (row.after, len(row.shown)) == fewest, row.file
    assert len(rows) >= 23
    assert statistics.median(row.reduction for row in rows) >= 0.35


def same_error(one: Trace, other: Trace) -> bool:
    """Both break the same statement, or end where nothing can move, or repeat for ever."""
    return one.steps[-1].violations == other.steps[-1].violations and (one.loop_start is None) == (
        other.loop_start is None
    )


def test_the_best_order_is_found() -> None:
    # Greedy choices end with three switches here: the process that can run longest should not go first.
    model = Counters(3)
    path = [(0, 0), (1, 0), (1, 1), (2, 1), (2, 2), (3, 2), (3, 3)]
    trace = replay_path(model, tuple(map(bytes, path)))
    steps = best_order(trace.steps, Trials(model))
    assert switches(steps) == 1
    assert steps[-1].state == trace.final


@given(st.permutations([0, 0, 0, 1, 1, 1]))
def test_the_best_order_is_never_worse_than_the_moves(order: list[int]) -> None:
    at, path = [0, 0], [b"\0\0"]
    for lane in order:
        at[lane] += 1
        path.append(bytes(at))
    model = Counters(3)
    trace = replay_path(model, tuple(path))
    avoid = lambda state: state[0] > state[1] + 2  # noqa: E731
    if any(map(avoid, path[:-1])):
        return
    best = switches(best_order(trace.steps, Trials(model), avoid))
    assert best == min(switches(replay_path(model, run).steps) for run in runs(b"\0\0", b"\3\3", avoid))


def runs(start: bytes, end: bytes, avoid: Callable[[bytes], bool]) -> list[tuple[bytes, ...]]:
    """Every run of the counters that avoids the states to avoid."""
    if start == end:
        return [(start,)]
    found = []
    for step in Counters(3).successors(start):
        assert step.target is not None
        if step.target == end or not avoid(step.target):
            found += [(start, *rest) for rest in runs(step.target, end, avoid)]
    return found
