"""Constructs beyond the core of Promela, with the exact counts of SPIN 6.5.2 (see ``test_counts.py``), and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from kripke.engines.explicit.safety import check
from kripke.engines.explicit.search import Order
from kripke.engines.plan import EngineName, SearchPlan
from kripke.languages.promela import load
from kripke.model.source import ModelError


class Case(NamedTuple):
    rule: str
    text: str
    counts: str


CASES = [
    Case(
        "a break in the escape of a loop leaves the loop around it",
        """
        byte x, z;
        active proctype P() { do :: { do :: x = 1 - x od unless { (1); z = 1; break } } od }
        """,
        "4/4/0",
    ),
    Case("a file that ends as files of DOS do", "byte x;\r\nactive proctype P() { x = 1 }\r\n\x1a", "3/3/0"),
    Case("a large array", "byte a[70000]; active proctype P() { a[69999] = 1; assert(a[69999] == 1) }", "4/4/0"),
    Case(
        "a parameter that is a structure gets the channels of its argument, not channels of its own",
        """
        typedef M { chan lock = [0] of { bool }; int count = 5 }
        byte x;
        proctype P(M a; byte z) { a.lock!1; x = a.count }
        active proctype A() { M m; run P(m, 3); m.lock?1 }
        """,
        "6/6/0",
    ),
    Case(
        "the start value of a structure does not count",
        """
        typedef R { byte key; byte port };
        R r = 3; R rs[2] = 255;
        init { R q[2] = 7; rs[1].port == 0 -> assert(r.port == 0 && q[1].key == 0) }
        """,
        "4/4/0",
    ),
    Case(
        "unless: the escape is tried before every statement of the main sequence",
        """
        byte x, y;
        active proctype A() {
            do
            :: x < 5 -> { x = x+1; y = 0; y = 1; } unless { x == 3 -> y = 2; x = 4 }
            :: x == 5 -> break
            od
        }
        active proctype B() { y = 3; x = 1 }
        """,
        "80/133/0",
    ),
    Case(
        "nested unless, around loops and with an atomic escape",
        """
        byte x, y; chan q = [1] of { byte };
        active proctype A() {
            byte z;
            do
            :: { { x = (x+1)%4; (y==1) -> x = 2; if :: y = 0 :: y = 2 fi }
                 unless { (x == 2) -> y = 1; q!1 } } unless { (y==3); x = 0 }
            :: z++; break
            od unless { atomic { y == 4 -> z = 1; y = 0 } };
            assert(z == 1)
        }
        active proctype B() { byte z; do :: q?z unless { x == 1 -> y = 3 } :: y = 4; break od }
        """,
        "25/38/0",
    ),
    Case(
        "unless with rendezvous on both sides, around a d_step and a labelled atomic sequence",
        """
        byte x, y; chan q = [0] of { byte };
        active proctype A() {
            byte z;
            { q?z; x = z; q?2 } unless { if :: x == 2 -> y = 1 :: q?3 -> y = 5 fi };
            d_step { x = 4; y = 2 } unless { y == 5 -> goto done };
            L: atomic { q?z; x = 1; q!4 } unless { x == 3; skip };
            done: skip
        }
        active proctype B() { byte z; do :: q!2 :: q!3 :: q?4 :: break od unless { y == 5 -> q?z } }
        """,
        "75/105/5",
    ),
    Case(
        "priorities: only the most important of those that can move do, also in the middle of an atomic sequence",
        """
        byte x, y;
        proctype A(byte n) priority 3 { do :: x < 3 -> x++; y = n :: else -> break od }
        active proctype B() priority 2 {
            byte i;
            y = 2; set_priority(_pid, 5); run A(3); i = run A(2) + 3; x = i; _priority = 1; y = get_priority(1);
            do :: y++ ; if :: y > 3 -> break :: else fi od
        }
        active proctype C() provided (y != 4) { do :: x > 0 -> atomic { x--; y = 1; x++ } :: x > 2 ->  break od }
        init { atomic { run A(1) priority 4; run C() priority 2 } }
        """,
        "1644/3461/11",
    ),
    Case(
        "provided: atomic sequences and rendezvous wait, too",
        """
        byte x; byte turn = 1; chan q = [0] of { bit };
        active [2] proctype A() provided (turn == _pid) {
            bit b;
            do
            :: x = _pid; turn = 1 - turn
            :: turn = _pid; assert(x<2)
            :: q!1
            :: q?b; atomic { turn = 1 - _pid; x = 3; turn = _pid }
            od
        }
        """,
        "6/9/0",
    ),
    Case(
        "enabled(), pc_value() with SPIN's numbers of states, _last",
        """
        byte x; byte l;
        active proctype W() {
            do
            :: !enabled(1) -> x = 2; break
            :: pc_value(1) == 2 -> x = 1; x = 3
            :: x == 3 -> l = _last
            od
        }
        active proctype B() { x = 1; x == 3; x = 5; (x == 2); x = 0 }
        active proctype C() { l = _last; if :: _last == 2 -> l = 4; :: _last == 1 -> l = 5 :: l == _last fi }
        """,
        "745/1496/7",
    ),
    Case(
        "nothing is merged in a model with a provided condition, not even in other processes",
        """
        byte g;
        active proctype P1() provided (g < 2) { byte a, b; a = 1; b = 2; a = b; b = a; g = b }
        active proctype P2() { byte a, b; a = 1; b = 2; a = b; b = a; g = b }
        """,
        "42/62/5",
    ),
    Case(
        "nothing is merged or reset where a local variable is read from outside",
        """
        byte g;
        active proctype P1() { byte a, b; a = 1; b = 2; a = b; b = a; g = b; a = 3 }
        active proctype P2() { P1:a == 2; g = 0; g++ }
        """,
        "24/35/1",
    ),
    Case(
        "an unless after a for belongs to its loop alone; break in an escape",
        """
        byte g;
        active proctype P() {
            byte x = 1;
            for (x : 1 .. 3) { g = x } unless { g == 2 -> g = 7 };
            assert(g != 9)
        }
        active proctype Q() {
            do :: atomic { g > 5 -> g = 0; break } unless { g == 7 -> break } :: g == 9 -> break od
        }
        """,
        "15/17/0",
    ),
    Case(
        "unless around blocking atomic sequences, with jumps to its label",
        """
        byte g; chan q = [2] of { byte };
        active proctype P() {
            L: { q!1; if :: g == 1 -> goto L :: else -> skip fi; q?_ }
            unless { atomic { nfull(q) && g == 2; q!3; g = 0; q?_ } };
            g = 4
        }
        active proctype Q() {
            do :: g = 1 :: g = 2 :: break od;
            { { g = 3; g = 1 } unless { len(q) == 2; g = 5 } ; g = 6 } unless { len(q) == 1; d_step { g = 7; g = 8 } }
        }
        init { { atomic { g = 1; g == 2; g = 4 } } unless { g == 3 -> skip } }
        """,
        "827/2069/15",
    ),
    Case(
        "rendezvous in escapes and in what they escape from",
        """
        byte g; chan q = [0] of { byte };
        proctype P(byte n) { do :: { q!n; g = n } unless { q?g } :: { q?g } unless { g == 2 -> q!3 } :: break od }
        init { atomic { run P(1); run P(2) } ; (_nr_pr == 1) -> assert(g < 3) }
        """,
        "40/57/2",
    ),
    Case(
        "D_proctype: a choice is an error, the search goes on",
        """
        byte x;
        active D_proctype A() { do :: x < 2 -> x++ :: x == 1 -> x = 3 :: else -> break od }
        active proctype B() { x = 0 }
        """,
        "34/50/3",
    ),
    Case(
        "D_proctype: an offer that comes second is a choice, taken or not, and so is a second way to take one",
        """
        chan q = [0] of { byte }; chan r = [0] of { byte };
        D_proctype Offer() { if :: q!1 :: q!2 :: r!3 fi }
        D_proctype Late() { if :: r!1 :: q!2 fi }
        D_proctype Take() { if :: q?_ :: q?1 :: q?3 fi }
        init { atomic { run Offer(); run Late(); run Take() } }
        """,
        "7/9/5",
    ),
    Case(
        "D_proctype: a send that may be a rendezvous or not",
        """
        chan q = [0] of { byte }; chan r = [1] of { byte }; chan s;
        active D_proctype A() { s = q; s!1; if :: s = r :: s = q fi; s!2 }
        active proctype B() { do :: q?_ :: r?_ :: timeout -> break od }
        """,
        "14/14/1",
    ),
    Case(
        "start values and channels of the fields of a typedef, for over an array and over messages",
        """
        typedef m { bool b; byte i = 2; chan c = [1] of { byte }; byte z[2] = 5 };
        byte g; m gg[2];
        active proctype A() {
            m foo; chan q = [3] of { byte }; byte k; byte a[3];
            for (k in a) { a[k] = k }
            gg[1].c!3; foo.c!gg[0].i; gg[0].c = foo.c; gg[0].c?g; assert(g == 2); gg[1].c?[3]; g = gg[1].z[1];
            short w[2] = 3; select(k : 1 .. 3); q!k; q!!w[0]
        }
        typedef n { byte a; short b };
        active proctype B() {
            n v; chan q = [3] of { n };
            q!1,2; q!3,4; for (v in q) { g = v.a; if :: g == 3 -> break :: else fi } q?v; g = v.b
        }
        """,
        "645/1224/9",
    ),
    Case(
        "hidden variables do not tell states apart where single steps need them only",
        """
        hidden byte h; hidden byte i = 3; hidden byte w; byte x, y; show int z; hidden byte un;
        active [2] proctype A() {
            do
            :: d_step { h = 0; do :: h < 3 -> x = (x + h) % 5; h++ :: else -> break od }
            :: atomic { i = x; y = i; i = 4 }
            :: w = 3; un = 2
            od
        }
        """,
        "20/81/0",
    ),
]


@pytest.mark.parametrize(
    ("engine", "order"), [("interpreter", "bfs"), ("native", "bfs"), ("native", "dfs")], ids=lambda value: str(value)
)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
def test_counts_of_spin(case: Case, engine: EngineName, order: Order, tmp_path: Path) -> None:
    result = check(load(_written(tmp_path, case.text)), SearchPlan(search=order, engine=engine, all_errors=True))
    assert f"{result.states}/{result.transitions}/{result.errors}" == case.counts


def _written(folder: Path, text: str) -> str:
    path = folder / "model.pml"
    path.write_text(text)
    return str(path)


REFUSED = [
    (
        "chan q = [0] of { byte }; active proctype A() priority 2 { q!1 }",
        "process priorities cannot be combined with rendezvous channels",
    ),
    (
        "chan q = [0] of { byte }; active proctype A() { q!1 } active proctype B() { enabled(0) }",
        "'enabled()' cannot be combined with rendezvous channels",
    ),
    ("active proctype A() priority 256 { skip }", "a priority is from 1 to 255, not 256"),
    ("active proctype A() { hidden byte x; x = 1 }", "only global variables can be hidden"),
    ("byte x; proctype A() { skip } init { x = run A() + run A() }", "more than one 'run' in an expression"),
    (
        "byte x; proctype A() { skip } init { x = (x -> run A() : 1) }",
        "a 'run' that depends on another part of its expression",
    ),
    ("proctype A() { skip } init { (run A() > 0) }", "'run' cannot be a part of this expression"),
    (
        "chan q = [2] of { byte }; byte b; active proctype A() { for (b in q) { skip } }",
        "'q' is not an array",
    ),
    (
        "typedef T { byte x }; typedef U { byte x }; chan q = [2] of { T }; U u; init { for (u in q) { skip } }",
        "'u' is not of the type of the messages of 'q'",
    ),
    ("typedef T { byte x }; T t; chan q; init { for (t in q) { skip } }", "'q' has no messages to go through"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_what_is_refused(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError) as refusal:
        load(_written(tmp_path, text))
    assert f"error: {message}\n" in str(refusal.value)


def test_a_hidden_variable_that_later_steps_read_is_part_of_the_state(tmp_path: Path) -> None:
    model = load(_written(tmp_path, "hidden byte h; byte x; active proctype A() { h = 1; x = h; x == 1 }"))
    message = "hidden variable 'h' is part of the state: its value is read in later steps"
    assert [warning.message for warning in model.warnings] == [message]


def test_own_enabledness_is_a_violation(tmp_path: Path) -> None:
    result = check(load(_written(tmp_path, "active proctype A() { enabled(_pid) }")), SearchPlan())
    assert (result.verdict, result.kind) == ("violated", "enabled")


def test_steps_of_loops_have_readable_texts(tmp_path: Path) -> None:
    text = """
    typedef T { byte x }; chan q = [2] of { T }; T t;
    active proctype A() {
        byte i, n = 2; byte a[2];
        for (i : 1 .. n) { skip }
        for (i in a) { skip }
        for (t in q) { skip }
        select (i : 0 .. n); select (i : 4 .. 5)
    }
    """
    texts = [statement.text for statement in load(_written(tmp_path, text)).statements]
    for expected in (
        "i = 1",
        "i <= n",
        "i = i + 1",
        "i <= 1",
        "messages seen = 0",
        "messages seen < len(q)",
        "q?t",
        "q!t",
        "messages seen = messages seen + 1",
        "i < n",
        "i = 4",
        "i = 5",
    ):
        assert expected in texts
