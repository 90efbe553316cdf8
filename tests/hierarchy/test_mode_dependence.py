"""Partial-order reduction of modes: the same verdicts, fewer states where modes do not meet."""

from __future__ import annotations

from pathlib import Path

import pytest

import kripke
from tests.support.random_modes import random_modes

COUNTERS = """
var done: 0..3;
mode Counter {
  read write done: 0..3;
  local n: 0..4;
  point p, r, q;
  de -> p;
  p -> p when n < 4 do n := n + 1 pause;
  p -> r when n = 4 pause;
  r -> q do done := done + 1 pause;
}
system { a: Counter; b: Counter; c: Counter; }
"""


@pytest.mark.parametrize("engine", ["interpreter", "native"])
def test_modes_that_hardly_meet(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "m.modes"
    path.write_text(COUNTERS)
    full = kripke.load(path).check(engine=engine, deadlock=False)
    reduced = kripke.load(path).check(engine=engine, deadlock=False, por=True)
    assert (full.verdict, full.states) == ("holds", 7**3)
    assert reduced.verdict == "holds" and reduced.states == 23
    dead = kripke.load(path).check(engine=engine, por=True)
    assert (dead.verdict, dead.kind) == ("violated", "deadlock")
    for invariant, verdict in (("done < 3", "violated"), ("done < 4", "holds"), ("!in(b.q)", "violated")):
        assert (
            kripke.load(path).check(engine=engine, por=True, deadlock=False, invariants=[invariant]).verdict == verdict
        )
    assert kripke.load(path).check(engine=engine, por=True, ltl="<> (done = 3)").verdict == "holds"


def agree(path: Path, engines: tuple[str, ...]) -> int:
    """Verdicts with and without; how many were compared."""
    compared = 0
    for question in ({}, {"deadlock": False}, {"deadlock": False, "invariants": ["x < 3 | !b"]}):
        full = kripke.load(path).check(engine="interpreter", search="dfs", max_states=2_000, **question)  # type: ignore[arg-type]
        if full.verdict == "unknown":
            continue
        for engine in engines:
            reduced = kripke.load(path).check(engine=engine, search="dfs", por=True, max_states=2_000, **question)  # type: ignore[arg-type]
            assert reduced.verdict == full.verdict, (question, engine, reduced.reason, full.reason)
            assert full.verdict == "violated" or reduced.states <= full.states
            compared += 1
    return compared


@pytest.mark.parametrize("seed", range(8))
def test_random_modes(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "m.modes"
    path.write_text(random_modes(seed, apart=True))
    agree(path, ("interpreter", "native") if seed < 2 else ("interpreter",))
