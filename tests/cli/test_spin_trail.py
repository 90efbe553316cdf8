"""``kripke replay MODEL --spin-trail`` and ``kripke check --spin-trail``; the trails here are ones pan wrote."""

from __future__ import annotations

from pathlib import Path

MODEL = """\
chan r = [0] of { byte };
byte x;
active proctype P() { byte k; atomic { k = 2; r!k; x = x + k }; d_step { x++; k = 0 } }
active proctype Q() { byte a; r?a; x = a; assert(x != 3) }
"""
# spin -a m.pml && cc -DSAFETY pan.c && ./a.out
TRAIL = "-4:-4:-4\n1:0:0\n2:0:1\n3:1:8\n4:1:9\n5:0:2\n6:0:6\n7:1:10\n"


def test_a_trail_of_spin_is_shown(kripke) -> None:
    Path("m.pml").write_text(MODEL.replace("x != 3", "x != 5"))
    Path("m.pml.trail").write_text(TRAIL)
    ran = kripke("replay", "m.pml", "--spin-trail", "m.pml.trail", "--save", "t.json")
    assert ran.code == 0
    assert ran.out == (
        "step  process  place    statement       changes\n"
        "   1  P:0      m.pml:3  k = 2\n"
        "      P:0      m.pml:3  r!k  [2]\n"
        "      Q:1      m.pml:4  r?a  [2]        P:0.k: 0 -> 2, Q:1.a: 0 -> 2\n"
        "   2  Q:1      m.pml:4  x = a           x: 0 -> 2\n"
        "   3  P:0      m.pml:3  x = x + k       x: 2 -> 4\n"
        "   4  P:0      m.pml:3  x++\n"
        "      P:0      m.pml:3  k = 0           x: 4 -> 5, P:0.k: 2 -> 0\n"
        "   5  Q:1      m.pml:4  assert(x != 5)\n"
        "      *** assertion violated ***\n"
        "\n"
        "state at the end:\n"
        "  x = 5, P:0 at line 3, P:0.k = 0, Q:1 at line 4, Q:1.a = 2\n"
        "\n"
        "replayed 5 steps: assertion violated: assert(x != 5) (m.pml:4:43)\n"
    )
    again = kripke("replay", "t.json")
    assert (again.code, again.out) == (0, ran.out)


def test_check_writes_the_trail_that_spin_reads(kripke) -> None:
    Path("m.pml").write_text(MODEL.replace("x != 3", "x != 5"))
    assert kripke("check", "m.pml", "--spin-trail", "ours.trail", "-q").code == 1
    assert Path("ours.trail").read_text() == TRAIL


def test_a_cycle_and_a_claim(kripke) -> None:
    """With a claim, process 0 is the claim: its moves are left out, the numbers of the others are one lower."""
    Path("m.pml").write_text("byte x; active proctype P() { do :: x = 1 - x od } never { do :: x < 2 od }")
    Path("m.trail").write_text("-2:1:-2\n-4:-4:-4\n1:0:5\n2:1:0\n3:0:5\n-1:-1:-1\n4:1:0\n5:0:5\n6:1:0\n")
    ran = kripke("replay", "m.pml", "--spin-trail", "m.trail")
    assert ran.code == 0
    assert ran.out.startswith(
        "step  process  place    statement  changes\n"
        "   1  P:0      m.pml:1  x = 1 - x  x: 0 -> 1\n"
        "      --- from here on the steps repeat for ever ---\n"
        "   2  P:0      m.pml:1  x = 1 - x  x: 1 -> 0\n"
        "   3  P:0      m.pml:1  x = 1 - x  x: 0 -> 1\n"
    )


def test_a_trail_of_another_text(kripke) -> None:
    Path("m.pml").write_text(MODEL)
    Path("m.trail").write_text("-4:-4:-4\n1:0:0\n2:0:1\n3:1:8\n4:1:10\n")
    ran = kripke("replay", "m.pml", "--spin-trail", "m.trail")
    assert ran.code == 1
    assert ran.out.endswith(
        "the trace deviates: line 5 of m.trail (process 1, statement 10) is not possible here: "
        "assert(x != 3) (m.pml:4:43)\n"
        "possible here:\n"
        "  Q:1  m.pml:4  x = a   [x: 0 -> 2]\n"
        "  P:0  m.pml:3  x = x + k   [x: 0 -> 2]\n"
    )
    Path("m.trail").write_text("-4:-4:-4\n1:0:77\n")
    ran = kripke("replay", "m.pml", "--spin-trail", "m.trail")
    assert (
        "line 2 of m.trail (process 0, statement 77): the model has no statement of that number; "
        "is it the text, with the -D, the trail is of?\n"
    ) in ran.out


def test_what_is_no_trail(kripke, toy) -> None:
    Path("m.pml").write_text(MODEL)
    for text, message in (
        ("1:2\n", "m.trail is not a trail of SPIN: line 1 is not of the form step:process:number"),
        ("1:-3:4\n", "m.trail is not a trail of SPIN: line 1 has a negative number"),
        ("-5:1:1\n", "m.trail was made by a search in permuted order (pan -p_...): it cannot be replayed"),
    ):
        Path("m.trail").write_text(text)
        ran = kripke("replay", "m.pml", "--spin-trail", "m.trail")
        assert (ran.code, ran.err) == (2, f"error: {message}\n")
    Path("m.trail").write_bytes(b"\xff\xfe")
    assert kripke("replay", "m.pml", "--spin-trail", "m.trail").err == (
        "error: m.trail is not a trail of SPIN: it is not text\n"
    )
    assert kripke("replay", "m.pml", "--spin-trail", "no.trail").err == (
        "error: cannot read no.trail: No such file or directory\n"
    )
    ran = kripke("replay", "m.trail")
    assert ran.err == "error: a trail of SPIN needs its model: kripke replay MODEL --spin-trail m.trail\n"
    Path("m.trail").write_text(TRAIL)
    assert kripke("replay", toy("once"), "--spin-trail", "m.trail").err == (
        "error: --spin-trail: SPIN writes trails of Promela models only\n"
    )
    assert kripke("check", "once.toy", "--spin-trail", "m.trail").err == (
        "error: --spin-trail: SPIN reads trails of Promela models only\n"
    )
    assert kripke("replay", "m.json", "-DN=3").err == (
        "error: a trace remembers how its model was read; -D, -U, -I and --lang are for --spin-trail\n"
    )


def test_an_error_in_the_first_state(kripke) -> None:
    """Without merging, SPIN's trail of it is an empty file."""
    Path("m.pml").write_text("byte x; active proctype P() { x > 0 }")
    Path("m.trail").write_text("")
    ran = kripke("replay", "m.pml", "--spin-trail", "m.trail")
    assert (ran.code, ran.out.splitlines()[-1]) == (
        0,
        "replayed 0 steps: deadlock: no process can move, and not all have reached a valid end",
    )


def test_a_lasso_is_written(kripke) -> None:
    """Without the moves of the claim, which SPIN does not need; here pan itself writes the same steps."""
    Path("m.pml").write_text(
        "byte x; active proctype P() { do :: x < 2 -> x++ :: x == 2 -> x = 0 od }\nltl p { <> (x == 5) }\n"
    )
    assert kripke("check", "m.pml", "--property", "p", "--spin-trail", "ours.trail", "-q").code == 1
    assert Path("ours.trail").read_text() == ("-4:-4:-4\n-1:-1:-1\n1:0:0\n2:0:1\n3:0:0\n4:0:1\n5:0:2\n6:0:3\n")
    ran = kripke("replay", "m.pml", "--spin-trail", "ours.trail")
    assert ran.code == 0
    assert "repeat for ever" in ran.out


def test_a_run_that_ends_has_no_loop_to_write(kripke) -> None:
    Path("m.pml").write_text("byte x; active proctype P() { x = 1; x = 2 }\nltl p { <> (x == 5) }\n")
    assert kripke("check", "m.pml", "--property", "p", "--spin-trail", "ours.trail", "-q").code == 1
    assert Path("ours.trail").read_text() == "-4:-4:-4\n1:0:0\n2:0:1\n3:0:2\n"
