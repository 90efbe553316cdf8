"""Programs run, and what runs was checked: every run is a path of the state space."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kripke.languages.lf import load
from tests.support.lf_runs import assert_run_is_a_path
from tests.support.random_lf import random_program

EXAMPLES = Path(__file__).parents[3] / "examples" / "lf"


def kripke(*arguments: str, text: str = "") -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "kripke", *arguments],
        capture_output=True,
        text=True,
        input=text,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("prodcons", 0),
        ("peterson", 0),
        ("lost_update", 1),
        ("bounded_buffer", 0),
        ("philosophers", 1),
        ("philosophers_ordered", 0),
        ("sieve", 0),
        ("interrupt_lost", 1),
        ("interrupt_kept", 0),
    ],
)
def test_examples_run_along_their_state_space(tmp_path: Path, name: str, code: int) -> None:
    program = load(str(EXAMPLES / f"{name}.lf")).program
    for scheduler in ("round-robin", "earliest-deadline-first"):
        actions, ended = assert_run_is_a_path(program, tmp_path, "--actions", "300", "--scheduler", scheduler)
        assert actions > 2 and ended == code


@pytest.mark.parametrize("seed", [0, 11, 28, 35])
def test_random_programs_run_along_their_state_space(tmp_path: Path, seed: int) -> None:
    file = tmp_path / "random.lf"
    file.write_text(random_program(seed))
    assert_run_is_a_path(load(str(file)).program, tmp_path, "--actions", "300", "--seed", str(seed))


def test_output_and_errors(tmp_path: Path) -> None:
    assert kripke("run", str(EXAMPLES / "prodcons.lf")) == (0, " ".join(map(str, range(100))) + " \n", "")
    lost = str(EXAMPLES / "lost_update.lf")
    error = f"{lost}:22:3: error: assertion violated\n  ASSERT(counter = 2)\n"
    assert kripke("run", lost) == (1, "", error)
    code, _, told = kripke("run", str(EXAMPLES / "philosophers.lf"))
    assert (code, told.splitlines()[0]) == (1, "deadlock: every process that has not ended waits for another")
    assert "  Philosopher:4 waits at " in told and ": right!take\n" in told


@pytest.mark.parametrize("name", ["sieve", "clock", "deadlines", "lost_update"])
def test_the_c_that_is_written_has_no_warnings(tmp_path: Path, name: str) -> None:
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("the warnings are those of gcc")
    text = tmp_path / "program.c"
    assert kripke("build", str(EXAMPLES / f"{name}.lf"), "-o", str(text))[0] == 0
    command = [compiler, "-O2", "-Wall", "-Wextra", "-Werror", str(text), "-o", str(tmp_path / "program")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "alloc(" not in text.read_text()  # no heap


def test_an_executable_of_its_own(tmp_path: Path) -> None:
    made, text = tmp_path / "sieve", tmp_path / "sieve.c"
    source = str(EXAMPLES / "sieve.lf")
    assert kripke("build", source, "-o", str(made)) == (0, f"{made} written\n", "")
    assert subprocess.run([made], capture_output=True, timeout=60, check=False).returncode == 0
    assert kripke("build", source, "-o", str(text))[0] == 0
    assert "/* 19: IF x MOD prime # 0 */" in text.read_text()
    code, _, told = kripke("build", str(EXAMPLES.parent / "promela" / "peterson.pml"))
    assert (code, told) == (2, "error: a promela model cannot become a program; languages of programs: lf\n")


def test_interrupts_come_from_a_timer_or_a_file(tmp_path: Path) -> None:
    clock = str(EXAMPLES / "clock.lf")
    assert kripke("run", clock, "--interrupt", "0=every:1") == (0, "1\n2\n3\n", "")
    times = tmp_path / "times"
    times.write_text(" ".join(str(number) for number in range(15)))
    assert kripke("run", clock, "--interrupt", f"0={times}") == (0, "1\n2\n3\n", "")
    times.write_text("1 2 3 4 5 6 7")
    code, printed, told = kripke("run", clock, "--interrupt", f"0={times}")
    assert (code, printed, told.splitlines()[0].split(":")[0]) == (1, "1\n", "deadlock")
    assert kripke("run", clock, "--interrupt", "16=every:1")[0] == 2
    assert kripke("run", clock, "--interrupt", "1=nothing.txt")[0] == 2


def test_devices(tmp_path: Path) -> None:
    file = tmp_path / "echo.lf"
    file.write_text(
        "MODULE Echo; CONST Console = 3F8H; VAR c : INT16;\nBEGIN\n  PORTIN(Console, c);\n"
        "  WHILE c >= 0 DO PORTOUT(Console, c); PORTIN(Console, c) END;\n"
        "  PORTOUT(40, 7); PORTIN(40, c); ASSERT(c = 7)\nEND Echo.\n"
    )
    assert kripke("run", str(file), text="three words\n") == (0, "three words\n", "")


def test_the_earliest_deadline_comes_first(tmp_path: Path) -> None:
    file = tmp_path / "deadlines.lf"
    file.write_text(
        """MODULE Deadlines; IMPORT Out;
TYPE Gate = [up, go];
PORT gate : Gate;
PROCESS P(name : CHAR; due : INTEGER);
VAR i : INT8;
BEGIN
  DEADLINE(due); gate!up; gate?go;
  FOR i := 1 TO 3 DO Out.Char(name); RESCHEDULE END
END P;
BEGIN
  NEW(gate); CREATE P('a', 90); CREATE P('b', 40); CREATE P('c', 60);
  gate?up; gate?up; gate?up; DEADLINE(1); gate!go; gate!go; gate!go
END Deadlines.
"""
    )
    assert kripke("run", str(file))[1] == "aababcbcc"
    assert kripke("run", str(file), "--scheduler", "earliest-deadline-first")[1] == "bbbcccaaa"


def test_deadlines_that_taking_turns_misses_are_met_by_the_earliest_first() -> None:
    file = str(EXAMPLES / "deadlines.lf")
    code, shown, told = kripke("run", file)
    assert (code, shown) == (1, "") and "ASSERT(work - asked <= Soon)" in told
    code, shown, told = kripke("run", file, "--scheduler", "earliest-deadline-first", "--statistics")
    assert (code, shown) == (0, "closed 0\n")
    assert told.splitlines()[1] == "1 actions with a deadline, 0 of them late, by at most 0 actions"
    code, _, told = kripke("run", file, "-D", "Soon=6", "--statistics")  # the alarm, the four, and the valve itself
    assert code == 0 and told.splitlines()[1] == "1 actions with a deadline, 0 of them late, by at most 0 actions"
    code, _, told = kripke("run", file, "-D", "Soon=5", "--statistics")
    assert code == 0 and told.splitlines()[1] == "1 actions with a deadline, 1 of them late, by at most 1 actions"


LOOP = """\
MODULE Loop;
IMPORT Out;
TYPE T = [t];
PORT q : T;
VAR c : INT16;
PROCESS A(p : T); BEGIN WHILE TRUE DO p!t END END A;
PROCESS B(p : T); BEGIN WHILE TRUE DO p?t END END B;
BEGIN
  Out.Int(1); Out.Ln; PORTIN(3F8H, c);
  NEW(q); CREATE A(q); CREATE B(q)
END Loop.
"""


@pytest.mark.parametrize(("number", "given"), [(signal.SIGINT, ""), (signal.SIGINT, "x"), (signal.SIGTERM, "x")])
def test_an_interrupt_ends_the_run_whoever_gets_it(tmp_path: Path, number: int, given: str) -> None:
    """Only ``kripke`` is told, as by ``kill``; without a character the program waits for one."""
    file = tmp_path / "loop.lf"
    file.write_text(LOOP)
    started = subprocess.Popen(
        [sys.executable, "-m", "kripke", "run", str(file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert started.stdin is not None and started.stdout is not None and started.stderr is not None
    assert started.stdout.readline() == "1\n"  # it runs by now
    started.stdin.write(given)
    started.stdin.flush()
    started.send_signal(number)
    code, errors = started.wait(timeout=120), started.stderr.read()
    started.stdin.close()
    assert (code, errors) == (130, "\ninterrupted\n")


def test_an_interrupt_while_the_program_is_started_leaves_nothing_behind(tmp_path: Path) -> None:
    file = tmp_path / "loop.lf"
    file.write_text(LOOP)
    code = f"""\
import signal, subprocess
from kripke.cli.main import main
class Interrupted(subprocess.Popen):
    def __init__(self, command, **more):
        super().__init__(command, **more)
        if command[0].endswith("program"):
            signal.raise_signal(signal.SIGINT)
subprocess.Popen = Interrupted
raise SystemExit(main(["run", {str(file)!r}]))
"""
    done = subprocess.run([sys.executable, "-c", code], input="x", capture_output=True, text=True, timeout=60)
    assert done.returncode == 130 and done.stderr in ("", "\ninterrupted\n")


def test_a_sender_that_takes_its_message_back(tmp_path: Path) -> None:
    """Its guard is false once the message was handed over: the receiver's variable is as it was before."""
    text = """\
MODULE M;
TYPE Msg = [say(INT8)];
PORT q : Msg;
PROCESS Sender;
VAR n : INT8;
BEGIN
  n := 5;
  SELECT WHEN q!say(n) & (n = 0) THEN n := 1 WHEN q?say(n) THEN n := 2 END
END Sender;
PROCESS Receiver;
VAR m : INT8;
BEGIN
  m := 3;
  RESCHEDULE;
  q?say(m)
END Receiver;
BEGIN
  NEW(q); CREATE Sender(); CREATE Receiver()
END M.
"""
    file = tmp_path / "m.lf"
    file.write_text(text)
    assert assert_run_is_a_path(load(str(file)).program, tmp_path, "--actions", "50", "--seed", "1") == (4, 1)
