"""High-level nets by the searches for place/transition nets: what they find is what visiting every marking finds."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.high_level_nets import process_text, random_text
from tests.support.maria_corpus import ROWS, Row, loaded, needed

pytest.importorskip("kripke._native")
import kripke
from kripke.checker.check import check_properties
from kripke.cli.main import main
from kripke.engines.explicit.exploration import explore
from kripke.engines.nets.symbolic.sets import Markings, OutOfBudget
from kripke.engines.plan import SearchPlan, Unsupported
from kripke.engines.registry import searches
from kripke.model.source import ModelError
from kripke.nets.high_level.model import HighLevelModel
from kripke.nets.high_level.place_conditions import PlaceConditions, Untranslatable
from kripke.nets.high_level.unfolded_view import UnfoldedView
from kripke.nets.high_level.unfolding import NotExpressible, unfold
from kripke.nets.predicates import holds
from tests.support.seeds import sample

NET_SEARCHES = ("prefix", "symbolic")

Read = Callable[..., HighLevelModel]
MOST = 300

PHILOSOPHERS = """
typedef unsigned (1..3) seat;
typedef enum { thinking, hungry, eating } mood;
place fork (0..#seat) seat: seat s: s;
place at (#seat) struct { seat s; mood m; }: seat s: { s, thinking };
trans left in { place at: { s, thinking }; place fork: s; } out { place at: { s, hungry }; };
trans right in { place at: { s, hungry }; place fork: +s; } out { place at: { s, eating }; };
trans done in { place at: { s, eating }; } out { place at: { s, thinking }; place fork: s, +s; };
deadlock true;
"""
ADDING = """
typedef unsigned (0..3) num;
place a num: 1;
place b num: 2;
place c num: empty;
trans go in { place a: x; } out { place c: +x; };
trans add in { place b: x; place c: y; } out { place a: is num (is unsigned x + is unsigned y); };
"""


def written(folder: Path, text: str) -> kripke.LoadedModel:
    file = folder / "net.pn"
    file.write_text(text)
    return kripke.load(file)


#: they take a while to unfold
SLOW_TO_UNFOLD = ("order", "queens", "swn", "swn-m")
COMPARED = [row for row in ROWS if row.tested and not row.modular and row.name not in SLOW_TO_UNFOLD]


@needed
@pytest.mark.parametrize("row", COMPARED, ids=str)
def test_sets_have_as_many_markings_and_steps_as_maria_visits(tmp_path: Path, row: Row) -> None:
    model = loaded(tmp_path, row.name, row.edits, row.flags)
    assert isinstance(model.model, HighLevelModel)
    if row.flags == "PRIORITY":
        with pytest.raises(Unsupported, match="priorities cannot be expressed"):
            model.check(search="symbolic")
    else:
        result = model.check(search="symbolic", all_errors=True)
        assert (result.states, result.transitions) == (row.states, row.arcs)


@needed
def test_a_search_that_finds_the_same_again_for_lack_of_memory_ends(tmp_path: Path) -> None:
    """There is room for all nodes, but not for what was found about them."""
    model = loaded(tmp_path, "resource", {}, "").model
    assert isinstance(model, HighLevelModel)
    markings = Markings(UnfoldedView(model, lambda: None, "as places").net, 2 << 20)
    with pytest.raises(OutOfBudget) as stopped:
        _ = markings.reachable
    assert stopped.value.reason == "memory"


def test_an_answer_without_memory_to_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Tokens that change independently: many markings, few parts of them, large numbers."""
    written(tmp_path, "typedef unsigned (1..300) n; place p n: n x: x; place q n; trans t in { p: x; } out { q: x; };")
    assert main(["check", str(tmp_path / "net.pn"), "--search", "symbolic", "--memory", "150KB"]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("holds: no run-time error in states that were not counted\n")
    assert "not all markings and steps were counted: the memory limit was reached" in shown.err


def test_two_errors_of_one_marking(tmp_path: Path) -> None:
    """Each is shown as what it is."""
    text = """place p bool: true; place q (0..1) bool: true; place r bool;
    trans fails in { p: x; } gate fatal out { r: x; }; trans puts in { p: x; } out { q: x; };"""
    found = written(tmp_path, text).check(search="symbolic", all_errors=True).findings
    assert {finding.kind for finding in found} == {"fatal", "capacity"}


def test_a_way_does_not_lead_through_a_rejected_marking(tmp_path: Path) -> None:
    """The one that the unfolded net has is shorter."""
    text = """typedef unsigned (0..3) n; place p n: 0; trans up in { p: x; } gate x < 3 out { p: +x; };
    trans jump in { p: x; } gate x == 0 out { p: 2; }; reject 2 subset place p; trans back in { p: x; } gate x == 1
    out { q: 0; }; place q n: empty; trans slowly in { q: x; } gate x < 3 out { q: +x; };
    trans over in { q: x; } gate x == 3 out { p: x; }; deadlock true; prop low: !(3 subset place p);"""
    found = written(tmp_path, text).check(search="symbolic", all_errors=True, invariants=["low"]).findings
    assert {finding.kind: len(finding.trace.steps) for finding in found if finding.trace} == {
        "reject": 2,
        "deadlock": 6,
        "invariant": 6,
    }


def random_models(
    read: Read, seeds: range, text: Callable[[int], str] = random_text
) -> list[tuple[int, HighLevelModel]]:
    """Those that are small enough to be visited."""
    found = []
    for seed in seeds:
        try:
            model = read(text(seed))
            if explore(model, MOST).complete:
                found.append((seed, model))
        except ModelError:
            continue
    return found


@pytest.mark.parametrize(
    ("text", "first"), [*((random_text, first) for first in sample(range(2000, 2060, 20))), (process_text, 50)]
)
def test_random_nets_break_what_visiting_finds(read: Read, text: Callable[[int], str], first: int) -> None:
    checked = 0
    for seed, model in random_models(read, sample(range(first, first + 20)), text):
        for invariants in [(), *((atom,) for atom in model.atoms)]:
            flat = check_properties(
                model, SearchPlan(engine="interpreter", all_errors=True, clarify=False, invariants=invariants)
            )
            for search in NET_SEARCHES:
                options = SearchPlan(search=search, all_errors=True, clarify=False, invariants=invariants, time_limit=1)
                try:
                    found = check_properties(model, options)
                except Unsupported:
                    continue
                if found.verdict == "unknown":
                    assert "limit was reached" in found.reason
                    continue
                checked += 1
                assert found.verdict == flat.verdict, (seed, search, invariants)
                assert all(finding.trace is not None for finding in found.findings)
                if search == "symbolic":
                    # Sets of markings do not tell a condition that is false from one that cannot be evaluated.
                    kinds = {finding.kind.replace("evaluation", "invariant") for finding in flat.findings}
                    assert {finding.kind for finding in found.findings} == kinds, (seed, invariants)
                    assert found.states == flat.states, seed
                    assert kinds or found.transitions == flat.transitions - 1  # which counts the initial marking
    assert checked > 3


@pytest.mark.parametrize("seed", sample(range(3000, 3060)))
def test_conditions_on_places_are_those_on_markings(read: Read, seed: int) -> None:
    """Where a condition is true, false, fatal, or cannot be evaluated at all."""
    for _, model in random_models(read, range(seed, seed + 1)):
        try:
            unfolding = unfold(model.net)
        except NotExpressible:
            continue
        conditions = PlaceConditions(model.net, unfolding)
        for number, condition in enumerate(model.conditions):
            try:
                truth = conditions.truth(condition.term)
            except Untranslatable:
                continue
            for state in explore(model, MOST).states:
                marking = model.interpreter.marking(state)
                tokens = [marking[place].get(value, 0) for place, value in unfolding.tokens]
                assert holds(truth.counts_as_true, unfolding.net, tokens) == model.atom_values(state)[number]
                failed = bool(model.failed_atoms(state) >> number & 1)
                assert holds(truth.fails, unfolding.net, tokens) == failed


CONDITIONS = (
    "cardinality place p > 2",
    "cardinality place p == cardinality place q + 1",
    "cardinality place p - 2 < 2",
    "2 * cardinality place q <= cardinality place p",
    "max place p == 2",
    "2 < max place p",
    "min place p == 1",
    "min place q < 2",
    "place p subset place q",
    "(place q minus place p) equals empty",
    "(place q intersect place p) equals 2",
    "(1, 2#2) subset (place p union place q)",
    "cardinality (subset x { place p } (x > 1)) == 1",
    "cardinality (subset x { place p } (4 / x > 1)) == 1",
    "(map x { place p } (is num (3 - is unsigned x))) equals place q",
    "(map x { place p } (is num (is unsigned x + 1))) subset place q",
    "((place q equals empty)#2) subset place p",
    "(cardinality place p == 2 ? place p : place q) equals (1, 2)",
    "cardinality (subset x { place p } (x > 1 && fatal)) == 1",
    "place p equals empty || cardinality (subset x { place p } (undefined)) > 0",
)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_sorts_of_conditions(read: Read, condition: str) -> None:
    model = read(
        """typedef unsigned (0..3) num;
        place p (0..3) num: 1, 2, 2; place q (0..3) num: empty;
        trans over in { place p: x; } out { place q: x; };
        trans back in { place q: x; } gate x < 3 out { place p: +x; };
        trans away in { place q: x; };""",
        invariants=(condition,),
    )
    unfolding = unfold(model.net)
    truth = PlaceConditions(model.net, unfolding).truth(model.conditions[0].term)
    space = explore(model, 1000)
    assert space.complete
    seen = set()
    for state in space.states:
        marking = model.interpreter.marking(state)
        tokens = [marking[place].get(value, 0) for place, value in unfolding.tokens]
        value, failed = model.atom_values(state)[0], bool(model.failed_atoms(state))
        assert holds(truth.counts_as_true, unfolding.net, tokens) == value
        assert holds(truth.fails, unfolding.net, tokens) == failed
        seen.add((value, failed))
    assert len(seen) > 1 or "min" in condition


@pytest.mark.parametrize("search", NET_SEARCHES)
def test_a_deadlock_with_transitions_and_bindings(tmp_path: Path, search: str) -> None:
    result = written(tmp_path, PHILOSOPHERS).check(search=search)
    assert (result.verdict, result.kind) == ("violated", "deadlock")
    assert result.trace is not None
    model = result.trace.model
    texts = [model.explain_part(step.parts[0]) for step in result.trace.steps]
    assert sorted(texts) == ["left (s = 1)", "left (s = 2)", "left (s = 3)"]
    assert result.states == (14 if search == "symbolic" else result.states)


QUESTIONS = (
    ("[] ({1, hungry} subset place at => <> {1, eating} subset place at)", False),
    ("<> cardinality place fork < 3", True),
    ("[] cardinality place fork <= 3", True),
    ("[] <> cardinality place fork == 3", False),
    ("() cardinality place fork == 2", True),
)


@pytest.mark.parametrize(("formula", "answer"), QUESTIONS)
def test_formulas_of_linear_time(tmp_path: Path, formula: str, answer: bool) -> None:
    model = written(tmp_path, PHILOSOPHERS)
    assert (model.check(ltl=formula).verdict == "holds") == answer
    assert (model.check(ltl=formula, search="symbolic").verdict == "holds") == answer
    if "()" in formula:
        with pytest.raises(Unsupported, match="counts steps"):
            model.check(ltl=formula, search="prefix")
        return
    result = model.check(ltl=formula, search="prefix")
    if answer or result.verdict == "unknown":  # a run that ends is not seen by an unfolding
        assert "a run that ends is not seen" in result.reason
    else:
        assert result.verdict == "violated"
        assert result.trace is not None
        assert result.trace.loop_start is not None


def test_formulas_of_branching_time_about_propositions(tmp_path: Path) -> None:
    model = written(tmp_path, f"{PHILOSOPHERS} prop all_back: cardinality place fork == 3;")
    for formula in ("EF all_back", "AG EF all_back", "E [all_back U !all_back]"):
        assert model.check(ctl=formula, search="symbolic").verdict == model.check(ctl=formula).verdict


@pytest.mark.parametrize("search", NET_SEARCHES)
def test_a_step_that_cannot_be_evaluated_is_an_error(tmp_path: Path, search: str) -> None:
    """2 + 2 is no value of the type."""
    model = written(tmp_path, ADDING)
    result = model.check(search=search)
    assert (result.verdict, result.kind) == ("violated", "constraint")
    assert result.reason == model.check().reason
    assert result.trace is not None
    assert [result.trace.model.explain_part(step.parts[0]) for step in result.trace.steps] == [
        "go (x = 1)",
        "add (x = 2, y = 2)",
    ]
    asked = model.check(search=search, ltl="<> 2 subset place c")
    assert asked.verdict == "unknown"
    assert "a value outside its type: add" in asked.reason


@pytest.mark.parametrize("search", NET_SEARCHES)
@pytest.mark.parametrize(
    ("text", "kind", "states"),
    [
        (
            "place p (0..2) bool: empty; place q bool: true, false; trans t in { q: x; } out { p: x; }; deadlock true;",
            "",
            4,
        ),
        (
            "place p (0..1) bool: true; place q bool: false; trans t in { q: x; } out { p: x; }; deadlock true;",
            "capacity",
            1,
        ),
        ("place p (1..2) bool: true, false; trans t in { p: x; };", "capacity", 3),
        ("place p (0, 2) bool: true, false; trans t in { p: x; };", "capacity", 1),
        ("place p bool: true, false; trans t in { p: x; }; reject cardinality place p == 1;", "reject", 3),
        ("place p bool: true, false; place c bool: place p; trans t in { p: true; c: true; };", "", 2),
        ("place p bool: true, false; place c bool: place p; trans t in { p: true; };", "implicit", 1),
    ],
)
def test_rules_that_an_unfolded_net_does_not_know(
    tmp_path: Path, search: str, text: str, kind: str, states: int
) -> None:
    model = written(tmp_path, text)
    flat, found = model.check(all_errors=True), model.check(search=search, all_errors=True)
    expected = kind or ("deadlock" if "deadlock" in text else "")
    assert ((flat.kind, found.kind) == (expected, expected)) if expected else (found.verdict == flat.verdict == "holds")
    if search == "symbolic":
        assert found.states == flat.states == states
    if expected:
        assert found.trace is not None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "place p bool: true; trans t! in { p: x; };",
            "--search symbolic: priorities cannot be expressed in a place/transition net: choose another search",
        ),
        (
            "place p bool: true; trans t in { p: x; }; reject cardinality (map n#x { place p } (n#x)) == 1;",
            "cannot be asked of the unfolded net, it has a map with numbers of something that depends on the marking",
        ),
    ],
)
def test_what_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, problem: str) -> None:
    file = tmp_path / "net.pn"
    file.write_text(text)
    assert main(["check", str(file), "--search", "symbolic"]) == 2
    assert problem in capsys.readouterr().err


def test_fair_runs_and_joined_steps_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "net.pn"
    file.write_text("place p bool: true; trans t in { p: x; } out { p: !x; } strongly_fair x;")
    with pytest.raises(Unsupported, match="fair to the fairness sets"):
        kripke.load(file).check(search="symbolic", ltl="[] <> true subset place p")
    with pytest.raises(Unsupported, match="which --compress joins"):
        kripke.load(file, compress=["paths"]).check(search="prefix")


# Numbers without a bound: far more tokens than a second, or ten megabytes, are enough for.
ENDLESS = "place p unsigned: 1; trans t in { p: x; } out { p: x + x; p: x + x + 1; };"


@pytest.mark.parametrize(("limit", "option"), [("time", "--time-limit=3"), ("memory", "--memory=10M")])
def test_unfolding_keeps_to_the_limits(tmp_path: Path, limit: str, option: str) -> None:
    """In a process of its own: one that has run for long has memory to spare, and would not grow."""
    (tmp_path / "net.pn").write_text(ENDLESS)
    command = [sys.executable, "-m", "kripke", "check", str(tmp_path / "net.pn"), "--search=symbolic", option, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    result = json.loads(done.stdout)
    assert (result["verdict"], result["reason"]) == (
        "unknown",
        f"the {limit} limit was reached while the net was unfolded",
    )


def test_all_searches_for_nets_are_searches() -> None:
    assert set(NET_SEARCHES) <= set(searches())
