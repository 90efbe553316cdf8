"""Every combination of search, store, reduction, threads, property and depth limit works, or is refused in words."""

from itertools import product
from pathlib import Path

import pytest

import kripke
from kripke.engines.combinations import SEARCHES, SORTS, Combination, refusal, table
from kripke.engines.options import Unsupported
from kripke.engines.stores import STORES

MODEL = """
byte turn, count;
active [2] proctype A() { do :: turn == 0 -> count = (count + 1) % 5; turn = 1 od }
active proctype B() { do :: turn == 1 -> turn = 0 od }
"""
# A property of each sort, that holds.
ASKED = {"safety": {}, "alarms": {"ltl": "[] (turn < 2)"}, "cycles": {"ltl": "[] <> (turn == 0)"}}
COMBINATIONS = [
    Combination(search, store, por, threads, sort, bounded, symmetry)
    for search, store, por, threads, sort, bounded, symmetry in product(
        SEARCHES, STORES, (False, True), (1, 2), SORTS, (False, True), (False, True)
    )
]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("combinations") / "turns.pml"
    path.write_text(MODEL)
    return kripke.load(path)


@pytest.mark.parametrize("sort", SORTS)
def test_the_whole_matrix(model, sort):
    states = {}
    for asked in COMBINATIONS:
        if asked.sort != sort or (asked.por and sort != "safety" and asked.threads > 1):
            continue
        options = {"max_depth": 1000} if asked.bounded else {}
        options["symmetry"] = "canonical" if asked.symmetry else "off"
        reason = refusal(asked)

        def run(asked=asked, options=options):
            return model.check(
                search=asked.search, store=asked.store, threads=asked.threads, por=asked.por, **options, **ASKED[sort]
            )

        if reason is not None:
            with pytest.raises(Unsupported):
                run()
            continue
        result = run()
        exact = asked.store not in ("hashcompact", "bitstate")
        assert result.verdict == ("holds" if exact else "unknown"), asked
        assert result.complete == exact
        assert ("is not exact" in result.reason) == (not exact)
        assert result.engine["store"] == asked.store
        reduction = asked.por and asked.search, asked.symmetry
        key = "ndfs" if asked.search in ("ndfs", "scc") else "safety", reduction
        assert states.setdefault(key, result.states) == result.states, asked


def test_a_reason_names_the_way_out():
    for asked in COMBINATIONS:
        reason = refusal(asked)
        assert reason is None or any(word in reason for word in ("choose", "leave", "there for")), asked


def test_the_manual_has_the_table():
    manual = Path(__file__).parents[2] / "docs" / "engines" / "stores.md"
    assert table() in manual.read_text(encoding="utf-8")
