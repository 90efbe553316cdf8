"""Large models: five thousand lines are read and lowered within two seconds."""

from __future__ import annotations

import time
from pathlib import Path

from kripke.languages.promela import load
from tests.support.large_model import large_model


def test_five_thousand_lines_within_two_seconds(tmp_path: Path) -> None:
    path = tmp_path / "large.pml"
    path.write_text(large_model(5_000))
    assert path.read_text().count("\n") >= 5_000
    taken = []
    for _ in range(3):
        start = time.process_time()
        model = load(str(path))
        taken.append(time.process_time() - start)
    assert len(model.program.processes) == 157
    assert min(taken) < 2.0
