"""Diagrams per control point against the enumeration of states: the same states, the same verdicts."""

from __future__ import annotations

from pathlib import Path

import pytest

import kripke
from kripke.engines.hierarchy.reachability import Reachability, explored
from kripke.hierarchy.mode_model import ModeModel
from kripke.languages.modes import load, read
from tests.support.random_modes import random_modes
from tests.support.symbolic_agreement import compare_sets, compare_verdicts

EXAMPLES = Path(__file__).parents[3] / "examples" / "modes"


def reached(model: ModeModel) -> Reachability:
    search = Reachability(model)
    explored(search)
    return search


@pytest.mark.parametrize("seed", range(30))
def test_random_modes(seed: int) -> None:
    compare_sets(read(random_modes(seed)), 600)


@pytest.mark.parametrize("seed", range(6))
def test_random_verdicts(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "m.modes"
    path.write_text(random_modes(seed))
    assert compare_verdicts(path, seed) >= 1


@pytest.mark.parametrize(
    ("file", "defines", "counted"),
    [
        ("tcp", {}, 78),
        ("tcp", {"cells": "2"}, 130),
        ("peterson", {}, 40),
        ("peterson_fitted", {}, 276),
        ("generic", {"n": "4"}, 754),
        ("generic", {"n": "3", "inner_alternates": "0"}, 772),
    ],
)
def test_models_of_the_paper(file: str, defines: dict[str, str], counted: int) -> None:
    assert reached(load(str(EXAMPLES / f"{file}.modes"), defines=defines)).states == counted


@pytest.mark.parametrize("n", [2, 4, 6])
def test_nodes_do_not_grow(n: int) -> None:
    search = reached(load(str(EXAMPLES / "generic.modes"), defines={"n": str(n)}))
    assert search.nodes == 8


def test_a_shortest_trace(tmp_path: Path) -> None:
    text = (EXAMPLES / "peterson.modes").read_text().replace("tick & (!others | turn = me)", "tick")
    path = tmp_path / "peterson.modes"
    path.write_text(text)
    symbolic = kripke.load(path).check(search="hierarchic", deadlock=False)
    explicit = kripke.load(path).check(search="bfs")
    assert symbolic.verdict == explicit.verdict == "violated"
    assert symbolic.reason == "invariant alone: inside <= 1 does not hold"
    assert symbolic.trace is not None and len(symbolic.trace) == 12


def test_a_formula_beside_a_broken_invariant(tmp_path: Path) -> None:
    """What the text claims is broken on some run, so nothing is said about all runs."""
    text = (EXAMPLES / "peterson.modes").read_text().replace("tick & (!others | turn = me)", "tick")
    path = tmp_path / "peterson.modes"
    path.write_text(text)
    asked = {"ltl": "[] (inside >= 0)"}
    assert kripke.load(path).check(**asked).verdict == "violated"
    result = kripke.load(path).check(**asked, search="hierarchic")
    assert (result.verdict, "--property safety shows it" in result.reason) == ("unknown", True)


def test_run_time_errors(tmp_path: Path) -> None:
    path = tmp_path / "m.modes"
    path.write_text(
        "var x: 0..2 = 0;\nmode A { read write x: 0..2; point p; de -> p; p -> p do x := x + 1 pause; }\n"
        "system { a: A; }\n"
    )
    result = kripke.load(path).check(search="hierarchic", deadlock=False)
    assert (result.verdict, result.kind) == ("violated", "range")


def test_invariants_that_are_asked_for() -> None:
    model = kripke.load(EXAMPLES / "tcp.modes")
    condition = "!(in(client.CLOSING) & in(server.FIN_WAIT_2))"
    result = model.check(search="hierarchic", deadlock=False, invariants=[condition])
    assert (result.verdict, result.kind) == ("violated", "invariant")
    assert result.trace is not None and result.trace.steps[-1].after is not None
    assert model.check(search="hierarchic", deadlock=False).states == 78


def test_deadlocks() -> None:
    result = kripke.load(EXAMPLES / "tcp.modes", defines={"cells": "2"}).check(search="hierarchic")
    assert (result.verdict, result.kind, result.states) == ("violated", "deadlock", 130)
    assert result.trace is not None and len(result.trace) == 9
    explicit = kripke.load(EXAMPLES / "tcp.modes", defines={"cells": "2"}).check(search="bfs", shortest=True)
    assert explicit.trace is not None and len(explicit.trace) == 9
    assert kripke.load(EXAMPLES / "peterson.modes").check(search="hierarchic").verdict == "holds"


def test_a_macro_step_that_changes_nothing_is_none(tmp_path: Path) -> None:
    """It passes two transitions and ends where it began: that is a deadlock all the same."""
    path = tmp_path / "m.modes"
    path.write_text(
        "var x: 0..1 = 0;\nmode A { read write x: 0..1; point p, q; de -> p; p -> q when x = 0 do x := 1;"
        " q -> p do x := 0 pause; }\nsystem { initialised a: A; }\n"
    )
    result = kripke.load(path).check(search="hierarchic")
    assert (result.verdict, result.kind, result.states) == ("violated", "deadlock", 1)
    assert kripke.load(path).check().kind == "deadlock"


def test_formulas() -> None:
    model = kripke.load(EXAMPLES / "peterson.modes")
    assert model.check(search="hierarchic", ltl="[] (inside <= 1)").verdict == "holds"
    result = model.check(search="hierarchic", ltl="<> (inside = 2)")
    assert (result.verdict, result.kind, result.warnings) == ("violated", "ltl", ())
    assert result.trace is not None and result.trace.loop_start is not None
    assert model.check(search="hierarchic", ctl=["AG EF (inside = 1)"]).verdict == "holds"
    assert model.check(search="hierarchic", ctl=["EF (inside = 2)"]).verdict == "violated"


def test_no_initial_state_at_all(tmp_path: Path) -> None:
    """The entry before the first state divides by zero."""
    text = (
        "var x: 0..1;\nmode A { read write x: 0..1; point p; de -> p do x := 1 / x; }\nsystem { initialised a: A; }\n"
    )
    search = Reachability(read(text))
    assert explored(search) and search.states == 0
    path = tmp_path / "m.modes"
    path.write_text(text)
    result = kripke.load(path).check(search="hierarchic")
    assert (result.verdict, result.kind) == ("violated", "division")


def test_refusals() -> None:
    with pytest.raises(kripke.Unsupported, match="--search hierarchic is for systems of modes"):
        kripke.load(EXAMPLES.parent / "promela" / "peterson.pml").check(search="hierarchic", deadlock=False)
