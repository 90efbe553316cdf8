"""The models of the SPIN distribution: the same states, transitions and errors as SPIN without reduction.

The expected figures were measured with SPIN 6.5 (all errors counted, search not stopped at the first).
"""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from kripke.engines.explicit.safety import check
from kripke.engines.plan import SearchPlan
from kripke.languages.promela import load
from kripke.process.passes import Passes

CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "promela" / "spin-examples"
pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason=f"the SPIN examples are not at {CORPUS}")

# Where the figures cannot be the same.
DIFFERENT = {
    # SPIN aborts when the state outgrows its fixed vector; ours may grow until 255 processes run.
    "Book_1991/p108.pml",
    # SPIN counts one use of an uninitialised channel three times and goes on; we count it once.
    "wordcount.pml",
}
SMALL = 4_000  # states the interpreter explores in a moment
LARGE = 700_000  # states the native engine explores in a moment


def rows() -> list[tuple[str, int, int, int]]:
    if not CORPUS.is_dir():
        return []
    found = []
    with (CORPUS / "expected.tsv").open() as table:
        for row in csv.DictReader(table, delimiter="\t"):
            if row["mode"] == "FULL" and row["states"] and row["model"] not in DIFFERENT:
                found.append((row["model"], int(row["states"]), int(row["transitions"]), int(row["errors"])))
    return found


def counts(model: str, search: str, engine: str) -> tuple[int, int, int]:
    options = SearchPlan(search=search, engine=engine, all_errors=True)  # type: ignore[arg-type]
    result = check(load(str(CORPUS / model)), options)
    assert result.complete
    return result.states, result.transitions, result.errors


@pytest.mark.parametrize("search", ["bfs", "dfs"])
@pytest.mark.parametrize("row", [row for row in rows() if row[1] <= LARGE], ids=lambda row: row[0])
def test_native_engine_counts_as_spin_does(row: tuple[str, int, int, int], search: str) -> None:
    model, *expected = row
    assert counts(model, search, "native") == tuple(expected)


@pytest.mark.parametrize("search", ["bfs", "dfs"])
@pytest.mark.parametrize("row", [row for row in rows() if row[1] <= SMALL], ids=lambda row: row[0])
def test_interpreter_counts_as_spin_does(row: tuple[str, int, int, int], search: str) -> None:
    model, *expected = row
    assert counts(model, search, "interpreter") == tuple(expected)


def test_every_model_can_be_read() -> None:
    models = sorted(CORPUS.rglob("*.pml"))
    assert len(models) == 78
    for model in models:
        load(str(model))


def test_an_uninitialised_channel_is_one_error() -> None:
    assert counts("wordcount.pml", "bfs", "native") == (1, 1, 1)


@pytest.mark.parametrize(
    ("passes", "states", "transitions"),
    [
        (Passes(merge=False, dead="off"), 91_920, 305_460),
        (Passes(merge=False, dead="zero"), 67_656, 228_604),
        (Passes(merge=True, dead="off"), 81_013, 273_782),
        (Passes(merge=True, dead="zero"), 61_619, 211_398),
    ],
)
def test_snoopy_with_each_setting(passes: Passes, states: int, transitions: int) -> None:
    """Four exact counts for one model: what merging and dead-variable reset do, alone and together."""
    model = load(str(CORPUS / "snoopy.pml"), passes=passes)
    result = check(model, SearchPlan(all_errors=True))
    assert (result.states, result.transitions, result.errors) == (states, transitions, 81)


LEADER = {
    3: (399, 873),
    4: (2_400, 7_073),
    5: (15_779, 58_181),
    6: (106_435, 470_271),
    7: (723_053, 3_725_165),
}


@pytest.mark.parametrize("search", ["bfs", "dfs"])
@pytest.mark.parametrize("nodes", sorted(LEADER))
def test_leader_election(nodes: int, search: str, tmp_path: Path) -> None:
    text = (CORPUS / "leader0.pml").read_text()
    path = tmp_path / "leader.pml"
    path.write_text(re.sub(r"#define N\s+5", f"#define N {nodes}", text))
    result = check(load(str(path)), SearchPlan(search=search))  # type: ignore[arg-type]
    assert (result.verdict, result.states, result.transitions) == ("holds", *LEADER[nodes])
