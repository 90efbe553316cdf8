"""The choices of the LF system's model checker, as they are here: caching, components, tables per process type."""

from __future__ import annotations

from pathlib import Path

import pytest

import kripke

EXAMPLES = Path(__file__).parents[3] / "examples" / "lf"


@pytest.mark.parametrize("rule", ["least", "first"])
@pytest.mark.parametrize(("name", "states", "size"), [("philosophers_ordered", 2_372, "96K"), ("sieve", 987, "48K")])
def test_state_caching_with_both_rules(name: str, states: int, size: str, rule: str) -> None:
    model = kripke.load(EXAMPLES / f"{name}.lf")
    cached = model.check(search="dfs", store="cache", store_size=size, replaces=rule)
    assert cached.verdict == "holds" and cached.engine["dropped"] > 0
    assert cached.states >= states + 100  # visits: what was dropped is searched again


def test_a_cache_finds_what_a_whole_store_finds() -> None:
    model = kripke.load(EXAMPLES / "lost_update.lf")
    for rule in ("least", "first"):
        found = model.check(search="dfs", store="cache", store_size="4K", replaces=rule)
        assert (found.verdict, found.kind) == ("violated", "assertion")


def test_which_state_makes_room_is_a_question_of_caches_only() -> None:
    with pytest.raises(kripke.Unsupported, match="--replaces belongs to --store cache"):
        kripke.load(EXAMPLES / "sieve.lf").check(replaces="first")


def test_collapse_has_a_table_for_every_process_type() -> None:
    result = kripke.load(EXAMPLES / "philosophers_ordered.lf").check(store="collapse")
    assert (result.verdict, result.states) == ("holds", 2_372)
    assert result.engine["components"] == {
        "globals": 2,
        "free slots": 0,
        "process OrderedPhilosophers": 2,
        "process Lay": 15,
        "process Philosopher": 27,
    }


TOGGLES = """MODULE Toggles; VAR p : BOOLEAN; n : INT8;
PROCESS A; BEGIN WHILE TRUE DO p := ~p; RESCHEDULE END END A;
PROCESS B; BEGIN WHILE TRUE DO n := (n + 1) MOD 3; RESCHEDULE END END B;
PROPERTY Never; BEGIN WHILE TRUE DO IF p THEN NOMOVE END; ACCEPT; RESCHEDULE END END Never;
BEGIN CREATE A; CREATE B END Toggles.
"""


@pytest.mark.parametrize("store", ["full", "tree", "collapse"])
def test_the_search_by_components_answers_properties(tmp_path: Path, store: str) -> None:
    file = tmp_path / "m.lf"
    file.write_text(TOGGLES)
    model = kripke.load(file)
    found = model.check(properties="Never", search="scc", store=store)
    assert (found.verdict, found.engine["search"]) == ("violated", "scc")  # B alone may run for ever
    assert found.trace is not None and found.trace.loop_start is not None
    assert model.check(properties="Never", search="scc", store=store, fair="weak").verdict == "holds"
    assert model.check(ltl="G F n = 0", search="scc", store=store, fair="weak").verdict == "holds"
