"""Makes ``nets`` importable, and loads texts."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from kripke.languages.pnml import load
from kripke.nets.model import NetModel


@pytest.fixture
def read(tmp_path: Path) -> Callable[[str], NetModel]:
    def read(text: str) -> NetModel:
        file = tmp_path / "net.pnml"
        file.write_text(text)
        return load(str(file))

    return read
