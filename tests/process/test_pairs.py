"""Which views of two processes go together: nothing that happens is missing, and what cannot happen is known."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from kripke.process.dependence.counters import counters_of
from kripke.process.dependence.pairs import Pairs, Together
from kripke.process.dependence.views import TooMuch, Views, has_views
from kripke.process.evaluation import read_scalar
from kripke.process.model import ProcessModel
from tests.process.test_dependence import loaded, wrong_claim
from tests.process.true_dependencies import Claims
from tests.shared_programs import critical_program, shared_program

ALGORITHMS = Path(__file__).parents[2] / "benchmarks" / "shared_variables"

# Two of three are never in the critical section, whatever the third does; the counter says that nobody else is.
LOCK = """
bool lock; byte inside;
active [3] proctype p() {
    do :: atomic { !lock -> lock = true }; inside++; assert(inside == 1); inside--; lock = false od
}
"""
# The same by processes that are created, with numbers of their own.
CREATED = """
byte turn; byte inside;
proctype p(byte me) {
    do :: turn == me; inside++; assert(inside == 1); inside--; turn = (me + 1) % 3 od
}
init { atomic { run p(0); run p(1); run p(2) } }
"""


def states_of(model: ProcessModel, most: int) -> list[bytes]:
    """The first states that can be reached."""
    seen = set(model.initial())
    waiting = sorted(seen)
    for state in waiting:
        for step in model.successors(state):
            if step.target is not None and step.target not in seen and len(seen) < most:
                seen.add(step.target)
                waiting.append(step.target)
    return waiting


def missing_pair(model: ProcessModel, most: int) -> tuple[bytes, int, int] | None:
    """A state and two processes in it whose views are not said to go together."""
    views = Views(model.interpreter)
    together = Together(views)
    for state in states_of(model, most):
        seen = [views.of(state, pid) for pid in range(len(views.types_in(state)))]
        for one in range(len(seen)):
            for other in range(len(seen)):
                if one != other and not together.beside(one, seen[one], other) >> seen[other] & 1:
                    return state, one, other
    return None


@pytest.mark.parametrize("text", [LOCK, CREATED])
def test_no_pair_is_missing(tmp_path: Path, text: str) -> None:
    assert missing_pair(loaded(tmp_path, text), 1_000) is None


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("make", [shared_program, critical_program])
def test_no_pair_of_a_random_program_is_missing(tmp_path: Path, make: object, seed: int) -> None:
    assert callable(make)
    model = loaded(tmp_path, make(seed))
    if not has_views(model.program):
        return
    with suppress(TooMuch):
        assert missing_pair(model, 400) is None


@pytest.mark.parametrize("seed", range(40))
def test_claims_about_critical_sections_hold(tmp_path: Path, seed: int) -> None:
    """That an end and a creation accord is true of what matters, not of the numbers (``anonymity.py``)."""
    model = loaded(tmp_path, critical_program(seed))
    analysis = model.dependencies()
    assert not isinstance(analysis, str)
    assert [claim for claim in Claims(model, analysis).wrong(300) if not ("-end-" in claim and "run P" in claim)] == []


@pytest.mark.parametrize("name", ["burns_lynch", "dekker", "mcs_lock", "readers_writers", "szymanski"])
def test_claims_about_algorithms_hold(tmp_path: Path, name: str) -> None:
    assert wrong_claim(loaded(tmp_path, (ALGORITHMS / f"{name}.pml").read_text()), 300) is None


@pytest.mark.parametrize("text", [LOCK, CREATED])
def test_two_are_never_inside_together(tmp_path: Path, text: str) -> None:
    model = loaded(tmp_path, text)
    views = Views(model.interpreter)
    together = Together(views)
    inside = model.program.variables[1]
    one, other = len(views.processes) - 2, len(views.processes) - 1
    values = [views.value(one, view, inside.offset, inside.components[0].type) for view in together.views(one)]
    assert sorted(set(values)) == [0, 1]
    (counter,) = counters_of(model.program)

    def share(pid: int, view: int) -> int:
        return counter.share(views.processes[pid], views.location(pid, view))

    assert {
        (share(one, view), share(other, beside))
        for view in together.views(one)
        for beside in together.views(other)
        if together.beside(one, view, other) >> beside & 1
    } == {(0, 0), (0, 1), (1, 0)}


def test_who_ends_takes_nothing_along(tmp_path: Path) -> None:
    """What is counted by a process that ends stays; its number may go to another that counts, too."""
    text = "byte x, y; proctype p() { x++; y++; assert(x < 3 && y < 3); x-- } init { run p(); _nr_pr == 1; run p() }"
    (found,) = counters_of(loaded(tmp_path, text).program)
    assert found.at == 0


def test_counters(tmp_path: Path) -> None:
    """One that is counted up and down, one that is only counted up, one that is set, one that depends on the way."""
    text = """
    byte inside, rounds, set, sometimes;
    active [2] proctype p() {
        do
        :: inside++; inside = inside + 2; rounds++; set = 0; inside = inside - 3;
           if :: sometimes++ :: skip fi;
           set++; sometimes--
        od
    }
    """
    model = loaded(tmp_path, text)
    (found,) = counters_of(model.program)
    assert found.at == model.program.variables[0].offset
    assert found.possible(model.program.processes[0]) == {0, 1, 3}


@pytest.mark.parametrize("seed", range(60))
def test_counters_count(tmp_path: Path, seed: int) -> None:
    model = loaded(tmp_path, critical_program(seed))
    counters = counters_of(model.program)
    for state in states_of(model, 300):
        frames = model.interpreter.frames(state)
        for counter in counters:
            total = 0
            for control in frames.controls:
                process = model.interpreter.process_of_control(control)
                total += counter.share(process, control - process.control_base)
            start = read_scalar(counter.type, model.initial()[0], counter.at)
            held = read_scalar(counter.type, state, counter.at)
            assert (held - start - total) % (1 << counter.type.bits) == 0


@pytest.mark.parametrize(
    "text",
    [
        "chan q = [1] of { byte }; active [2] proctype p() { do :: q!1 :: q?_ od }",
        "byte x; active [2] proctype p() { do :: x = 1 :: timeout -> x = 0 od }",
        "byte x; active [2] proctype p() provided (x == 0) { do :: x = 1 od }",
        "byte x; active [2] proctype p() { { do :: x = 1 od } unless { x == 2 } }",
        "byte x; active [2] proctype p() { x = _nr_pr }",
    ],
)
def test_what_looks_at_more_than_variables_has_no_views(tmp_path: Path, text: str) -> None:
    model = loaded(tmp_path, text)
    assert not Pairs(model.interpreter).know(list(model.program.processes) * 2)
