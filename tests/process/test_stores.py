"""Random programs: components and sweeps by any measure see what the full store sees."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kripke.engines.explicit.safety import check
from kripke.engines.plan import SearchPlan
from kripke.model.result import Result
from kripke.model.source import Sources
from kripke.process.expressions import Binary, BinaryOperator, Constant, Read
from kripke.process.model import ProcessModel
from kripke.process.program import Program
from tests.support.building import place
from tests.support.random_programs import programs

MOST_STATES = 2_000
ASKED = SearchPlan(all_errors=True, clarify=False, max_states=MOST_STATES, time_limit=30)


def model_of(program: Program) -> ProcessModel:
    return ProcessModel(program, "test", Sources(), (), {})


def messages(result: Result) -> set[str]:
    return {finding.message for finding in result.findings}


@settings(max_examples=12, suppress_health_check=list(HealthCheck), deadline=None)
@given(programs())
def test_components_and_numbers(program: Program) -> None:
    model = model_of(program)
    full = check(model, ASKED)
    if not full.complete:
        return
    for store, search, threads in product(("collapse", "numbers"), ("bfs", "dfs"), (1, 2)):
        result = check(model, replace(ASKED, store=store, search=search, threads=threads))
        assert (result.verdict, result.states, result.transitions) == (full.verdict, full.states, full.transitions)
        assert (result.errors, messages(result)) == (full.errors, messages(full))


@settings(max_examples=12, suppress_health_check=list(HealthCheck), deadline=None)
@given(programs(), st.data())
def test_any_measure(program: Program, data: st.DataObject) -> None:
    scalars = [variable for variable in program.variables if variable.scalar and variable.size]
    chosen = [Read(place(data.draw(st.sampled_from(scalars)))) if scalars else Constant(0) for _ in range(2)]
    operator = data.draw(st.sampled_from([BinaryOperator.ADD, BinaryOperator.SUBTRACT, BinaryOperator.REMAINDER]))
    program.atoms["progress"] = Binary(operator, *chosen)
    program.measure = "progress"
    full = check(model_of(program), ASKED)
    if not full.complete:
        return
    result = check(model_of(program), replace(ASKED, search="sweep", progress="progress", max_states=None))
    assert (result.verdict, result.complete) == (full.verdict, True)
    assert messages(result) == messages(full)
    assert result.states >= full.states
    assert result.engine["most_kept"] <= result.states
    if not result.engine["persistent"]:
        assert (result.states, result.transitions, result.errors) == (full.states, full.transitions, full.errors)
