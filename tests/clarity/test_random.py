"""Random process programs: whatever is done to a trace, it stays a run of the model to the same error."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kripke.clarity.clarify import clarify, ending_of
from kripke.clarity.reorder import reorder, switches
from kripke.clarity.trials import Trials
from kripke.engines.explicit.reference import search
from kripke.engines.explicit.search import Order, SearchRequest
from kripke.engines.runs.replay import replay_error, replay_path
from kripke.engines.runs.simulation import choose_at_random, simulate
from kripke.model.model import Model
from kripke.model.source import Sources
from kripke.model.trace import Trace
from kripke.process.model import ProcessModel
from kripke.process.program import Program
from tests.support.random_programs import programs

SETTINGS = settings(max_examples=30, suppress_health_check=list(HealthCheck), deadline=None)


@pytest.fixture(autouse=True, scope="module")
def _small_budget():  # type: ignore[no-untyped-def]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kripke.clarity.trials.CALLS", 1500)
        patch.setattr("kripke.clarity.trials.SECONDS", 0.2)
        yield


def model_of(program: Program) -> Model:
    return ProcessModel(program, "test", Sources(), (), {})


def path_of(trace: Trace) -> tuple[bytes, ...]:
    return (trace.initial, *(step.state for step in trace.steps if step.state is not None))


@SETTINGS
@given(programs(), st.integers(0, 1 << 20))
def test_reordered_runs_are_runs_to_the_same_state(program: Program, seed: int) -> None:
    model = model_of(program)
    trace = simulate(model, choose_at_random(seed), steps=30).trace
    clear = reorder(trace, Trials(model))
    assert switches(clear.steps) <= switches(trace.steps)
    assert Counter(step.parts for step in clear.steps) == Counter(step.parts for step in trace.steps)
    assert clear.final == trace.final
    assert [step.number for step in clear.steps] == list(range(1, len(trace) + 1))
    if trace.initial:
        assert path_of(replay_path(model, path_of(clear))) == path_of(clear)
    if trace.steps and trace.steps[-1].violations:
        assert clear.steps[-1] == trace.steps[-1]


@SETTINGS
@given(programs(), st.sampled_from(["bfs", "dfs"]))
def test_clear_traces_end_in_the_same_error(program: Program, order: Order) -> None:
    model = model_of(program)
    outcome = search(model, SearchRequest(order=order, max_states=500, stop_at_first=False))
    for error in outcome.error_paths:
        if not error.path:
            continue
        trace = replay_error(model, error)
        clear = clarify(trace, error)
        assert len(clear) + clear.omitted == len(trace)
        assert switches(clear.steps) <= switches(trace.steps)
        if order == "bfs":
            assert len(clear) == len(trace), "a shortest trace cannot be shortened"
        before = path_of(clear)[: len(clear)] if error.kind == "violation" else path_of(clear)
        replay_error(model, replace(error, path=before))
        cause = clear.steps[-1].before if error.kind == "violation" else clear.final
        ending = ending_of(error)
        assert ending is not None
        assert model.explain(cause, ending) is not None or error.kind == "violation"
