"""The compiled form of programs against the reference interpreter, state by state, under sanitizers."""

from __future__ import annotations

from pathlib import Path

import pytest

from kripke.languages.lf import load
from tests.support.action_agreement import assert_agreement
from tests.support.random_lf import random_program


@pytest.mark.parametrize(
    ("seed", "queues", "fine"),
    [(1, "arrival", False), (4, "sorted", True), (16, "kernel", False), (28, "arrival", False), (6, "sorted", False)],
)
def test_random_programs(tmp_path: Path, seed: int, queues: str, fine: bool) -> None:
    file = tmp_path / "random.lf"
    file.write_text(random_program(seed))
    assert assert_agreement(load(str(file), queues=queues, fine=fine).program, tmp_path, most_states=300) > 1


def test_a_set_up_to_an_element_below_zero(tmp_path: Path) -> None:
    """Once the compiled form took {x .. -1} for {x}; both say that -1 is out of range."""
    file = tmp_path / "m.lf"
    file.write_text("MODULE M; VAR s : SET; x, y : INT8; BEGIN x := 3; y := -1; s := {x .. y}; RESCHEDULE END M.\n")
    assert assert_agreement(load(str(file)).program, tmp_path) == 1
