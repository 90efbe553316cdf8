"""Models in C for the tests of the native engine, compiled when first asked for."""

from __future__ import annotations

import ctypes
import subprocess
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from kripke.engines.native import Model, open_model

MODELS = Path(__file__).parent / "models"
HEADERS = Path(__file__).parents[2] / "native"

Compile = Callable[..., Path]


@pytest.fixture(scope="session")
def compile_model(tmp_path_factory: pytest.TempPathFactory) -> Compile:
    """`compile_model("grid", SIDE=5)` is the shared library of models/grid.c, built with -DSIDE=5."""
    folder = tmp_path_factory.mktemp("models")

    def compile_model(name: str, **defines: int) -> Path:
        options = [f"-D{key}={value}" for key, value in defines.items()]
        library = folder / f"{name}{''.join(options)}.so"
        if not library.exists():
            source = MODELS / f"{name}.c"
            command = ["cc", "-O1", "-Wall", "-Wextra", "-shared", "-fPIC", f"-I{HEADERS}", *options]
            subprocess.run([*command, str(source), "-o", str(library)], check=True)
        return library

    return compile_model


@pytest.fixture(scope="session")
def build(compile_model: Compile) -> Callable[..., Model]:
    """As compile_model, and opened."""
    return lambda name, **defines: open_model(compile_model(name, **defines))


@dataclass(frozen=True)
class Graph:
    """A model written down: what every node reports, where its edges lead, which atoms (of 70) are false in it."""

    edges: Mapping[int, Sequence[tuple[int, int]]]  # node: (target, label), in order
    initial: Sequence[int] = (0,)
    reports: Mapping[int, Sequence[tuple[int, int]]] = field(default_factory=dict)  # node: (code, label)
    ends: Iterable[int] = ()
    false: Mapping[int, Iterable[int]] = field(default_factory=dict)  # node: atoms

    @staticmethod
    def encode(node: int) -> bytes:
        """The state that stands for a node (as in models/graph.c)."""
        rest = bytes(5 * i & 255 for i in range(2, 2 + node * 7 % 38))
        return node.to_bytes(2, "little") + rest

    @staticmethod
    def decode(state: bytes) -> int:
        return int.from_bytes(state[:2], "little")

    def path(self, *nodes: int) -> tuple[bytes, ...]:
        return tuple(map(self.encode, nodes))

    def nodes(self) -> int:
        mentioned = [*self.initial, *self.edges, *(target for row in self.edges.values() for target, _ in row)]
        return max(mentioned) + 1


@pytest.fixture(scope="session")
def open_graph(compile_model: Compile) -> Callable[[Graph], Model]:
    """The model of a graph. There is one at a time: the next takes the place of the last."""
    library = ctypes.CDLL(str(compile_model("graph")))
    library.kripke_model_entry.restype = ctypes.c_void_p
    tables: list[object] = []

    def open_graph(graph: Graph) -> Model:
        count = graph.nodes()
        first, rows = array("i"), array("i")
        for node in range(count):
            first.append(len(rows) // 3)
            for code, label in graph.reports.get(node, ()):
                rows.extend((1, code, label))
            for target, label in graph.edges.get(node, ()):
                rows.extend((0, target, label))
            rows.extend((-1, 0, 0))
        ends = array("B", [node in set(graph.ends) for node in range(count)])
        truths = array("Q")
        for node in range(count):
            bits = ((1 << 70) - 1) & ~sum(1 << atom for atom in set(graph.false.get(node, ())))
            truths.extend((bits & (1 << 64) - 1, bits >> 64))
        tables[:] = [array("i", [*graph.initial, -1]), first, rows, ends, truths]
        library.graph_set(*(ctypes.c_void_p(table.buffer_info()[0]) for table in tables))
        return Model(library.kripke_model_entry())

    return open_graph


@pytest.fixture(scope="session")
def graph_type() -> type[Graph]:
    return Graph
