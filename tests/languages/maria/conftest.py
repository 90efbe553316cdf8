"""Loads and explores texts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kripke.languages.maria import load
from kripke.nets.high_level.model import HighLevelModel


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., HighLevelModel]:
    def read(text: str, *symbols: str, invariants: tuple[str, ...] = ()) -> HighLevelModel:
        file = tmp_path / "net.pn"
        file.write_text(text)
        return load(str(file), defines=dict.fromkeys(symbols, ""), invariants=invariants)

    return read
