"""Random programs with few preemptions: the native engine and the interpreter see the same."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kripke.engines.explicit.prepare import prepare
from kripke.engines.explicit.safety import check
from kripke.engines.explicit.search import SearchRequest
from kripke.engines.plan import EngineName, SearchPlan
from kripke.model.preemptions import Preemptions
from kripke.model.result import Result
from kripke.model.source import Sources
from kripke.process.model import ProcessModel
from kripke.process.program import Program
from tests.support.random_programs import programs

MOST_STATES = 1_000


def searched(program: Program, engine: EngineName, most: int | None) -> Result:
    model = ProcessModel(program, "test", Sources(), (), {})
    options = SearchPlan(
        engine=engine, max_switches=most, all_errors=True, clarify=False, max_states=MOST_STATES, time_limit=30
    )
    return check(model, options)


@settings(max_examples=10, suppress_health_check=list(HealthCheck), deadline=None)
@given(programs(), st.integers(0, 3))
def test_both_engines_see_the_same(program: Program, most: int) -> None:
    native, reference = (searched(program, engine, most) for engine in ("native", "interpreter"))
    if max(native.states, reference.states) >= MOST_STATES:
        return
    assert (native.verdict, native.reason) == (reference.verdict, reference.reason)
    assert (native.states, native.transitions) == (reference.states, reference.transitions)
    found = {finding.message for finding in native.findings}
    assert found == {finding.message for finding in reference.findings}
    whole = searched(program, "native", None)
    if whole.states < MOST_STATES:
        assert found <= {finding.message for finding in whole.findings}
        if native.verdict == "holds":
            assert whole.verdict == "holds"


@settings(max_examples=10, suppress_health_check=list(HealthCheck), deadline=None)
@given(programs(), st.integers(0, 3))
def test_both_engines_count_every_switch(program: Program, most: int) -> None:
    model = ProcessModel(program, "test", Sources(), (), {})
    asked = SearchRequest(stop_at_first=False, max_states=MOST_STATES, time_limit=30)
    native, reference = (
        prepare(model, engine).search(Preemptions(model, most, every=True), asked, None)
        for engine in ("native", "interpreter")
    )
    if max(native.states, reference.states) >= MOST_STATES:
        return
    assert (native.states, native.transitions) == (reference.states, reference.transitions)
    assert {(one.kind, one.code, one.statement, len(one.path)) for one in native.error_paths} == {
        (one.kind, one.code, one.statement, len(one.path)) for one in reference.error_paths
    }
