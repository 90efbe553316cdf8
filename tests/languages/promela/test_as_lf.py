"""``kripke emit m.pml --lf``: what is written, what is refused and where, and equal verdicts."""

from __future__ import annotations

from pathlib import Path

import pytest

from kripke.languages import promela
from kripke.model.source import ModelError
from tests.support.promela_as_lf import compare, random_model

EXAMPLES = Path(__file__).parents[3] / "examples" / "promela"


def written(tmp_path: Path, text: str) -> str:
    file = tmp_path / "m.pml"
    file.write_text(text)
    (form,) = promela.LANGUAGE.forms
    return form.write(promela.load(str(file)), form).text


def test_statements_that_others_see_are_actions_of_their_own(tmp_path: Path) -> None:
    text = "byte x; active proctype P() { byte v; v = 1; x = v; x++; assert(x > 1) }\n"
    assert written(tmp_path, text) == (
        "(* made from m.pml *)\n"
        "MODULE M;\n"
        "VAR\n"
        "  x : UINT8;\n"
        "\n"
        "PROCESS P;\n"
        "VAR\n"
        "  v : UINT8;\n"
        "BEGIN\n"
        "  v := 1;\n"
        "  x := v;\n"
        "  RESCHEDULE;\n"
        "  x := UINT8((INTEGER(x) + 1));\n"
        "  RESCHEDULE;\n"
        "  ASSERT((x > 1));\n"
        "  RESCHEDULE;\n"
        "END P;\n"
        "\n"
        "BEGIN\n"
        "  CREATE P;\n"
        "END M.\n"
    )


def test_a_rendezvous_is_a_communication_and_a_condition_waits_for_the_token(tmp_path: Path) -> None:
    text = written(
        tmp_path,
        "chan c = [0] of { byte }; byte x;\n"
        "active proctype P() { c!1 }\n"
        "active proctype Q() { byte v; c?v; (x == 1); x = 2 }\n",
    )
    assert "c!m(1);" in text and "c?m(v);" in text
    assert "WHEN token?take & (x = 1) THEN" in text
    assert "WHILE active > 0 DO token!take; token?give END" in text


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("active proctype P() { do :: timeout -> break od }", "LF has no timeout", 1),
        ("byte x;\nactive proctype P() {\nend: (x == 1) }", "LF has no place where a process may wait for ever", 3),
        ("byte x;\nactive proctype P() { { x = 1 } unless { x == 2 } }", "LF has no unless", 2),
        ("chan c = [2] of { byte };\nactive proctype P() { c!!1 }", "!! sorts messages", 2),
        ("chan c = [2] of { byte };\nactive proctype P() { c??1 }", "?? looks at all messages of a buffer", 2),
        ("chan c = [0] of { chan };\nactive proctype P() { chan d; c?d }", "channels are sent in messages", 1),
        ("byte n;\nactive proctype P() { n = _nr_pr }", "LF has no _nr_pr", 2),
        ("byte x;\nactive proctype P() provided (x == 0) { x = 1 }", "LF has no provided", 2),
        (
            "byte x;\nchan c = [0] of { byte };\nactive proctype P() { c!x }\nactive proctype Q() { byte v; c?v }",
            "LF computes what it sends before it waits, and others may change the global variables in it",
            3,
        ),
        (
            "chan c = [0] of { bit };\nchan d = [0] of { bit };\n"
            "active proctype P() { if\n:: c!1\n:: d!1\nfi }\nactive proctype Q() { if\n:: c?_\n:: d?_\nfi }",
            "both sides of c wait for several things at once: LF never pairs two SELECTs",
            8,
        ),
        ("int x;\nactive proctype P() { x = 1 << x }", "a shift by a number that is not constant", 2),
        ("int x;\nactive proctype P() { x = 7 / x }", "/ by a number that may be negative", 2),
    ],
)
def test_what_lf_cannot_say_is_refused_with_its_place(tmp_path: Path, text: str, message: str, line: int) -> None:
    with pytest.raises(ModelError) as refusal:
        written(tmp_path, text + "\n")
    assert refusal.value.message == f"--lf: {message}"
    assert refusal.value.span is not None and refusal.value.span.line == line


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        # a test and what follows it are one step: nobody comes between
        (
            "bool l; byte n;\nactive [2] proctype P() { atomic { !l -> l = 1 }; n++; assert(n == 1); n--; l = 0 }",
            "holds",
        ),
        ("bool l; byte n;\nactive [2] proctype P() { !l; l = 1; n++; assert(n == 1); n--; l = 0 }", "assertion"),
        # a buffer
        (
            "chan q = [2] of { byte, bool };\nactive proctype P() { q!1,true; q!2,false; q!3,true }\n"
            "active proctype Q() { byte v; bool t; q?v,t; assert(v == 1 && t); q?2,t; assert(!t); q?v,_ }",
            "holds",
        ),
        ("chan q = [1] of { byte };\nactive proctype P() { q!1; q!2 }", "deadlock"),
        # numbers as Promela has them
        (
            "byte x = 255; short s = -7;\nactive proctype P() { x++; assert(x == 0 && s / 2 == -3 && s % 2 == -1) }",
            "holds",
        ),
        (
            "int x = 12;\nactive proctype P() { assert((x & 10) == 8 && (x | 3) == 15 && (x ^ 5) == 9 && ~x == -13) }",
            "holds",
        ),
        ("int a[3];\nactive proctype P() { byte i; for (i : 0 .. 3) { a[i] = i } }", "index"),
        # processes that are started, with channels
        (
            "mtype = { go, stop };\nproctype W(chan c; byte n) { mtype m; do :: c?m -> if :: m == stop -> break "
            ":: else fi od }\ninit { chan c = [0] of { mtype }; run W(c, 3); c!go; c!stop }",
            "holds",
        ),
        # loops with goto, records, several conditions and else
        (
            "typedef r { byte a; short b[2] };\nr p[2];\nactive proctype P() {\nagain: p[1].b[0] = p[1].b[0] + 1;\n"
            "if :: p[1].b[0] > 3 -> goto out :: p[1].b[0] < 2 -> goto again :: else -> goto again fi;\n"
            "out: assert(p[1].b[0] == 4 && p[0].b[0] == 0) }",
            "holds",
        ),
        # else looks at the ways before it only
        (
            "byte x = 5; bool b;\nactive proctype P() { do :: if :: b -> skip :: else fi; assert(x < 3)\n"
            ":: x > 2 -> break od }",
            "assertion",
        ),
    ],
)
def test_verdicts_are_the_same(tmp_path: Path, text: str, verdict: str) -> None:
    assert compare(text + "\n", tmp_path) == verdict


@pytest.mark.parametrize("seed", range(20))
def test_random_models_have_the_same_errors(tmp_path: Path, seed: int) -> None:
    compare(random_model(seed), tmp_path, most=4000)


@pytest.mark.parametrize(
    "name", ["lost_update", "peterson", "peterson_late_flag", "philosophers_deadlock", "off_by_one", "turns"]
)
def test_examples_have_the_same_errors(tmp_path: Path, name: str) -> None:
    assert compare((EXAMPLES / f"{name}.pml").read_text(), tmp_path) not in ("refused", "large")
