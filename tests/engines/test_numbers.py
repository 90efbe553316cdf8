"""The store of numbers: the counts of the full store everywhere, and what it says about itself."""

import tomllib
from pathlib import Path

import pytest

import kripke
from kripke.engines.plan import Unsupported

EXAMPLES = Path(__file__).parents[2] / "examples"
#: Where the ranges of values are known, but for two where they are not.
FOLDERS = ("promela", "directed", "protocols", "lf", "maria", "smv")
CASES = [
    pytest.param(EXAMPLES / folder / entry["file"], id=f"{folder}/{entry['file']}")
    for folder in FOLDERS
    for entry in tomllib.loads((EXAMPLES / folder / "manifest.toml").read_text())["example"]
    if "assertions" not in entry
]

BORN = """
byte big[70]; byte many;
proctype Q(byte n) { byte own[40]; own[n] = n + 1; big[n]++; many-- }
active proctype P() { do :: many < 2 && big[0] + big[1] < 3 -> many++; run Q(many % 2) :: else -> break od }
"""

PARTS = """
byte x, y;
chan a = [1] of { bit }, b = [1] of { bit };
active [2] proctype P() { end: do :: x = 1 - x :: a!1 :: b?_ od }
active proctype Q() { end: do :: a?_ -> b!0 od }
"""

# C code stores what the declaration does not allow.
STRANGE = """
c_decl { typedef unsigned char Byte; }
bit b; byte n;
active proctype P() { do :: n < 5 -> n++; c_code { now.b = now.n; } :: b > 1 -> b = 0 od }
"""


def load(tmp_path, text):
    path = tmp_path / "model.pml"
    path.write_text(text)
    return kripke.load(path)


def figures(result):
    return result.verdict, result.states, result.transitions, result.depth, result.errors


@pytest.mark.parametrize("file", CASES)
def test_every_example_counts_as_with_full(file):
    model = kripke.load(file)
    asked = {"properties": ["safety"], "all_errors": True, "clarify": False}
    full = model.check(**asked)
    assert figures(model.check(store="numbers", **asked)) == figures(full)
    deep = model.check(store="numbers", search="dfs", threads=2, **asked)
    assert (deep.states, deep.transitions) == (full.states, full.transitions)


@pytest.mark.parametrize("options", [{}, {"search": "dfs"}, {"threads": 2}, {"search": "dfs", "threads": 3}])
def test_processes_that_come_and_go(tmp_path, options):
    model = load(tmp_path, BORN)
    full, result = model.check(deadlock=False, **options), model.check(deadlock=False, store="numbers", **options)
    assert (result.verdict, result.states, result.transitions) == ("holds", full.states, full.transitions)
    assert result.states > 100


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


def test_the_shortest_way_to_an_error(tmp_path):
    model = load(tmp_path, PARTS + "active proctype W() { end: x == 1 && len(b) == 1 -> assert(false) }")
    full, result = model.check(), model.check(store="numbers")
    assert (result.verdict, result.kind, len(result.trace)) == ("violated", "assertion", len(full.trace))


def test_a_memory_limit(tmp_path):
    text = "byte w[4]; active [4] proctype P() { end: do :: w[_pid] < 99 -> w[_pid]++ od }"
    result = load(tmp_path, text).check(store="numbers", memory=3_000_000)
    assert (result.verdict, result.complete) == ("unknown", False)
    assert "the memory limit" in result.reason


def test_what_it_does_not_go_with(tmp_path):
    model = load(tmp_path, PARTS)
    with pytest.raises(Unsupported, match=r"--store numbers with --threads 2: .* leave out --threads or --store"):
        model.check(store="numbers", threads=2, ltl="[] <> (x == 0)")
    with pytest.raises(Unsupported, match="--store numbers needs the native engine"):
        model.check(store="numbers", engine="interpreter")
