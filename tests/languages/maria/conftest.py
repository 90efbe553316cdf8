"""Loads and explores texts; makes ``high_level_nets`` and ``maria_corpus`` importable."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from kripke.languages.maria import load
from kripke.nets.high_level.model import HighLevelModel


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., HighLevelModel]:
    def read(text: str, *symbols: str, invariants: tuple[str, ...] = ()) -> HighLevelModel:
        file = tmp_path / "net.pn"
        file.write_text(text)
        return load(str(file), defines=dict.fromkeys(symbols, ""), invariants=invariants)

    return read
