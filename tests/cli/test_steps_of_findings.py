"""A finding has one number of steps: in the verdict, in the table, in the saved trace and in the report."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Kripke = Callable[..., Any]

COUNTER = "byte x; active proctype P() { do :: x < 20 -> x++ :: else -> break od }"
TWO_PLACES = """<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
<net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
<place id="p"><name><text>p</text></name><initialMarking><text>1</text></initialMarking></place><place id="q"/>
<transition id="t"/><transition id="u"/><arc id="a" source="p" target="t"/><arc id="b" source="t" target="q"/>
<arc id="c" source="q" target="u"/><arc id="d" source="u" target="p"/></page></net></pnml>"""


@pytest.mark.parametrize(
    ("options", "steps"),
    [
        (("--ltl", "[] (x < 10)"), 20),
        (("--ltl", "[] (x < 10)", "--search", "dfs"), 20),
        (("--ltl", "[] (x < 10)", "--engine", "interpreter"), 20),
        (("--invariant", "x < 10"), 20),
        (("--ltl", "!(<> (x == 0))"), 0),
    ],
    ids=str,
)
def test_of_programs(kripke: Kripke, tmp_path: Path, options: tuple[str, ...], steps: int) -> None:
    (tmp_path / "m.pml").write_text(COUNTER)
    files = ("--trace", "t.json", "--json", "r.json")
    ran = kripke("check", "m.pml", *options, "--full", *files)
    assert f", after {steps} step" in ran.out.splitlines()[0]
    assert len(re.findall(r"^ +\d+  P:0 ", ran.out, re.MULTILINE)) == steps
    told = json.loads((tmp_path / "r.json").read_text())["trace"]["steps"]
    assert len(told) == steps and all(step["statements"] for step in told)
    ended = kripke("replay", "t.json").out.splitlines()[-1]
    assert ended.startswith(f"replayed {steps} steps: ") and "(:0:0)" not in ended


@pytest.mark.parametrize("search", ["bfs", "dfs", "prefix", "symbolic"])
def test_the_initial_marking_breaks_the_invariant(kripke: Kripke, tmp_path: Path, search: str) -> None:
    (tmp_path / "n.pnml").write_text(TWO_PLACES)
    ran = kripke("check", "n.pnml", "--search", search, "--invariant", "p == 0", "--trace", "t.json")
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.startswith("violated: invariant p == 0 does not hold, after 0 steps\n") or ran.out.startswith(
        "violated: invariant p == 0, after 0 steps\n"
    )
    assert json.loads((tmp_path / "t.json").read_text())["steps"] == []


def test_formulas_are_whole_and_observers_are_no_places(kripke: Kripke, tmp_path: Path) -> None:
    (tmp_path / "n.pnml").write_text(TWO_PLACES)
    formula = "!(<> (p == 0 && (q == 1 || (p == 0))))"
    ran = kripke("check", "n.pnml", "--ltl", formula)
    assert ran.out.startswith(f"violated: {formula} is violated, whatever follows, after 1 step\n")
    assert ran.out[ran.out.index("state at the end:") :].split("\n")[1] == "  q = 1"
    table = ran.out[ran.out.index("step ") : ran.out.index("why:")]
    assert "t          q: 0 -> 1, p: 1 -> 0\n" in table
    formula = "[] ((p == 1) -> <> (q == 1 && (p == 1)))"
    ran = kripke("check", "n.pnml", "--ltl", formula)
    assert f" {formula}, a loop of 2 steps" in ran.out.splitlines()[0]
