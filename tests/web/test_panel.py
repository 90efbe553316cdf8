"""The panel refuses what a check refuses, in the same words, and nothing else."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import kripke
from kripke.checker.check import refusal
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.web.desks.panel import Panel, choices_of_fields

PROMELA = """
byte turn, count;
active [2] proctype A() { do :: turn == 0 -> count = (count + 1) % 5; turn = 1 od }
active proctype B() { do :: turn == 1 -> turn = 0 od }
ltl often { [] <> (turn == 0) }
ltl small { [] (turn < 2) }
"""
NET = """
place a (0..1) unsigned (0..3): 0;
trans t in { place a: x; } out { place a: +x; };
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "m.pml").write_text(PROMELA)
    (tmp_path / "n.pn").write_text(NET)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", ["m.pml", "n.pn"])
def test_refusals_are_those_of_the_check(folder: Path, name: str) -> None:
    """Random plans: whatever is refused here is refused there, and the other way round."""
    chooser = random.Random(name)
    model = kripke.load(name)
    fields = {field: values for field, values in choices_of_fields().items() if field != "coverage"}
    properties = ["safety", *(p.name for p in model.model.properties)]
    refused = done = 0
    for _ in range(70):
        given: dict[str, Any] = {field: chooser.choice(fields[field]) for field in chooser.sample(list(fields), 3)}
        if chooser.random() < 0.4:
            given["properties"] = (chooser.choice(properties),)
        if chooser.random() < 0.2:
            given["max_depth"] = 1000
        try:
            plan = SearchPlan(**given, max_states=500)
        except Unsupported:
            continue
        said = refusal(model.model, plan)
        try:
            kripke.loaded.check_properties(model.model, replace(plan, time_limit=20.0))
            found = None
        except Unsupported as error:
            found = str(error)
        if found is not None and "SAT" not in found and "install" not in found:
            assert said == found, given
        else:
            assert said is None or found is not None, (given, said)
        refused += said is not None
        done += said is None
    assert refused > 5
    assert done > 5


def shown(folder: Path, plan: dict[str, Any], name: str = "m.pml", **defines: str) -> dict[str, Any]:
    return Panel({"folder": str(folder), "name": name, "defines": defines}).shown(plan)


def test_command_and_properties(folder: Path) -> None:
    found = shown(folder, {"search": "dfs", "ltl": ["[] (count < 5)"], "por": True}, N="3")
    assert found["command"] == "kripke check m.pml -D N=3 --ltl '[] (count < 5)' --search dfs --por"
    assert [one["name"] for one in found["properties"]] == ["often", "small"]
    assert found["refused"] is None


def test_choices_that_do_not_go_together(folder: Path) -> None:
    found = shown(folder, {"store": "bitstate"})
    searches = {one["value"]: one["refused"] for one in found["choices"]["search"]}
    assert searches[None] is None
    assert searches["symbolic"] is not None
    assert "for Petri nets" in searches["symbolic"]
    assert "m.pml is a promela model" in searches["symbolic"]
    of_net = {one["value"]: one["refused"] for one in shown(folder, {}, "n.pn")["choices"]["search"]}
    assert "unfolding" in str(of_net["prefix"]) or of_net["prefix"] is None


def test_formula_that_cannot_be_read(folder: Path) -> None:
    assert "nobody" in shown(folder, {"ltl": ["[] (nobody == 1)"]})["refused"]
