"""One wrong program for every rule of the language: what the message says, and the line and column it points at.

Rules about modules, and those that only a run or a check can find broken, come at the end.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import kripke
from kripke.languages.lf import load
from kripke.model.source import ModelError

DECLARATIONS = """TYPE Msg = [data(INT8), end]; Other = [sig]; Pair = RECORD first : INT8; second : BOOLEAN END; \
Str = ARRAY 4 OF CHAR;
PORT q : Msg; o : Other; s : Msg!; r : Msg?;
CONST N = 3;
VAR x, y : INT8; w : INTEGER; b : BOOLEAN; c : CHAR; t : SET; a : ARRAY N OF INT8; p : Pair; \
u : UINT8; st : Str; t8 : SET8; m : ARRAY 2, 3 OF INT8;
PROCESS P(in : Msg; VAR v : INT8); BEGIN v := 0 END P;
PROPERTY Q; BEGIN ACCEPT END Q;
PROCESS Snd(out : Msg!); BEGIN out!end END Snd;
"""

#: a statement of the main module (line 11), the place and the message, the hint
STATEMENTS: list[tuple[str, str, str | None]] = [
    ("x := -129", "11:6 -129 is out of the range of INT8 (-128 to 127)", None),
    ("u := -1", "11:6 -1 is out of the range of UINT8 (0 to 255)", None),
    ("u := 256", "11:6 256 is out of the range of UINT8 (0 to 255)", None),
    ("x := 127 + 1", "11:6 128 is out of the range of INT8 (-128 to 127)", None),
    (
        "x := -x + u",
        "11:11 operand of +: this is UINT8, where INT8 is needed",
        "types are not mixed; cast with INT8(...)",
    ),
    (
        "x := y * w",
        "11:10 operand of *: this is INTEGER, where INT8 is needed",
        "types are not mixed; cast with INT8(...)",
    ),
    ("x := 5 MOD 0", "11:6 division by zero", None),
    ("x := x DIV 0", "11:6 division by zero", None),
    ("x := x MOD 0", "11:6 division by zero", None),
    ("x := 'a'", "11:6 assignment: this is CHAR, where INT8 is needed", "types are not mixed; cast with INT8(...)"),
    ('c := "ab"', "11:6 assignment: a string can only be printed", 'Out.String("...")'),
    ("c := 'a' + 'b'", "11:10 + is not for CHAR", None),
    (
        "b := c = x",
        "11:10 operand of =: this is INT8, where CHAR is needed",
        "types are not mixed; cast with CHAR(...)",
    ),
    ("b := p # p", "11:6 Pair cannot be compared", "compare its elements or components"),
    ("b := a = a", "11:6 ARRAY 3 OF INT8 cannot be compared", "compare its elements or components"),
    ("a := p", "11:6 assignment: this is Pair, where ARRAY 3 OF INT8 is needed", None),
    ("p := a", "11:6 assignment: this is ARRAY 3 OF INT8, where Pair is needed", None),
    ('st := "abcd"', "11:7 the string and the 0X after it do not fit into ARRAY 4 OF CHAR", None),
    ("st := 'a'", "11:7 assignment: this is CHAR, where ARRAY 4 OF CHAR is needed", None),
    ('x := "a"', "11:6 assignment: this is CHAR, where INT8 is needed", "types are not mixed; cast with INT8(...)"),
    ("t := 3", "11:6 assignment: this is a number, where SET is needed", None),
    ("t := {32}", "11:7 sets have elements 0 to 31", None),
    ("t := {b}", "11:7 an element of a set is an integer, not BOOLEAN", None),
    ("t8 := {9}", "11:7 SET8 has elements 0 to 7", None),
    ("t8 := t", "11:7 assignment: this is SET, where SET8 is needed", "types are not mixed; cast with SET8(...)"),
    ("b := b IN t", "11:6 an element of a set is an integer, not BOOLEAN", None),
    ("b := x IN x", "11:11 IN asks about a set; this is INT8", None),
    ("b := 40 IN t", "11:6 SET has elements 0 to 31", None),
    ("b := t < t", "11:8 < is not for SET", None),
    ("x := ~3", "11:6 ~ is for BOOLEAN; this is a number", None),
    ("b := -b", "11:6 - is not for BOOLEAN", None),
    ("x := -t", "11:6 assignment: this is SET, where INT8 is needed", "types are not mixed; cast with INT8(...)"),
    ("x := +c", "11:6 + is not for CHAR", None),
    ("x := LEN(x)", "11:10 LEN is for arrays; this is INT8", None),
    ("x := ORD(x)", "11:10 ORD is not for INT8", None),
    ("x := CHR(x)", "11:6 assignment: this is CHAR, where INT8 is needed", "types are not mixed; cast with INT8(...)"),
    ("c := CHR(-1)", "11:10 -1 is no character: they are 0 to 255", None),
    ("x := ABS(b)", "11:10 ABS is not for BOOLEAN", None),
    ("b := ODD(b)", "11:10 ODD is not for BOOLEAN", None),
    ("x := MIN(x)", "11:10 MIN asks about a type of numbers", None),
    ("x := MAX(Pair)", "11:10 MAX asks about a type of numbers", None),
    (
        "x := MAX(INTEGER)",
        "11:6 assignment: this is INTEGER, where INT8 is needed",
        "types are not mixed; cast with INT8(...)",
    ),
    ("x := INT8(q)", "11:11 Msg cannot be cast", None),
    ("x := INT8(c, c)", "11:6 a cast has 1 argument, not 2", None),
    ("x := INT8()", "11:6 a cast has 1 argument, not 0", None),
    ("x := ABS()", "11:6 ABS takes 1 argument, not 0", None),
    ("x := m[1]", "11:6 assignment: this is ARRAY 3 OF INT8, where INT8 is needed", None),
    ("x := m[1, 3]", "11:11 the index 3 is out of range: the array has elements 0 to 2", None),
    ("x := m[1, 2, 0]", "11:6 INT8 has no elements: it is no array", None),
    ("x := a[-1]", "11:8 the index -1 is out of range: the array has elements 0 to 2", None),
    ("x := a", "11:6 assignment: this is ARRAY 3 OF INT8, where INT8 is needed", None),
    ("x := p", "11:6 assignment: this is Pair, where INT8 is needed", None),
    ("q := x", "11:6 assignment: this is INT8, where Msg is needed", None),
    ("q := NIL", "11:6 NIL is not declared", None),
    ("x := q", "11:6 assignment: this is Msg, where INT8 is needed", None),
    ("b := q = o", "11:6 these ports belong to different channel types", None),
    ("b := q < q", "11:8 < is not for Msg", None),
    ("b := q = 0", "11:10 operand of =: this is a number, where Msg is needed", None),
    (
        "NEW(s)",
        "11:5 nobody could use the other end of this channel: the port may only send",
        "NEW is for a port of type Msg, which may be passed on as Msg!",
    ),
    ("NEW(a)", "11:5 NEW makes a channel for a port; this is ARRAY 3 OF INT8", None),
    ("NEW(N)", "11:5 this is a constant, where a variable is needed", None),
    ("NEW()", "11:1 NEW takes 1 argument, not 0", None),
    (
        "INC(x, b)",
        "11:8 the second argument of INC: this is BOOLEAN, where INT8 is needed",
        "types are not mixed; cast with INT8(...)",
    ),
    ("INC(x, 200)", "11:8 200 is out of the range of INT8 (-128 to 127)", None),
    ("INC(N)", "11:5 this is a constant, where a variable is needed", None),
    ("INC(3)", "11:5 a variable is needed here", None),
    ("DEC(c)", "11:5 DEC is for integer variables; this is CHAR", None),
    ("INCL(x, 1)", "11:6 INCL is for sets; this is INT8", None),
    ("INCL(t, b)", "11:9 an element of a set is an integer, not BOOLEAN", None),
    ("EXCL(t8, 8)", "11:10 SET8 has elements 0 to 7", None),
    ("ASSERT()", "11:1 ASSERT takes 1 argument, not 0", None),
    ("ASSERT(TRUE, TRUE)", "11:1 ASSERT takes 1 argument, not 2", None),
    (
        "DEADLINE(b)",
        "11:10 a deadline: this is BOOLEAN, where INT32 is needed",
        "types are not mixed; cast with INT32(...)",
    ),
    ("DEADLINE(-1)", "11:10 a deadline is a number of actions, 0 for none", None),
    ("DEADLINE()", "11:1 DEADLINE takes 1 argument, not 0", None),
    ("RESCHEDULE(1)", "11:1 RESCHEDULE takes 0 arguments, not 1", None),
    (
        "PORTIN(b, x)",
        "11:8 the address of a device: this is BOOLEAN, where INT32 is needed",
        "types are not mixed; cast with INT32(...)",
    ),
    ("PORTOUT(1, p)", "11:12 PORTOUT writes a scalar; this is Pair", None),
    ("PORTIN(1, 5)", "11:11 a variable is needed here", None),
    ("CREATE P(q, x", "12:1 expected ), found 'END'", None),
    ("CREATE P(o, x)", "11:10 parameter in of P: this is Other, where Msg is needed", None),
    ("CREATE P(s, x)", "11:10 parameter in of P: this port may only send", None),
    ("CREATE Snd(r)", "11:12 parameter out of Snd: this port may only receive", None),
    ("P(q, a)", "11:6 parameter v of P: this is ARRAY 3 OF INT8, where a variable of type INT8 is needed", None),
    ("P(q, N)", "11:6 parameter v of P is a VAR parameter: it needs a variable", None),
    ("P(q, x + 1)", "11:6 parameter v of P is a VAR parameter: it needs a variable", None),
    ("CREATE Nothing", "11:8 Nothing is not declared", None),
    ("CREATE Out.Ln", "11:1 what prints runs to completion: leave out CREATE", None),
    ("CREATE M", "11:8 M is not declared", None),
    ("CREATE Msg", "11:8 this is a type, where a process is needed", None),
    ("q!data(1, 2)", "11:1 message data of Msg carries 1 value, not 2", None),
    ("q!end(1)", "11:1 message end of Msg carries 0 values, not 1", None),
    ("q?data(1 + 1)", "11:8 a variable is needed here", None),
    ("q?data(300)", "11:8 300 is out of the range of INT8 (-128 to 127)", None),
    ("q?data(b)", "11:8 value of data: this is BOOLEAN, where a variable of type INT8 is needed", None),
    ("q?data(x + 1)", "11:8 a variable is needed here", None),
    ("q?nothing", "11:3 channel type Msg has no message nothing", "it has data, end"),
    ("a[0]!end", "11:1 communication needs a port; this is INT8", None),
    ("q.data", "11:1 this is no process, where a process is needed", None),
    ("q!x", "11:3 channel type Msg has no message x", "it has data, end"),
    ("q?", "12:1 expected the name of a message, found END, a word of the language", None),
    ("q!data(q)", "11:8 value of data: this is Msg, where INT8 is needed", None),
    ("SELECT WHEN q!end THEN x := 1 ELSE x := 2 END", "11:31 expected END of the SELECT, found 'ELSE'", None),
    ("SELECT WHEN b THEN x := 1 END", "11:15 expected ! or ?: a WHEN starts with a communication, found 'THEN'", None),
    ("SELECT WHEN q?data(x) & TRUE x := 1 END", "11:30 expected THEN, found 'x'", None),
    ("SELECT WHEN q?data(x) AND b THEN x := 1 END", "11:23 expected THEN, found 'AND'", "conditions are joined by &"),
    ("SELECT WHEN q?data(x), q!end THEN END", "11:22 expected THEN, found ','", None),
    ("SELECT WHEN s?end THEN END", "11:13 this port may only send", "it is declared as Msg!"),
    (
        "SELECT WHEN q?data(w) THEN END",
        "11:20 value of data: this is INTEGER, where a variable of type INT8 is needed",
        None,
    ),
    ("SELECT WHEN x!end THEN END", "11:13 communication needs a port; this is INT8", None),
    (
        "CHOICE x := 1 OR x := 2",
        "12:5 expected ; between statements, or END, found 'M'",
        "something before it has no END: an IF, a loop, a SELECT, a CHOICE or a process",
    ),
    ("OR", "11:1 expected END, found 'OR'", "a module ends with END Name."),
    ("IF b THEN x := 1 ELSE x := 2 ELSIF b THEN END", "11:30 expected END of the IF, found 'ELSIF'", None),
    ("IF b x := 1 END", "11:6 expected THEN, found 'x'", None),
    (
        "IF b THEN x := 1",
        "12:5 expected ; between statements, or END, found 'M'",
        "something before it has no END: an IF, a loop, a SELECT, a CHOICE or a process",
    ),
    ("WHILE b x := 1 END", "11:9 expected DO, found 'x'", None),
    ("WHILE 1 DO END", "11:7 a condition is BOOLEAN; this is a number", None),
    ("REPEAT x := 1 END", "11:15 expected UNTIL, found 'END'", None),
    ("REPEAT x := 1 UNTIL x", "11:21 a condition is BOOLEAN; this is INT8", None),
    (
        "FOR x := 0 TO b DO END",
        "11:15 the last value: this is BOOLEAN, where INT8 is needed",
        "types are not mixed; cast with INT8(...)",
    ),
    (
        "FOR x := b TO 3 DO END",
        "11:10 the first value: this is BOOLEAN, where INT8 is needed",
        "types are not mixed; cast with INT8(...)",
    ),
    ("FOR x := 0 TO 300 DO END", "11:15 300 is out of the range of INT8 (-128 to 127)", None),
    ("FOR x := 0 TO 3 BY y DO END", "11:20 the step of a FOR is a constant number", None),
    ("FOR x = 0 TO 3 DO END", "11:7 expected :=, found '='", None),
    ("x := 3 y", "11:8 expected ; between statements, or END, found 'y'", None),
    ("x : = 3", "11:3 expected ; between statements, or END, found ':'", None),
    ("x := (3", "12:1 expected ), found 'END'", None),
    ("x := {1", "12:1 expected }, found 'END'", None),
    ("x := 3 +", "12:1 expected an expression, found 'END'", None),
    ("x := 1.5", "11:7 expected ; between statements, or END, found '.'", None),
    ("x := 99999999999", "11:6 the number 99999999999 is too large", "numbers have at most 32 bits"),
    ("w := 99999999999", "11:6 the number 99999999999 is too large", "numbers have at most 32 bits"),
    ("w := 0FFFFFFFFH", "11:6 4294967295 is out of the range of INTEGER (-2147483648 to 2147483647)", None),
    (
        "x := 0xFF",
        "11:6 0xFF is neither a name nor a number",
        "names start with a letter; hexadecimal numbers start with a digit and end in H: 2FFH",
    ),
    ("x := 'a", "11:6 this string has no end on its line", None),
    ('x := "abc', "11:6 this string has no end on its line", None),
    ("x := y := 3", "11:8 expected ; between statements, or END, found ':='", None),
    ("x + 1", "11:3 expected ; between statements, or END, found '+'", None),
    ("3 := x", "11:1 expected a name, found '3'", None),
    ("TRUE := b", "11:1 expected a statement, found 'TRUE'", None),
    ("END", "12:1 expected . after the end of the module, found 'END'", None),
    ("Out.Int", "11:1 Out.Int takes 1 argument, not 0", None),
    ("Out.Int(x, 1, 2)", "11:1 Out.Int takes 1 argument, not 3", None),
    (
        "Out.Int(x, b)",
        "11:12 the width of Out.Int: this is BOOLEAN, where INT32 is needed",
        "types are not mixed; cast with INT32(...)",
    ),
    ("Out.String(x)", "11:12 Out.String prints a string in quotes", None),
    ("Out.Char(x)", "11:10 Out.Char does not print INT8", None),
    ("Out.Bool(x)", "11:10 Out.Bool does not print INT8", None),
    ("Out.Hex(b)", "11:9 Out.Hex does not print BOOLEAN", None),
    ("Out.Ln(1)", "11:1 Out.Ln takes 0 arguments, not 1", None),
    (
        "x := Out.Int(3)",
        "11:6 this is a process, where a function or a type is needed",
        "a process is started by a statement, not inside an expression",
    ),
    ("x := Out", "11:6 this is a module, where a value is needed", None),
    ("Out := 3", "11:1 this is a module, where a variable is needed", None),
    ("Out.x := 3", "11:5 module Out has no x", None),
    ("q.x := 1", "11:3 Msg has no components: it is no record", None),
    ("x := a.b", "11:8 ARRAY 3 OF INT8 has no components: it is no record", None),
    ("x := M.x", "11:6 M is not declared", None),
    ("RETURN", "11:1 RETURN is not declared", None),
    ("x := IF", "11:6 expected an expression, found 'IF'", None),
    ("b := x AND y", "11:8 expected ; between statements, or END, found 'AND'", "conditions are joined by &"),
    ("b := x && y", "11:9 expected an expression, found '&'", "conditions are joined by a single &"),
    ("b := ! b", "11:6 expected an expression, found '!'", "a condition is negated by ~, and # means different"),
    ("x := x % 2", "11:8 the character '%' does not belong to the language", None),
    (
        "if b then x := 1 end",
        "11:4 expected ; between statements, or END, found 'b'",
        "words of the language are written in capitals: IF",
    ),
    (
        "while b do end",
        "11:7 expected ; between statements, or END, found 'b'",
        "words of the language are written in capitals: WHILE",
    ),
    ("b := TRUE OR x", "11:14 OR is for BOOLEAN; this is INT8", None),
    ("b := TRUE & 1", "11:13 & is for BOOLEAN; this is a number", None),
    (
        "x := x = 1",
        "11:6 assignment: this is BOOLEAN, where INT8 is needed",
        "types are not mixed; cast with INT8(...)",
    ),
    ("MODULE", "11:1 expected a statement, found 'MODULE'", None),
    ("VAR z : INT8", "11:1 expected a statement, found 'VAR'", None),
    ("PROCESS Z; BEGIN END Z;", "11:1 expected a statement, found 'PROCESS'", None),
]

#: a declaration of the main module (line 10), the place and the message, the hint
DECLARED: list[tuple[str, str, str | None]] = [
    ("PROCESS R; BEGIN END R", "11:1 expected ; after the end of the process, found 'BEGIN'", None),
    ("PROCESS R(x : INT8, y : INT8); BEGIN END R;", "10:19 expected ), found ','", "parameters are separated by ;"),
    ("PROCESS R(x); BEGIN END R;", "10:12 expected :, found ')'", None),
    ("PROCESS R(x : INT8; x : INT8); BEGIN END R;", "10:21 x is already declared in line 10", None),
    ("PROCESS R(x : INT8); VAR x : INT8; BEGIN END R;", "10:26 x is already declared in line 10", None),
    ("PROCESS R(x : Nothing); BEGIN END R;", "10:15 Nothing is not declared", None),
    ("PROCESS R(x : N); BEGIN END R;", "10:15 this is a constant, where a type is needed", None),
    ("PROCESS R : INT8; BEGIN END R;", "10:11 expected ;, found ':'", None),
    ("PROCESS R; PROCESS S; BEGIN END S; BEGIN END R; PROCESS T; BEGIN S END T;", "10:66 S is not declared", None),
    ("PROPERTY R; BEGIN x := 1; ACCEPT END R;", "10:19 a PROPERTY only looks: it cannot change global variables", None),
    ("PROPERTY R; BEGIN INC(x) END R;", "10:23 a PROPERTY only looks: it cannot change global variables", None),
    ("PROPERTY R; BEGIN NEW(q) END R;", "10:19 NEW cannot stand in a PROPERTY", None),
    ("PROPERTY R; BEGIN P(q, x) END R;", "10:19 a PROPERTY only looks: it cannot start processes", None),
    ("PROPERTY R; BEGIN SELECT WHEN q?end THEN END END R;", "10:31 a PROPERTY only looks: it cannot communicate", None),
    ("PROPERTY R; BEGIN q?data(x) END R;", "10:19 a PROPERTY only looks: it cannot communicate", None),
    (
        "PROPERTY R; BEGIN FOR x := 0 TO 3 DO RESCHEDULE END END R;",
        "10:19 a PROPERTY keeps only values that do not depend on global variables",
        "compare the variable and keep what came out, as BOOLEAN or as a number for each case",
    ),
    ("PROPERTY R; BEGIN PORTOUT(1, 2) END R;", "10:19 PORTOUT cannot stand in a PROPERTY", None),
    ("PROPERTY R; BEGIN DEADLINE(3) END R;", "10:19 DEADLINE cannot stand in a PROPERTY", None),
    ("PROPERTY R; BEGIN WHILE TRUE DO END END R;", "10:10 an action of the PROPERTY R does not end", None),
    (
        "PROPERTY R; VAR k : ARRAY 2 OF INT8; BEGIN k[x] := 1 END R;",
        "10:44 an index of a PROPERTY's own array does not depend on global variables",
        None,
    ),
    ("PROPERTY R; VAR k : INT8; BEGIN k := 1 DIV k END R;", "10:33 division error in the PROPERTY", None),
    ("PROPERTY R; VAR k : INT8; BEGIN k := 120; k := k + 100 END R;", "10:43 range error in the PROPERTY", None),
    ("PROPERTY R; PROCESS S; BEGIN END S; BEGIN ACCEPT END R;", "10:13 a PROPERTY has no processes of its own", None),
    ("PROPERTY R; BEGIN INCL(t, 1) END R;", "10:24 a PROPERTY only looks: it cannot change global variables", None),
    ("PROPERTY R; VAR qq : Msg; BEGIN NEW(qq) END R;", "10:33 NEW cannot stand in a PROPERTY", None),
    ("PROPERTY Q; BEGIN END Q;", "10:10 Q is already declared in line 8", None),
    ("TYPE T = INT8; TYPE T = INT16;", "10:21 T is already declared in line 10", None),
    ("TYPE T = ARRAY -1 OF INT8;", "10:16 an array has at least one element and at most 32,768 bytes", None),
    ("TYPE T = ARRAY b OF INT8;", "10:16 the length of an array is a constant number", None),
    ("TYPE T = ARRAY OF INT8;", "10:16 expected an expression, found 'OF'", None),
    ("TYPE T = ARRAY 40000 OF INT8;", "10:16 an array has at least one element and at most 32,768 bytes", None),
    ("TYPE T = ARRAY 3 INT8;", "10:18 expected OF, found 'INT8'", None),
    ("TYPE T = RECORD END;", "10:10 a record has at least one component and at most 32,768 bytes", None),
    ("TYPE T = RECORD a : INT8", "11:1 expected END of the record, found 'BEGIN'", None),
    ("TYPE T = RECORD a : T END;", "10:21 T is not declared", None),
    ("TYPE T = ARRAY 3 OF T;", "10:21 T is not declared", None),
    ("TYPE T = U; U = INT8;", "10:10 U is not declared", None),
    ("TYPE T = [];", "10:11 expected the name of a message, found ']'", None),
    ("TYPE T = [a(Nothing)];", "10:13 Nothing is not declared", None),
    ("TYPE T = [a()];", "10:13 expected a type, found ')'", None),
    ("TYPE T = [a b];", "10:13 expected ] at the end of the channel type, found 'b'", None),
    ("CONST K = 3 + TRUE;", "10:11 operand of +: this is a number, where BOOLEAN is needed", None),
    ('CONST K = "abc";', "10:11 a string can only be printed", 'Out.String("...")'),
    ("CONST K = K + 1;", "10:11 K is not declared", None),
    ("CONST K : INT8 = 3;", "10:9 expected =, found ':'", None),
    ("CONST K = 1 DIV 0;", "10:11 division by zero", None),
    ("VAR k := 3;", "10:7 expected :, found ':='", None),
    ("VAR k;", "10:6 expected :, found ';'", None),
    ("VAR k : INT8, l : INT8;", "10:13 expected ; after the declaration, found ','", None),
    ("VAR k, k : INT8;", "10:8 k is already declared in line 10", None),
    ("VAR IF : INT8;", "10:5 expected a name, found IF, a word of the language", None),
    ("VAR k : STRING;", "10:9 STRING is not declared", None),
    ("VAR k : INTEGER64;", "10:9 INTEGER64 is not declared", "did you mean INTEGER?"),
    ("VAR k : Integer;", "10:9 Integer is not declared", None),
    ("VAR k : M.Msg;", "10:9 this is no name of a type, where a type is needed", None),
    ("VAR k : Out.Int;", "10:9 this is a process, where a type is needed", None),
    ("PORT k : Msg; PORT k : Msg;", "10:20 k is already declared in line 10", None),
    (
        "PORT k : ARRAY 2 OF Msg; l : ARRAY 2 OF INT8;",
        "10:30 PORT declares ports; ARRAY 2 OF INT8 is no channel type",
        None,
    ),
    ("IMPORT SYSTEM;", "10:1 expected END, found 'IMPORT'", "a module ends with END Name."),
    ("VAR P : INT8;", "10:5 P is already declared in line 7", None),
    ("VAR Q : INT8;", "10:5 Q is already declared in line 8", None),
    ("VAR k : ARRAY 65535 OF INT8;", "10:15 an array has at least one element and at most 32,768 bytes", None),
    ("CONST k = SIZE(INT8);", "10:11 SIZE is not declared", None),
    ("PROCESS R; VAR k* : INT8; BEGIN END R;", "10:16 only a module exports: leave out the *", None),
    ("PROCESS R(k* : INT8); BEGIN END R;", "10:11 only a module exports: leave out the *", None),
]


def refusal(file: Path) -> tuple[str, str | None]:
    with pytest.raises(ModelError) as raised:
        load(str(file))
    error = raised.value
    assert error.span is not None and error.source_line is not None
    return f"{error.span.line}:{error.span.column} {error.message}", error.hint


@pytest.mark.parametrize(("body", "message", "hint"), STATEMENTS, ids=[row[0] for row in STATEMENTS])
def test_statements(tmp_path: Path, body: str, message: str, hint: str | None) -> None:
    file = tmp_path / "m.lf"
    file.write_text(f"MODULE M;\nIMPORT Out;\n{DECLARATIONS}BEGIN\n{body}\nEND M.\n")
    assert refusal(file) == (message, hint)


@pytest.mark.parametrize(("declaration", "message", "hint"), DECLARED, ids=[row[0] for row in DECLARED])
def test_declarations(tmp_path: Path, declaration: str, message: str, hint: str | None) -> None:
    file = tmp_path / "m.lf"
    file.write_text(f"MODULE M;\nIMPORT Out;\n{DECLARATIONS}{declaration}\nBEGIN\nx := 1\nEND M.\n")
    assert refusal(file) == (message, hint)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"m": "MODULE M; IMPORT A; END M."}, "m.lf:1:18 there is no module A"),
        ({"m": "MODULE M; IMPORT M; END M."}, "m.lf:1:18 modules import each other in a circle: M -> M"),
        ({"m": "MODULE M; IMPORT Out, Out; END M."}, "m.lf:1:23 Out is already declared in line 1"),
        (
            {"m": "MODULE M; IMPORT A; END M.", "A": "MODULE A;\nIMPORT B; END A.", "B": "MODULE B; IMPORT A; END B."},
            "B.lf:1:18 modules import each other in a circle: A -> B -> A",
        ),
        ({"m": "MODULE M; IMPORT A; END M.", "A": "MODULE B; END B."}, "A.lf:1:8 A.lf contains module B, not A"),
        (
            {"m": "MODULE M; IMPORT A; BEGIN A.n := 1 END M.", "A": "MODULE A; VAR n : INT8; END A."},
            "m.lf:1:29 A does not export n",
        ),
        (
            {"m": "MODULE M; IMPORT A; BEGIN A.P END M.", "A": "MODULE A; VAR n* : INT8; PROCESS P; END P; END A."},
            "m.lf:1:29 A does not export P",
        ),
        ({"m": "MODULE M; IMPORT A; BEGIN A.k := 1 END M.", "A": "MODULE A; END A."}, "m.lf:1:29 module A has no k"),
        ({"m": "MODULE M; BEGIN A.k := 1 END M."}, "m.lf:1:17 A is not declared"),
        (
            {"m": "MODULE M; IMPORT A; VAR x : A.T; BEGIN x := 300 END M.", "A": "MODULE A; TYPE T = INT8; END A."},
            "m.lf:1:45 300 is out of the range of INT8 (-128 to 127)",
        ),
        (
            {"m": "MODULE M; IMPORT A; END M.", "A": "MODULE A;\nBEGIN x := 1 END A."},
            "A.lf:2:7 x is not declared",
        ),
        ({"m": "MODULE M; BEGIN Interrupt0?INTERRUPT END M."}, "m.lf:1:17 Interrupt0 is not declared"),
        (
            {"m": "MODULE M; IMPORT SYSTEM; BEGIN SYSTEM.Interrupt16?INTERRUPT END M."},
            "m.lf:1:39 module SYSTEM has no Interrupt16",
        ),
        ({"m": "MODULE M; BEGIN END M. VAR"}, "m.lf:1:24 expected nothing after the end of the module, found 'VAR'"),
        ({"m": "VAR x : INT8;"}, "m.lf:1:1 expected MODULE, found 'VAR'"),
        ({"m": ""}, "m.lf:1:1 expected MODULE, found the end of the file"),
        (
            {"m": "MODULE M; BEGIN\nPORTOUT(3F8H, 1) END M."},
            "m.lf:2:1 PORTOUT asks a device, of which a check knows nothing",
        ),
    ],
)
def test_modules(tmp_path: Path, files: dict[str, str], message: str) -> None:
    for name, text in files.items():
        (tmp_path / f"{name}.lf").write_text(text)
    with pytest.raises(ModelError) as raised:
        load(str(tmp_path / "m.lf"))
    error = raised.value
    assert error.span is not None
    place = f"{Path(error.span.file).name}:{error.span.line}:{error.span.column}"
    assert f"{place} {error.message.replace(f'{tmp_path}/', '')}" == message


def test_initialisations_run_in_the_order_of_imports(tmp_path: Path) -> None:
    (tmp_path / "A.lf").write_text("MODULE A; IMPORT B; VAR n* : INT8; BEGIN n := B.n * 2 END A.")
    (tmp_path / "B.lf").write_text("MODULE B; VAR n* : INT8; BEGIN n := 3 END B.")
    (tmp_path / "C.lf").write_text("MODULE C; IMPORT A, B; BEGIN INC(B.n, A.n) END C.")
    (tmp_path / "m.lf").write_text("MODULE M; IMPORT C, A, B; BEGIN ASSERT((A.n = 6) & (B.n = 9)) END M.")
    assert kripke.load(tmp_path / "m.lf").check().verdict == "holds"


#: what only a run finds: the statements of a process (line 6), the kind of the error and its column
RUNS = [
    ("x := 127; INC(x)", "range", 11),
    ("x := -128; x := -x", "range", 12),
    ("x := 100; x := x * 2", "range", 11),
    ("x := 3; y := x - 3; x := x DIV y", "division", 21),
    ("x := 3; y := x - 3; x := x MOD y", "division", 21),
    ("y := 3; x := a[y]", "index", 9),
    ("y := -1; a[y] := 1", "index", 10),
    ("y := 3; q?data(a[y])", "index", 9),
    ("y := 32; t := {y}", "range", 10),
    ("y := 8; INCL(t8, y)", "range", 9),
    ("w := 255; u := UINT8(w); INC(u)", "range", 26),
    ("n!end", "channel", 1),
    ("SELECT WHEN q!end THEN x := 1 WHEN n?end THEN END", "channel", 1),
    ("x := 1; ASSERT(x = 2)", "assertion", 9),
    ("WHILE TRUE DO x := 1 END", "endless", 15),
    ("w := -1; DEADLINE(w)", "range", 10),
    ("SELECT WHEN q?data(x) & (100 DIV x > 1) THEN END", "division", 13),
    ("R", "processes", 1),
    ("WHILE TRUE DO CREATE S END", "processes", 15),
]


@pytest.mark.parametrize(("body", "kind", "column"), RUNS, ids=[row[0] for row in RUNS])
def test_errors_of_a_run(tmp_path: Path, body: str, kind: str, column: int) -> None:
    file = tmp_path / "m.lf"
    file.write_text(
        "MODULE M; TYPE Msg = [data(INT8), end]; PORT q, n : Msg;\n"
        "VAR x, y : INT8; u : UINT8; w : INTEGER; a : ARRAY 3 OF INT8; t : SET; t8 : SET8;\n"
        "PROCESS Other; BEGIN q!data(0) END Other; PROCESS S; BEGIN RESCHEDULE END S;\n"
        "PROCESS R; BEGIN\nR END R; PROCESS P; BEGIN\n"
        f"{body}\nEND P;\nBEGIN NEW(q); CREATE P; CREATE Other END M.\n"
    )
    result = kripke.load(file).check(deadlock=False, clarify=False)
    assert (result.verdict, result.kind) == ("violated", kind)
    span = result.findings[0].span
    assert span is not None and (span.line, span.column) == ((5, 1) if body == "R" else (6, column))


def test_casts_keep_the_lowest_bits(tmp_path: Path) -> None:
    file = tmp_path / "m.lf"
    file.write_text(
        "MODULE M; VAR w : INTEGER; x : INT8; u : UINT8; b : BOOLEAN; c : CHAR; t : SET8; BEGIN w := 300;\n"
        "x := INT8(w); u := UINT8(-1);\n"
        "b := BOOLEAN(w); c := CHAR(w); t := SET8(w); w := INTEGER(t) + ORD(c) + INTEGER(x);\n"
        "ASSERT((x = 44) & (u = 255) & b & (c = 2CX) & (t = {2, 3, 5}) & (w = 132)) END M.\n"
    )
    assert kripke.load(file).check().verdict == "holds"
