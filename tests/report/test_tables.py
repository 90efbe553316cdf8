"""State spaces as files, each read back by a reader that is not ours: pyarrow, networkx, a parser for AUT."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pyarrow.parquet as pq
import pytest

import kripke
from kripke.engines.explicit.exploration import explore
from kripke.engines.explicit.prepare import native_library
from kripke.engines.explicit.traversal import NOWHERE, ReferenceWalk, StateWalk
from kripke.model.columns import States
from kripke.model.model import Model
from kripke.report.parquet import transitions_file, write_parquet
from kripke.report.statespace import WRITERS
from tests.support.toys import Counters, Graph

pytest.importorskip("kripke._native")

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "promela").glob("*.pml"))
MANY_TYPES = """
mtype = { red, green };
typedef Pair { short low; bool ready };
byte b = 200; short s = -5; int i = 70000; bool flag; bit one = 1; unsigned three : 3 = 5;
mtype colour = green;
Pair pair[2];
chan queue = [2] of { mtype, byte };
chan alias;
proctype child(byte n) { int mine = -n; queue!green(n); mine = 300 }
init { alias = queue; pair[1].low = -300; pair[1].ready = true; run child(7); run child(9); s = s - 1;
  if :: b + i + three + one > 0 && (flag || colour == green) :: queue == alias && pair[1].ready fi;
  s = pair[1].low }
"""


def rows(model: Model, path: Path, walk: StateWalk | ReferenceWalk | None = None) -> list[dict[str, Any]]:
    write_parquet(model, walk or StateWalk(native_library(model)), str(path))
    return pq.read_table(path).to_pylist()


def load(text: str, folder: Path) -> Model:
    file = folder / "m.pml"
    file.write_text(text)
    return kripke.load(file).model


def states_of(walk: StateWalk | ReferenceWalk) -> list[bytes]:
    return [
        row[:length].tobytes()
        for batch in walk.states()
        for row, length in zip(batch.rows, batch.lengths.tolist(), strict=True)
    ]


# --- the walk ---------------------------------------------------------------------------------------------------------


def graph_of(walk: StateWalk | ReferenceWalk) -> tuple[list[bytes], list[tuple[int, int, int]], list[int], list[int]]:
    """States, steps in order of their source, depths, deadlocks."""
    edges: list[tuple[int, int, int]] = []
    depths: list[int] = []
    deadlocks: list[int] = []
    for _, steps in walk.expand():
        targets = [-1 if target == NOWHERE else target for target in steps.targets.tolist()]
        edges += zip(steps.sources.tolist(), targets, steps.violations.tolist(), strict=True)
        depths += steps.depths.tolist()
        deadlocks += steps.deadlocks.tolist()
    return states_of(walk), sorted(edges), depths, deadlocks


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_native_and_reference_walk_agree(file: Path) -> None:
    model = kripke.load(file).model
    native, reference = StateWalk(native_library(model)), ReferenceWalk(model)
    assert graph_of(native) == graph_of(reference)
    assert (native.size, native.initial_count, native.initial_steps) == (reference.size, 1, 1)
    assert native.reason == reference.reason == ""


@pytest.mark.parametrize("most", [1, 2, 10, 100])
def test_a_limit_of_states(most: int) -> None:
    model = kripke.load(EXAMPLES[0]).model
    native, reference = StateWalk(native_library(model), max_states=most), ReferenceWalk(model, max_states=most)
    assert graph_of(native) == graph_of(reference)
    assert (native.size, native.reason) == (most, "states")


def test_a_limit_of_memory() -> None:
    model = kripke.load(EXAMPLES[0]).model
    walk = StateWalk(native_library(model), memory=1 << 22)
    every = graph_of(walk)[0]
    assert (walk.reason, len(every)) == ("", walk.size)


# --- Parquet ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_columns_are_what_describe_says(file: Path, tmp_path: Path) -> None:
    model = kripke.load(file).model
    table = rows(model, tmp_path / "s.parquet")
    walk = ReferenceWalk(model)
    every = graph_of(walk)[0]
    assert len(table) == len(every)
    for row, state in zip(table, every, strict=True):
        expected = model.describe(state)
        found = {name: _shown(value) for name, value in row.items() if value is not None}
        for name in ("state", "depth", "initial", "deadlock"):
            del found[name]
        assert found == expected


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def test_types(tmp_path: Path) -> None:
    model = load(MANY_TYPES, tmp_path)
    table = rows(model, tmp_path / "s.parquet")
    schema = pq.read_schema(tmp_path / "s.parquet")
    types = {name: str(schema.field(name).type) for name in ("b", "s", "i", "flag", "one", "three", "child:1.mine")}
    assert types == {
        "b": "uint8",
        "s": "int16",
        "i": "int32",
        "flag": "bool",
        "one": "uint8",
        "three": "uint8",
        "child:1.mine": "int32",
    }
    first, last = table[0], table[-1]
    assert (first["b"], first["s"], first["i"], first["flag"], first["colour"]) == (200, -5, 70000, False, "green")
    assert (first["three"], first["child:1.mine"], first["child:1@"], first["queue"]) == (5, None, None, "empty")
    assert (last["s"], last["pair[1].low"], last["alias"]) == (-300, -300, "queue")
    assert {row["queue"] for row in table} >= {"empty", "[green,7]", "[green,7] [green,9]", "[green,9] [green,7]"}
    assert {row["child:1.mine"] for row in table} == {None, 0, -7, -9}


def test_a_variable_named_like_one_of_ours(tmp_path: Path) -> None:
    model = load("byte state = 3; byte depth; active proctype p() { depth = state - 2; depth == 1 }", tmp_path)
    table = rows(model, tmp_path / "s.parquet")
    assert [(row["state_"], row["state"], row["depth_"], row["depth"]) for row in table[:2]] == [
        (0, 3, 0, 0),
        (1, 3, 1, 1),
    ]


def test_transitions_and_flags(tmp_path: Path) -> None:
    model = load("byte x;\nactive proctype p() {\n  x = 1;\n  assert(x == 2);\n  x = 5 / (x - 1);\n  x = 2 }", tmp_path)
    table = rows(model, tmp_path / "s.parquet")
    assert [(row["initial"], row["deadlock"], row["depth"]) for row in table] == [
        (True, False, 0),
        (False, False, 1),
        (False, False, 2),
    ]
    edges = pq.read_table(transitions_file(str(tmp_path / "s.parquet"))).to_pylist()
    assert [(edge["source"], edge["target"], edge["line"], edge["violation"]) for edge in edges] == [
        (0, 1, 3, None),
        (1, None, 4, "assertion"),
        (1, 2, 4, None),
        (2, None, 5, "division"),
    ]
    assert edges[0]["statement"] == "x = 1" and edges[0]["process"] == "p"


def test_deadlocks_are_marked(tmp_path: Path) -> None:
    table = rows(load("byte x; active proctype p() { x = 1; x == 2 }", tmp_path), tmp_path / "s.parquet")
    assert [row["deadlock"] for row in table] == [False, True]


def test_a_model_without_columns_of_its_own(tmp_path: Path) -> None:
    model = Counters(1)
    table = rows(model, tmp_path / "s.parquet", ReferenceWalk(model))
    assert [(row["x"], row["y"]) for row in table] == [("0", "0"), ("1", "0"), ("0", "1"), ("1", "1")]


def test_nothing_is_left_behind_where_writing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = kripke.load(EXAMPLES[0]).model

    def fail(self: object, states: States) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("kripke.process.columns.ProcessColumns.values", fail)
    with pytest.raises(OSError, match="disk full"):
        rows(model, tmp_path / "s.parquet")
    assert list(tmp_path.iterdir()) == []


def test_many_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = rows(kripke.load(EXAMPLES[3]).model, tmp_path / "a.parquet")
    monkeypatch.setattr("kripke.engines.explicit.traversal.BATCH", 7)
    assert rows(kripke.load(EXAMPLES[3]).model, tmp_path / "b.parquet") == whole
    assert np.all([row["depth"] <= len(whole) for row in whole])


# --- graphs -----------------------------------------------------------------------------------------------------------


def read_aut(text: str) -> tuple[int, int, list[tuple[int, str, int]]]:
    """Aldebaran: initial state, number of states, edges."""
    head, *lines = text.splitlines()
    found = re.fullmatch(r"des \((\d+),(\d+),(\d+)\)", head)
    assert found is not None
    edges = []
    for line in lines:
        edge = re.fullmatch(r'\((\d+),"((?:[^"\\]|\\.)*)",(\d+)\)', line)
        assert edge is not None, line
        edges.append((int(edge[1]), re.sub(r"\\(.)", r"\1", edge[2]), int(edge[3])))
    assert len(edges) == int(found[2])
    return int(found[1]), int(found[3]), edges


def written(model: Model, ending: str) -> str:
    return "\n".join(WRITERS[ending](explore(model, 10_000)))


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_aut_and_graphml_are_the_same_graph(file: Path, tmp_path: Path) -> None:
    model = kripke.load(file).model
    space = explore(model, 10_000)
    initial, size, edges = read_aut(written(model, ".aut"))
    assert (initial, size) == (0, len(space.states))
    (tmp_path / "g.graphml").write_text(written(model, ".graphml"))
    graph = networkx.read_graphml(tmp_path / "g.graphml", force_multigraph=True)
    real = [node for node, data in graph.nodes(data=True) if not data.get("violation")]
    assert len(real) == size
    found = [(int(a), data["label"], int(b)) for a, b, data in graph.edges(data=True) if "violation" not in b]
    assert sorted(found) == sorted(edges)
    for number, state in enumerate(space.states):
        data = graph.nodes[str(number)]
        assert {name: data[name] for name in model.describe(state)} == model.describe(state)
        assert data.get("initial", False) == (number == 0)


def test_graphml_escapes(tmp_path: Path) -> None:
    class Nasty(Graph):
        def describe(self, state: bytes) -> dict[str, str]:
            return {'<a & "b">': "]]> <script>\x01&amp;"}

    (tmp_path / "g.graphml").write_text(written(Nasty([[None, 0]]), ".graphml"))
    graph = networkx.read_graphml(tmp_path / "g.graphml", force_multigraph=True)
    assert graph.nodes["0"]['<a & "b">'] == "]]> <script>?&amp;"
    assert [node for node, data in graph.nodes(data=True) if data.get("violation")] == ["violation0"]
