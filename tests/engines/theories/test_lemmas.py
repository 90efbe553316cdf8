"""Integers without bounds and lemmas: the bakery with unbounded tickets, proved from the invariants of the paper."""

from pathlib import Path

import pytest

import kripke
from kripke.engines.plan import Unsupported

EXAMPLES = Path(__file__).parents[3] / "examples" / "symbolic"
BAKERY = EXAMPLES / "nonatomic_bakery.pml"
LEMMAS = EXAMPLES / "nonatomic_bakery.lemmas"


def load(text, tmp_path):
    path = tmp_path / "m.pml"
    path.write_text(text)
    return kripke.load(path)


def lemmas(tmp_path, text):
    path = tmp_path / "m.lemmas"
    path.write_text(text)
    return str(path)


def test_the_bakery_with_unbounded_tickets():
    model = kripke.load(BAKERY)
    options = {"unbounded": True, "deadlock": False, "invariants": "PAIRS(APART)", "lemmas": str(LEMMAS), "depth": 1}
    result = model.check(engine="induction", **options)
    assert (result.verdict, result.engine["integers"]) == ("holds", "unbounded")
    judged = {one["name"]: one for one in result.engine["lemmas"]}
    assert judged["inv1"]["needs"] == ["inv2", "inv3"]
    assert set(judged["inv3"]["needs"]) == {"inv2", "inv5", "inv6", "inv8"}
    assert judged["inv10"]["needs"] == ["inv11"]
    assert {name for name, one in judged.items() if one["sort"] == "inductive alone"} == {
        "inv4", "inv6", "inv7", "inv8", "inv11", "inv12", "inv13",
    }  # fmt: skip
    assert judged["inv5"]["without"] == ["inv1", "inv2", "inv3"]
    alone = model.check(engine="induction", **{**options, "lemmas": None})
    assert alone.verdict == "unknown"


def test_a_lemma_that_is_not_inductive_shows_a_step(tmp_path):
    model = load("int x, y; active proctype P() { do :: d_step { x = x + 1; y = y + x } od }", tmp_path)
    file = lemmas(tmp_path, "# x grows\npositive: x >= 0\nsum: y >= 0\nwrong: x < 7\nfalse_at_first: x == 1\n")
    result = model.check(engine="induction", unbounded=True, lemmas=file, invariants="y >= 0")
    assert result.verdict == "holds"
    judged = {one["name"]: one for one in result.engine["lemmas"]}
    assert judged["positive"]["sort"] == "inductive alone"
    assert (judged["sum"]["sort"], judged["sum"]["needs"]) == ("inductive alone", [])
    assert judged["false_at_first"]["sort"] == "false at the start"
    assert (judged["wrong"]["before"]["x"], judged["wrong"]["after"]["x"]) == ("6", "7")


@pytest.mark.parametrize("engine", ["induction", "pdr"])
def test_without_bounds_nothing_wraps_around(engine, tmp_path):
    model = load("int x; active proctype P() { do :: x < 1000000000 -> x = x + 1 :: x > 2 -> x = 3 * x od }", tmp_path)
    assert model.check(engine=engine, unbounded=True, invariants="x >= 0").verdict == "holds"
    broken = model.check(engine=engine, unbounded=True, invariants="x != 4", clarify=False)
    assert (broken.verdict, broken.kind) == ("violated", "invariant")
    assert broken.trace is not None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x > 0", "m.lemmas:1: a lemma is a name, a colon and a condition"),
        ("a: x > 0\na: x > 1", "m.lemmas:2: there are two lemmas 'a'"),
        ("# nothing", "there is no lemma in"),
    ],
)
def test_what_is_no_file_of_lemmas(text, message, tmp_path):
    model = load("int x; active proctype P() { x = 1 }", tmp_path)
    with pytest.raises(Unsupported, match=message):
        model.check(engine="induction", lemmas=lemmas(tmp_path, text))


def test_lemmas_belong_to_proofs(tmp_path):
    model = load("int x; active proctype P() { x = 1 }", tmp_path)
    for engine in ("bmc", "native"):
        with pytest.raises(Unsupported, match=f"--lemmas does not go with --engine {engine}"):
            model.check(engine=engine, lemmas=lemmas(tmp_path, "a: x >= 0"))
