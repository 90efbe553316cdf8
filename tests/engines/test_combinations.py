"""Every combination of search, store, reduction, threads, property and depth limit works, or is refused in words."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

import kripke
from kripke.engines.combinations import SORTS, WAYS, Combination
from kripke.engines.explicit.stores import STORES
from kripke.engines.plan import Unsupported
from kripke.engines.refusals import table
from kripke.engines.registry import engines, refusal, searches

MODEL = """
byte turn, count;
active [2] proctype A() { do :: turn == 0 -> count = (count + 1) % 5; turn = 1 od }
active proctype B() { do :: turn == 1 -> turn = 0 od }
"""
SEARCHES = searches()
WITHOUT_STATES = [search.name for engine in engines() if not engine.visits_states for search in engine.searches]
# A property of each sort, that holds.
ASKED = {"safety": {}, "alarms": {"ltl": "[] (turn < 2)"}, "cycles": {"ltl": "[] <> (turn == 0)"}}
NET = """
place a (0..1) unsigned (0..3): 0;
trans t in { place a: x; } out { place a: +x; };
"""
ASKED_OF_NET = {
    "safety": {},
    "alarms": {"ltl": "[] cardinality place a == 1"},
    "cycles": {"ltl": "[] <> 0 subset place a"},
}
COMBINATIONS = [
    Combination(search, store, por, threads, sort, bounded or way == "deepening", symmetry, way, checkpoint)
    for search, store, por, threads, sort, bounded, symmetry, way, checkpoint in product(
        SEARCHES, STORES, (False, True), (1, 2), SORTS, (False, True), (False, True), WAYS, (False, True)
    )
    # Of these, what one other choice makes of them; the rest is refused for one of the two alone.
    if not (checkpoint or search in ("sweep", *WITHOUT_STATES) or store in ("collapse", "numbers"))
    or [bounded, symmetry, por, threads > 1, sort != "safety", way != "once"].count(True) < 2
]
ASKED_WAY = {
    "once": {},
    "deepening": {"deepen": 7},
    "switches": {"max_switches": 250},
    "swarm": {"swarm": 2, "store_size": "1M"},
}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("combinations") / "turns.pml"
    path.write_text(MODEL)
    return kripke.load(path)


@pytest.fixture(scope="module")
def net(tmp_path_factory):
    path = tmp_path_factory.mktemp("combinations") / "ring.pn"
    path.write_text(NET)
    return kripke.load(path)


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("search", [search for search in WITHOUT_STATES if search != "hierarchic"])
def test_searches_for_nets(net, search, sort, tmp_path):
    done = 0
    for asked in COMBINATIONS:
        if (asked.search, asked.sort) != (search, sort) or (asked.bounded and asked.way == "deepening"):
            continue
        options = {"max_depth": 1000} if asked.bounded else {}
        options |= ASKED_WAY[asked.way] | ({"checkpoint": str(tmp_path / "point")} if asked.checkpoint else {})
        options |= {"symmetry": "canonical" if asked.symmetry else "off", "store": asked.store, "por": asked.por}
        options |= {"threads": asked.threads, "search": search} | ASKED_OF_NET[sort]
        if (reason := refusal(asked)) is not None:
            with pytest.raises(Unsupported) as refused:
                net.check(**options)
            assert asked.way == "swarm" or str(refused.value).endswith((reason, refusal(replace(asked, sort="safety"))))
            continue
        assert net.check(**options).verdict == "holds"
        done += 1
    assert done == 1


@pytest.mark.parametrize("sort", SORTS)
def test_the_whole_matrix(model, sort, tmp_path):
    states = {}
    for asked in COMBINATIONS:
        if asked.search in WITHOUT_STATES:
            continue  # above
        if asked.sort != sort or (asked.por and sort != "safety" and asked.threads > 1):
            continue
        if (
            sort != "safety"
            and asked.way != "once"
            and (asked.por or asked.symmetry or asked.threads > 1 or asked.store != "full")
        ):
            continue  # refused, for the way alone
        options = {"max_depth": 1000} if asked.bounded and asked.way != "deepening" else {}
        options |= ASKED_WAY[asked.way] | ({"walks": 3} if asked.search == "walk" else {})
        options |= {"progress": "count"} if asked.search == "sweep" else {}
        options["symmetry"] = "canonical" if asked.symmetry else "off"
        options |= {"checkpoint": str(tmp_path / "point")} if asked.checkpoint else {}
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
        if asked.search == "sweep":
            assert (result.verdict, result.complete) == ("holds", True)
            continue  # it counts visits
        if asked.search == "walk":
            assert (result.verdict, result.complete) == ("unknown", False)
            continue
        if asked.way == "switches":
            assert (result.verdict, "at most 250 preemptions" in result.reason) == ("unknown", True)
            continue
        exact = asked.store not in ("hashcompact", "bitstate")
        assert result.verdict == ("holds" if exact else "unknown"), asked
        assert result.complete == exact
        assert any(word in result.reason for word in ("is not exact", "of the swarm")) == (not exact)
        assert result.engine["store"] == asked.store
        if asked.por and asked.threads > 1:
            continue  # how many states are left depends on who comes first
        reduction = asked.por and asked.search, asked.symmetry
        key = "ndfs" if asked.search in ("ndfs", "scc") else "safety", reduction
        assert states.setdefault(key, result.states) == result.states, asked


def test_a_reason_names_the_way_out():
    for asked in COMBINATIONS:
        reason = refusal(asked)
        assert reason is None or any(word in reason for word in ("choose", "leave", "there for")), asked


@pytest.mark.parametrize(
    ("options", "way_out"),
    [
        ({"search": "walk", "swarm": 2}, "leave out --search walk"),
        ({"search": "sweep", "progress": "count", "swarm": 2}, "choose another search"),
        ({"search": "sweep", "progress": "count", "deepen": 2}, "choose another search"),
        ({"por": True, "checkpoint": "point"}, "leave out --por"),
        ({"store": "bitstate", "checkpoint": "point"}, "choose --store full, tree, collapse or numbers"),
        ({"store": "cache", "checkpoint": "point"}, "choose --store full, tree, collapse or numbers"),
        ({"por": True, "store": "disk"}, "leave out --por"),
    ],
)
def test_who_follows_the_advice_is_not_refused_again(model, options, way_out, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Unsupported, match=f"{way_out}$"):
        model.check(**options)


def test_a_property_is_refused_before_another_is_searched(tmp_path, monkeypatch):
    """An hour of search for deadlocks would be lost."""
    path = tmp_path / "turns.pml"
    path.write_text(MODEL + "ltl again { [] <> (turn == 0) }")
    monkeypatch.setattr("kripke.engines.explicit.engine.check_safety", lambda *_, **__: pytest.fail("searched"))
    with pytest.raises(Unsupported, match=r"^again: --store tree with --threads 2: .* --property safety alone$"):
        kripke.load(path).check(store="tree", threads=2)


def test_the_manual_has_the_table():
    manual = Path(__file__).parents[2] / "docs" / "engines" / "stores.md"
    assert table() in manual.read_text(encoding="utf-8")
