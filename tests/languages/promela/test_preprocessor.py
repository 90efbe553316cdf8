"""The preprocessor: text in, tokens as text out; every error with its exact report."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from kripke.languages.promela.lexer import Token
from kripke.languages.promela.preprocessor import Preprocessor, read_source
from kripke.model.source import ModelError


def tokens(text: str, **options: Any) -> list[Token]:
    return Preprocessor(**options).run(text, "m.pml")


def preprocessed(text: str, **options: Any) -> str:
    """The result as text, one space where there was any."""
    result = "".join((" " if token.lead else "") + token.text for token in tokens(text, **options))
    return result.strip()


def report(text: str) -> str:
    with pytest.raises(ModelError) as caught:
        tokens(text)
    return caught.value.render()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b\nc", "a b c"),
        ("#define N 3\nx = N", "x = 3"),
        ("#define f(a, b) a + b\nf(1, (2, 3))", "1 + (2, 3)"),
        ("#define f(a) a\nf (1) f", "1 f"),
        ("#define f(a)\nx f(1) y", "x y"),
        ("#define a b\n#define b c\na #undef", "c #undef"),
        ("#define a b\n#define b a\na b", "a b"),
        ("#define foo foo bar foo\nfoo", "foo bar foo"),
        ("#define f(x) x f\nf(1)(2)(3)", "1 f(2)(3)"),
        ("#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)", "2*9*g"),
        ('#define s(x) #x\ns(a  +  "b\\n") s()', '"a + \\"b\\\\n\\"" ""'),
        ("#define t(x,y,z) x ## y ## z\nt(1,2,3) t(,4,5) t(6,,7) t(8,9,) t(,,)", "123 45 67 89"),
        ("#define cat(a,b) a##b\n#define xy 7\ncat(x,y)", "7"),
        ("#define e(f, ...) p(f, ## __VA_ARGS__)\ne(1) e(1,2,3)", "p(1) p(1, 2,3)"),
        ("#define e(f, a...) p(f, a)\ne(1,2,3)", "p(1, 2,3)"),
        ("#define E\n#define LP (\n#define F(x) <x>\nF LP 1) F E (2) F(E)", "F ( 1) F (2) <>"),
        ("#define M a \\\n  b\nM", "a b"),
        ("a /* b\n c */ d // e\nf", "a d f"),
        ("#define bool byte\nbool x", "byte x"),
        ("#define M lo\\\nng\nM", "long"),
        ("#define f(a) <a>\nf(x\n#if 0\n)\n#else\ny\n#endif\n) z", "<x y> z"),
        ("#define A defined(B) || 0\n#define B\n#define C A\n#if C && A\nyes\n#endif", "yes"),
        ("#if 0\ndon't \"care\n#if 1\n#else\n#endif\n#elif 1\ngood\n#else\nbad\n#endif", "good"),
        ("#ifdef A\na\n#elif defined B || !defined(A)\nb\n#endif\n#ifndef A\nc\n#endif", "b c"),
        (
            "#define N 4\n#if N * 2 == 8 && (N > 3 ? 1 : 0) && -7 / 2 == -3 && 0x10 == 020 - 'a' + 97\nyes\n#endif",
            "yes",
        ),
        ("#if 0 && 1 / 0\n#else\nyes\n#endif", "yes"),
        ("#if unknown\n#else\nyes\n#endif", "yes"),
        ('#pragma anything\n#\n#ident "x"\nx __LINE__', "x 4"),
        ("x\r\ny\r\n", "x y"),
    ],
)
def test_text_becomes(text: str, expected: str) -> None:
    assert preprocessed(text) == expected


def test_definitions_come_from_outside_too() -> None:
    assert preprocessed("N f(2) M", defines={"N": "3", "f(x)": "x*x", "M": "1"}, undefines=("M",)) == "3 2*2 M"


def test_a_token_out_of_a_macro_stands_where_the_macro_is_used() -> None:
    places = [(t.text, t.line, t.column) for t in tokens("#define f(x) (x + 1)\n  y = f(z);")]
    assert places == [
        ("y", 2, 3), ("=", 2, 5), ("(", 2, 7), ("z", 2, 9), ("+", 2, 7), ("1", 2, 7), (")", 2, 7), (";", 2, 11)
    ]  # fmt: skip


def test_line_directives_rename_and_renumber() -> None:
    result = tokens('a\n#line 10 "other.pml"\nb\nc\n# 3 "third.pml" 1\nd')
    assert [(t.file, t.line) for t in result] == [("m.pml", 1), ("other.pml", 10), ("other.pml", 11), ("third.pml", 3)]


def test_an_error_after_a_line_directive_shows_the_real_line() -> None:
    text = '#line 10 "other.pml"\nb\n#error stop here'
    assert report(text) == "other.pml:11:2: error: #error stop here\n  #error stop here\n   ^~~~~"


def test_warnings_are_kept() -> None:
    preprocessor = Preprocessor()
    preprocessor.run("#warning look at this", "m.pml")
    assert [str(warning) for warning in preprocessor.warnings] == ["m.pml:1:2: warning: #warning look at this"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#define f(a,b) a\nx f(1)", "m.pml:2:3: error: macro 'f' takes 2 arguments, but is given 1\n  x f(1)\n    ^"),
        ("#define f() 1\nf(2)", "m.pml:2:1: error: macro 'f' takes no arguments, but is given 1\n  f(2)\n  ^"),
        ("#define f(a) a\nf(1",
         "m.pml:2:1: error: the arguments of macro 'f' are not closed: ')' is missing\n  f(1\n  ^"),
        ("#define f(a) a\nf(\n#include \"n.pml\"\n)",
         "m.pml:3:1: error: an #include inside the arguments of macro 'f'\n"
         "  #include \"n.pml\"\n  ^"),
        ("#define f(a) a\nf(\n#if 1\n)", "m.pml:3:2: error: this #if has no #endif\n  #if 1\n   ^~"),
        ("#define f(a",
         "m.pml:1:9: error: the parameters of macro 'f' are not closed by ')'\n  #define f(a\n          ^"),
        ("#define f(a,a) a", "m.pml:1:9: error: macro 'f' has two parameters 'a'\n  #define f(a,a) a\n          ^"),
        ("#define 3 4", "m.pml:1:9: error: #define needs the name of a macro\n  #define 3 4\n          ^"),
        ("#define f(a) #b", "m.pml:1:14: error: '#' is not followed by a parameter of the macro\n"
         "  #define f(a) #b\n               ^"),
        ("#define c(a,b) a##b\nc(+,x)",
         "m.pml:2:1: error: macro 'c' pastes '+' and 'x', which is no token\n  c(+,x)\n  ^"),
        ("#if 1\nx", "m.pml:1:2: error: this #if has no #endif\n  #if 1\n   ^~"),
        ("#endif", "m.pml:1:2: error: #endif without #if\n  #endif\n   ^~~~~"),
        ("#else", "m.pml:1:2: error: #else without #if\n  #else\n   ^~~~"),
        ("#if 1\n#else\n#elif 1\n#endif", "m.pml:3:2: error: #elif after #else\n  #elif 1\n   ^~~~"),
        ("#if 1 / 0\n#endif", "m.pml:1:2: error: division by zero in the condition of #if\n  #if 1 / 0\n   ^~"),
        ("#if (1\n#endif", "m.pml:1:2: error: ')' is missing in the condition of #if\n  #if (1\n   ^~"),
        ("#if\n#endif", "m.pml:1:2: error: a value is missing in the condition of #if\n  #if\n   ^~"),
        ("#ifdef\n#endif", "m.pml:1:2: error: #ifdef needs the name of a macro\n  #ifdef\n   ^~~~~"),
        ("#nonsense", "m.pml:1:2: error: there is no preprocessor directive #nonsense\n  #nonsense\n   ^~~~~~~~"),
        ("#error  too bad", "m.pml:1:2: error: #error too bad\n  #error  too bad\n   ^~~~~"),
        ("a /* b", "m.pml:1:3: error: this comment is never closed\n  a /* b\n    ^~"),
        ('#include "none.pml"',
         "m.pml:1:10: error: cannot find 'none.pml'\n  #include \"none.pml\"\n           ^~~~~~~~~~\n"
         "hint: looked in '.'"),
        ("#include <stdio.h>", "m.pml:1:10: error: #include <...>: there are no system headers in a model\n"
         "  #include <stdio.h>\n           ^\n"
         'hint: write #include "file" for a file of your own; for C code use c_decl { \\#include <...> }'),
        ("a\0b", "error: cannot read 'm.pml': this looks like a binary file"),
    ],
)  # fmt: skip
def test_error_reports(text: str, expected: str) -> None:
    assert report(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#define a0 x x x x x x x x\n"
         + "".join(f"#define a{i} " + f"a{i - 1} " * 8 + "\n" for i in range(1, 9)) + "a8",
         "expand to more than"),
        ("#define f(x) x\n" + "f(" * 5000 + ")" * 5000, "calls of macros are nested too deeply"),
        ("#if " + "(" * 5000 + "\n#endif", "parentheses are nested too deeply"),
    ],
)  # fmt: skip
def test_hostile_input_is_refused(text: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kripke.languages.promela.macros.MOST_TOKENS", 10_000)
    assert message in report(text)


def test_includes_are_looked_for_beside_the_file_and_in_the_given_folders(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "far").mkdir()
    (tmp_path / "sub" / "one.pml").write_text('one\n#include "two.pml"\n')
    (tmp_path / "sub" / "two.pml").write_text("#pragma once\ntwo")
    (tmp_path / "far" / "three.pml").write_text("three")
    text = '#include "sub/one.pml"\n#include "sub/two.pml"\n#include "three.pml"\nend'
    result = Preprocessor(include_paths=[tmp_path / "far"]).run(text, str(tmp_path / "m.pml"))
    assert [token.text for token in result] == ["one", "two", "three", "end"]
    assert result[1].file == str(tmp_path / "sub" / "two.pml")


def test_a_file_that_includes_itself(tmp_path: Path) -> None:
    (tmp_path / "m.pml").write_text('#include "m.pml"\n')
    with pytest.raises(ModelError, match=re.escape("#include is nested deeper than 64 files (it includes itself)")):
        Preprocessor().run('#include "m.pml"\n', str(tmp_path / "m.pml"))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="there is no such file"):
        read_source(tmp_path / "none.pml")
    (tmp_path / "binary").write_bytes(b"\x7fELF\0\0")
    with pytest.raises(ModelError, match="this looks like a binary file"):
        read_source(tmp_path / "binary")
    with pytest.raises(ModelError, match="cannot read"):
        read_source(tmp_path)


def test_text_that_is_not_utf8_is_read_as_latin1(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes("/* Büchi */ skip\r\n".encode("latin-1"))
    assert read_source(tmp_path / "latin") == "/* Büchi */ skip\n"
