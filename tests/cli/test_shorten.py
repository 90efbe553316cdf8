"""``kripke shorten``: the same error by fewer steps."""

from __future__ import annotations

from pathlib import Path

import pytest

from kripke.cli.main import main

WANDER = """
byte a, b, c;
active proctype P() { do :: a < 20 -> a++ :: b < 20 -> b++ :: a > 0 -> a-- :: a == 7 && b == 9 -> assert(c != 3) od }
active proctype Q() { do :: c < 10 -> c++ :: c > 0 -> c-- od }
"""
DEADLOCK = """
byte a; bool halt;
active proctype P() { do :: !halt -> a = (a + 1) % 40 :: a == 35 -> halt = true; break od; a == 99 }
active proctype Q() { do :: halt -> break :: !halt -> skip od }
"""
TWO_ERRORS = """
byte a;
active proctype P() { do :: a < 50 -> a++ :: a == 3 -> assert(false) :: a == 20 -> assert(a != 20) od }
"""
INVARIANT = "byte a; active proctype P() { do :: a < 200 -> a++ :: a > 0 -> a-- od }"
LOOP = "byte a; active proctype P() { do :: a = 1 - a od } ltl never_one { [] <> (a == 2) }"


def saved(folder: Path, text: str, *options: str) -> str:
    (folder / "m.pml").write_text(text)
    trace = str(folder / "found.trace")
    main(["check", str(folder / "m.pml"), "--no-clarify", "-q", "--trace", trace, *options])
    return trace


def shortened(trace: str, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str, str]:
    capsys.readouterr()
    code = main(["shorten", trace, "-q", *options])
    return code, *capsys.readouterr()


def test_a_long_depth_first_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = saved(tmp_path, WANDER, "--search", "dfs")
    code, out, err = shortened(trace, capsys, "-o", str(tmp_path / "short.trace"))
    assert (code, err) == (0, "")
    assert out.splitlines()[1:] == ["no run to this error is shorter"]
    assert " before, 40 now: assertion violated: assert(c != 3)" in out
    assert int(out.split()[0].replace(",", "")) > 400
    assert main(["replay", str(tmp_path / "short.trace")]) == 0
    assert "replayed 40 steps: assertion violated" in capsys.readouterr().out


def test_deadlocks_and_invariants(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = saved(tmp_path, DEADLOCK, "--search", "dfs")
    _, out, _ = shortened(trace, capsys)
    assert "now: deadlock" in out
    assert "no run to this error is shorter" in out
    trace = saved(tmp_path, INVARIANT, "--search", "dfs", "--invariant", "a != 3")
    _, out, _ = shortened(trace, capsys)
    assert "6 now: invariant violated: a != 3" in out


def test_the_error_stays_the_same_where_another_is_nearer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = TWO_ERRORS.replace(":: a == 3 -> assert(false)", "")
    trace = saved(tmp_path, text, "--search", "dfs", "--no-deadlock")
    (tmp_path / "m.pml").write_text(TWO_ERRORS)
    _, out, _ = shortened(trace, capsys)
    assert "42 now: assertion violated: assert(a != 20)" in out
    assert "no run to this error is shorter" in out


def test_a_limit_leaves_what_was_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = saved(tmp_path, WANDER, "--search", "dfs")
    code, out, err = shortened(trace, capsys, "--time-limit", "0.01")
    assert code == 0
    assert "assertion violated" in out
    assert "no run" not in out
    assert err.startswith("there may be a shorter run: the time limit")


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (LOOP, ("--property", "never_one"), "the trace repeats for ever: kripke check --shortest"),
        (WANDER.replace("assert(c != 3)", "skip"), (), "the trace cannot be followed in this model: step 40"),
    ],
)
def test_refusals(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, options: tuple[str, ...], message: str
) -> None:
    trace = saved(tmp_path, text if options else WANDER, *options)
    (tmp_path / "m.pml").write_text(text)
    code, out, err = shortened(trace, capsys)
    assert (code, out) == (2, "")
    assert message in err


def test_a_run_without_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.pml").write_text(INVARIANT)
    trace = str(tmp_path / "run.trace")
    main(["simulate", str(tmp_path / "m.pml"), "--seed", "1", "--steps", "5", "--save", trace])
    code, _, err = shortened(trace, capsys)
    assert (code, err) == (
        2,
        "error: the trace ends in no error, so there is nothing that a shorter run would have to keep\n",
    )


def test_no_input_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = saved(tmp_path, TWO_ERRORS)
    code, _, err = shortened(trace, capsys, "-o", trace)
    assert code == 2
    assert "would overwrite a file that is read" in err
