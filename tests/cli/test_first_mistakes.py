"""What a programmer writes on the first day, and what is said about it."""

from __future__ import annotations

from pathlib import Path

import pytest

MISTAKES = {
    "a while loop": (
        "active proctype P() { byte x; while (x < 3) { x++ } }",
        "m.pml:1:31: error: Promela has no 'while'",
        "hint: a loop is written: do :: condition -> statements :: else -> break od",
    ),
    "a proctype is called": (
        "proctype Q(byte n) { skip }\ninit { Q(3) }",
        "m.pml:2:8: error: 'Q' is a proctype, which is not called",
        "hint: a process is started with: run Q(...)",
    ),
    "and": (
        "byte x, y;\nactive proctype P() { x == 1 and y == 2 -> skip }",
        "m.pml:2:30: error: expected ';' or '->' before 'and'",
        "hint: 'and' is written '&&'",
    ),
    "or between names": (
        "bool a, b;\nactive proctype P() { a or b -> skip }",
        "m.pml:2:25: error: expected ';' or '->' before 'or'",
        "hint: 'or' is written '||'",
    ),
    "not": (
        "bool x;\nactive proctype P() { (not x) -> x = true }",
        "m.pml:2:28: error: expected ')', found 'x'",
        "hint: 'not' is written '!'",
    ),
    "an if of C": (
        "byte x;\nactive proctype P() { if (x == 0) { x = 1 } else { x = 2 } }",
        "m.pml:2:26: error: expected '::' after 'if', found '('",
        "hint: an if is written: if :: condition -> statement :: else -> statement fi",
    ),
    "a for of C": (
        "active proctype P() { int i; for (i = 0; i < 3; i++) { skip } }",
        "m.pml:1:37: error: expected ':', found '='",
        "hint: a for is written: for (i : first .. last) { ... } or for (i in array) { ... }",
    ),
    "a function": (
        "int f(int a) { return a }\nactive proctype P() { skip }",
        "m.pml:1:6: error: expected ';' after the declaration, found '('",
        "hint: Promela has no functions: write an inline, or a proctype that sends its result over a channel",
    ),
    "print": (
        'active proctype P() { print("x") }',
        "m.pml:1:23: error: Promela has no 'print'",
        'hint: text is printed with printf("...", values)',
    ),
    "True": (
        "bool b;\nactive proctype P() { b = True }",
        "m.pml:2:27: error: unknown name 'True'",
        "hint: did you mean 'true'?",
    ),
    "nothing runs": (
        "proctype P() { skip }",
        "m.pml:1:1: error: nothing runs: the model has no init and no active proctype",
        "",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_the_message_says_what_to_write(kripke, tmp_path: Path, name: str) -> None:
    text, message, hint = MISTAKES[name]
    (tmp_path / "m.pml").write_text(text)
    ran = kripke("check", "m.pml")
    assert ran.code == 2
    lines = ran.err.splitlines()
    assert lines[0] == message
    assert lines[-1] == hint or not hint


def test_an_assignment_where_a_comparison_is_meant(kripke, tmp_path: Path) -> None:
    (tmp_path / "m.pml").write_text("byte x;\nactive proctype P() { do :: x = 1 -> skip :: else -> break od }\n")
    ran = kripke("check", "m.pml", "--max-states", "10")
    assert "m.pml:2:29: warning: an assignment can always be executed, so the 'else' beside it never is" in ran.err
