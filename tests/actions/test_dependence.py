"""Partial-order reduction of action programs: fewer states, the same errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from kripke.engines.explicit.safety import check
from kripke.engines.plan import EngineName, SearchPlan
from kripke.languages.lf import load
from tests.support.lf_texts import FIGURE_5
from tests.support.random_lf import random_program


def outcomes(file: Path, *, por: bool, engine: EngineName = "native") -> tuple[set[tuple[str, str]], int]:
    """The sorts of errors, each with its place, and the number of states."""
    result = check(load(str(file)), SearchPlan(all_errors=True, por=por, search="dfs", engine=engine))
    return {(one.kind, str(one.span)) for one in result.findings}, result.states


@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_two_who_have_but_each_other_meet_in_one_order(tmp_path: Path, engine: EngineName) -> None:
    file = tmp_path / "figure.lf"
    file.write_text(FIGURE_5)
    assert outcomes(file, por=False, engine=engine) == (set(), 308)
    assert outcomes(file, por=True, engine=engine) == (set(), 207)


@pytest.mark.parametrize("seed", [0, 2, 8, 14, 20])
def test_random_programs_have_the_same_errors(tmp_path: Path, seed: int) -> None:
    file = tmp_path / "random.lf"
    file.write_text(random_program(seed, plain=True))
    whole, states = outcomes(file, por=False)
    reduced, fewer = outcomes(file, por=True)
    assert reduced == whole and fewer <= states
    assert outcomes(file, por=True, engine="interpreter") == (reduced, fewer)


def test_a_guard_that_others_change_is_not_analysed(tmp_path: Path) -> None:
    file = tmp_path / "guard.lf"
    file.write_text(
        "MODULE G; TYPE M = [s]; PORT q : M; VAR b : BOOLEAN;\n"
        "PROCESS P; BEGIN SELECT WHEN q?s & b THEN END END P;\n"
        "BEGIN NEW(q); CREATE P; q!s END G.\n"
    )
    assert load(str(file)).dependencies() == "a process that waits may be woken by a variable that its guard looks at"
