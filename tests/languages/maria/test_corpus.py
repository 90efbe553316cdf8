"""The examples that come with Maria, with Maria's numbers for them; all of those: ``tests/soak_maria.py``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.maria_corpus import COMPILED, ROWS, SMALL, Row, loaded, needed

pytestmark = needed


@pytest.mark.parametrize("row", [row for row in ROWS if row.tested == SMALL], ids=str)
def test_counts_of_the_interpreter(tmp_path: Path, row: Row) -> None:
    model = loaded(tmp_path, row.name, row.edits, row.flags, modular=row.modular)
    result = model.check(engine="interpreter", all_errors=True)
    assert (result.states, result.transitions - 1) == (row.states, row.arcs)
    assert result.errors == (1 if row.name == "dining" else 0)


@pytest.mark.parametrize("row", [row for row in ROWS if row.tested == COMPILED], ids=str)
def test_counts_of_the_compiled_form(tmp_path: Path, row: Row) -> None:
    pytest.importorskip("kripke._native")
    result = loaded(tmp_path, row.name, row.edits, row.flags).check(engine="native", all_errors=True)
    assert (result.states, result.transitions - 1) == (row.states, row.arcs)
