"""What the analysis for partial-order reduction claims, and the sets of values it works with."""

from __future__ import annotations

from pathlib import Path

import pytest

from kripke.languages.promela import load
from kripke.process.dependence.values import PossibleValues
from kripke.process.evaluation import read_scalar
from kripke.process.model import ProcessModel
from kripke.process.program import Variable
from tests.support.seeds import sample
from tests.support.shared_programs import shared_program
from tests.support.true_dependencies import Claims

# A timer that is off is let alone by the clock; whoever tests that it is off does not mind the clock.
TIMERS = """
byte t[2] = 9;
active [2] proctype p() {
    do :: d_step { t[_pid] == 9; t[_pid] = 2 }; d_step { t[_pid] == 0; t[_pid] = 9 } od
}
active proctype clock() {
    do :: d_step { t[0] != 0 && t[1] != 0;
        if :: t[0] != 9 -> t[0] = t[0] - 1 :: else fi;
        if :: t[1] != 9 -> t[1] = t[1] - 1 :: else fi }
    od
}
"""
# The second step of each does not look at j, though another at its location does.
READERS = """
byte n, t[3];
active [2] proctype p() {
    byte j;
    do
    :: d_step { n < 2 && t[j] == 0; n = n + 1; j = 1 }
    :: d_step { n > 1; n = n - 1; j = 2 }
    od
}
"""


def loaded(folder: Path, text: str) -> ProcessModel:
    path = folder / "model.pml"
    path.write_text(text)
    model = load(str(path))
    assert isinstance(model, ProcessModel)
    return model


def wrong_claim(model: ProcessModel, most_states: int) -> str | None:
    analysis = model.dependencies()
    assert not isinstance(analysis, str)
    return next(Claims(model, analysis).wrong(most_states), None)


# `else` looks at the ways before it only: `x > 2` does not keep it from being taken.
OTHERWISE = """
byte x; bool b; byte n;
active proctype Q() { x++; b = 1; x++; x++; b = 0; x = 0 }
active proctype P() { do :: if :: b -> n = 1 :: else -> n = 2 fi :: x > 2 -> n = 0; break od }
"""


@pytest.mark.parametrize("text", [TIMERS, READERS, OTHERWISE])
def test_steps_that_are_said_to_accord_do(tmp_path: Path, text: str) -> None:
    assert wrong_claim(loaded(tmp_path, text), 1_000) is None


# 28, 150 and 160 had claims that were wrong: see LOST_* in tests/engines/test_reduction.py.
@pytest.mark.parametrize("seed", [28, 150, 160, *sample(range(1_000, 1_030, 2))])
def test_claims_about_random_programs_hold(tmp_path: Path, seed: int) -> None:
    assert wrong_claim(loaded(tmp_path, shared_program(seed)), 40) is None


def test_a_clock_and_a_test_that_a_timer_is_off_accord(tmp_path: Path) -> None:
    model = loaded(tmp_path, TIMERS)
    analysis = model.dependencies()
    assert not isinstance(analysis, str)
    conflicts = analysis.tables(model.initial()[0]).conflicts
    clock = len(conflicts) - 1
    starts, stops = (0, 2), (1, 3)
    assert [conflicts[clock] >> step & 1 for step in (*starts, *stops)] == [1, 1, 0, 0]


def test_possible_values(tmp_path: Path) -> None:
    text = """
    byte x = 3, y, t[3]; short s = 255;
    active proctype p() {
        byte j;
        do
        :: d_step { j < 3 && t[j] == 0; t[j] = 2; j = j + 1 }
        :: d_step { j == 3; j = 0; x = 7 - x }
        :: d_step { s > 250; s = s - 2 }
        :: d_step { y != 200; y = y + 1 }
        od
    }
    """
    model = loaded(tmp_path, text)
    program = model.interpreter.program
    values = PossibleValues(program)
    found = {v.name: [values.of_global(v, c.offset) for c in v.components] for v in program.variables}
    assert found == {"x": [{3, 4}], "y": [None], "t": [{0, 2}] * 3, "s": [{255, 253, 251, 249}]}
    (process,) = program.processes
    assert values.of_local(process, process.entry, process.variables[0], 0) == {0, 1, 2, 3}


@pytest.mark.parametrize("seed", sample(range(2_000, 2_060, 2)))
def test_no_value_is_missing(tmp_path: Path, seed: int) -> None:
    model = loaded(tmp_path, shared_program(seed))
    interpreter = model.interpreter
    values = PossibleValues(interpreter.program)

    def scalars(state: bytes, variables: tuple[Variable, ...], base: int) -> list[tuple[Variable, int, int]]:
        return [
            (variable, component.offset, read_scalar(component.type, state, base + variable.offset + component.offset))
            for variable in variables
            for component in variable.components
        ]

    seen = set(model.initial())
    waiting = list(seen)
    for state in waiting[:500]:
        for variable, offset, value in scalars(state, interpreter.program.variables, 0):
            possible = values.of_global(variable, offset)
            assert possible is None or value in possible
        frames = interpreter.frames(state)
        for base, control in zip(frames.offsets, frames.controls, strict=True):
            process = interpreter.process_of_control(control)
            for variable, offset, value in scalars(state, process.variables, base):
                possible = values.of_local(process, control - process.control_base, variable, offset)
                assert possible is None or value in possible
        fresh = {step.target for step in model.successors(state) if step.target is not None} - seen
        seen |= fresh
        waiting += sorted(fresh)
