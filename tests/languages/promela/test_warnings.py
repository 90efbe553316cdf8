"""Static warnings: every class with its exact text and place, and what looks alike and is none."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from kripke.languages.promela import load

EXAMPLES = sorted((Path(__file__).parents[3] / "examples" / "promela").glob("*.pml"))


class Case(NamedTuple):
    name: str
    text: str
    warnings: list[str]  # without the name of the file


CASES = [
    Case(
        "the start value of a structure",
        "typedef R { byte a };\ntypedef S { R r = 3 };\nR x = 1;\nS y;\n"
        "init { x.a = 1; y.r.a = x.a; assert(y.r.a == 1) }\n",
        [
            "2:15: warning: the start value of 'r' is ignored: it is a structure",
            "3:3: warning: the start value of 'x' is ignored: it is a structure",
        ],
    ),
    Case(
        "signs for bits between parts of a formula",
        "bit p, q;\ninit { p = 1; q = p }\nltl a { [](p & X(q)) || <>(p | []q) || [](p & q) }\n",
        [
            "3:12: warning: '&' with a temporal operator is read as '&&' (SPIN computes with a number of its own)",
            "3:28: warning: '|' with a temporal operator is read as '||' (SPIN computes with a number of its own)",
        ],
    ),
    Case(
        "labels inside atomic sequences",
        "byte x;\nactive proctype P() {\n do :: atomic { x = 1; accept: x = 0 }\n"
        " :: atomic { x = 2; accept_b: x == 0 -> x = 3 }; progress: atomic { x = 4; x = 5 } od }\n",
        [
            "3:32: warning: 'accept' is passed inside an atomic sequence and does not count there: "
            "put it before the sequence, or behind it"
        ],
    ),
    Case(
        "a comparison behind a temporal operator",
        "byte p, q;\ninit { p = 1; q = p }\nltl a { []<>p == 1 && X q + 1 > p }\n",
        [
            "3:13: warning: '<>' reaches to the end of the comparison (SPIN compares '<>' itself)",
            "3:25: warning: 'X' reaches to the end of the comparison (SPIN compares 'X' itself)",
        ],
    ),
    Case(
        "a poll of a rendezvous channel",
        "chan q = [0] of { bit }, r = [1] of { bit };\nactive proctype P() { do :: q?[1] :: r?[1] :: q!1 od }\n"
        "active proctype Q() { do :: r!1 :: q?1 :: r?_ od }\n",
        ["2:29: warning: 'q' is a rendezvous channel: a poll is always false (an error in SPIN)"],
    ),
    Case(
        "a variable as the size of an array",
        "byte n = 3, m;\nbyte a[n], b[m];\ninit { a[n - 1] = 1; b[m] = a[2]; assert(b[0]) }\n",
        [
            "2:8: warning: 'n' as the size of an array is 3, its start value",
            "2:14: warning: 'm' as the size of an array is 8, as in SPIN: its start value is not a number above 0",
        ],
    ),
    Case(
        "more start values than elements",
        "byte a[2] = { 1, 2, 3 };\ninit { assert(a[1] == 2); byte b[1] = { 1, 2 }; a[0] = b[0]; assert(a[0]) }\n",
        [
            "1:6: warning: 3 start values for an array of 2: the rest is ignored, as in SPIN",
            "2:32: warning: 2 start values for an array of 1: the rest is ignored, as in SPIN",
        ],
    ),
    Case(
        "a claim of no channel",
        "chan q = [1] of { byte };\ninit { chan c, d = q; c = q; xr c, d; c!1; d?1 }\n",
        ["2:33: warning: 'c' holds no channel when the process starts: this claim claims nothing"],
    ),
    Case(
        "unused names",
        """\
byte g, h;
typedef T { byte f };
mtype = { a, b, c };
mtype = { d };
inline f(p, q) { g = p }
inline never_called() { h = 1 }
proctype P(byte x; byte y) { byte z; mtype m = a; g = x; m = b }
proctype Idle() { skip }
init { int k; run P(1, 2); f(c, 2) }
""",
        [
            "1:6: warning: 'g' is assigned but never read: states do not keep its value (--dead-variables off does) "
            "[never-read]",
            "2:1: warning: type 'T' is never used [unused-typedef]",
            "4:1: warning: mtype value 'd' is never used [unused-mtype]",
            "5:1: warning: parameter 'q' of inline 'f' is never used [unused-parameter]",
            "6:1: warning: inline 'never_called' is never called [unused-inline]",
            "7:25: warning: parameter 'y' of 'P' is never used [unused-parameter]",
            "7:35: warning: variable 'z' is never used [unused-variable]",
            "8:1: warning: proctype 'Idle' is never run [unused-proctype]",
            "9:12: warning: variable 'k' is never used [unused-variable]",
        ],
    ),
    Case(
        "several mtype values, a global variable",
        "byte g;\nmtype = { a, b, c };\nactive proctype P() { mtype m = b }\n",
        [
            "1:6: warning: variable 'g' is never used [unused-variable]",
            "2:1: warning: mtype values 'a' and 'c' are never used [unused-mtype]",
            "3:29: warning: variable 'm' is never used [unused-variable]",
        ],
    ),
    Case(
        "uses that are easy to overlook",
        """\
byte g, only_in_formula;
mtype = { a };
typedef T { byte f }; typedef U { T t };
U u;
chan q = [1] of { mtype, T };
inline f(p) { if :: p -> p = 0 :: else fi }
ltl p { [] (only_in_formula == 0) }
active proctype P() { byte x; x = 1; T t; q!a,t; q?a,t; f(u.t.f); f(x) }
active proctype Q() { P:x == 1 -> g = 1; g == 1 }
""",
        [],
    ),
    Case(
        "channels that one side uses",
        """\
chan out = [1] of { byte };
chan in = [1] of { byte };
chan both = [1] of { byte };
chan handed = [1] of { byte };
chan polled = [1] of { byte };
proctype Q(chan c) { c?1 }
init { byte x; out!1; in?x; both!1; both?x; handed!1; run Q(handed); polled!1; polled?[1] }
""",
        [
            "1:6: warning: nothing is ever received from channel 'out' [never-received]",
            "2:6: warning: nothing is ever sent to channel 'in' [never-sent]",
            "5:6: warning: nothing is ever received from channel 'polled' [never-received]",
        ],
    ),
    Case(
        "constants that do not fit",
        """\
byte b = 256; bit f[2] = { 0, 2 }; short s; int i; unsigned u : 3;
typedef T { byte n = -1 }; T t;
chan q = [1] of { byte, short };
active proctype P() {
    b = -1; f[1] = 1; s = 32767; s = 32768; i = 2147483647; u = 8; t.n = 300;
    q!1,2; q!256,-32769; q?_,_; b = b + 256; d_step { b = 1000; i = b + f[0] + s + u + t.n }; i > 0
}
""",
        [
            "1:6: warning: 256 does not fit into 'b' (byte) and becomes 0 [out-of-range]",
            "2:18: warning: -1 does not fit into 'n' (byte) and becomes 255 [out-of-range]",
            "5:5: warning: -1 does not fit into 'b' (byte) and becomes 255 [out-of-range]",
            "5:34: warning: 32768 does not fit into 's' (short) and becomes -32768 [out-of-range]",
            "5:61: warning: 8 does not fit into 'u' (unsigned) and becomes 0 [out-of-range]",
            "5:68: warning: 300 does not fit into an element of 't' (byte) and becomes 44 [out-of-range]",
            "6:12: warning: 256 does not fit into field 1 of 'q' (byte) and becomes 0 [out-of-range]",
            "6:12: warning: -32769 does not fit into field 2 of 'q' (short) and becomes 32767 [out-of-range]",
            "6:55: warning: 1000 does not fit into 'b' (byte) and becomes 232 [out-of-range]",
        ],
    ),
    Case(
        "decided conditions, by the range of a type",
        """\
byte b; int i;
active proctype P() {
    do
    :: b < 0 -> b++
    :: b >= 0 && b <= 255 -> b++
    :: b == 300 || b > 256 -> b--
    :: !(b <= 255) -> b--
    :: b % 4 == 4 -> b--
    :: b + 1 > 0 -> b--
    :: i < 0 -> i++
    :: i - b > 0 -> i--
    od
}
""",
        [
            "4:8: warning: this condition can never hold [never-holds]",
            "5:8: warning: this condition always holds [always-holds]",
            "6:8: warning: this condition can never hold [never-holds]",
            "7:8: warning: this condition can never hold [never-holds]",
            "8:8: warning: this condition can never hold [never-holds]",
            "9:8: warning: this condition always holds [always-holds]",
        ],
    ),
    Case(
        "decided conditions, by the constants that are assigned",
        """\
byte state = 1; bool never_set; byte received; byte a[2];
chan q = [1] of { byte };
proctype Q(byte given) { given == 3 -> skip }
active proctype P() {
    run Q(3);
    q!7; q?received;
    do
    :: state == 1 -> state = 4
    :: state == 4 -> state = 1
    :: state == 2 -> skip
    :: never_set -> skip
    :: received == 7 -> skip
    :: a[state % 2] == 5 -> skip
    :: a[0] == 6 -> a[1] = 5
    od
}
""",
        [
            "10:8: warning: this condition can never hold [never-holds]",
            "11:8: warning: this condition can never hold [never-holds]",
            "14:8: warning: this condition can never hold [never-holds]",
        ],
    ),
    Case(
        "conditions that are meant as they stand",
        """\
#define N 3
#define DEBUG 0
byte x;
active proctype P() {
    do :: true -> x++ :: N > 2 && x < N -> x-- :: DEBUG -> x++ :: 1 -> skip :: false -> skip :: N == 4 && x > 1 od
}
""",
        [],
    ),
    Case(
        "statements no run can reach",
        """\
byte x;
active proctype P() {
    do
    :: x < 3 -> x++; goto again; x = 9; x = 10
    :: x == 3 -> break; x = 11
again:  skip
    od;
    if :: x == 3 -> goto out :: x != 3 -> goto out fi;
    x = 4;
    x = 5;
out: do :: x++ od;
    x = 6
}
""",
        [
            "4:34: warning: no run can reach this statement [unreachable]",
            "5:25: warning: no run can reach this statement [unreachable]",
            "9:5: warning: no run can reach this statement [unreachable]",
            "12:5: warning: no run can reach this statement [unreachable]",
        ],
    ),
    Case(
        "a server never ends, and needs no word",
        "byte x;\nactive proctype P() { end: do :: x++ :: x > 3 -> x = 0 od }\n",
        [],
    ),
    Case(
        "what is written behind the scenes",
        """\
byte x;
active proctype P() { _last == 1 -> x = 1; { x = 2; x == 5 } unless { x == 2 -> x = 4 } }
active proctype Q() { x == 4 -> x = 5 }
""",
        [],
    ),
    Case(
        "an array between statements",
        "byte x;\nactive proctype P() { x = 1; byte a[2] = 4; x = a[1] }\n",
        [
            "2:35: warning: only 'a[0]' gets the start value: the array is declared between statements",
            "1:6: warning: 'x' is assigned but never read: states do not keep its value (--dead-variables off does) "
            "[never-read]",
        ],
    ),
]


def warnings(path: Path) -> list[str]:
    model = load(str(path))
    return [str(warning).removeprefix(f"{path}:") for warning in (*model.warnings, *model.remarks())]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_warnings(case: Case, tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text(case.text)
    assert warnings(path) == case.warnings


def test_a_name_used_in_an_invariant_is_used(tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text("byte x;\nactive proctype P() { skip }\n")
    assert [str(remark.message) for remark in load(str(path)).remarks()] == ["variable 'x' is never used"]
    assert not load(str(path), invariants=["x == 0"]).remarks()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_no_warning_about_the_examples(path: Path) -> None:
    """But that the run-time error of one of them is in what is never read."""
    never_read = path.name == "off_by_one.pml"
    found = [line for line in warnings(path) if line.endswith("]")]
    assert [line for line in found if not (never_read and line.endswith("[never-read]"))] == []
