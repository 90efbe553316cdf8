"""Runs that break a formula, found with stores that have no room for colours beside their states."""

import pytest

import kripke
from kripke.engines.plan import Unsupported

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
STORES = (
    {"store": "tree"},
    {"store": "collapse"},
    {"store": "numbers"},
    {"store": "hashcompact"},
    {"store": "bitstate", "store_size": "1M"},
)
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


@pytest.mark.parametrize("por", [False, True])
@pytest.mark.parametrize("formula", FORMULAS.values(), ids=FORMULAS)
@pytest.mark.parametrize("store", ["tree", "collapse", "numbers"])
def test_components_in_a_store_beside_their_places(model, store, formula, por):
    full = model.check(ltl=formula, search="scc", por=por)
    result = model.check(ltl=formula, search="scc", por=por, store=store)
    assert (result.verdict, result.engine["search"], result.engine["store"]) == ("violated", "scc", store)
    # The same states are visited in the same order, so it is the same lasso, too.
    assert (result.transitions, result.depth) == (full.transitions, full.depth)
    assert result.trace.loop_start is not None
    assert [step.state for step in result.trace.steps] == [step.state for step in full.trace.steps]


# A third one can go only while the first has nothing, which is so again and again if that one moves.
SHARED = """
byte a, b, done;
active proctype A() { do :: a = 1 - a od }
active proctype B() { do :: b = (b + 1) % 3 od }
active proctype C() { do :: atomic { a == 0 -> done = 1 - done } od }
"""


@pytest.mark.parametrize(
    ("formula", "fair", "verdict"),
    [
        ("[] <> (b == 0)", None, "violated"),
        ("[] <> (b == 0)", "weak", "holds"),
        ("[] <> (done == 1)", "weak", "violated"),
        ("[] <> (done == 1)", "strong", "holds"),
        ("[] <> (done == 1)", "weak-edges", "violated"),
        ("[] <> (done == 1)", "strong-edges", "holds"),
        ("[] <> (b == 0) && [] <> (a == 0)", "weak", "holds"),
        ("[] (b < 3 || <> (a == 2))", None, "holds"),
    ],
)
@pytest.mark.parametrize("store", ["tree", "collapse", "numbers"])
def test_fair_components_in_a_store_beside_their_places(tmp_path, store, formula, fair, verdict):
    path = tmp_path / "shared.pml"
    path.write_text(SHARED)
    full, result = (kripke.load(path).check(ltl=formula, search="scc", fair=fair, store=s) for s in (None, store))
    assert (result.verdict, full.verdict) == (verdict, verdict)
    assert (result.transitions, result.depth) == (full.transitions, full.depth)
    if verdict == "holds":
        assert result.states == full.states
    else:
        assert [step.state for step in result.trace.steps] == [step.state for step in full.trace.steps]
        assert result.trace.loop_start == full.trace.loop_start


def test_fairness_to_events_with_another_store(tmp_path):
    path = tmp_path / "events.pml"
    path.write_text("""
        byte a, x;
        active proctype P() { do :: a = 1 - a od }
        active proctype Q() { sf_go: a == 1; wf_set: x = 1 }
    """)
    for store in (None, "tree", "collapse", "numbers"):
        model = kripke.load(path)
        assert model.check(ltl="<> (x == 1)", store=store).verdict == "violated"
        assert model.check(ltl="<> (x == 1)", fair="events", store=store).verdict == "holds"


def test_several_acceptance_sets_are_searched_by_components_where_the_store_loses_nothing(model):
    formula = "<> [] (turn != 0) || <> [] (turn != 1)"
    full = model.check(ltl=formula)
    assert full.engine["search"] == "scc"
    for store in ("tree", "collapse", "numbers"):
        result = model.check(ltl=formula, store=store)
        assert (result.engine["search"], result.verdict) == ("scc", full.verdict)
        assert (result.transitions, result.engine["observer_states"]) == (
            full.transitions,
            full.engine["observer_states"],
        )
    assert model.check(ltl=formula, store="hashcompact").engine["search"] == "ndfs"


@pytest.mark.parametrize("store", ["hashcompact", "bitstate"])
def test_a_store_that_takes_states_for_others_is_refused_for_components(model, store):
    with pytest.raises(Unsupported, match=r"--search scc with --store .* components are joined that are none"):
        model.check(ltl="[] <> (turn == 0)", search="scc", store=store)


@pytest.mark.parametrize("store", STORES, ids=[store["store"] for store in STORES])
def test_nothing_found_is_as_much_as_the_store_knows(model, store):
    full = model.check(ltl="[] <> (turn == 0 || turn > 0)", search="ndfs")
    result = model.check(ltl="[] <> (turn == 0 || turn > 0)", search="ndfs", **store)
    assert full.verdict == "holds"
    assert (result.states, result.transitions) == (full.states, full.transitions)
    if store["store"] in ("tree", "collapse", "numbers"):
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
