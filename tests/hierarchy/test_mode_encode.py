"""Modes in terms: the same steps as the interpreter's, state by state, and the same answers of symbolic engines."""

from __future__ import annotations

from pathlib import Path

import pytest

import kripke
from kripke.languages.modes import read
from kripke.terms.narrowing import narrowed
from tests.support.encoded_steps import assert_encoded
from tests.support.random_modes import random_modes

EXAMPLES = Path(__file__).parents[2] / "examples" / "modes"

ERRORS = """
var x: 0..3;
var q: array[2] of 0..2 = 0;
mode M {
  read write x: 0..3;
  read write q: array[2] of 0..2;
  local n: 1..2 = 1;
  point p, r;
  de -> p;
  p -> p when 6 / x > 1 do x := x + 1 pause;
  p -> r when x = 0 do q[x + n] := 1, x := x - n pause;
  p -> p when x = 0 do x := 1 pause;
  p -> r when q[x] = 1 do q[1] := q[0] + 2 pause;
}
system { m: M; }
invariant small: 6 / (x + 1) > 1;
"""

LOOP = """
var go: bool = false;
var n: 0..3;
mode Wheel {
  read go: bool;
  read write n: 0..3;
  point a, b;
  de -> a;
  a -> a when go do n := (n + 1) % 4;
  a -> b when go & n = 2 pause;
}
mode Switch {
  read write go: bool;
  point s;
  de -> s;
  s -> s when !go do go := true pause;
}
system { w: Wheel; s: Switch; }
"""


@pytest.mark.parametrize("text", [ERRORS, LOOP])
def test_errors_and_loops(text: str) -> None:
    """Divisions, indices, ranges; a cycle of micro steps is left where a micro state comes again."""
    states, ended = assert_encoded(read(text, conditions=["n = 2" if "Wheel" in text else "q[x] = 1"]))
    assert states > 3 and not ended
    assert assert_encoded(read(text), change=narrowed) == (states, 0)


@pytest.mark.parametrize("seed", [0, 3, 7, 19, 23, 47])
def test_random_modes(seed: int) -> None:
    model = read(random_modes(seed, apart=seed % 2 == 0), conditions=["x = 2 & b", "in(t0)"])
    assert assert_encoded(model, 25, change=narrowed if seed % 3 == 0 else lambda system: system)[0] != 0


@pytest.mark.parametrize(("name", "states"), [("generic", 3_076), ("peterson", 40), ("peterson_fitted", 276)])
def test_papers_on_diagrams(name: str, states: int) -> None:
    model = kripke.load(EXAMPLES / f"{name}.modes")
    found = model.check(engine="bdd")
    assert (found.verdict, found.states) == ("holds", states)
    if name == "peterson":
        assert model.check(engine="pdr").verdict == "holds"


@pytest.mark.parametrize("engine", ["bdd", "bmc", "pdr"])
def test_the_lost_fin(engine: str) -> None:
    found = kripke.load(EXAMPLES / "tcp.modes").check(engine=engine)
    assert (found.verdict, found.kind) == ("violated", "deadlock")
    assert found.trace is not None and len(found.trace.steps) == 8


def test_refused_with_its_place() -> None:
    found = [read(random_modes(1)).encode()]
    assert isinstance(found[0], str) and "cannot be said in terms (<text>:" in found[0]
