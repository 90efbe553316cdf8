"""Slicing: the same verdicts with fewer states, never with more."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from kripke.engines.explicit.safety import check
from kripke.engines.plan import SearchPlan
from kripke.languages.promela import load
from kripke.model.result import Result
from kripke.model.source import ModelError
from kripke.process.passes import Passes
from tests.fuzz import TooSlow, limited
from tests.spin.generator import generate
from tests.spin.terms import text_of

PROGRAMS = 60
MOST_STATES = 1000
LONGEST = 1.0  # seconds; some random programs have endless atomic sequences


def checked(path: Path, *, sliced: bool, invariants: tuple[str, ...] = (), merge: bool = True, most: int = 0) -> Result:
    model = load(str(path), invariants=invariants, passes=Passes(merge=merge, slice=sliced))
    options = SearchPlan(
        engine="interpreter", all_errors=True, clarify=False, invariants=invariants, max_states=most or None
    )
    return check(model, options)


class Case(NamedTuple):
    name: str
    text: str
    plain: str  # states/transitions/errors
    sliced: str
    invariants: tuple[str, ...] = ()


CASES = [
    Case(
        "an array that each process writes to, of which one element is looked at",
        "byte a[3]; active [3] proctype P() { do :: a[_pid] = 1 :: a[_pid] = 2 od }",
        "27/163/0",
        "3/19/0",
        ("a[1] < 3",),
    ),
    Case(
        "what goes into such an element is followed",
        "byte y, a[2]; active [2] proctype P() { do :: y = 1 - y :: a[_pid] = y od }",
        "8/33/0",
        "4/17/0",
        ("a[0] < 2",),
    ),
    Case(
        "elements of structures",
        """
        typedef T { bit to[2] } T c[2];
        active [2] proctype P() { do :: c[_pid].to[0] = 1 :: c[_pid].to[1] = 1 od }
        """,
        "16/65/0",
        "2/9/0",
        ("c[1].to[0] < 2",),
    ),
    Case(
        "a counter nobody looks at",
        "byte x, n; active [2] proctype P() { do :: x < 2 -> x++; n = n + x :: else -> break od }",
        "69/105/0",
        "45/73/0",
    ),
    Case(
        "a counter an invariant looks at",
        "byte x, n; active [2] proctype P() { do :: x < 2 -> x++; n = n + x :: else -> break od }",
        "69/105/0",
        "69/105/0",
        ("n < 9",),
    ),
    Case(
        "elements of an array, one by one",
        """
        byte a[3], x;
        active [2] proctype P() { do :: a[0] < 2 -> a[0]++; a[1] = a[1] + a[0]; a[2] = a[1] :: else -> break od }
        """,
        "127/205/0",
        "45/73/0",
    ),
    Case(
        "a computed subscript keeps the whole array",
        """
        byte a[3], x;
        active [2] proctype P() { do :: a[x] < 2 -> a[0]++; a[1] = a[1] + a[0] :: else -> break od }
        """,
        "69/105/0",
        "69/105/0",
    ),
    Case(
        "what can fail is still evaluated",
        "byte x, n, d; active [2] proctype P() { n = n + 1; d = n / x }",
        "4/5/4",
        "4/5/4",
    ),
    Case(
        "parameters and messages",
        """
        byte log; chan q = [2] of { byte };
        proctype Q(byte me, tag) { byte got; q?got; log = log + got + tag + me }
        init { q!1; q!2; run Q(1, 7); run Q(2, 8) }
        """,
        "30/41/0",
        "21/30/0",
    ),
    Case(
        "a value that decides a condition later on",
        "byte x, y, z; active proctype P() { x = 1; y = x + 1; z = y; z == 2; x = 7; y = 7 }",
        "8/8/0",
        "8/8/0",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_exact_counts(case: Case, tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text(case.text)
    for sliced, counts in ((False, case.plain), (True, case.sliced)):
        result = checked(path, sliced=sliced, invariants=case.invariants)
        assert f"{result.states}/{result.transitions}/{result.errors}" == counts


def outcome(result: Result) -> tuple[str, set[tuple[str, str]]]:
    return result.verdict, {(finding.kind, finding.property) for finding in result.findings}


def compare(seed: int, path: Path) -> tuple[int, int] | None:
    """States without and with slicing; None where a program is refused or too large."""
    path.write_text(text_of(generate(seed)))
    merge = seed % 2 == 0
    try:
        with limited(LONGEST):
            plain = checked(path, sliced=False, merge=merge, most=MOST_STATES)
        if not plain.complete:
            return None
        with limited(5 * LONGEST):
            sliced = checked(path, sliced=True, merge=merge)
    except (TooSlow, ModelError):
        return None
    assert outcome(sliced) == outcome(plain), f"seed {seed}\n{path.read_text()}"
    assert sliced.states <= plain.states, f"seed {seed}\n{path.read_text()}"
    return plain.states, sliced.states


@pytest.mark.parametrize("first", range(79, 79 + PROGRAMS, 30))
def test_random_programs_have_the_same_verdict_and_no_more_states(first: int, tmp_path: Path) -> None:
    found = [compare(seed, tmp_path / "model.pml") for seed in range(first, first + 30)]
    pairs = [pair for pair in found if pair is not None]
    assert len(pairs) >= 5
    assert any(after < before for before, after in pairs)


def test_a_claim_keeps_what_it_mentions(tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text("byte x, n;\nltl p { [] (n < 9) }\nactive proctype P() { x = 1; n = x }\n")
    model = load(str(path), passes=Passes(slice=True))
    assert [variable.name for variable in model.program.variables] == ["x", "n"]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("active proctype P() priority 3 { skip }", "process priorities"),
        ("byte x; active proctype P() { x = _last; x == 0 }", "_last"),
    ],
)
def test_what_cannot_be_sliced(text: str, what: str, tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text(text)
    load(str(path))
    with pytest.raises(ModelError, match=f"a model with {what} cannot be sliced; check it without --slice"):
        load(str(path), passes=Passes(slice=True))


def test_a_provided_condition_is_part_of_what_decides(tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text("byte x, n; active proctype P() provided (x < 2) { x++; n = x; x = n + 1; n = 7 }")
    assert checked(path, sliced=True).verdict == checked(path, sliced=False).verdict == "violated"
