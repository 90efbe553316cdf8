"""Every rule of the language is checked, and what breaks it is pointed at."""

from __future__ import annotations

from pathlib import Path

import pytest

from kripke.languages.lf import load
from kripke.model.source import ModelError

DECLARATIONS = """TYPE Msg = [data(INT8), end]; Other = [sig]; Pair = RECORD first : INT8; second : BOOLEAN END;
PORT q : Msg; o : Other; s : Msg!; r : Msg?;
CONST N = 3;
VAR x, y : INT8; w : INTEGER; b : BOOLEAN; c : CHAR; t : SET; a : ARRAY N OF INT8; p : Pair;
PROCESS P(in : Msg; VAR v : INT8); BEGIN v := 0 END P;
PROPERTY Q; BEGIN ACCEPT END Q;
"""


def refusal(folder: Path, body: str, declarations: str = "") -> str:
    file = folder / "m.lf"
    file.write_text(f"MODULE M;\nIMPORT Out;\n{DECLARATIONS}{declarations}BEGIN\n{body}\nEND M.\n")
    with pytest.raises(ModelError) as raised:
        load(str(file))
    error = raised.value
    assert error.span is not None and error.source_line is not None
    return f"{error.span.line}:{error.span.column} {error.message}"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("x := w", "10:6 assignment: this is INTEGER, where INT8 is needed"),
        ("x := 200", "10:6 200 is out of the range of INT8 (-128 to 127)"),
        ("x := y + w", "10:10 operand of +: this is INTEGER, where INT8 is needed"),
        ("x := b", "10:6 assignment: this is BOOLEAN, where INT8 is needed"),
        ("b := x", "10:6 assignment: this is INT8, where BOOLEAN is needed"),
        ("b := x & b", "10:6 & is for BOOLEAN; this is INT8"),
        ("b := ~x", "10:6 ~ is for BOOLEAN; this is INT8"),
        ("x := x / 2", "10:8 / is not for INT8"),
        ("b := b < b", "10:8 < is not for BOOLEAN"),
        ("b := p = p", "10:6 Pair cannot be compared"),
        ("b := 1 < x < 3", "10:12 comparisons cannot follow one another"),
        ("IF x THEN x := 1 END", "10:4 a condition is BOOLEAN; this is INT8"),
        ("x := z", "10:6 z is not declared"),
        ("x := a[3]", "10:8 the index 3 is out of range: the array has elements 0 to 2"),
        ("x := a[b]", "10:8 an index is an integer, not BOOLEAN"),
        ("x := x[1]", "10:6 INT8 has no elements: it is no array"),
        ("x := p.third", "10:8 Pair has no component third"),
        ("x := x.first", "10:8 INT8 has no components: it is no record"),
        ("N := 2", "10:1 this is a constant, where a variable is needed"),
        ("x = 2", "10:3 an assignment is written :="),
        ("x := P", "10:6 this is a process, where a value is needed"),
        ("x := P(q, x)", "10:6 this is a process, where a function or a type is needed"),
        ("x := INT8(p)", "10:11 Pair cannot be cast"),
        ("c := 65", "10:6 assignment: this is a number, where CHAR is needed"),
        ("c := CHR(300)", "10:10 300 is no character: they are 0 to 255"),
        ("INCL(t, 40)", "10:9 SET has elements 0 to 31"),
        ("INC(b)", "10:5 INC is for integer variables; this is BOOLEAN"),
        ("INC(x, 1, 2)", "10:1 INC takes 1 or 2 arguments, not 3"),
        ("NEW(x)", "10:5 NEW makes a channel for a port; this is INT8"),
        ("q!data", "10:1 message data of Msg carries 1 value, not 0"),
        ("q!data(w)", "10:8 value of data: this is INTEGER, where INT8 is needed"),
        ("q?data(w)", "10:8 value of data: this is INTEGER, where a variable of type INT8 is needed"),
        ("q!sig", "10:3 channel type Msg has no message sig"),
        ("x!data(1)", "10:1 communication needs a port; this is INT8"),
        ("s?end", "10:1 this port may only send"),
        ("r!end", "10:1 this port may only receive"),
        ("q := s", "10:6 assignment: this port may only send"),
        ("q := o", "10:6 assignment: this is Other, where Msg is needed"),
        ("P(q, 1)", "10:6 parameter v of P is a VAR parameter: it needs a variable"),
        ("P(q, w)", "10:6 parameter v of P: this is INTEGER, where a variable of type INT8 is needed"),
        ("P(q)", "10:1 P has 2 parameters, not 1"),
        ("CREATE x", "10:8 this is a variable, where a process is needed"),
        ("CREATE Q", "10:1 Q is a PROPERTY: it is created by itself"),
        ("ACCEPT", "10:1 ACCEPT belongs into a PROPERTY"),
        ("NOMOVE", "10:1 NOMOVE belongs into a PROPERTY"),
        ("ASSERT(x)", "10:8 a condition is BOOLEAN; this is INT8"),
        ("FOR b := 0 TO 1 DO END", "10:5 FOR counts with an integer variable, not BOOLEAN"),
        ("FOR x := 0 TO 3 BY 0 DO END", "10:1 the step of a FOR is not 0"),
        ("SELECT WHEN q?data(x) & x THEN END", "10:25 a condition is BOOLEAN; this is INT8"),
        ("SELECT WHEN x := 1 THEN END", "10:15 expected ! or ?: a WHEN starts with a communication, found ':='"),
        ("SELECT END", "10:8 expected WHEN, found 'END'"),
        ("Out.Int(b)", "10:9 Out.Int does not print BOOLEAN"),
        ("Out.Nothing", "10:5 module Out has no Nothing"),
        ("x := 1 y := 2", "10:8 expected ; between statements, or END, found 'y'"),
        ("x := 0FH; if b THEN END", "10:14 expected ; between statements, or END, found 'b'"),
        ("(* no end", "10:1 this comment has no end"),
        ("x := 12G", "10:6 12G is neither a name nor a number"),
        ("x := 5 DIV 0", "10:6 division by zero"),
        ("x := 'ab'", "10:6 a character in single quotes is one character"),
    ],
)
def test_statements(tmp_path: Path, body: str, message: str) -> None:
    assert refusal(tmp_path, body) == message


@pytest.mark.parametrize(
    ("declarations", "message"),
    [
        ("PROPERTY R(x : INT8); BEGIN ACCEPT END R;\n", "9:11 a PROPERTY has no parameters"),
        ("PROPERTY R; BEGIN x := 1 END R;\n", "9:19 a PROPERTY only looks: it cannot change global variables"),
        ("PROPERTY R; BEGIN q!end END R;\n", "9:19 a PROPERTY only looks: it cannot communicate"),
        ("PROPERTY R; BEGIN CREATE P(q, x) END R;\n", "9:19 a PROPERTY only looks: it cannot start processes"),
        ("PROPERTY R; BEGIN ASSERT(b) END R;\n", "9:19 ASSERT cannot stand in a PROPERTY"),
        (
            "PROCESS R; PROPERTY S; BEGIN END S; BEGIN END R;\n",
            "9:12 a PROPERTY is declared by a module, not inside a process",
        ),
        (
            "PROPERTY R; VAR k : INT8; BEGIN k := x END R;\n",
            "9:33 a PROPERTY keeps only values that do not depend on global variables",
        ),
        ("VAR x : INT8;\n", "9:5 x is already declared in line 6"),
        ("PORT n : INT8;\n", "9:10 PORT declares ports; INT8 is no channel type"),
        ("VAR n : x;\n", "9:9 this is a variable, where a type is needed"),
        ("VAR n : INT8!;\n", "9:9 only a channel type has a direction"),
        ("VAR n : ARRAY x OF INT8;\n", "9:15 the length of an array is a constant number"),
        ("VAR n : ARRAY 0 OF INT8;\n", "9:15 an array has at least one element and at most 32,768 bytes"),
        ("CONST K = x;\n", "9:11 the value of a constant is a constant"),
        ("TYPE T = [a, a];\n", "9:14 the channel type already has a message a"),
        ("TYPE T = RECORD a : INT8; a : INT8 END;\n", "9:27 the record already has a component a"),
    ],
)
def test_declarations(tmp_path: Path, declarations: str, message: str) -> None:
    assert refusal(tmp_path, "x := 1", declarations) == message


def test_modules(tmp_path: Path) -> None:
    (tmp_path / "A.lf").write_text("MODULE A; IMPORT B; VAR n* : INT8; k : INT8; BEGIN n := 1 END A.\n")
    (tmp_path / "B.lf").write_text("MODULE B; IMPORT C; BEGIN END B.\n")
    (tmp_path / "main.lf").write_text("MODULE Main; IMPORT A; BEGIN A.k := 1 END Main.\n")

    def message(text: str) -> str:
        (tmp_path / "C.lf").write_text(text)
        with pytest.raises(ModelError) as raised:
            load(str(tmp_path / "main.lf"))
        return raised.value.message

    assert message("MODULE C; IMPORT A; END C.") == "modules import each other in a circle: A -> B -> C -> A"
    assert message("MODULE C; IMPORT D; END C.") == "there is no module D"
    assert message("MODULE X; END X.").endswith("C.lf contains module X, not C")
    assert message("MODULE C; END C.") == "A does not export k"
    (tmp_path / "main.lf").write_text("MODULE Main; IMPORT A; BEGIN A.n := A.n + 1 END Main.\n")
    model = load(str(tmp_path / "main.lf"))
    (step,) = model.successors(model.initial()[0])
    assert step.target is not None and model.describe(step.target) == {"A.n": "2", "A.k": "0"}


def test_constants_of_the_main_module_can_be_given(tmp_path: Path) -> None:
    file = tmp_path / "m.lf"
    file.write_text("MODULE M; CONST N = 3; VAR a : ARRAY N OF INT8; END M.\n")
    assert load(str(file), defines={"N": "5"}).program.global_bytes == 5
    with pytest.raises(ModelError, match=r"-D K: the main module of .* has no constant K"):
        load(str(file), defines={"K": "5"})
    with pytest.raises(ModelError, match="the value of a constant is a number"):
        load(str(file), defines={"N": "five"})


def test_a_device_that_nobody_asks_is_no_obstacle(tmp_path: Path) -> None:
    file = tmp_path / "m.lf"
    file.write_text("MODULE M; PROCESS Read(VAR c : CHAR); BEGIN PORTIN(3F8H, c) END Read; BEGIN END M.\n")
    assert [one.name for one in load(str(file)).program.startable()] == ["M"]


def test_a_program_that_asks_devices_is_not_closed(tmp_path: Path) -> None:
    assert refusal(tmp_path, "PORTIN(2FFH, x)") == "10:1 PORTIN asks a device, of which a check knows nothing"
