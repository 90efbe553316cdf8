"""Transitions from the default entry that override the way back to where a mode was left."""

from __future__ import annotations

from pathlib import Path

import pytest

import kripke
from kripke.languages.modes import read
from tests.hierarchy.test_mode_emit import compare
from tests.support.encoded_steps import assert_encoded
from tests.support.promela_twin import compare_with_promela
from tests.support.symbolic_agreement import compare_sets

HANDLER = """
var alarm: bool;
var seen: 0..9;
mode Work {
  read alarm: bool;  read write seen: 0..9;
  local n: 0..2;
  point one, two, handle;
  de -> one;
  override away: de -> handle when alarm;
  one -> two when !alarm do n := n + 1 pause;
  two -> one when !alarm & n < 2 pause;
  handle -> handle when seen < 9 do seen := n pause;
}
mode Day {
  read alarm: bool;  read write seen: 0..9;
  submode work: Work;
  de -> work;
}
mode Bell {
  write alarm: bool;
  point quiet, rung;
  de -> quiet;
  quiet -> rung do alarm := true pause;
}
system { initialised day: Day; initialised bell: Bell; }
"""

#: two modes in parallel inside of one: its macro step is one of either (section 2, "Parallel composition")
BOTH = """
var x: 0..3;
mode Count {
  read write x: 0..3;
  local n: 0..3;
  point p;
  de -> p;
  p -> p when n < 3 & x < 3 do n := n + 1, x := x + 1 pause;
  p -> p when n < 3 & x = 3 do n := n + 1, x := 0 pause;
}
mode Both {
  read write x: 0..3;
  submode a: Count;
  submode b: Count;
  override de -> a;
  override de -> b;
}
system { SYSTEM }
"""


def _globals(text: str) -> set[object]:
    """The values of x in all states, with the sum of both counters."""
    model = read(text)
    states = model.initial()
    seen = set(states)
    found = set[object]()
    for state in states:
        shown = model.describe(state)
        counters = sorted(int(value) for name, value in shown.items() if name.endswith(".n"))
        found.add((shown["x"], tuple(n for n in counters if n)))
        for step in model.successors(state):
            assert step.target is not None
            if step.target not in seen:
                seen.add(step.target)
                states.append(step.target)
    return found


def test_the_way_back_is_overridden() -> None:
    """Control is in ``two`` or ``one`` when the bell rings; the next macro step handles it, with the locals kept."""
    model = read(HANDLER)
    reached = set()
    states = model.initial()
    seen = set(states)
    for state in states:
        shown = model.describe(state)
        reached.add((shown["day@"], shown["alarm"], shown["day.work.n"], shown["seen"]))
        for step in model.successors(state):
            assert step.target is not None
            if step.target not in seen:
                seen.add(step.target)
                states.append(step.target)
    assert {r for r in reached if r[0] == "work.handle"} == {("work.handle", "true", n, n) for n in "012"}


def test_parallel_composition_inside_of_a_mode() -> None:
    together = _globals(BOTH.replace("SYSTEM", "t: Both;"))
    apart = _globals(BOTH.replace("SYSTEM", "a: Count; b: Count;"))
    assert together == apart


@pytest.mark.parametrize(("text", "states"), [(HANDLER, 11), (BOTH.replace("SYSTEM", "t: Both;"), 25)])
def test_all_forms_agree(text: str, states: int, tmp_path: Path) -> None:
    assert compare(read(text), 1_000) == states
    assert compare_sets(read(text)) == states
    assert compare_with_promela(read(text), str(tmp_path)) == states
    assert assert_encoded(read(text), 1_000)[0] == states


def test_a_deeper_mode_is_entered_at_its_border_too(tmp_path: Path) -> None:
    """What restores an outer mode enters the inner one at its border: there, too, the way back is overridden."""
    path = tmp_path / "m.modes"
    path.write_text(HANDLER)
    for options in ({"engine": "interpreter"}, {"engine": "native"}, {"search": "hierarchic"}):
        found = kripke.load(path).check(ctl=["AG (alarm -> AX (in(day.work.handle)))"], **options)
        assert found.verdict == "holds"
        found = kripke.load(path).check(ctl=["AG !in(day.work.handle)"], **options)
        assert found.verdict == "violated" and found.trace is not None and len(found.trace.steps) == 2


def test_refused() -> None:
    text = HANDLER.replace("de -> one;", "de -> one;\n  override one -> two;")
    with pytest.raises(kripke.ModelError, match="one has no way back that could be overridden, only de has"):
        read(text)
