"""Arrays: elements by index, in guards, actions, parameters and properties."""

from __future__ import annotations

from pathlib import Path

import pytest

import kripke
from kripke.languages.modes import read
from tests.hierarchy.test_mode_emit import compare
from tests.support.symbolic_agreement import compare_sets

RING = """
const n = 3;
var token: array[n] of bool = {true, false, false};
var taken: array[n] of 0..3;
var at: 0..n - 1;

mode Node {
  read me: 0..n - 1;
  read write token: array[n] of bool;
  read write taken: array[n] of 0..3;
  read write at: 0..n - 1;
  point p;
  de -> p;
  pass: p -> p when token[me] & taken[me] < 2
    do token[me] := false, token[(me + 1) % n] := true, taken[me] := taken[me] + 1, at := (at + 1) % n pause;
}
system { a: Node(me = 0); b: Node(me = 1); c: Node(me = 2); }
invariant one: (token[0] ? 1 : 0) + (token[1] ? 1 : 0) + (token[2] ? 1 : 0) = 1;
invariant place: token[at];
"""


def test_a_ring(tmp_path: Path) -> None:
    path = tmp_path / "m.modes"
    path.write_text(RING)
    result = kripke.load(path).check(deadlock=False)
    assert (result.verdict, result.states) == (
        "holds",
        kripke.load(path).check(search="hierarchic", deadlock=False).states,
    )
    assert result.states == 14
    model = read(RING, conditions=["token[at] & taken[2] = 1"])
    compare(model, 100)
    compare_sets(model)
    assert model.describe(model.initial()[0])["token[1]"] == "false"


def test_an_index_beyond(tmp_path: Path) -> None:
    path = tmp_path / "m.modes"
    path.write_text(
        "var q: array[2] of 0..5 = 4;\nvar i: 0..2;\nmode A { read write q: array[2] of 0..5; read write i: 0..2;"
        " point p; de -> p; p -> p when q[i] = 4 do q[i] := i, i := i + 1 pause; }\nsystem { initialised a: A; }\n"
    )
    for search in ("bfs", "hierarchic"):
        result = kripke.load(path).check(search=search)
        assert (result.verdict, result.kind) == ("violated", "index")
        assert result.trace is not None and len(result.trace) == 3
    compare(read(path.read_text()), 20)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("var q: array[0] of bool;", "an array has 1 to 4,096 elements, not 0"),
        ("var q: array[2] of array[2] of bool;", "an array contains no arrays"),
        ("var q: array[2] of 0..3 = {1};", "q has 2 elements, not 1"),
        ("var q: 0..3 = {1};", "q has one value, not 1"),
        ("var q: array[2] of 0..3; invariant i: q = 1;", "q is an array"),
        ("var q: array[2] of 0..3; invariant i: q[2] = 1;", "the array has the elements 0 to 1"),
        ("var q: 0..3; invariant i: q[0] = 1;", "there is no array q here"),
    ],
)
def test_refusals(text: str, message: str) -> None:
    mode = "mode A { point p; de -> p; }\nsystem { a: A; }\n"
    with pytest.raises(kripke.ModelError) as error:
        read(text + "\n" + mode + "mode B { point p; }")
    assert error.value.message == message


def test_parameters_are_checked() -> None:
    text = (
        "var q: array[2] of 0..3;\nmode A {{ read write q: array[{}] of 0..3; point p; de -> p; "
        "p -> p do {} pause; }}\n"
        "system {{ a: A; }}\n"
    )
    with pytest.raises(
        kripke.ModelError, match=r"q is of type array\[2\] of 0..3 here, but q in A of array\[3\] of 0..3"
    ):
        read(text.format("3", "q[0] := 1"))
    with pytest.raises(kripke.ModelError, match="q is an array"):
        read(text.format("2", "q := 1"))
