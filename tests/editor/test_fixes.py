"""Quick fixes for Promela: applied, read again, and the model does what was meant."""

from __future__ import annotations

import pytest

from kripke.languages.editing.edits import edited
from kripke.languages.promela.editor import PromelaDocument
from kripke.languages.promela.formatting import formatted
from tests.editor.conversation import ROOT

FIXED = {
    "while": (
        "active proctype P() { byte x; while (x < 3) { x++ } assert(x == 3) }",
        "active proctype P() { byte x; do :: (x < 3) -> x++ :: else -> break od; assert(x == 3) }",
    ),
    "while over lines": (
        "byte x;\nactive proctype P() {\n  while (x < 3) {\n    x++;\n  }\n  x = 0\n}",
        "byte x;\nactive proctype P() {\n  do :: (x < 3) ->\n    x++;\n  :: else -> break od\n  x = 0\n}",
    ),
    "while without a block": (
        "byte x; active proctype P() { while (x < 3) x++; x = 0 }",
        "byte x; active proctype P() { do :: (x < 3) -> x++ :: else -> break od; x = 0 }",
    ),
    "an empty while": (
        "byte x; active proctype P() { while (x < 3) { }; x = 0 }",
        "byte x; active proctype P() { do :: (x < 3) -> skip :: else -> break od; x = 0 }",
    ),
    "a proctype is called": (
        "proctype Q(byte n) { skip }\ninit { Q(3) }",
        "proctype Q(byte n) { skip }\ninit { run Q(3) }",
    ),
    "an assignment beside else": (
        "byte x;\nactive proctype P() { do :: x = 1 -> skip :: else -> break od }",
        "byte x;\nactive proctype P() { do :: x == 1 -> skip :: else -> break od }",
    ),
    "an assignment in a guard": (
        "byte x;\nactive proctype P() { if :: x = 1 -> skip :: x == 2 -> skip fi }",
        "byte x;\nactive proctype P() { if :: x == 1 -> skip :: x == 2 -> skip fi }",
    ),
    "an assignment in parentheses": (
        "byte x;\nactive proctype P() { (x = 1) -> x = 2 }",
        "byte x;\nactive proctype P() { (x == 1) -> x = 2 }",
    ),
    "and": (
        "byte x, y;\nactive proctype P() { x == 1 and y == 2 -> skip }",
        "byte x, y;\nactive proctype P() { x == 1 && y == 2 -> skip }",
    ),
    "not": (
        "bool x;\nactive proctype P() { (not x) -> x = true }",
        "bool x;\nactive proctype P() { (!x) -> x = true }",
    ),
    "an if of C": (
        "byte x;\nactive proctype P() { if (x == 0) { x = 1 } else { x = 2 } }",
        "byte x;\nactive proctype P() { if :: (x == 0) -> x = 1  :: else ->  x = 2 fi }",
    ),
    "an if of C without else": (
        "byte x;\nactive proctype P() { if (x == 0) { x = 1 } x = 3 }",
        "byte x;\nactive proctype P() { if :: (x == 0) -> x = 1 :: else -> skip fi; x = 3 }",
    ),
    "an else if of C": (
        "byte x;\ninit { if (x == 0) { x = 1 } else if (x == 1) { x = 2 } else { x = 3 } }",
        "byte x;\ninit { if :: (x == 0) -> x = 1  :: else -> if :: (x == 1) -> x = 2  :: else ->  x = 3 fi fi }",
    ),
    "a for of C": (
        "active proctype P() { int i; for (i = 0; i < 3; i++) { skip } }",
        "active proctype P() { int i; for (i : 0 .. 2) { skip } }",
    ),
    "print": ('active proctype P() { print("x") }', 'active proctype P() { printf("x") }'),
    "True": ("bool b;\nactive proctype P() { b = True }", "bool b;\nactive proctype P() { b = true }"),
    "a slip": ("byte count;\nactive proctype P() { cuont = 1 }", "byte count;\nactive proctype P() { count = 1 }"),
    "a missing semicolon": (
        "byte x;\nactive proctype P() { x = 1 x = 2 }",
        "byte x;\nactive proctype P() { x = 1; x = 2 }",
    ),
    "loop": (
        "byte x;\nactive proctype P() { loop { x = 1 - x } }",
        "byte x;\nactive proctype P() { do :: x = 1 - x od }",
    ),
    "wait": (
        "byte x;\nactive proctype P() { wait(x == 0); x = 1 }",
        "byte x;\nactive proctype P() { (x == 0); x = 1 }",
    ),
    "nothing runs": ("proctype P() { skip }", "active proctype P() { skip }"),
}


@pytest.mark.parametrize("name", FIXED)
def test_a_fix_is_applied_and_read_again(name: str) -> None:
    text, mended = FIXED[name]
    (fix, *_) = PromelaDocument(text, "m.pml").fixes()
    assert edited(text, fix.edits) == mended
    after = PromelaDocument(mended, "m.pml")
    assert [problem.message for problem in after.problems() if problem.severity == "error"] == []
    assert after.meaning is not None


def test_good_models_have_nothing_to_fix() -> None:
    for file in sorted((ROOT / "examples").glob("*/*.pml")):
        assert PromelaDocument(file.read_text(), str(file)).fixes() == [], file


MESSY = """\
#define  LIMIT   3
byte   x=1 ,y;   /* two */
active   proctype P( ) {
int i ;
again:
  do
 ::x<LIMIT&&y>=0->x=x-1 ;
y = -1+x;   // back
    ::else->if
  ::(x==0)->break
::else
fi
      od;
   c_code {  x  =  1;
      y  =  2; };
  c!x,1; c?<y>;
}
ltl p { [](x<=  3) }
"""
NEAT = """\
#define  LIMIT   3
byte x = 1, y;   /* two */
active proctype P() {
    int i;
again:
    do
    :: x < LIMIT && y >= 0 -> x = x - 1;
       y = -1 + x;   // back
    :: else -> if
       :: (x == 0) -> break
       :: else
       fi
    od;
    c_code {  x  =  1;
      y  =  2; };
    c!x, 1; c?<y>;
}
ltl p { [](x<=  3) }
"""


def test_promela_in_good_form() -> None:
    assert formatted(MESSY, "    ") == NEAT
    assert formatted(NEAT, "    ") == NEAT


def test_form_changes_nothing_but_form() -> None:
    """Twice is once, tokens stay, and the model means the same."""
    from kripke.languages.editing.same_meaning import same_meaning

    for file in sorted((ROOT / "examples").glob("*/*.pml")):
        text = file.read_text()
        for indent in ("\t", "  "):
            once = formatted(text, indent)
            assert once is not None, file
            assert formatted(once, indent) == once, file
            before, after = PromelaDocument(text, str(file)), PromelaDocument(once, str(file))
            assert same_meaning(before.meaning, after.meaning, "nobody", "nobody"), file


@pytest.mark.parametrize("text", ["/* never closed", "", "\n\n", "#define A \\\n  b\nbyte x;", "a \\ \nb"])
def test_odd_texts_are_left_alone(text: str) -> None:
    assert formatted(text, "  ") in (text, None)
