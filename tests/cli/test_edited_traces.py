"""Saved traces that somebody has edited: an answer in words, whatever was done to them."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

MODEL = """
byte x;
active [2] proctype P() { do :: x < 3 -> x++ :: x == 3 -> assert(x != 3) od }
ltl p { [] (x < 2) }
"""
VALUES: list[Any] = [None, True, 0, -1, 1.5, 10**30, "", "x", "zz", "\x1b[2J", [], [None], {}, {"a": 1}, [["x"]]]


def places(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every member."""
    if way:
        yield way
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        yield from places(member, (*way, key))


def edited(record: dict[str, Any], way: tuple[Any, ...], value: Any, remove: bool) -> dict[str, Any]:
    changed = copy.deepcopy(record)
    inner = changed
    for key in way[:-1]:
        inner = inner[key]
    if remove:
        del inner[way[-1]]
    else:
        inner[way[-1]] = value
    return changed


@pytest.fixture
def saved(kripke, tmp_path: Path) -> dict[str, dict[str, Any]]:
    (tmp_path / "m.pml").write_text(MODEL)
    kripke("check", "m.pml", "--property", "safety", "--trace", "safety.json")
    kripke("check", "m.pml", "--property", "p", "--trace", "formula.json")
    return {name: json.loads((tmp_path / f"{name}.json").read_text()) for name in ("safety", "formula")}


@pytest.mark.parametrize(
    ("way", "value", "said"),
    [
        (("steps",), {}, "steps is an object"),
        (("steps", 0, "changes"), {"x": ["0"]}, "a change has two values, the old and the new"),
        (("steps", 0, "statements", 0, "line"), "x", "steps[0].statements[0].line is the text 'x'"),
        (("loop_start",), 99, "loop_start is 99, and there are 8 steps"),
        (("initial",), "zz", "'zz' is no state"),
        (("model", "undefines"), [3], "model.undefines[0] is the number 3"),
        (("model", "defines"), [], "model.defines is a list"),
    ],
)
def test_what_is_wrong_is_named(kripke, tmp_path: Path, saved, way: tuple[Any, ...], value: Any, said: str) -> None:
    (tmp_path / "t.json").write_text(json.dumps(edited(saved["safety"], way, value, remove=False)))
    ran = kripke("replay", "t.json")
    assert (ran.code, ran.err) == (2, f"error: t.json is damaged: {said}\n")


def test_no_edit_ends_in_an_internal_error(kripke, tmp_path: Path, saved) -> None:
    seed = random.Random(20_261_118)
    for record in saved.values():
        ways = list(places(record))
        for _ in range(250):
            way = seed.choice(ways)
            changed = edited(record, way, seed.choice(VALUES), remove=seed.random() < 0.2)
            (tmp_path / "t.json").write_text(json.dumps(changed))
            ran = kripke("replay", "t.json")
            assert ran.code in (0, 1, 2), (way, ran)
            assert "internal error" not in ran.err, (way, ran.err)
