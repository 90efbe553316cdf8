"""Variables whose writes take time: counts of the bakery, what readers see, what is refused."""

from pathlib import Path

import pytest

import kripke

BAKERY = Path(__file__).parents[3] / "examples" / "symbolic" / "nonatomic_bakery.pml"
APART = "!(P[0]@cs && P[1]@cs)"
PLAIN = {"merge": False, "dead_variables": "off"}


@pytest.mark.parametrize(
    ("most", "states", "transitions"),
    [(2, 6141, 14367), (3, 11784, 28402), (4, 20054, 49523), (5, 31377, 79065), (6, 46187, 118387)],
)
def test_the_bakery(most, states, transitions):
    model = kripke.load(BAKERY, defines={"K": most}, **PLAIN)
    result = model.check(deadlock=False, invariants=APART)
    # The initial state counts as a transition, as in SPIN.
    assert (result.verdict, result.states, result.transitions) == ("holds", states, transitions + 1)


def test_without_the_test_of_choosing_two_meet():
    model = kripke.load(BAKERY, defines={"K": 4, "NO_TEST": 1}, **PLAIN)
    result = model.check(deadlock=False, invariants=APART, clarify=False)
    assert (result.verdict, len(result.trace.steps)) == ("violated", 42)
    assert model.check(deadlock=False).states == 26070


TWO_READS = """
nonatomic (0 .. 2) byte x;
active proctype Writer() { x = 2 }
byte first, second;
active proctype Reader() { d_step { first = x; second = x } }
"""
ONE_BY_ONE = TWO_READS.replace("d_step { first = x; second = x }", "first = x; second = x; done = 1").replace(
    "byte first", "bit done; byte first"
)


def possible(text, condition, tmp_path, **options):
    path = tmp_path / "m.pml"
    path.write_text(text)
    return kripke.load(path, **options).check(deadlock=False, invariants=f"!({condition})").verdict == "violated"


def test_a_read_during_a_write_sees_anything(tmp_path):
    assert possible(TWO_READS, "first == 1", tmp_path)
    assert not possible(TWO_READS, "first == 3", tmp_path)
    assert not possible(TWO_READS, "first == 1 && second == 2", tmp_path)


def test_two_reads_during_one_write_agree_or_not(tmp_path):
    assert not possible(ONE_BY_ONE, "done && first == 1 && second == 0", tmp_path)
    assert possible(ONE_BY_ONE, "done && first == 1 && second == 0", tmp_path, nonatomic="lamport")
    assert not possible(ONE_BY_ONE, "first == 2 && second == 3", tmp_path, nonatomic="lamport")


GUARD = """
nonatomic (0 .. 1) bit x, y;
bool met;
active proctype A() { x = 1; y = 1; x = 0 }
active proctype B() { (x == 0 && y == 1) -> met = true }
active proctype C() { (x == 1 && y == 0) -> skip }
"""


def test_reads_of_a_test_are_split_on_request(tmp_path):
    path = tmp_path / "m.pml"
    path.write_text(GUARD)
    whole = kripke.load(path).check(deadlock=False)
    split = kripke.load(path, split_reads=True).check(deadlock=False)
    assert (whole.verdict, split.verdict) == ("holds", "holds")
    assert split.states > whole.states


def test_a_write_beyond_the_range_cannot_begin(tmp_path):
    path = tmp_path / "m.pml"
    path.write_text("nonatomic (0 .. 2) byte x; active proctype P() { do :: x++ od }")
    result = kripke.load(path).check()
    assert (result.verdict, result.kind) == ("violated", "deadlock")
    assert kripke.load(path).check(deadlock=False, invariants="x <= 2").verdict == "holds"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonatomic int x; active proctype P() { x = 1 }", "a nonatomic int needs a range"),
        ("nonatomic (3 .. 1) int x; active proctype P() { x = 1 }", "the range 3 .. 1 is empty"),
        ("nonatomic (0 .. 9999) int x; active proctype P() { x = 1 }", "the range has more than 1,024 values"),
        ("byte n; nonatomic (0 .. n) int x; init { x = 1 }", "the range of a nonatomic variable has numbers"),
        (
            "nonatomic bit x; active proctype P() { atomic { x = 1 } }",
            "a write of the nonatomic variable 'x' takes two steps, and atomic makes one",
        ),
        (
            "active proctype P() { nonatomic bit x; x = 1 }",
            "only global variables can be nonatomic: nobody else sees others",
        ),
        (
            "nonatomic bit x; chan c = [1] of { bit }; active proctype P() { c?x }",
            "a message is received into a nonatomic variable",
        ),
    ],
)
def test_what_is_refused(text, message, tmp_path):
    path = tmp_path / "m.pml"
    path.write_text(text)
    with pytest.raises(kripke.ModelError, match=message):
        kripke.load(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "nonatomic bit x; byte y; active proctype P() { d_step { y = x } }",
            "a nonatomic variable is read in a d_step, which is one step",
        ),
        (
            "nonatomic bit x; byte i; active proctype P() { for (i : 0 .. x) { skip } }",
            "a nonatomic variable cannot be read here",
        ),
    ],
)
def test_what_is_refused_where_reads_are_steps(text, message, tmp_path):
    path = tmp_path / "m.pml"
    path.write_text(text)
    with pytest.raises(kripke.ModelError, match=message):
        kripke.load(path, nonatomic="lamport")


def test_the_word_is_a_name_elsewhere(tmp_path):
    path = tmp_path / "m.pml"
    path.write_text("byte nonatomic; active proctype P() { nonatomic = 1; assert(nonatomic == 1) }")
    assert kripke.load(path).check().verdict == "holds"
