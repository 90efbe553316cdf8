"""Partial-order reduction of high-level nets: what is found without it is found with it, by both engines alike."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("kripke._native")
import kripke
from kripke.nets.high_level.classes import Units
from kripke.nets.high_level.limits import rivals
from kripke.nets.high_level.model import HighLevelModel
from tests import soak_reduction
from tests.support.high_level_nets import process_text, random_text
from tests.support.maria_corpus import ROWS, Edits, Row, edited, loaded, needed
from tests.support.seeds import sample

Read = Callable[..., HighLevelModel]
EXAMPLES = Path(__file__).parents[3] / "examples" / "maria"


@pytest.mark.parametrize(
    ("text", "seeds", "reduced"), [(process_text, range(1, 9), 1), (random_text, sample(range(500, 508)), 0)]
)
def test_random_nets_have_the_same_answers(
    tmp_path: Path, text: Callable[[int], str], seeds: range, reduced: int
) -> None:
    words = [soak_reduction.compare_high_level_net(text(seed), random.Random(seed), tmp_path) for seed in seeds]
    assert sum("reduced" in word for word in words) >= reduced


# --- counts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("nodes", "full", "reduced"), [(3, 69, 63), (4, 240, 182), (5, 870, 524), (6, 3_213, 1_511), (7, 11_949, 4_352)]
)
def test_leader_election(tmp_path: Path, nodes: int, full: int, reduced: int) -> None:
    text = (EXAMPLES / "leader_election.pn").read_text()
    file = tmp_path / "election.pn"
    file.write_text(re.sub(r"nodes = \d", f"nodes = {nodes}", text))
    model = kripke.load(file)
    assert (model.check().states, model.check(por=True).states) == (full, reduced)
    if nodes <= 5:
        result = model.check(por=True, engine="interpreter")
        assert (result.verdict, result.states, result.warnings) == ("holds", reduced, ())


@needed
@pytest.mark.parametrize(
    ("name", "edits", "reduced"),
    [
        ("dbm", {r"id\[10\]": "id[4]"}, 29),
        ("dbm", {}, 191),
        ("dining", {r"1\.\.3": "1..5"}, 42),
        ("dining", {r"1\.\.3": "1..10"}, 182),
        ("mutex", {r"\(1\.\.2\)": "(1..10)"}, 30),
        ("modular", {}, 144),
    ],
)
def test_counts_of_the_examples_of_maria(tmp_path: Path, name: str, edits: Edits, reduced: int) -> None:
    model = kripke.load(edited(tmp_path, name, edits))
    assert model.check(por=True, search="dfs", all_errors=True).states == reduced
    assert model.check(por=True, search="dfs", all_errors=True, engine="interpreter").states == reduced


@needed
@pytest.mark.parametrize(
    "row", [row for row in ROWS if row.states <= 5_000 and row.arcs not in (724, 2680) and not row.modular], ids=str
)
def test_examples_of_maria_have_the_same_answers(tmp_path: Path, row: Row) -> None:
    model = loaded(tmp_path, row.name, row.edits, row.flags)
    for search in ("dfs", "bfs"):
        result = model.check(por=True, search=search, all_errors=True)
        assert result.verdict == ("violated" if row.name == "dining" else "holds")
        assert result.states <= row.states
        assert (row.flags == "PRIORITY") == any("priorities" in warning for warning in result.warnings)


@needed
def test_formulas_about_the_examples_of_maria(tmp_path: Path) -> None:
    model = kripke.load(edited(tmp_path, "mutex", {r"\(1\.\.2\)": "(1..5)", "strongly_fair": "enabled"}))
    for formula, holds in (
        ("[] cardinality place critical <= 1", True),
        ("[]<>(>pid_t subset place quiet)", False),
    ):
        full, reduced = model.check(ltl=formula), model.check(ltl=formula, por=True)
        assert (full.verdict == "holds", reduced.verdict == "holds") == (holds, holds)
        assert reduced.states <= full.states
        assert reduced.engine["por"]


# --- what depends on what ---------------------------------------------------------------------------------------------


def units_of(model: HighLevelModel) -> Units:
    assert isinstance(model.units, Units)
    return model.units


def kinds_with_reduction(model: HighLevelModel, tmp_path: Path) -> set[str]:
    result = kripke.load(tmp_path / "net.pn").check(por=True, all_errors=True, search="dfs")
    return {finding.kind for finding in result.findings}


def test_a_capacity_that_the_order_of_steps_decides_about(read: Read, tmp_path: Path) -> None:
    """Taking first leaves room: only putting first breaks the capacity."""
    model = read(
        "place a bool: true; place p (0..1) bool: true; trans put in { a: x; } out { p: x; }; trans take in { p: x; };"
    )
    assert rivals(units_of(model)) == [{0, 1}]
    assert kinds_with_reduction(model, tmp_path) == {"capacity"}


def test_a_place_that_must_not_be_empty(read: Read, tmp_path: Path) -> None:
    """Putting first leaves one: only taking twice before breaks the capacity."""
    model = read(
        """place a bool: true; place p (1..9) bool: 2#true; place c bool: 2#true;
        trans put in { a: x; } out { p: x; }; trans take in { p: x; c: y; };"""
    )
    assert kinds_with_reduction(model, tmp_path) == {"capacity"}


def test_a_constant_place_that_a_step_changes(read: Read, tmp_path: Path) -> None:
    """Though nothing else can go wrong, one step may not go on for ever instead of it."""
    model = read(
        """place r bool: true; place a bool; place b bool: true; place c bool const: true;
        trans spin in { r: x; } out { r: x; }; trans go in { b: x; } out { a: x; };
        trans wrong in { a: x; c: y; } out { c: !y; };"""
    )
    assert kinds_with_reduction(model, tmp_path) == {"constant"}


def test_a_rejected_marking_on_one_of_two_ways(read: Read, tmp_path: Path) -> None:
    model = read(
        """place a bool: true; place p bool: true; place c bool: true; trans take in { p: x; c: y; };
        trans put in { a: x; } out { p: x; }; reject cardinality place p > 1;"""
    )
    assert kinds_with_reduction(model, tmp_path) == {"reject"}


def test_a_capacity_that_is_always_kept(read: Read) -> None:
    """The state equation shows that a fork is there or in use."""
    units = units_of(read((EXAMPLES / "philosophers.pn").read_text()))
    assert rivals(units) == []
    assert all(sorting.exact for sorting in units.sortings)


def test_an_implicit_place_that_a_step_does_not_keep(read: Read, tmp_path: Path) -> None:
    model = read(
        """typedef unsigned (0..2) n; place p n: 0; place q n: 1; place all n: (n x: x) minus (place p union place q);
        trans move in { p: x; all: y; } out { p: y; all: x; };
        trans lose in { q: x; };"""
    )
    (together,) = rivals(units_of(model))
    assert {units_of(model).units[number].transition for number in together} == {0, 1}
    assert "implicit" in kinds_with_reduction(model, tmp_path)


def test_an_error_of_one_instance_is_not_lost(read: Read, tmp_path: Path) -> None:
    """Another step takes the token whose evaluation fails."""
    model = read(
        """typedef unsigned (0..3) n; place p n: 3; place a n: 1, 2; place b n: 3;
        trans fails in { p: x; a: y; } gate x == 3, is n (x + y) >= 0 out { a: y; };
        trans away in { p: x; b: y; } out { b: y; };"""
    )
    assert kinds_with_reduction(model, tmp_path) == {"constraint"}


#: The tokens of p are too many to be told apart: of v nothing is known.
UNTOLD = """
typedef unsigned (0..999) big; typedef unsigned (0..3) small; typedef unsigned (0..7) middle;
typedef struct { bool w; small v; } pair;
place p struct { bool w; big v; }: { true, 0 }; place a (0..1) bool: true; place b (0..1) bool; place s small: 3;
"""
COUNTING = "trans count in { p: { w, v }; } gate v < 700 out { p: { w, +v }; };"
#: can go on for ever beside the others
SPINNING = "place r bool: true; trans spin in { r: x; } out { r: x; };"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"{SPINNING} {COUNTING} trans f in {{ p: {{ w, v }}; }} out {{ b: (is small v == 1)#w; }};", "constraint"),
        (
            f"{SPINNING} {COUNTING} "
            "trans f in { p: { w, v }; } gate is pair { w, is small v } == is pair { false, 1 } out { b: w; };",
            "constraint",
        ),
        (
            f"{SPINNING} {COUNTING} trans f in {{ p: {{ w, v }}; }} gate is small v < 3 ? false : false;",
            "constraint",
        ),
        (
            f"trans take in {{ d: x; }}; {COUNTING} {COUNTING.replace('count', 'again')} "
            "place c bool: 2#true; place d (0..2) bool: true; "
            "trans f in { p: { w, v }; a: x; c: y; } gate v == 3 "
            "out { p: { w, v }; a: (+(is small v) == 0)#x; d: (!(+(is middle v) == 0))#x; };",
            "capacity",
        ),
        (
            f"{COUNTING} place r bool: true; trans bring in {{ r: x; }} out {{ e: {{ x, 1 }}; }}; "
            "trans other in { r: x; }; place e pair; place c bool; trans wrong in { c: x; } gate fatal; "
            "trans f in { p: { w, v }; s: x; s: v#(is small (x + 1)); e: { y, z }; } out { c: y; };",
            "fatal",
        ),
    ],
    ids=("number of tokens", "gate on a part", "gate with one value", "conditions of two types", "no tokens at all"),
)
def test_an_error_that_depends_on_what_is_not_known(read: Read, tmp_path: Path, text: str, kind: str) -> None:
    model = read(UNTOLD + text)
    assert not units_of(model).sortings[0].exact
    found = kripke.load(tmp_path / "net.pn").check(all_errors=True).findings
    assert kind in {finding.kind for finding in found}
    assert kind in kinds_with_reduction(model, tmp_path)


def test_a_step_that_brings_another_token_of_a_sort(read: Read, tmp_path: Path) -> None:
    """Only with the token that comes later the one step that there is to take is wrong."""
    model = read(
        f"""{UNTOLD} {COUNTING} place e pair: {{ true, 0 }}; place r bool: true;
        trans bring in {{ r: x; }} out {{ e: {{ x, 1 }}; }}; trans other in {{ r: x; }};
        trans once in {{ e: {{ w, v }}; a: x; }} out {{ s: is small (v + 3); }};"""
    )
    assert not units_of(model).sortings[4].exact
    assert kinds_with_reduction(model, tmp_path) == {"constraint"}


def test_a_token_that_cannot_be_compared(read: Read, tmp_path: Path) -> None:
    """It is an error to ask whether the token is there, but only while there is some token."""
    model = read(
        """typedef unsigned (0..3) n; place p struct { n y; n z; }: { 0, 0 }; place r bool: true; place a n;
        trans take in { p: x; }; trans bring in { r: x; } out { a: 1; }; trans other in { r: x; };
        trans compare in { a: x; p: { y, is n (x + 3) }; };"""
    )
    assert kinds_with_reduction(model, tmp_path) == {"constraint"}


def test_tokens_that_are_only_looked_at(read: Read) -> None:
    """Two readers of one token do not depend on each other."""
    model = read(
        """typedef unsigned (1..2) who; place free who: who w: w; place done who; place shared bool: true;
        trans go in { free: w; shared: s; } out { done: w; shared: s; };"""
    )
    analysis = model.dependencies()
    assert not isinstance(analysis, str)
    assert analysis.tables(model.initial()[0]).conflicts == (0, 0)


def test_only_what_a_condition_asks_about_is_visible(read: Read) -> None:
    text = """typedef unsigned (1..3) who; place free who: who w: w; place done who;
    trans go in { free: w; } out { done: w; };
    prop one: 1 subset place done; prop few: cardinality place done < 2;
    prop some: cardinality subset w { place done } (w > 1) > 0;"""
    model = read(text)
    units = units_of(model)
    of = {units.sorts[next(iter(unit.needs))][1][0]: number for number, unit in enumerate(units.units)}
    found = []
    for atom in range(3):
        analysis = model.dependencies((atom,))
        assert not isinstance(analysis, str)
        visible = analysis.tables(model.initial()[0]).visible
        found.append({who for who, number in of.items() if visible >> number & 1})
    assert found == [{1}, {1, 2, 3}, {2, 3}]


@pytest.mark.parametrize(
    ("text", "flags", "reason"),
    [
        ("trans t! in { p: x; } out { q: x; };", {}, "the net has priorities"),
        ("trans t in { p: x; } out { q: x; } hide true;", {"compress": ("hidden",)}, "--compress"),
        ("trans t in { p: x; } out { q: x; } weakly_fair true;", {}, ""),
    ],
)
def test_where_it_is_off(tmp_path: Path, text: str, flags: dict[str, object], reason: str) -> None:
    file = tmp_path / "net.pn"
    file.write_text(f"place p bool: true, false; place q bool; {text} prop p: place p equals empty;")
    model = kripke.load(file, **flags)
    result = model.check(por=True)
    assert bool(reason) == any(reason in warning for warning in result.warnings if reason)
    if not flags and not reason:
        assert any("fairness" in warning for warning in model.check(por=True, ltl="<> p").warnings)
