"""Runs the command in this process, on toy models or real ones, and in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from kripke.cli.main import main
from kripke.languages import registry
from kripke.model.model import Model
from kripke.model.source import ModelError, Span
from tests.support.toys import Chain, Counters, Graph


class Ran(NamedTuple):
    code: int
    out: str
    err: str


Kripke = Callable[..., Ran]

TOYS: dict[str, Callable[[], Model]] = {
    "counters": lambda: Counters(2),
    "assertion": lambda: Counters(2, bad=(1, 1)),
    "deadlock": lambda: Chain(3),
    "long": lambda: Chain(100),
    "huge": lambda: Chain(16_000_000),
    "several": lambda: Graph([[1, 2], [None], []]),
    "once": lambda: Counters(1),
}


def load_toy(request: registry.LoadRequest) -> Model:
    """The content of a ``.toy`` file names the toy."""
    name = Path(request.path).read_text().strip()
    match name:
        case "wrong":
            raise ModelError("there is no variable y", Span(request.path, 3, 7, 3, 8), "declare it", "  x = y;")
        case "crash":
            raise ZeroDivisionError("oops")
        case "deep":
            raise RecursionError
        case "memory":
            raise MemoryError
        case "interrupt":
            raise KeyboardInterrupt
    return TOYS[name]()


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setitem(registry.LANGUAGES, "toy", registry.Language("toy", (".toy",), load_toy))
    monkeypatch.chdir(tmp_path)
    for name in ("COLUMNS", "KRIPKE_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    yield


@pytest.fixture
def toy(tmp_path: Path) -> Callable[[str], str]:
    def write(name: str) -> str:
        (tmp_path / f"{name}.toy").write_text(name)
        return f"{name}.toy"

    return write


@pytest.fixture
def kripke(capsys: pytest.CaptureFixture[str]) -> Kripke:
    def run(*arguments: str) -> Ran:
        code = main(list(arguments))
        return Ran(code, *capsys.readouterr())

    return run


@pytest.fixture
def command(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """The real command, in a process of its own."""

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "kripke", *arguments],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**os.environ, **environment},
            timeout=120,
        )

    return run
