"""A sample of ``tests/soak_machines.py``: machines against sismic, and against a flat Promela twin."""

from __future__ import annotations

from pathlib import Path

import pytest

from kripke.languages.modes import load, read
from tests.support.promela_twin import compare_with_promela
from tests.support.random_modes import random_modes
from tests.support.sismic_twin import compare_with_sismic

EXAMPLES = Path(__file__).parents[2] / "examples" / "modes"


@pytest.mark.parametrize("seed", range(12))
def test_against_sismic(seed: int, tmp_path: Path) -> None:
    pytest.importorskip("sismic")
    assert compare_with_sismic(seed, str(tmp_path)) >= 0


@pytest.mark.parametrize("seed", range(8))
def test_against_promela(seed: int, tmp_path: Path) -> None:
    compare_with_promela(read(random_modes(seed)), str(tmp_path), 200)


@pytest.mark.parametrize(("file", "states"), [("tcp", 78), ("peterson", 40), ("peterson_fitted", 276)])
def test_papers_against_promela(file: str, states: int, tmp_path: Path) -> None:
    assert compare_with_promela(load(str(EXAMPLES / f"{file}.modes")), str(tmp_path)) == states
