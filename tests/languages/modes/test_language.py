"""What a ``.modes`` file may say, what it means, and what is refused where."""
# ruff: noqa: E501

from __future__ import annotations

import pytest

from kripke.languages.modes import read
from kripke.model.source import ModelError

HEAD = "var x: 0..3 = 1;\nvar y: bool;\n"
TAIL = "\nsystem { a: A; }\n"


def refused(text: str) -> str:
    with pytest.raises(ModelError) as error:
        read(text, "m.modes")
    return str(error.value)


def mode(*lines: str) -> str:
    return HEAD + "mode A {\n  " + "\n  ".join(lines) + "\n}" + TAIL


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["write x: 0..3;", "point p;", "de -> p when x = 1;"], "m.modes:6:16: error: x is declared to be written, not read"),
        (["read x: 0..3;", "point p;", "de -> p do x := 1;"], "m.modes:6:14: error: x is declared to be read, not written"),
        (["point p;", "de -> p do x := 1;"], "m.modes:5:14: error: x is not declared here"),
        (["local u: 0..1;", "point p;", "de -> p when u = 0;"],
         "m.modes:6:16: error: u is local: a transition from an entry point reads only what comes from outside"),
        (["point p;", "p -> p;"], "m.modes:7:10: error: A has nowhere to start"),
        (["point p;", "de -> q;"], "m.modes:5:9: error: there is no control point q in A"),
        (["point p;", "de -> p;", "p -> de;"], "m.modes:6:8: error: de is an entry of the mode itself: no transition leads there"),
        (["point p;", "de -> p;", "dx -> p;"], "m.modes:6:3: error: dx is an exit of the mode itself: no transition starts there"),
        (["read x: 0..4;", "point p;", "de -> p;"],
         "m.modes:8:10: error: x is of type 0..3 here, but x in A of 0..4"),
        (["read y: bool;", "point p;", "de -> p when y + 1 = 2;"], "m.modes:6:16: error: a number is needed here, not bool"),
        (["entry e;", "point p;", "de -> p;"], "m.modes:8:10: error: A has entry or exit points: it is no top-level mode"),
        (["read write x: 0..3;", "point p;", "de -> p do x := 7;"], "m.modes:6:19: error: this value is never in 0..3"),
        (["point p, p;", "de -> p;"], "m.modes:4:12: error: there are two of the name p (control point or submode)"),
        (["submode b: A;", "point p;", "de -> p;"], "m.modes:4:14: error: modes must not contain themselves: A -> A"),
        (["point p;", "de -> p when in(a.p);"], "m.modes:5:16: error: in(...) is for properties"),
        (["point p;", "de -> dx pause;"], "m.modes:5:3: error: a macro step cannot pause at dx"),
    ],
)  # fmt: skip
def test_refused(lines: list[str], message: str) -> None:
    assert refused(mode(*lines)).splitlines()[0] == message


def test_an_error_shows_its_line() -> None:
    assert refused("var x: 0..3;\nmode A {\n  point p;\n  de -> p when y;\n}\nsystem { a: A; }\n") == (
        "m.modes:4:16: error: y is not declared here\n"
        "    de -> p when y;\n"
        "                 ^\n"
        "hint: declare it: read, write or local"
    )


def test_an_exit_does_not_write_locals() -> None:
    text = (
        "mode B {\n  local u: 0..1;\n  entry i;\n  exit o;\n  i -> o do u := 1;\n}\n"
        "mode A {\n  submode b: B;\n  point p;\n  de -> b.i;\n  b.o -> p;\n}\nsystem { a: A; }\n"
    )
    assert refused(text).splitlines()[0] == "m.modes:5:13: error: an exit transition does not write the local u"


def steps_of(text: str) -> list[tuple[list[str], dict[str, str]]]:
    """The run of a system that has one step in every state, until it repeats: of each step its statements' texts."""
    model = read(text)
    (state,) = model.initial()
    seen, run = {state}, []
    while True:
        steps = model.successors(state)
        if not steps:
            return run
        (step,) = steps
        assert step.target is not None
        run.append(([model.explain_part(part) for part in step.parts], dict(model.describe(step.target))))
        state = step.target
        if state in seen:
            return run
        seen.add(state)


HISTORY = """
var tick: 0..5 = 0;
mode Inner {
  read write tick: 0..5;
  local u: 0..3 = 0;
  point p, q;
  de -> p;
  p -> q when tick = 0 do tick := 1, u := u + 1;
  q -> p when tick = 2 do tick := 3, u := u + 1;
}
mode Outer {
  read write tick: 0..5;
  submode m: Inner;
  point aside;
  de -> m;
  group: m -> aside when tick = 1 do tick := 2 pause;
  aside -> m;
}
system { o: Outer; }
"""


def test_history_restores_control_and_locals() -> None:
    run = steps_of(HISTORY)
    assert run == [
        (
            ["start o", "de -> m", "m: de -> p", "m: p -> q when tick = 0", "group: m -> aside"],
            {"tick": "2", "o@": "aside", "o.m.u": "1"},
        ),
        (["aside -> m", "m: q -> p when tick = 2"], {"tick": "3", "o@": "m.p", "o.m.u": "2"}),
    ]


def test_inner_transitions_come_first() -> None:
    """Weak preemption: while the inner mode can move, the group transition waits."""
    text = """
var n: 0..9 = 0;
mode Inner { read write n: 0..9; point p; de -> p; p -> p when n < 3 do n := n + 1; }
mode Outer { read write n: 0..9; submode m: Inner; point end; de -> m; m -> end do n := 9; }
system { o: Outer; }
"""
    ((texts, after),) = steps_of(text)
    assert texts[-2:] == ["m: p -> p when n < 3", "m -> end"]
    assert after == {"n": "9", "o@": "end"}


def test_what_is_out_of_scope_is_not_stored() -> None:
    model = read(HISTORY)
    lengths = [len(model.initial()[0])]
    state = model.initial()[0]
    for _ in range(2):
        target = model.successors(state)[0].target
        assert target is not None
        state = target
        lengths.append(len(state))
    assert lengths == [2, 5, 5]  # before its start a mode is one byte: that it is not there


def test_a_cycle_of_micro_steps_is_cut() -> None:
    text = "var x: bool;\nmode A { read write x: bool; point p, q; de -> p; p -> q; q -> p; q -> p do x := !x; }\nsystem { a: A; }"
    assert read(text).successors(read(text).initial()[0]) == []


def test_values_out_of_range_and_divisions_by_zero_are_errors() -> None:
    text = "var x: 0..2 = 2;\nmode A { read write x: 0..2; point p; de -> p; p -> p do x := x + 1; p -> p when 1 / (x - 2) = 1; }\nsystem { a: A; }"
    model = read(text)
    steps = model.successors(model.initial()[0])
    assert [model.violation_kinds[v.code].name for step in steps for v in step.violations] == ["division", "range"]


def test_constants_can_be_given() -> None:
    text = "const n = 2;\nvar x: 0..n;\nmode A { read x: 0..n; point p; de -> p; }\nsystem { a: A; }"
    assert read(text, defines={"n": "7"}).system.globals[0].type.high == 7
    with pytest.raises(ModelError, match="-D m: <text> has no constant of this name"):
        read(text, defines={"m": "7"})
