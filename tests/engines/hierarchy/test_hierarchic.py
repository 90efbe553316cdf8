"""Diagrams per control point against the enumeration of states: the same states, the same verdicts."""

from __future__ import annotations

from pathlib import Path

import pytest

import kripke
from kripke.engines.hierarchy.reachability import Reachability
from kripke.hierarchy.mode_model import ModeModel
from kripke.languages.modes import load, read
from tests.support.random_modes import random_modes

EXAMPLES = Path(__file__).parents[3] / "examples" / "modes"


def states(model: ModeModel, most: int = 3_000) -> int:
    found = model.initial()
    seen = set(found)
    for state in found:
        for step in model.successors(state):
            if step.target is not None and step.target not in seen:
                seen.add(step.target)
                found.append(step.target)
                assert len(found) <= most
    return len(found)


def reached(model: ModeModel) -> Reachability:
    search = Reachability(model)
    search.start()
    while search.advance():
        pass
    return search


@pytest.mark.parametrize("seed", range(150))
def test_random_modes(seed: int) -> None:
    model = read(random_modes(seed))
    assert reached(model).states == states(model)


@pytest.mark.parametrize(
    ("file", "defines", "counted"),
    [
        ("tcp", {}, 78),
        ("tcp", {"cells": "2"}, 130),
        ("peterson", {}, 40),
        ("peterson_fitted", {}, 276),
        ("generic", {"n": "4"}, 754),
        ("generic", {"n": "3", "inner_alternates": "0"}, 772),
    ],
)
def test_models_of_the_paper(file: str, defines: dict[str, str], counted: int) -> None:
    assert reached(load(str(EXAMPLES / f"{file}.modes"), defines=defines)).states == counted


@pytest.mark.parametrize("n", [1, 2, 4, 6])
def test_nodes_do_not_grow(n: int) -> None:
    search = reached(load(str(EXAMPLES / "generic.modes"), defines={"n": str(n)}))
    assert search.diagrams.size(list(search.reached.values())) == 22


def test_a_shortest_trace(tmp_path: Path) -> None:
    text = (EXAMPLES / "peterson.modes").read_text().replace("tick & (!others | turn = me)", "tick")
    path = tmp_path / "peterson.modes"
    path.write_text(text)
    symbolic = kripke.load(path).check(search="hierarchic", deadlock=False)
    explicit = kripke.load(path).check(search="bfs")
    assert symbolic.verdict == explicit.verdict == "violated"
    assert symbolic.reason == "invariant alone: inside <= 1 does not hold"
    assert symbolic.trace is not None and len(symbolic.trace) == 12


def test_run_time_errors(tmp_path: Path) -> None:
    path = tmp_path / "m.modes"
    path.write_text(
        "var x: 0..2 = 0;\nmode A { read write x: 0..2; point p; de -> p; p -> p do x := x + 1 pause; }\n"
        "system { a: A; }\n"
    )
    result = kripke.load(path).check(search="hierarchic", deadlock=False)
    assert (result.verdict, result.kind) == ("violated", "range")


def test_invariants_that_are_asked_for() -> None:
    model = kripke.load(EXAMPLES / "tcp.modes")
    condition = "!(in(client.CLOSING) & in(server.FIN_WAIT_2))"
    result = model.check(search="hierarchic", deadlock=False, invariants=[condition])
    assert (result.verdict, result.kind) == ("violated", "invariant")
    assert result.trace is not None and result.trace.steps[-1].after is not None
    assert model.check(search="hierarchic", deadlock=False).states == 78


def test_refusals() -> None:
    with pytest.raises(kripke.Unsupported, match="not for deadlocks: add --no-deadlock"):
        kripke.load(EXAMPLES / "peterson.modes").check(search="hierarchic")
    with pytest.raises(kripke.Unsupported, match="--search hierarchic is for systems of modes"):
        kripke.load(EXAMPLES.parent / "promela" / "peterson.pml").check(search="hierarchic", deadlock=False)
