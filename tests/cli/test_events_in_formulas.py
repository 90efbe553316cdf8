"""``fires(c!m)``: formulas about programs that speak of what a step sends and receives."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

# A asks, B answers; a whole turn of B is one step, up to the meeting, after which A may go first.
ASKED = """\
mtype = { req, ack, nak };
chan c = [1] of { mtype, byte }, d = [1] of { byte };
chan r = [0] of { mtype }, many[2] = [1] of { bit };
byte n;
active proctype A() { do :: c!req,n; if :: r?ack :: r?nak fi od }
active proctype B() { byte x; do :: atomic { c?req,x; if :: r!ack :: r!nak fi; n = 1 - n } od }
"""

# A run that ends: one message, sent and looked at, then taken out; in the end nothing happens any more.
ENDS = """\
chan c = [1] of { byte }; byte x;
active proctype P() { c!7; c?<x>; c?x }
"""


def verdict(kripke, text: str, formula: str, *options: str) -> str:
    Path("m.pml").write_text(text)
    ran = kripke("check", "m.pml", "--ltl", formula, "--json", *options)
    assert ran.err == ""
    return json.loads(ran.out)["verdict"]


@pytest.mark.parametrize("engine", ["native", "interpreter"])
@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("[] (fires(c!) -> <> fires(r?))", "holds"),
        ("[] (fires(c!req,1) -> <> fires(r!ack))", "violated"),
        ("[] <> fires(c)", "holds"),
        ("[] <> fires(c?)", "holds"),
        ("[] (fires(c?req(_)) -> fires(r!))", "holds"),  # the same step
        ("[] (fires(r!ack) <-> fires(r?ack))", "holds"),  # a rendezvous is both
        ("[] !(fires(c!) && fires(r))", "holds"),
        ("[] !fires(r!nak)", "violated"),
        ("[] (fires(c?req,0) -> X fires(c!req,1))", "violated"),
        ("fires(c!ack,0) || fires(c!req,0) && X fires(c?)", "holds"),
        ("<> (fires(d!) || fires(many[1]?))", "violated"),
    ],
)
def test_what_is_sent_and_received(kripke, engine: str, formula: str, expected: str) -> None:
    assert verdict(kripke, ASKED, formula, "--engine", engine) == expected


@pytest.mark.parametrize("engine", ["native", "interpreter"])
@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("fires(c!7) && X (!fires(c) && X fires(c?7))", "holds"),  # to look at a message is no event
        ("<> [] !fires(c)", "holds"),  # where a run has ended, nothing fires
        ("<> fires(c!8)", "violated"),
        ("[] (fires(c?) -> X [] !fires(c?))", "holds"),
    ],
)
def test_a_run_that_ends(kripke, engine: str, formula: str, expected: str) -> None:
    assert verdict(kripke, ENDS, formula, "--engine", engine) == expected


def test_every_way_through_an_atomic_sequence_has_its_own_events(kripke) -> None:
    text = """\
chan c = [2] of { byte }; bool sent;
active proctype P() { atomic { if :: c!1 :: c!2 :: skip fi; if :: c!3; sent = true :: skip fi } }
"""
    for engine in ("native", "interpreter"):
        for formula, expected in (
            ("[] !(fires(c!1) && fires(c!2))", "holds"),
            ("[] !(fires(c!1) && fires(c!3))", "violated"),
            ("[] (fires(c!3) -> X sent)", "holds"),
            ("fires(c!) || X !sent", "holds"),
            ("fires(c!)", "violated"),
        ):
            assert (formula, verdict(kripke, text, formula, "--engine", engine)) == (formula, expected)


def test_states_do_not_grow_and_other_properties_are_checked_beside_it(kripke) -> None:
    Path("m.pml").write_text(ASKED)
    without = json.loads(kripke("check", "m.pml", "--json").out)["states"]
    Path("m.pml").write_text(ASKED + "ltl answered { [] (fires(c!) -> <> fires(r?)) }\n")
    record = json.loads(kripke("check", "m.pml", "--json").out)
    assert [part["verdict"] for part in record["properties"]] == ["holds", "holds"]
    assert record["states"] == without


def test_fairness_threads_and_a_saved_run(kripke) -> None:
    """Nobody else keeps A from sending, but without fairness it may never be its turn."""
    text = "chan c = [1] of { bit }; bit b;\nactive proctype A() { c!1 }\nactive proctype B() { do :: b = 1 - b od }\n"
    for options, expected in (
        ((), "violated"),
        (("--threads", "2"), "violated"),
        (("--fair", "weak"), "holds"),
        (("--fair", "strong-edges"), "holds"),
        (("--fair", "weak", "--engine", "interpreter"), "holds"),
    ):
        assert verdict(kripke, text, "<> fires(c!)", *options) == expected
    assert kripke("check", "m.pml", "--ltl", "<> fires(c!)", "--trace", "t.json").code == 1
    ran = kripke("replay", "t.json")
    assert (ran.code, ran.err) == (0, "")
    assert kripke("check", "m.pml", "--possible", "fires(c!) && X [] !fires(c)").code == 0


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("[] fires(e!)", "unknown name 'e'"),
        ("[] fires(n)", "'n' is not a channel"),
        ("[] fires(c!req)", "messages of 'c' have 2 fields, 1 given"),
        ("[] fires(c!req,n)", "fires(...) has only constants and '_' in its message"),
        (
            "[] fires(many[n]!)",
            "fires(...) names a channel that is declared globally with its size, in an array with its number",
        ),
        (
            "[] (fires(c!) + 1 > 0)",
            "fires(...) is about a step, not about a state: only formulas of linear time have it",
        ),
        (" || ".join(f"<> fires(c!_,{i})" for i in range(65)), "formulas may speak of 64 events at most"),
        ("[] fires(c", "expected ')'"),
    ],
)
def test_refused(kripke, formula: str, message: str) -> None:
    Path("m.pml").write_text(ASKED)
    ran = kripke("check", "m.pml", "--ltl", formula)
    assert ran.code == 2
    assert message in ran.err


def test_refused_with_many_values(kripke) -> None:
    Path("m.pml").write_text(ASKED)
    ran = kripke("check", "m.pml", "--values", "3", "--ltl", "<> fires(c!)")
    assert ran.code == 2
    assert "there are no events in many-valued formulas" in ran.err
