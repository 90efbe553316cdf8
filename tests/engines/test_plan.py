"""Plans: written, read, and given on the command line, in Python and in saved traces."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import pytest

import kripke
from kripke.cli.arguments import parse
from kripke.cli.check import plan_of
from kripke.engines.plan import PlanOptions, SearchPlan, Unsupported
from kripke.loaded import plan_of_trace
from kripke.model.trace import SavedTrace

NAMES = {field.name for field in fields(SearchPlan)}
PLANS = [
    SearchPlan(),
    SearchPlan(search="dfs", deadlock=False, invariants=("x < 3",), all_errors=True, max_depth=70, time_limit=1.5),
    SearchPlan(properties=("p", "q"), fair="weak-edges", shortest=True, memory=1 << 30, engine="native"),
    SearchPlan(store="bitstate", hashes=3, store_size=1 << 20, runs=2, por=True),
    SearchPlan(search="walk", walks=10, seed=0),
    SearchPlan(max_switches=0, clarify=False),
    SearchPlan(swarm=4, threads=2),
    SearchPlan(ctl=("AG x",), mu=("nu X . <> X",), symmetry="auto", coverage=True, another=2),
    SearchPlan(checkpoint="a", checkpoint_every=60.0, resume="b"),
]


@pytest.mark.parametrize("plan", PLANS)
def test_what_is_written_is_read(plan: SearchPlan) -> None:
    written = plan.to_json()
    assert SearchPlan.from_json(json.loads(json.dumps(written))) == plan
    assert all(value != getattr(SearchPlan(), name) for name, value in written.items())


def test_only_what_differs_is_written() -> None:
    assert SearchPlan().to_json() == {}
    assert SearchPlan(invariants=("x",), por=True).to_json() == {"invariants": ["x"], "por": True}


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ({"speed": 3}, "a plan has no option 'speed'"),
        ({"threads": "2"}, "a plan whose option threads is '2' cannot be read"),
        ({"threads": True}, "a plan whose option threads is True cannot be read"),
        ({"por": 1}, "a plan whose option por is 1 cannot be read"),
        ({"invariants": "x"}, "a plan whose option invariants is 'x' cannot be read"),
        ({"invariants": [1]}, r"a plan whose option invariants is \[1\] cannot be read"),
        ({"memory": "4G"}, "a plan whose option memory is '4G' cannot be read"),
        ({"store": "attic"}, "there is no store 'attic'"),
        ({"max_depth": -1}, "max_depth must be greater than 0, not -1"),
    ],
)
def test_a_plan_that_cannot_be_read(written: dict[str, object], message: str) -> None:
    with pytest.raises(Unsupported, match=message):
        SearchPlan.from_json(written)


def test_keyword_arguments_are_the_fields() -> None:
    assert set(PlanOptions.__annotations__) == NAMES


def test_the_command_line_has_every_field() -> None:
    assert set(vars(parse("check", ["m.pml"]))) >= NAMES - {"certificate"}  # --prove asks for it


MODEL = "byte x;\nactive proctype P() { do :: x < 5 -> x++ :: else -> break od; assert(x < 5) }\n"


def test_the_command_line_and_python_give_the_same_plan(tmp_path: Path) -> None:
    file = tmp_path / "m.pml"
    file.write_text(MODEL)
    loaded = kripke.load(file)
    words = "--search dfs --no-deadlock --memory 1G --store bitstate --store-size 1M --all-errors --no-por --threads 2"
    options = parse("check", [str(file), *words.split()])
    given = {"search": "dfs", "deadlock": False, "memory": "1G", "store": "bitstate", "store_size": "1M"}
    plan = SearchPlan.of({**given, "all_errors": True, "threads": 2})
    assert plan_of(options, loaded.model) == plan
    assert plan.memory == 1 << 30 and plan.store_size == 1 << 20
    assert plan_of(parse("check", [str(file)]), loaded.model) == SearchPlan()
    with pytest.raises(TypeError, match=r"check\(\) got an unexpected keyword argument 'speed'"):
        loaded.check(speed=3)  # type: ignore[call-arg]
    with pytest.raises(Unsupported, match="'much' is not an amount of memory such as 512M or 4G"):
        loaded.check(memory="much")


def test_a_saved_trace_knows_the_plan(tmp_path: Path) -> None:
    (tmp_path / "m.pml").write_text(MODEL)
    result = kripke.load(tmp_path / "m.pml").check(search="dfs", engine="interpreter", max_depth=40)
    assert result.trace is not None
    result.trace.save(tmp_path / "trace.json")
    saved = SavedTrace.read(tmp_path / "trace.json")
    assert plan_of_trace(saved) == SearchPlan(search="dfs", engine="interpreter", max_depth=40)
    # One that was saved before plans were.
    written = json.loads((tmp_path / "trace.json").read_text())
    del written["model"]["plan"]
    (tmp_path / "old.json").write_text(json.dumps(written))
    assert plan_of_trace(SavedTrace.read(tmp_path / "old.json")) == SearchPlan()
    assert len(kripke.load_trace(tmp_path / "old.json")) == len(result.trace)
