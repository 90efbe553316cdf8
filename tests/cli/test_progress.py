"""The live line: on a terminal, never in a pipe."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.processes import wait_for_processor_time

pty = pytest.importorskip("pty")

# A model of sixteen million states, searched by the interpreter until the time is over.
SCRIPT = """
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from tests.support.toys import Chain
from kripke.cli.main import main
from kripke.languages import registry
registry.register(registry.Language("toy", (".toy",), lambda request: Chain(16_000_000)))
sys.exit(main(["check", "m.toy", "--engine", "interpreter", *sys.argv[1:]]))
"""


@pytest.fixture
def script(tmp_path: Path) -> list[str]:
    (tmp_path / "m.toy").write_text("chain")
    file = tmp_path / "run.py"
    file.write_text(SCRIPT.format(tests=str(Path(__file__).parents[2])))
    return [sys.executable, str(file)]


def read_all(terminal: int) -> str:
    text = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # Linux' way to say that the other side is closed
            break
        if not piece:
            break
        text += piece
    return text.decode()


def test_on_a_terminal(script: list[str], tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen([*script, "--time-limit", "1.2"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    shown = read_all(ours)
    out, _ = process.communicate(timeout=60)
    os.close(ours)
    assert process.returncode == 3
    lines = re.findall(r"\r([^\r]*)\x1b\[K", shown)
    assert len(lines) >= 4  # a second's worth
    assert re.fullmatch(
        r"[\d,]+ states  [\d.]+ [kM] states/s  queue [\d,]+  depth [\d,]+  [\d.]+ [KMG]?B  [\d.]+ s", lines[0]
    )
    assert shown.endswith("\r\x1b[K")  # nothing of it stays
    assert out.startswith(b"unknown: the time limit of 1.2 s was reached")


def test_in_a_pipe(script: list[str], tmp_path: Path) -> None:
    ran = subprocess.run([*script, "--time-limit", "0.5"], cwd=tmp_path, capture_output=True, timeout=60)
    assert ran.stderr == b""
    assert b"\r" not in ran.stdout and b"\x1b" not in ran.stdout


def test_ctrl_c_prints_what_is_known(script: list[str], tmp_path: Path) -> None:
    process = subprocess.Popen(script, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for_processor_time(process, 1.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 3
    assert re.match(rb"unknown: interrupted, after [\d,]+ states\n", out)
    assert err == b""
