"""Loads texts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kripke.languages.pnml import load
from kripke.nets.model import NetModel


@pytest.fixture
def read(tmp_path: Path) -> Callable[[str], NetModel]:
    def read(text: str) -> NetModel:
        file = tmp_path / "net.pnml"
        file.write_text(text)
        return load(str(file))

    return read
