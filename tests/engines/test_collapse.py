"""The store of components: what the tables have in them, and the counts of the full store everywhere."""

import tomllib
from pathlib import Path

import pytest

import kripke
from tests.support.stored import PARTS, figures, load

EXAMPLES = Path(__file__).parents[2] / "examples"
CASES = [
    pytest.param(manifest.parent / entry["file"], id=f"{manifest.parent.name}/{entry['file']}")
    for manifest in sorted(EXAMPLES.glob("*/manifest.toml"))
    for entry in tomllib.loads(manifest.read_text())["example"]
    # Not searched for safety alone, or not compiled.
    if "assertions" not in entry and manifest.parent.name not in ("uml", "space")
]


@pytest.mark.parametrize("file", CASES)
def test_every_example_counts_as_with_full(file):
    model = kripke.load(file)
    asked = {"properties": ["safety"], "all_errors": True, "clarify": False}
    full = model.check(**asked)
    assert figures(model.check(store="collapse", **asked)) == figures(full)
    deep, many = (model.check(store="collapse", search="dfs", threads=n, **asked) for n in (1, 2))
    assert deep.states == many.states == full.states
    assert deep.transitions == many.transitions == full.transitions


def test_what_is_in_the_tables(tmp_path):
    model = load(tmp_path, PARTS)
    full, result = model.check(), model.check(store="collapse")
    assert figures(result) == figures(full)
    # x is 0 or 1; a channel is empty or has its one message; P is where it loops, Q there or before its send.
    assert result.engine["components"] == {"globals": 2, "channel a, channel b": 3, "process P": 1, "process Q": 2}
    assert result.engine["store"] == "collapse"


def test_an_observer_has_its_own_table(tmp_path):
    result = load(tmp_path, PARTS).check(ltl="[] (x < 2)", store="collapse", search="bfs")
    assert result.verdict == "holds"
    assert "observer" in result.engine["components"]
