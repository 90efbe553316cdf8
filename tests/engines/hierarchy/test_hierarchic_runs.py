"""Runs that show why a formula of linear or branching time holds or not, out of sets of states."""

from __future__ import annotations

from pathlib import Path

import pytest

import kripke
from tests.support.random_modes import random_modes

LIGHTS = """
var red: bool = true;
var cars: 0..2;
mode Light {
  read write red: bool;
  point s;
  de -> s;
  s -> s do red := !red pause;
}
mode Street {
  read red: bool;
  read write cars: 0..2;
  point p, q;
  de -> p;
  p -> p when cars < 2 do cars := cars + 1 pause;
  p -> q when cars = 2 & !red pause;
}
system { l: Light; s: Street; }
"""


def test_a_loop(tmp_path: Path) -> None:
    path = tmp_path / "m.modes"
    path.write_text(LIGHTS)
    found = kripke.load(path).check(search="hierarchic", ltl="<> in(s.q)")
    assert found.verdict == "violated" and found.trace is not None
    assert found.trace.loop_start is not None and len(found.trace.steps) == found.trace.loop_start + 2
    assert kripke.load(path).check(search="hierarchic", ltl="[] (cars <= 2)").verdict == "holds"


def test_a_run_that_ends(tmp_path: Path) -> None:
    path = tmp_path / "m.modes"
    path.write_text(LIGHTS.replace("s -> s do red := !red pause", "s -> s when red do red := false pause"))
    found = kripke.load(path).check(search="hierarchic", ltl="[] <> red")
    assert found.verdict == "violated" and found.trace is not None
    assert found.trace.loop_start is None


@pytest.mark.parametrize("seed", range(6))
def test_random_modes_show_their_runs(seed: int, tmp_path: Path) -> None:
    """Every violated formula has a run that the interpreter follows, and the explicit search agrees."""
    path = tmp_path / "m.modes"
    path.write_text(random_modes(seed))
    for formula in ("[] <> b", "<> (x = 2)", "[] (b -> <> !b)"):
        explicit = kripke.load(path).check(ltl=formula, max_states=800, engine="interpreter")
        if explicit.verdict == "unknown" or explicit.kind != "ltl":
            continue
        found = kripke.load(path).check(search="hierarchic", ltl=formula)
        assert found.verdict in (explicit.verdict, "unknown")
        assert (found.trace is not None) == (found.verdict == "violated")


@pytest.mark.parametrize(
    ("formula", "verdict", "steps", "loop"),
    [
        ("AG (cars < 2)", "violated", 2, None),
        ("EF (cars = 2 & !red)", "holds", 3, None),
        ("AF in(s.q)", "violated", 3, 1),
        ("AG (red -> AX !red)", "violated", 1, None),
        ("EG red", "violated", None, None),
        ("AG EF red", "holds", None, None),
        ("EX EX (cars = 1 & !red)", "holds", 2, None),
    ],
)
def test_runs_of_branching_time(
    formula: str, verdict: str, steps: int | None, loop: int | None, tmp_path: Path
) -> None:  # fmt: skip
    """As those that are found on the graph."""
    path = tmp_path / "m.modes"
    path.write_text(LIGHTS)
    for options in ({"search": "hierarchic"}, {"engine": "interpreter"}):
        found = kripke.load(path).check(ctl=[formula], **options)
        assert found.verdict == verdict and found.complete
        assert (None if found.trace is None else len(found.trace.steps)) == steps
        assert found.trace is None or found.trace.loop_start == loop


def test_what_no_run_shows(tmp_path: Path) -> None:
    path = tmp_path / "m.modes"
    path.write_text(LIGHTS)
    found = kripke.load(path).check(search="hierarchic", ctl=["EX (cars = 2)"])
    assert found.verdict == "violated" and found.trace is None
    assert found.reason == "formula violated: EX (cars = 2); no single run shows it"
    found = kripke.load(path).check(search="hierarchic", ctl=["AG EX (cars = 1)"])
    assert found.verdict == "violated" and found.trace is not None
    assert found.reason.endswith("what is wrong in the last state of the run is shown by no single run")
