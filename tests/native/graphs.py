"""Graphs as models: written down in Python, as a model for the reference, and as tables for the C of models/graph.c."""

from __future__ import annotations

import ctypes
import subprocess
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kripke.engines.explicit import native
from kripke.model.model import Model, Part, Statement, Transition, Violation, ViolationKind
from kripke.model.source import NOWHERE

MODELS = Path(__file__).parent / "models"
HEADERS = Path(__file__).parents[2] / "native" / "model"


def compile_library(name: str, library: Path, **defines: int) -> None:
    """Make a shared library of models/NAME.c."""
    options = [f"-D{key}={value}" for key, value in defines.items()]
    command = ["cc", "-O1", "-Wall", "-Wextra", "-shared", "-fPIC", f"-I{HEADERS}", *options]
    subprocess.run([*command, str(MODELS / f"{name}.c"), "-o", str(library)], check=True)


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


class GraphModel(Model):
    """The graph of models/graph.c in Python; the process that makes a step is its label."""

    file = "graph"
    language = "graph"
    statements = tuple(Statement(str(i), NOWHERE, "P") for i in range(8))
    violation_kinds = tuple(ViolationKind(str(i), str(i)) for i in range(8))
    atoms = tuple(map(str, range(70)))
    warnings = ()
    max_state_bytes = 40

    def __init__(self, graph):
        self.graph = graph

    def initial(self):
        return [self.graph.encode(node) for node in self.graph.initial]

    def successors(self, state):
        node = self.graph.decode(state)
        broken = [
            Transition((Part(label, label),), None, (Violation(code, label),))
            for code, label in self.graph.reports.get(node, ())
        ]
        edges = self.graph.edges.get(node, ())
        return broken + [Transition((Part(label, label),), self.graph.encode(target)) for target, label in edges]

    def valid_end(self, state):
        return True

    def atom_values(self, state):
        false = set(self.graph.false.get(self.graph.decode(state), ()))
        return tuple(atom not in false for atom in range(70))

    def describe(self, state):
        return {}

    def actor_name(self, actor, state):
        return str(actor)

    def source_line(self, span):
        return ""


class GraphLibrary:
    """models/graph.c, compiled. There is one graph at a time: the next takes the place of the last."""

    def __init__(self, path: Path) -> None:
        self.library = ctypes.CDLL(str(path))
        self.library.kripke_model_entry.restype = ctypes.c_void_p
        self.tables: list[array[int]] = []

    def open(self, graph: Graph) -> native.Model:
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
        self.tables = [array("i", [*graph.initial, -1]), first, rows, ends, truths]
        self.library.graph_set(*(ctypes.c_void_p(table.buffer_info()[0]) for table in self.tables))
        return native.Model(self.library.kripke_model_entry())
