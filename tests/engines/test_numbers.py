"""The store of numbers: the counts of the full store everywhere, and what it says about itself."""

import tomllib
from pathlib import Path

import pytest

import kripke
from tests.support.stored import PARTS, figures, load

EXAMPLES = Path(__file__).parents[2] / "examples"
#: Where the ranges of values are known, but for two where they are not.
FOLDERS = ("promela", "directed", "protocols", "lf", "maria", "smv")
CASES = [
    pytest.param(EXAMPLES / folder / entry["file"], id=f"{folder}/{entry['file']}")
    for folder in FOLDERS
    for entry in tomllib.loads((EXAMPLES / folder / "manifest.toml").read_text())["example"]
    if "assertions" not in entry
]

# C code stores what the declaration does not allow.
STRANGE = """
c_decl { typedef unsigned char Byte; }
bit b; byte n;
active proctype P() { do :: n < 5 -> n++; c_code { now.b = now.n; } :: b > 1 -> b = 0 od }
"""


@pytest.mark.parametrize("file", CASES)
def test_every_example_counts_as_with_full(file):
    model = kripke.load(file)
    asked = {"properties": ["safety"], "all_errors": True, "clarify": False}
    full = model.check(**asked)
    assert figures(model.check(store="numbers", **asked)) == figures(full)
    deep = model.check(store="numbers", search="dfs", threads=2, **asked)
    assert (deep.states, deep.transitions) == (full.states, full.transitions)


def test_what_the_report_says(tmp_path):
    result = load(tmp_path, PARTS).check(store="numbers")
    # x has 256 values; a channel has them, too, or is empty; Q has two places; nothing else changes: 26 bits.
    assert result.engine["number_bytes"] == 4
    assert result.engine["store"] == "numbers"


@pytest.mark.parametrize("search", ["bfs", "ndfs", "scc"])
def test_an_observer_has_its_own_byte(tmp_path, search):
    model = load(tmp_path, PARTS)
    formula = "[] (x < 2)" if search == "bfs" else "[] <> (x == 1)"
    tree = model.check(ltl=formula, search=search, store="tree", clarify=False)
    result = model.check(ltl=formula, search=search, store="numbers", clarify=False)
    assert figures(result) == figures(tree)


def test_values_that_the_declaration_does_not_allow(tmp_path):
    path = tmp_path / "strange.pml"
    path.write_text(STRANGE)
    model = kripke.load(path, allow_c=True)
    assert figures(model.check(store="numbers")) == figures(model.check())
