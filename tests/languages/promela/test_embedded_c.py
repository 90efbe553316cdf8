"""C code in models: SPIN's counts, kind errors, and nothing run that was not allowed."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from kripke.engines.explicit.safety import check
from kripke.engines.plan import EngineName, SearchPlan
from kripke.languages.promela import load
from kripke.model.source import ModelError
from tests.spin.compare import Counts, spin_counts, spin_is_here


class Case(NamedTuple):
    """A model and SPIN's states/transitions/errors (``-DSAFETY -DNOREDUCE``, ``-c0``)."""

    what: str
    text: str
    counts: str


CASES = [
    Case(
        "views of every type, write-back, c_state in all places, tracked data",
        r"""
        c_decl { \#include <string.h>
                 typedef struct { int a; char b[3]; } Rec;
                 int total; }
        c_state "Rec rec" "Global"
        c_state "int left" "Local P" "5"
        c_track "&total" "sizeof(int)" "Matched"
        byte x; bool f; unsigned u : 3; int arr[3];
        proctype P(byte k) {
          int loc;
          c_code { now.x++; PP->loc = PP->k; PP->left--; };
          do
          :: c_expr { PP->left > 2 } -> c_code { PP->left--; total += now.x; now.arr[1] = total; }
          :: else -> break
          od;
          atomic { c_code { now.rec.a = 3; strcpy(now.rec.b, "ab"); }; x = 7 };
          d_step { c_code { now.u = 15; }; f = c_expr { now.u == 7 } };
          c_code [now.x < 100] { now.f = 1; }
        }
        init { run P(1); run P(2) }
        """,
        "550/922/0",
    ),
    Case(
        "values are cut to SPIN's types",
        """
        typedef T { short s; bit b[2]; byte y };
        T t[2]; short h; bool f; unsigned w : 4;
        active proctype P() {
          c_code { now.h = 70000; now.f = 3; now.w = 21; now.t[1].s = -2; now.t[1].y = 300; now.t[0].b[1] = 1; };
          assert(h == 4464 && f == 1 && w == 5 && t[1].s == -2 && t[1].y == 44 && t[0].b[1] == 1)
        }
        """,
        "4/4/0",
    ),
    Case(
        "the C of two processes interleaves; what only one process sees is merged around it",
        """
        byte x;
        active [2] proctype P() {
          byte a; byte b;
          a = 1; b = 2; a = 3;
          c_code { PP->b = PP->a; };
          c_expr { PP->b == 3 } -> a = 4; b = 5;
          c_code { now.x += PP->b; };
          a = 6
        }
        """,
        "43/73/0",
    ),
    Case(
        "C in an atomic sequence that blocks, and in deterministic steps with choices",
        """
        byte x; byte y;
        active proctype P() {
          atomic { c_code { now.x = 1; }; y == 1; c_code { now.x = 2; } }
          d_step { if :: c_expr { now.x == 2 } -> c_code { now.y = 4; } :: else -> c_code { now.y = 5; } fi; x = 3 }
        }
        active proctype Q() { c_expr { now.x == 1 } -> y = 1; c_expr { now.y > 3 } -> assert(x == 3 && y == 4) }
        """,
        "10/10/0",
    ),
    Case(
        "failed preconditions end the step",
        """
        byte x; bit y;
        active [2] proctype P() {
          c_code [now.x < 2] { now.x++; };
          c_code [now.x < 1] { now.x++; };
          c_expr [now.x > 5] { now.x } -> skip
        }
        active proctype Q() { do :: y = 1 - y od }
        """,
        "8/17/8",
    ),
    Case(
        "tracked arrays are part of the state, hidden data is not",
        """
        c_decl { unsigned char seen[4]; }
        c_state "int offset" "Hidden" "1"
        c_track "seen" "4"
        byte at;
        active [2] proctype P() {
          byte n;
          do
          :: n < 2 -> c_code { seen[now.at]++; now.at = (now.at + offset) % 4; }; n++
          :: else -> break
          od
        }
        """,
        "73/129/0",
    ),
    Case(
        "names of the engine's own code may be used",
        """
        c_decl { int model = 1; int successors(int steps) { return steps + model; } struct work { int emit; }; }
        byte steps; byte initial; byte atoms;
        active proctype process_count() {
          byte sink;
          c_code { struct work w = { 2 }; now.steps = successors(w.emit); };
          c_code { Pprocess_count->sink = now.steps; now.initial = now._nr_pr; now.atoms = Pprocess_count->_pid; };
          assert(steps == 3 && sink == 3 && initial == 1 && atoms == 0)
        }
        """,
        "5/5/0",
    ),
]


def counts(path: Path, engine: EngineName = "native", text: str | None = None) -> str:
    if text is not None:
        path.write_text(text)
    result = check(load(str(path), allow_c=True), SearchPlan(all_errors=True, engine=engine))
    return f"{result.states}/{result.transitions}/{result.errors}"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.what)
def test_counts(case: Case, tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    assert counts(path, "native", case.text) == case.counts
    assert counts(path, "interpreter") == case.counts


@pytest.mark.spin
@pytest.mark.skipif(not spin_is_here(), reason="spin and gcc are needed to compare with (apt-get install spin gcc)")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.what)
def test_counts_are_spins(case: Case) -> None:
    assert spin_counts(case.text, compiler="gcc") == Counts(*map(int, case.counts.split("/")))


def refusal(tmp_path: Path, text: str, *, allow_c: bool = True) -> str:
    path = tmp_path / "m.pml"
    path.write_text(text)
    with pytest.raises(ModelError) as failed:
        load(str(path), allow_c=allow_c)
    return str(failed.value).replace(f"{tmp_path}/", "")


@pytest.mark.parametrize(
    "text",
    [
        'c_decl { int f() { system("touch ran"); } }',
        'c_state "int x" "Global" "system(\\"touch ran\\")"',
        'c_track "&x" "4"',
        'active proctype P() { c_code { system("touch ran"); } }',
        'byte x; active proctype P() { c_expr { system("touch ran") } }',
        'byte x; active proctype P() { x = c_expr { system("touch ran") } }',
    ],
)
def test_nothing_is_run_unless_allowed(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("kripke.compilation.compile.compile_model", lambda *_, **__: pytest.fail("it was compiled"))
    message = refusal(tmp_path, text + "\ninit { skip }", allow_c=False)
    assert "error: this model has C code in it, which is not run unless you allow it\n" in message
    assert message.endswith("if you trust this model, allow it with --allow-c")
    assert not (tmp_path / "ran").exists()


def test_complaints_of_the_compiler_have_their_place(tmp_path: Path) -> None:
    text = "byte x;\nactive proctype P() {\n  c_code {\n\n    now.x = 1;\n    /* here */\n    now.y = 2;\n  }\n}\n"
    assert refusal(tmp_path, text) == (
        "m.pml:7:5: error: the C compiler says: 'State' has no member named 'y'\n    now.y = 2;\n    ^~~~~~~~~~"
    ).replace("\n    ", "\n      ")
    assert refusal(tmp_path, "c_decl { int f(; }\ninit { skip }").startswith("m.pml:1:1: error: the C compiler says: ")
    assert refusal(tmp_path, "init { c_expr { nothing } }").startswith("m.pml:1:1: error: the C compiler says: ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('c_state "int x" "Somewhere"', 'c_state takes "Global", "Local PROCTYPE" or "Hidden", not "Somewhere"'),
        ('c_state "int x" "Local Q"', "there is no process type 'Q'"),
        ('c_state "int" "Global"', '"int" declares no variable'),
        ('c_track "&x" "4" "Perhaps"', 'c_track takes "Matched" or "UnMatched", not "Perhaps"'),
    ],
)
def test_wrong_declarations(text: str, message: str, tmp_path: Path) -> None:
    assert f"error: {message}\n" in refusal(tmp_path, text + "\ninit { skip }")


def test_unmatched_data_is_matched_and_said_so(tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text(
        'c_decl { int n; } c_track "&n" "sizeof(int)" "UnMatched"\n'
        "active proctype P() { do :: c_expr { n < 3 } -> c_code { n++; } :: else -> break od }"
    )
    model = load(str(path), allow_c=True)
    assert [warning.message for warning in model.warnings] == [
        "data that is not matched is matched here: no run is missed, but there may be more states than SPIN's"
    ]
    assert check(model, SearchPlan()).states == 9


CRASHES = """\
c_decl { int deep(int n) { volatile char big[10000]; big[n % 100] = 1; return deep(n + 1) + big[3]; } }
byte x;
active proctype P() {
  if
  :: c_code { *(int *)0 = 3; }
  :: c_code { now.x = deep(1); }
  :: c_code { abort(); }
  :: c_code { now.x = 1 / (now.x - now.x); }
  :: c_code { exit(3); }
  :: c_expr { *(int *)0 == 1 }
  :: c_code { now.x = 7; }
  fi
}
"""


@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_a_crash_is_an_error_with_a_trace(engine: EngineName, tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text(CRASHES)
    result = check(load(str(path), allow_c=True), SearchPlan(all_errors=True, engine=engine))
    assert [(finding.kind, finding.trace and finding.trace.steps[-1].spans[0].line) for finding in result.findings] == [
        ("crash", line) for line in (5, 6, 7, 8, 9, 10)
    ]
    assert result.states == 3


def test_assertions_in_c(tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text("byte x; active proctype P() { c_code { now.x = 2; assert(now.x == 1); } }")
    result = check(load(str(path), allow_c=True), SearchPlan())
    assert (result.kind, result.errors) == ("assertion", 1)
    assert result.trace is not None
    assert result.trace.steps[-1].statements == ("c_code { now.x = 2; assert(now.x == 1); }",)
