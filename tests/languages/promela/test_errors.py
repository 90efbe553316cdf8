"""Error messages of the Promela front end, each with its exact text and place."""

from __future__ import annotations

from pathlib import Path

import pytest

from kripke.languages.promela import load
from kripke.model.source import ModelError

RUNS = "active proctype P() { skip }"  # something that runs, for texts that are about something else

CASES = [
    (
        "#if " + "(" * 120 + "1" + ")" * 120 + "\n#endif\n" + RUNS,
        "1:105: error: parentheses are nested too deeply in the condition of #if",
    ),
    ("#if 1 ? 2\n#endif\n" + RUNS, "1:2: error: expected ':' in the condition of #if"),
    ("#if 08x\n#endif\n" + RUNS, "1:5: error: '08x' is not a number in the condition of #if"),
    ("typedef T { 3 }\n" + RUNS, "1:13: error: expected a declaration in a typedef, found '3'"),
    ("chan q = [1] of { skip };\n" + RUNS, "1:19: error: expected a type, found 'skip'"),
    ("byte:fruit x;\n" + RUNS, "1:5: error: only 'mtype' has subtypes, 'byte' has none"),
    ("unsigned u : n;\n" + RUNS, "1:14: error: expected the number of bits after ':', found 'n'"),
    ("chan q = [1] of { byte }; active proctype P() { q?(1+2) }", "1:53: error: expected ')', found '+'"),
    (
        "typedef T { byte f }; active proctype P() { T t; P[0]:t.f == 1 }",
        "1:50: error: a remote reference cannot select a field",
    ),
    ("init priority x { skip }", "1:15: error: expected a number after 'priority', found 'x'"),
    (
        "byte x; active proctype P() { x = " + " - ".join(["1"] * 200) + " }",
        "1:641: error: nested too deeply: more than 150 operators in a row; use parentheses",
    ),
    ("chan q = [1] of { int }; active proctype P() { q?-x }", "1:51: error: expected a number after '-', found 'x'"),
    (
        "byte x; active proctype P() { if :: else -> x = 1 :: else -> skip fi }",
        "1:54: error: a second 'else' in the same selection",
    ),
    ("byte x; active proctype P() { L: x = 1; L: x = 2 }", "1:41: error: label 'L' is defined twice"),
    (
        "byte x; active proctype P() { d_step { x = 1; goto L }; assert(false); L: x = 2 }",
        "1:47: error: a jump out of a d_step: 'L' does not stand in the same d_step",
    ),
    (
        "byte x; active proctype P() { L: d_step { x < 3; x++; if :: x == 2 -> goto L :: else fi } }",
        "1:71: error: a jump out of a d_step: 'L' does not stand in the same d_step",
    ),
    (
        "byte x; active proctype P() { if :: goto L :: x = 2 fi; d_step { x = 1; L: x = 3 } }",
        "1:37: error: a jump into a d_step: 'L' does not stand in the same d_step",
    ),
    (
        "byte x; active proctype P() { do :: d_step { x < 3; x++; break } od }",
        "1:58: error: 'break' out of a d_step",
    ),
    ("byte x : 3;\n" + RUNS, "1:1: error: only an unsigned has a width"),
    ("byte n; byte a[n + 1];\n" + RUNS, "1:16: error: the size of an array must be a constant"),
    ("byte a[0];\n" + RUNS, "1:8: error: the size of an array must be at least 1"),
    ("int a[300000];\n" + RUNS, "1:5: error: 'a' is too large (1200000 bytes)"),
    ("unsigned u : 32;\n" + RUNS, "1:1: error: the width of an unsigned is from 1 to 31"),
    ("mtype = { a }; byte a;\n" + RUNS, "1:21: error: 'a' is already the name of an mtype value"),
    (
        "typedef S { byte b }; typedef T { S s[2] }; chan q = [1] of { T };\n" + RUNS,
        "1:63: error: 'T' has an array of structures in it and cannot be sent",
    ),
    ("byte n; typedef T { byte f = n };\n" + RUNS, "1:30: error: unknown name 'n'"),
    (
        "typedef S { byte b }; typedef T { S s[2] }; chan q = [1] of { byte }; active proctype P() { T t; q!t }",
        "1:100: error: a structure with an array of structures in it cannot be sent as a whole",
    ),
    (
        "typedef T { byte f }; active proctype P() { T t; t = 1 }",
        "1:50: error: 't' is a structure: name one of its fields",
    ),
    ("byte x; active proctype P() { x.f = 1 }", "1:31: error: 'x' has no fields"),
    ("byte x; active proctype P() { x = _ }", "1:35: error: '_' can only be written to or received into"),
    (
        "active [200] proctype P() { skip }\nactive [200] proctype Q() { skip }",
        "2:1: error: 400 processes run from the start, at most 255 can",
    ),
    (
        "active proctype P() { skip }\nactive proctype Q() { P@nowhere -> skip }",
        "2:23: error: 'P' has no label 'nowhere'",
    ),
    (
        "proctype P(byte a[2]) { skip }\ninit { run P(1) }",
        "1:17: error: a parameter cannot be an array or have one in it",
    ),
    ("mtype = { a }; active proctype P() { a = 1 }", "1:38: error: 'a' is an mtype value and cannot be assigned"),
    ("active proctype P() { _pid = 1 }", "1:23: error: '_pid' cannot be assigned"),
    ("byte x y;\n" + RUNS, "1:8: error: expected ';' after the declaration, found 'y'"),
    ("byte x = 1 2;\n" + RUNS, "1:12: error: expected ';' after the declaration, found '2'"),
    ("inline f() { skip }\ninline f() { skip }\n" + RUNS, "2:8: error: inline 'f' is already defined"),
    ("inline f() { skip \n" + RUNS, "1:12: error: the '{' of inline 'f' is not closed"),
    ("#define defined 1\n" + RUNS, "1:9: error: 'defined' cannot be the name of a macro"),
    ("#define A ## b\n" + RUNS, "1:11: error: '##' stands at an end of the macro"),
    ("#include foo\n" + RUNS, '1:2: error: #include needs a file name in double quotes: #include "file"'),
    ("#line x\n" + RUNS, "1:2: error: #line needs a line number"),
    ("#undef\n" + RUNS, "1:2: error: #undef needs the name of a macro"),
    ("#if defined\n#endif\n" + RUNS, "1:5: error: 'defined' needs the name of a macro"),
    (
        "chan q = [1] of { byte }; active proctype P() { q?* }",
        "1:51: error: expected a variable or a constant to receive, found '*'",
    ),
    ("typedef T { byte f = _nr_pr };\n" + RUNS, "1:18: error: the start value of a field must be a constant"),
    (
        "active [20] proctype P() { byte a[65000]; skip }",
        "1:1: error: a state takes 1300020 bytes, at most 1048576 are possible",
    ),
    ("chan q = [1] of { byte }; active proctype P() { { xr q } }", "1:49: error: a block needs at least one statement"),
    (
        "chan q = [1] of { byte }; active proctype P() { if :: xr q fi }",
        "1:52: error: an option needs at least one statement",
    ),
    ("chan q[2] = [1] of { byte }; active proctype P() { byte x; x = q[0].f }", "1:64: error: 'q' has no fields"),
    ("ltl p { <> true }\nltl p { <> true }\n" + RUNS, "2:1: error: there are two properties named 'p'"),
    ("byte x; active proctype P() { L: byte y; x = 1 }", "1:31: error: label 'L' stands before a declaration"),
    ("byte x; active proctype P() { (x <-> 1) }", "1:35: error: expected an expression, found '->'"),
    ("active proctype P() { goto 3 }", "1:28: error: expected a label after 'goto', found '3'"),
]

OUTSIDE = [
    ("x == _pid", "<invariant 1>:1:6: error: '_pid' has no meaning outside a process"),
    ("x == _priority", "<invariant 1>:1:6: error: '_priority' has no meaning outside a process"),
    ("x = 1", "<invariant 1>:1:3: error: unexpected '=' after the expression"),
    ("x -> 1", "<invariant 1>:1:3: error: unexpected '->' after the expression"),
    ("x == 1 x", "<invariant 1>:1:8: error: unexpected 'x' after the expression"),
]


@pytest.mark.parametrize(("text", "message"), CASES, ids=[message for _, message in CASES])
def test_message(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text(text)
    with pytest.raises(ModelError) as caught:
        load(str(path))
    assert str(caught.value).splitlines()[0] == f"{path}:{message}"


@pytest.mark.parametrize(("invariant", "message"), OUTSIDE)
def test_message_about_an_invariant(invariant: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text("byte x;\n" + RUNS)
    with pytest.raises(ModelError) as caught:
        load(str(path), invariants=[invariant])
    assert str(caught.value).splitlines()[0] == message
