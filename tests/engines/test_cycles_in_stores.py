"""Runs that break a formula, found with stores that have no room for colours beside their states."""

import pytest

import kripke

# Whoever has the turn may keep it for ever; nobody has it again and again but the first.
TURNS = """
byte turn, seen;
active [2] proctype P() {
  do
  :: turn == _pid -> turn = (turn + 1) % 3
  :: turn == _pid -> seen = 1
  od
}
"""
STORES = ({"store": "tree"}, {"store": "collapse"}, {"store": "hashcompact"}, {"store": "bitstate", "store_size": "1M"})
# Searched by one depth-first search, and by a nested one.
FORMULAS = {
    "weak": "<> [] (turn == 0)",
    "strong": "[] <> (turn == 1)",
    "two sets": "[] <> (turn == 0) && [] <> (turn == 1)",
}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("cycles") / "turns.pml"
    path.write_text(TURNS)
    return kripke.load(path)


@pytest.mark.parametrize("por", [False, True])
@pytest.mark.parametrize("formula", FORMULAS.values(), ids=FORMULAS)
@pytest.mark.parametrize("store", STORES, ids=[store["store"] for store in STORES])
def test_a_lasso_is_found_and_replayed(model, store, formula, por):
    broken = model.check(ltl=formula, por=por, **store)
    assert (broken.verdict, broken.engine["search"]) == ("violated", "ndfs")
    assert broken.trace.loop_start is not None


@pytest.mark.parametrize("store", STORES, ids=[store["store"] for store in STORES])
def test_nothing_found_is_as_much_as_the_store_knows(model, store):
    full = model.check(ltl="[] <> (turn == 0 || turn > 0)", search="ndfs")
    result = model.check(ltl="[] <> (turn == 0 || turn > 0)", search="ndfs", **store)
    assert full.verdict == "holds"
    assert (result.states, result.transitions) == (full.states, full.transitions)
    if store["store"] in ("tree", "collapse"):
        assert (result.verdict, result.complete) == ("holds", True)
    else:
        assert (result.verdict, result.complete) == ("unknown", False)
        assert "less than one state" in result.reason
        assert 0 < result.engine["fill"] < 1 and result.engine["omitted"] < 0.5


def test_states_that_are_taken_for_others_hide_no_false_cycle(tmp_path):
    """A table of some thousand bits, and a counter that only goes up: no run comes back."""
    path = tmp_path / "up.pml"
    path.write_text("short n, m; active [2] proctype P() { do :: atomic { n < 300 -> n++ }; m = n * 7 od }")
    for size in ("1K", "2K", "4K"):
        result = kripke.load(path).check(ltl="<> [] (n == 300)", store="bitstate", store_size=size)
        assert result.verdict == "unknown"
        assert result.engine["omitted"] > 1


def test_runs_are_repeated_for_formulas_too(tmp_path):
    path = tmp_path / "up.pml"
    path.write_text("short n; active [2] proctype P() { do :: atomic { n < 300 -> n++ } od }")
    once = kripke.load(path).check(ltl="<> (n == 300)", store="bitstate", store_size="1K")
    more = kripke.load(path).check(ltl="<> (n == 300)", store="bitstate", store_size="1K", runs=3)
    assert "in each of 3 runs" in more.reason
    assert more.engine["omitted"] < once.engine["omitted"]


@pytest.mark.parametrize("store", STORES, ids=[store["store"] for store in STORES])
def test_a_formula_that_every_run_satisfies_leaves_nothing_to_lose(model, store):
    assert model.check(ltl="true", **store).verdict == "holds"


def test_alarms_are_looked_for_depth_first_where_the_store_keeps_no_states(model):
    result = model.check(ltl="[] (turn < 1)", store="bitstate", store_size="1M")
    assert (result.verdict, result.engine["search"]) == ("violated", "dfs")
