"""``kripke simulate`` on a real terminal, and what it shows compared with ``spin -p -g -l``."""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

pty = pytest.importorskip("pty", reason="pseudo-terminals are needed")

MODEL = """\
chan q = [1] of { byte };
byte x;
active proctype P() { byte k; k = 3; q!k; printf("sent %d\\n", k) }
active proctype Q() { byte a; q?a; x = a + 1; printf("x is %d\\n", x) }
"""


class Terminal:
    """A command with a pseudo-terminal around it."""

    def __init__(self, *command: str) -> None:
        self.output = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm", COLUMNS="100", NO_COLOR="1")
            os.execv(command[0], command)

    def wait_for(self, text: str, seconds: float = 60) -> str:
        """Everything up to the text, which must come; later calls begin behind it."""
        deadline = time.monotonic() + seconds
        while text not in self.output:
            assert time.monotonic() < deadline, f"{text!r} did not come: {self.output!r}"
            if select.select([self.fd], [], [], 1.0)[0]:
                self.output += self._read()
        before, _, self.output = self.output.partition(text)
        return before

    def _read(self) -> str:
        try:
            return os.read(self.fd, 65536).decode().replace("\r\n", "\n")
        except OSError:  # the other end is closed
            raise AssertionError(f"the command has ended: {self.output!r}") from None

    def type(self, text: str) -> None:
        os.write(self.fd, text.encode())

    def end(self, again: str = "") -> tuple[str, int]:
        """The rest of the output and the exit code. ``again`` is typed while nothing happens: Python misses a signal
        that comes after the prompt and before it waits for the input."""
        deadline = time.monotonic() + 60
        while True:
            assert time.monotonic() < deadline, f"the command has not ended: {self.output!r}"
            if not select.select([self.fd], [], [], 1.0)[0]:
                self.type(again)
                continue
            try:
                self.output += self._read()
            except AssertionError:
                break
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self.fd)
        return self.output, code


def simulate(*arguments: str) -> Terminal:
    return Terminal(sys.executable, "-m", "kripke", "simulate", *arguments)


def test_choosing_by_hand(tmp_path: Path) -> None:
    (tmp_path / "m.pml").write_text("byte x; active proctype P() { do :: x = 1 :: x = 2; break od }")
    terminal = simulate("-i", str(tmp_path / "m.pml"))
    choices = terminal.wait_for("step 1-2, s state, ? help, q quit> ")
    assert "  1  P:0 m.pml:1 x = 1   [x: 0 -> 1]\n  2  P:0 m.pml:1 x = 2   [x: 0 -> 2]\n" in choices
    terminal.type("7\n")
    assert "'7' is none of the choices" in terminal.wait_for("quit> ")
    terminal.type("s\n")
    assert "x = 0, P:0 at line 1" in terminal.wait_for("quit> ")
    terminal.type("2\n")
    assert re.search(
        r"    1  P:0 +m.pml:1 +x = 2 +x: 0 -> 2", terminal.wait_for("step 1-1, s state, ? help, q quit [1]> ")
    )
    terminal.type("\n")
    assert "the run is at its end: valid end" in terminal.wait_for("b back, s state, ? help, q quit [q]> ")
    terminal.type("\n")
    rest, code = terminal.end()
    assert "valid end: no step is left, after 2 steps" in rest
    assert code == 0


def test_forward_and_back(tmp_path: Path) -> None:
    (tmp_path / "m.pml").write_text(MODEL)
    saved = tmp_path / "run.json"
    terminal = simulate("-i", "--no-merge", str(tmp_path / "m.pml"))

    def ask(text: str) -> str:
        terminal.wait_for("q quit")  # "> " alone is in "0 -> 1", too
        terminal.wait_for("> ")
        terminal.type(text + "\n")
        return terminal.wait_for(f"{text}\n")

    ask("w x")
    ask("w len(q) == 1")
    ask("w nonsense[")
    assert "'nonsense[' is no variable of this state and no condition: " in terminal.wait_for("\n")
    ask("k len(q) == 1")
    ask("c")
    assert "q!k  [3]" in terminal.wait_for("breakpoint: len(q) == 1\n")
    assert "  x = 0\n  len(q) == 1 = true\n" in terminal.wait_for("step 1-")
    ask("b")
    assert "  x = 0\n  len(q) == 1 = false\n" in terminal.wait_for("step 1-")
    ask("j 2")
    assert "  len(q) == 1 = true\n" in terminal.wait_for("step 1-")
    ask("j 9")
    assert terminal.wait_for("\n") == "there is no step 9: the run, with what was undone, has 2 steps"
    ask("j 0")
    ask("m")
    assert "q!k  [3]" in terminal.wait_for("step 1-")
    ask("p P:0.k")
    assert terminal.wait_for("\n") == "  P:0.k = 3"
    ask("t")
    assert "   2  P:0      m.pml:3  q!k  [3]" in terminal.wait_for("step 1-")
    ask(f"save {saved}")
    assert terminal.wait_for("\n") == f"  2 steps saved in {saved}"
    ask("?")
    assert "breakpoint where a condition becomes true" in terminal.wait_for("step 1-")
    ask("k - len(q) == 1")
    ask("c")
    terminal.wait_for("the run is at its end: valid end")
    ask("b 100")
    ask("q")
    rest, code = terminal.end()
    assert ("stopped, after 0 steps" in rest, code) == (True, 0)
    replayed = subprocess.run(
        [sys.executable, "-m", "kripke", "replay", str(saved)], capture_output=True, text=True, check=True
    )
    assert "replayed 2 steps" in replayed.stdout


def test_leaving_a_run(tmp_path: Path) -> None:
    (tmp_path / "m.pml").write_text("byte x; active proctype P() { do :: x = 1 :: x = 2; break od }")
    for key in ("q\n", "\x04"):  # quit, the end of the input
        terminal = simulate("-i", str(tmp_path / "m.pml"))
        terminal.wait_for("quit> ")
        terminal.type(key)
        rest, code = terminal.end()
        assert ("stopped, after 0 steps" in rest, code) == (True, 0)
    terminal = simulate("-i", str(tmp_path / "m.pml"))
    terminal.wait_for("quit> ")
    terminal.type("\x03")  # Ctrl-C
    rest, code = terminal.end(again="\x03")
    assert ("interrupted" in rest, code) == (True, 130)


def shown(text: str) -> tuple[list[str], list[str]]:
    """What was printed, and the statements, of a run of ours."""
    printed = [line[9:] for line in text.splitlines() if line.startswith("       | ")]
    steps = re.findall(r"^ +\d* +(?:P|Q):(\d) +\S+ +(.*?)(?:   .*)?$", text, re.MULTILINE)
    return printed, [f"{pid} {statement.strip()}" for pid, statement in steps]


@pytest.mark.spin
@pytest.mark.skipif(shutil.which("spin") is None, reason="spin is needed to compare with (apt-get install spin)")
def test_the_same_statements_and_output_as_spin(tmp_path: Path) -> None:
    """The model has one run, up to the order of a printf that nothing depends on."""
    (tmp_path / "m.pml").write_text(MODEL.replace('; printf("sent %d\\n", k)', ""))
    spin = subprocess.run(["spin", "-p", "-g", "-l", "m.pml"], cwd=tmp_path, capture_output=True, text=True).stdout
    ours = subprocess.run(
        [sys.executable, "-m", "kripke", "simulate", "m.pml", "--seed", "1", "--no-merge"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    ).stdout
    printed, steps = shown(ours)
    assert printed == ["x is 4"]
    assert "x is 4" in spin
    ran = re.findall(r"proc +(\d) \(\w+:1\) m.pml:\d+ \(state \d+\)\t\[(.*)\]", spin)
    plain = [f"{pid} {text}" for pid, text in ran]
    assert plain == ["0 k = 3", "0 q!k", "1 q?a", "1 x = (a+1)", "1 printf('x is %d\\\\n',x)"]
    assert steps == [
        "0 k = 3",
        "0 q!k  [3]",
        "1 q?a  [3]",
        "1 x = a + 1",
        '1 printf("x is %d\\n", x)',
        "1 -end-",
        "0 -end-",
    ]
    for change in ("P:0.k: 0 -> 3", "q: empty -> [3]", "Q:1.a: 0 -> 3", "x: 0 -> 4"):
        assert change in ours
    for change in ("P(0):k = 3", "Q(1):a = 3", "x = 4"):
        assert change in spin


def test_a_variable_that_is_only_printed_has_its_value(tmp_path: Path) -> None:
    """A check leaves such variables out of the state; a run shows them."""
    (tmp_path / "m.pml").write_text('byte x; active proctype P() { x = 5; printf("x is %d\\n", x) }')
    ran = subprocess.run(
        [sys.executable, "-m", "kripke", "simulate", "m.pml", "-q"], cwd=tmp_path, capture_output=True, text=True
    )
    assert ran.stdout.splitlines()[1] == "x is 5"
