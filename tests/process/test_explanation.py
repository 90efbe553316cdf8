"""Why an assertion fails, an invariant is broken, nothing can move: in the words of the model."""

from __future__ import annotations

from pathlib import Path

import pytest

import kripke
from kripke.model.explanation import Explanation


def explain(text: str, tmp_path: Path, *invariants: str) -> Explanation:
    file = tmp_path / "m.pml"
    file.write_text(text)
    result = kripke.load(file).check(invariants=invariants, engine="interpreter")
    assert result.trace is not None and result.trace.explanation is not None, result
    explanation = result.trace.explanation
    return explanation


def reasons(text: str, tmp_path: Path, *invariants: str) -> list[str]:
    return [str(reason) for reason in explain(text, tmp_path, *invariants).reasons]


def test_a_label_that_no_run_can_reach(tmp_path: Path) -> None:
    text = "active proctype p() { do :: skip; break od; goto e; l: skip; e: skip } active proctype q() { assert(p@l) }"
    assert reasons(text, tmp_path) == ["p@unreachable is false:  p@unreachable = 0"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("byte x; active proctype p() { x = 3; assert(x < 3) }", ["x < 3 is false:  x = 3"]),
        (
            "byte x, y = 2; active proctype p() { x = 3; assert(x == 3 && y > x) }",
            ["y > x is false:  y = 2, x = 3"],
        ),
        (
            "byte x, y; active proctype p() { assert(x == 3 || (y == 1 && x == 0)) }",
            ["x == 3 is false:  x = 0", "y == 1 is false:  y = 0"],
        ),
        ("bool b = true; active proctype p() { assert(!b) }", ["!b is false:  b = true"]),
        ("byte x; active proctype p() { assert(!(x == 0 || x == 7)) }", ["x == 0 is true:  x = 0"]),
        (
            "byte a[3] = 5; active proctype p() { byte i = 1; assert(a[i + 1] == i) }",
            ["a[i + 1] == i is false:  a[i + 1] = 5, i = 1"],
        ),
        (
            "mtype = { red, green }; mtype light = green; active proctype p() { assert(light == red) }",
            ["light == red is false:  light = green"],
        ),
        (
            "typedef T { byte x; bool b[2] }; T t[2]; active proctype p() { byte i; assert(t[i].b[1]) }",
            ["t[i].b[1] is false:  t[i].b[1] = false, i = 0"],
        ),
        (
            "chan c = [2] of { byte }; active proctype p() { c!7; assert(len(c) == 2) }",
            ["len(c) == 2 is false:  len(c) = 1"],
        ),
        ("chan c = [2] of { byte }; active proctype p() { c!7; assert(c?[8]) }", ["c?[8] is false:  c = [7]"]),
        ("active proctype p() { assert(_pid == 1) }", ["_pid == 1 is false:  _pid = 0"]),
        (
            "byte x; active proctype p() { d_step { x = 1; x = x + 1; assert(x == 1); x = 9 } }",
            ["x == 1 is false:  x = 2"],
        ),
        ("byte x; active proctype p() { atomic { x = 1; assert(x == 2); x = 2 } }", ["x == 2 is false:  x = 1"]),
        (
            "byte a[2]; active proctype p() { byte i = 2; a[i] = 1 }",
            ["index i is 2, but only 0 to 1 exist:  i = 2"],
        ),
        (
            "byte a[2]; byte x; active proctype p() { byte i = 3; x = 1; x = a[i - x] }",
            ["index i - x is 2, but only 0 to 1 exist:  i = 3, x = 1"],
        ),
        (
            "byte x, y = 4; active proctype p() { y = y / x }",
            ["x in y / x is 0:  x = 0"],
        ),
        (
            "byte a[2]; active proctype p() { byte i = 2; (a[i] == 0) }",
            ["index i is 2, but only 0 to 1 exist:  i = 2"],
        ),
    ],
)
def test_violations(text: str, expected: list[str], tmp_path: Path) -> None:
    assert reasons(text, tmp_path) == expected


def test_the_summary_names_the_statement(tmp_path: Path) -> None:
    assert explain("active proctype p() { assert(1 == 2) }", tmp_path).summary == "assert(1 == 2) fails"


def test_an_invariant(tmp_path: Path) -> None:
    text = "byte x, y; active proctype p() { do :: x < 4 -> x++ :: y = 1 od }"
    found = explain(text, tmp_path, "x < 3 || y == 1")
    assert found.summary == "x < 3 || y == 1 is false"
    assert [str(reason) for reason in found.reasons] == ["x < 3 is false:  x = 3", "y == 1 is false:  y = 0"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "byte x;\nactive proctype p() {\n  x > 0 }\nactive proctype q() {\n  if :: x > 1 :: x > 2 fi }",
            [
                "p:0 (line 3) waits for x > 0:  x = 0",
                "q:1 (line 5) waits for x > 1:  x = 0",
                "                   or for x > 2:  x = 0",
            ],
        ),
        (
            "chan c = [1] of { byte };\nactive proctype p() {\n  c!1;\n  c!2 }",
            ["p:0 (line 4) waits for room in c:  c = [1]"],
        ),
        (
            "chan c = [1] of { byte, bool };\nactive proctype p() {\n  c!1, true;\n  c?2, false }",
            ["p:0 (line 4) waits for a message 2, false in c:  c = [1,true]"],
        ),
        (
            "chan c = [0] of { byte };\nactive proctype p() {\n  c!3 }\nactive proctype q() {\n  c?eval(4) }",
            [
                "p:0 (line 3) waits for somebody to receive 3 from c",
                "q:1 (line 5) waits for somebody to send 4 to c",
            ],
        ),
        (
            "bool x;\nactive proctype p() {\nend:\n  x }\nactive proctype q() {\n  x }",
            ["p:0 (line 4) may stay where it is", "q:1 (line 6) waits for x:  x = false"],
        ),
    ],
)
def test_deadlocks(text: str, expected: list[str], tmp_path: Path) -> None:
    assert reasons(text, tmp_path) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("chan c[2] = [1] of { mtype }; init { byte i = 1; c[i]!pong; assert(false) }", "c[i]!pong  [pong]"),
        ("chan c = [1] of { mtype }; init { chan d = c; d!ping; assert(false) }", "d!ping  [ping]"),
        # Another channel gives the field no name, or another one: it is not known which it is.
        (
            "chan c = [1] of { mtype }; chan e = [1] of { byte }; init { chan d = c; d!ping; assert(false) }",
            "d!ping  [1]",
        ),
    ],
)
def test_messages_have_the_names_of_their_channel(text: str, expected: str, tmp_path: Path) -> None:
    file = tmp_path / "m.pml"
    file.write_text("mtype = { pong, ping }; " + text)
    trace = kripke.load(file).check(engine="interpreter").trace
    assert trace is not None
    assert expected in [statement for step in trace.steps for statement in step.statements]
