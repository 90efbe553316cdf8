"""``xr`` and ``xs``: who may use a channel is checked, as SPIN does it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

import kripke
from kripke.engines.explicit.safety import check
from kripke.engines.plan import EngineName, SearchPlan
from kripke.languages.promela import load
from kripke.process.passes import Passes
from tests.spin.compare import breaks_claims, spin_claims, spin_is_here


class Case(NamedTuple):
    """A model; is a claim broken, and is it where only sends and receives count (a full search)?"""

    what: str
    text: str
    broken: bool
    full: bool


Q = "chan q = [2] of { byte }; chan r = [2] of { byte }; byte x, y;\n"
CASES = [
    Case("two receivers", Q + "active proctype A() { xr q; q?x } active proctype B() { q?y }", True, True),
    Case("two senders", Q + "active proctype A() { xs q; q!1 } active proctype B() { q!2 }", True, True),
    Case(
        "to wait is to use", Q + "active proctype A() { xr q; q?x } active proctype B() { (x == 9); q?y }", False, False
    ),
    Case("each its own right", Q + "active proctype A() { xr q; q?x } active proctype B() { xs q; q!1 }", False, False),
    Case("another channel", Q + "active proctype A() { xr q; q?x } active proctype B() { r!1; r?y }", False, False),
    Case("a look at the front", Q + "active proctype A() { xr q; q?x } active proctype B() { q?<y> }", True, True),
    Case(
        "a question",
        Q + "active proctype A() { xr q; q?x } active proctype B() { xs q; q!1; empty(q) }",
        True,
        False,
    ),
    Case("a length", Q + "active proctype A() { xs q; q!1 } active proctype B() { x = len(q) }", True, False),
    Case("a poll", Q + "active proctype A() { xs q; q!1 } active proctype B() { q?[1] -> x = 1 }", True, False),
    Case(
        "nempty is the receiver's",
        Q + "active proctype A() { xs q; q!1 } active proctype B() { nempty(q) }",
        False,
        False,
    ),
    Case(
        "nfull is the sender's", Q + "active proctype A() { xr q; q?x } active proctype B() { nfull(q) }", False, False
    ),
    Case(
        "a question that is not asked",
        Q + "active proctype A() { xs q; q!1 } active proctype B() { do :: (x == 1 && len(q) > 0) :: y = 1 od }",
        False,
        False,
    ),
    Case(
        "a question in the branch that is taken",
        Q + "active proctype A() { xs q; q!1 } active proctype B() { y = (x == 0 -> len(q) : 2) }",
        True,
        False,
    ),
    Case(
        "before the claim is made",
        Q + "proctype A() { xs q; q!1 } init { q!1; run A() }",
        False,
        False,
    ),
    Case(
        "by parameter",
        Q + "proctype A(chan c) { xr c; c?x } proctype B(chan d) { d!1; d?y } init { run A(q); run B(q) }",
        True,
        True,
    ),
    Case(
        "by parameter, rightly",
        Q + "proctype A(chan c; chan d) { xr c; xs d; c?x; d!x } init { run A(q, r); run A(r, q); x = 1 }",
        False,
        False,
    ),
    Case("claimed twice", Q + "proctype A() { xr q; x = 1 } init { run A(); run A() }", True, True),
    Case(
        "one after the other",
        Q + "proctype A() { xr q; x = 1 } init { run A(); (_nr_pr == 1); run A() }",
        False,
        False,
    ),
    Case(
        "when its holder is gone",
        Q + "proctype A() { xr q; x = 1 } init { run A(); (_nr_pr == 1); q?y }",
        True,
        True,
    ),
    Case("a rendezvous channel", "chan q = [0] of { bit }; active proctype A() { xr q; q?1 }", True, True),
    Case(
        "in a d_step", Q + "active proctype A() { xr q; q?x } active proctype B() { d_step { y = 1; q?y } }", True, True
    ),
    Case(
        "in an atomic",
        Q + "active proctype A() { xr q; q?x } active proctype B() { atomic { y = 1; q?y } }",
        True,
        True,
    ),
    Case(
        "as an escape",
        Q + "active proctype A() { xr q; q?x } active proctype B() { { y = 1; y = 2 } unless { q?y } }",
        True,
        True,
    ),
    Case(
        "a channel of a process",
        Q + "proctype A(chan c) { xr c; c?x } init { chan c = [1] of { byte }; run A(c); c!1; c?y }",
        True,
        True,
    ),
]


def names(text: str, tmp_path: Path, engine: EngineName, *, questions: bool) -> set[str]:
    path = tmp_path / "m.pml"
    path.write_text(text)
    model = load(str(path), passes=Passes(questions=questions))
    result = check(model, SearchPlan(engine=engine, all_errors=True))
    return {finding.kind for finding in result.findings}


@pytest.mark.parametrize("engine", ["interpreter", "native"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.what)
def test_who_may_use_a_channel(case: Case, engine: EngineName, tmp_path: Path) -> None:
    assert ("exclusive" in names(case.text, tmp_path, engine, questions=True)) == case.broken
    assert ("exclusive" in names(case.text, tmp_path, engine, questions=False)) == case.full


@pytest.mark.spin
@pytest.mark.skipif(not spin_is_here(), reason="spin and gcc are needed to compare with (apt-get install spin gcc)")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.what)
def test_spin_says_the_same(case: Case) -> None:
    assert spin_claims(case.text) == case.broken
    assert breaks_claims(case.text) == case.broken


def test_what_is_right_by_the_text_alone_costs_nothing(tmp_path: Path) -> None:
    claimed = Q + "active proctype A() { xr q; q?x } active proctype B() { xs q; q!1 }"
    sources = []
    for text in (claimed, claimed.replace("xr q;", "     ").replace("xs q;", "     ")):
        path = tmp_path / "m.pml"
        path.write_text(text)
        sources.append(load(str(path), passes=Passes(merge=False)).emit_c())
    assert sources[0] == sources[1]


def test_the_message_names_channel_processes_and_lines(tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text(Q + "active proctype A() {\n  xr q;\n  q?x }\nactive proctype B() {\n  q?y }\n")
    result = kripke.load(path).check()
    assert result.verdict == "violated"
    assert result.reason == f"exclusive use of a channel (xr, xs) is broken: q?y ({path}:6:3)"
    assert result.trace is not None and result.trace.explanation is not None
    explanation = result.trace.explanation
    assert explanation.summary == "q?y fails"
    assert [str(reason) for reason in explanation.reasons] == ["only A:0 may receive from q (line 3), not B:1"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (CASES[18].text, "only process 1, which has ended, may receive from q, not init:0"),
        (
            "chan q = [0] of { bit }; proctype A() { xs q; q!1 } init { run A() }",
            "nobody can have q alone: it is a rendezvous channel",
        ),
        (CASES[16].text, "only A:1 may receive from q (line 2), not A:2"),
    ],
)
def test_why(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text(text)
    result = kripke.load(path).check(engine="interpreter")
    assert result.trace is not None and result.trace.explanation is not None
    assert [str(reason) for reason in result.trace.explanation.reasons] == [reason]


def test_a_claim_of_an_element(tmp_path: Path) -> None:
    """SPIN does not read it."""
    text = "chan q[2] = [1] of { bit }; active [2] proctype A() { xr q[_pid]; q[_pid]?1 }"
    assert names(text, tmp_path, "native", questions=True) == {"deadlock"}
    assert "exclusive" in names(text.replace("q[_pid]?1", "q[0]?1"), tmp_path, "native", questions=True)


def test_counts_go_on_behind_a_broken_claim(tmp_path: Path) -> None:
    """SPIN without reduction: 25 states, which are those of the model without claims."""
    path = tmp_path / "m.pml"
    path.write_text(
        Q
        + "active proctype A() { xr q; q?x; x = 0; q?x } active proctype B() { xs q; q!1; q!2 }"
        + "active proctype C() { q?y }"
    )
    result = check(load(str(path)), SearchPlan(all_errors=True))
    assert (result.states, result.verdict) == (25, "violated")


def test_slicing_is_refused_where_there_is_something_to_check(tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text(CASES[0].text)
    with pytest.raises(kripke.ModelError) as error:
        load(str(path), passes=Passes(slice=True))
    assert (
        "m.pml:2:23: error: a model with xr and xs that need checking cannot be sliced; check it without --slice"
        in str(error.value)
    )
