"""``--allow-c``: asked for by every verb that would run C, and again by a replay."""

from __future__ import annotations

from pathlib import Path

MODEL = 'byte x;\nactive proctype P() { c_code { now.x = 2; printf("x is %d\\n", now.x); }; assert(x == 1) }\n'
REFUSED = (
    "m.pml:2:23: error: this model has C code in it, which is not run unless you allow it\n"
    '  active proctype P() { c_code { now.x = 2; printf("x is %d\\n", now.x); }; assert(x == 1) }\n'
    "                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
    "hint: C code can do whatever your account can; if you trust this model, allow it with --allow-c\n"
)


def test_every_verb_asks(kripke) -> None:
    Path("m.pml").write_text(MODEL)
    for verb in (["check"], ["simulate"], ["info"], ["emit", "--c"], ["explore", "-o", "g.aut"]):
        ran = kripke(verb[0], "m.pml", *verb[1:])
        assert (ran.code, ran.err) == (2, REFUSED)


def test_a_replay_asks_again(kripke) -> None:
    Path("m.pml").write_text(MODEL)
    assert kripke("check", "m.pml", "--allow-c", "--trace", "t.json", "-q").code == 1
    assert '"allow_c": true' in Path("t.json").read_text()
    ran = kripke("replay", "t.json")
    assert (ran.code, ran.err) == (2, REFUSED)
    ran = kripke("replay", "t.json", "--allow-c")
    assert ran.code == 0
    assert ran.out.endswith("replayed 2 steps: assertion violated: assert(x == 1) (m.pml:2:74)\n")


def test_what_c_prints_is_shown(kripke) -> None:
    Path("m.pml").write_text(MODEL)
    ran = kripke("simulate", "m.pml", "--allow-c", "--seed", "1", "-q")
    assert ran.out.splitlines()[1] == "x is 2"
    assert kripke("check", "m.pml", "--allow-c", "-q").out.startswith("violated: assertion assert(x == 1)")
