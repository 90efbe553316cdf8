"""Formulas as people write them: other spellings, and what is said about mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

MODEL = """\
byte x, y; bool busy;
active proctype P() { do :: x = 1 - x; busy = !busy od }
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "m.pml").write_text(MODEL)
    return "m.pml"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("G (x == 1 -> F (y == 0))", "[] (x == 1 -> <> (y == 0))"),
        ("G F x", "[] <> x"),
        ("F G not busy", "<> [] !busy"),
        ("not x and not (y or busy)", "!x && !(y || busy)"),
        ("x => y", "x -> y"),
        ("x <=> F y", "x <-> <> y"),
        ("x >= 1 => y <= 1", "(x >= 1) -> (y <= 1)"),
        ("absence(x) between (busy) and (not busy)", "absence(x) between (busy) and (!busy)"),
    ],
)
def test_other_spellings(kripke, file: str, written: str, meant: str) -> None:
    found = []
    for formula in (written, meant):
        ran = kripke("check", file, "--ltl", formula, "--json")
        record = json.loads(ran.out)
        found.append((record["verdict"], record["states"], record["transitions"]))
        assert ran.err == ""
    assert found[0] == found[1]


def test_letters_are_names_where_they_are_declared(kripke, tmp_path: Path) -> None:
    (tmp_path / "m.pml").write_text("bool G, F, and; active proctype not() { a: G = true; F = true }\n")
    for formula in ("[] (G -> <> F)", "F || G || !and", "<> (G && F)", "G F G U not@a || true"):
        if formula.startswith("G F"):
            assert kripke("check", "m.pml", "--ltl", formula).code == 0
        else:
            assert kripke("check", "m.pml", "--ltl", formula).code in (0, 1)


@pytest.mark.parametrize(
    ("formula", "message", "hint"),
    [
        ("[] (x -> <> y", "expected ')', found the end of the text", "the '(' at 1:4 is not closed"),
        ("[] (x = 1)", "expected ')', found '='", "'=' assigns; to compare, write '=='"),
        ("[] (bussy)", "unknown name 'bussy'", "did you mean 'busy'?"),
        ("respones(x, y)", "there is no pattern 'respones'", "did you mean 'response'?"),
        ("f(x)", "there is no pattern 'f'", "the patterns are absence, existence"),
        ("response(x)", "response takes 2 arguments", ""),
        ("<> moves(P)", "'P' is a process type: say which process by its number", "processes count from 0"),
    ],
)
def test_mistakes(kripke, file: str, formula: str, message: str, hint: str) -> None:
    ran = kripke("check", file, "--ltl", formula)
    assert ran.code == 2
    assert message in ran.err
    assert hint in ran.err


@pytest.mark.parametrize(
    ("formula", "warning"),
    [
        ("[] x -> <> y", "'[] p -> q' is read as '([] p) -> q': for a q to every p, write '[] (p -> q)'"),
        ("[] (x == 1) -> y", "'[] p -> q' is read as"),
        ("<> x == 1", "'<>' reaches to the end of the comparison"),
        ("~x", "'~' turns the bits of a number round; to negate, write '!'"),
        ("([] x) -> <> y", ""),
        ("[] x -> [] y", ""),
        ("[] (x -> <> y)", ""),
    ],
)
def test_warnings(kripke, file: str, formula: str, warning: str) -> None:
    ran = kripke("check", file, "--ltl", formula)
    assert warning in ran.err
    assert bool(warning) == bool(ran.err)
