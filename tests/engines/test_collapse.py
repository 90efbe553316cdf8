"""The store of components: what the tables have in them, and the counts of the full store everywhere."""

import tomllib
from pathlib import Path

import pytest

import kripke
from kripke.engines.plan import Unsupported

EXAMPLES = Path(__file__).parents[2] / "examples"
CASES = [
    pytest.param(manifest.parent / entry["file"], id=f"{manifest.parent.name}/{entry['file']}")
    for manifest in sorted(EXAMPLES.glob("*/manifest.toml"))
    for entry in tomllib.loads(manifest.read_text())["example"]
    # Not searched for safety alone, or not compiled.
    if "assertions" not in entry and manifest.parent.name not in ("uml", "space")
]

PARTS = """
byte x, y;
chan a = [1] of { bit }, b = [1] of { bit };
active [2] proctype P() { end: do :: x = 1 - x :: a!1 :: b?_ od }
active proctype Q() { end: do :: a?_ -> b!0 od }
"""

# Q is born and ends again and again; its frame is longer than 32 bytes, and so are the globals.
BORN = """
byte big[70]; byte many;
proctype Q(byte n) { byte own[40]; own[n] = n + 1; big[n]++; many-- }
active proctype P() { do :: many < 2 && big[0] + big[1] < 3 -> many++; run Q(many % 2) :: else -> break od }
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


@pytest.mark.parametrize("options", [{}, {"search": "dfs"}, {"threads": 2}, {"search": "dfs", "threads": 3}])
def test_processes_that_come_and_go(tmp_path, options):
    model = load(tmp_path, BORN)
    full, result = model.check(deadlock=False, **options), model.check(deadlock=False, store="collapse", **options)
    assert (result.verdict, result.states, result.transitions) == ("holds", full.states, full.transitions)
    assert result.states > 100
    assert list(result.engine["components"]) == ["globals", "process Q", "process P"]


def test_an_observer_has_its_own_table(tmp_path):
    result = load(tmp_path, PARTS).check(ltl="[] (x < 2)", store="collapse", search="bfs")
    assert result.verdict == "holds"
    assert "observer" in result.engine["components"]


def test_the_shortest_way_to_an_error(tmp_path):
    model = load(tmp_path, PARTS + "active proctype W() { end: x == 1 && len(b) == 1 -> assert(false) }")
    full, result = model.check(), model.check(store="collapse")
    assert (result.verdict, result.kind, len(result.trace)) == ("violated", "assertion", len(full.trace))


def test_a_memory_limit(tmp_path):
    text = "byte w[4]; active [4] proctype P() { end: do :: w[_pid] < 99 -> w[_pid]++ od }"
    result = load(tmp_path, text).check(store="collapse", memory=3_000_000)
    assert (result.verdict, result.complete) == ("unknown", False)
    assert "the memory limit" in result.reason


def test_what_it_does_not_go_with(tmp_path):
    model = load(tmp_path, PARTS)
    with pytest.raises(Unsupported, match=r"--store collapse with --threads 2: .* leave out --threads or --store"):
        model.check(store="collapse", threads=2, ltl="[] <> (x == 0)")
    with pytest.raises(Unsupported, match="--store collapse needs the native engine"):
        model.check(store="collapse", engine="interpreter")
