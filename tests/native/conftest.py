"""Models in C for the tests of the native engine, compiled when first asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kripke.engines.explicit.native import Model, open_model
from tests.native.graphs import Graph, GraphLibrary, compile_library

Compile = Callable[..., Path]


@pytest.fixture(scope="session")
def compile_model(tmp_path_factory: pytest.TempPathFactory) -> Compile:
    """`compile_model("grid", SIDE=5)` is the shared library of models/grid.c, built with -DSIDE=5."""
    folder = tmp_path_factory.mktemp("models")

    def compile_model(name: str, **defines: int) -> Path:
        library = folder / f"{name}{''.join(f'-D{key}={value}' for key, value in defines.items())}.so"
        if not library.exists():
            compile_library(name, library, **defines)
        return library

    return compile_model


@pytest.fixture(scope="session")
def build(compile_model: Compile) -> Callable[..., Model]:
    """As compile_model, and opened."""
    return lambda name, **defines: open_model(compile_model(name, **defines))


@pytest.fixture(scope="session")
def open_graph(compile_model: Compile) -> Callable[[Graph], Model]:
    """The model of a graph. There is one at a time: the next takes the place of the last."""
    return GraphLibrary(compile_model("graph")).open


@pytest.fixture(scope="session")
def graph_type() -> type[Graph]:
    return Graph
