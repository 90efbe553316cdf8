"""A run by hand in a real terminal: tmux keeps what is on the screen."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples" / "promela"


class Screen:
    """A terminal of 100 columns in which a command runs."""

    def __init__(self, folder: Path, command: list[str]) -> None:
        self.socket = str(folder / "tmux")
        self._tmux(
            "-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "40", "-c", str(folder), shlex.join(command)
        )
        self._tmux("set-option", "-g", "remain-on-exit", "on")

    def _tmux(self, *arguments: str) -> str:
        command = ["tmux", "-S", self.socket, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout

    def type(self, line: str) -> None:
        self._tmux("send-keys", "-l", line)
        self._tmux("send-keys", "Enter")

    def shows(self, text: str, times: int = 1) -> str:
        until = monotonic() + 60
        while (screen := self._tmux("capture-pane", "-p")).count(text) < times:
            assert monotonic() < until, f"{text!r} does not come:\n{screen}"
            sleep(0.05)
        return screen

    def close(self) -> None:
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], check=False, capture_output=True, timeout=60)


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[Screen]:
    if shutil.which("tmux") is None:
        pytest.skip("no tmux is installed (.ci/run installs it as root on Debian: apt-get install tmux)")
    model = str(EXAMPLES / "lost_update.pml")
    screen = Screen(tmp_path, [sys.executable, "-m", "kripke", "simulate", "--interactive", model])
    yield screen
    screen.close()


def test_forward_back_watch_and_save(screen: Screen, tmp_path: Path) -> None:
    prompt = "step 1-2, s state, ? help, q quit>"
    screen.shows(prompt)
    screen.type("w balance")
    screen.shows(prompt, 2)
    screen.type("1")
    screen.shows("seen = seen + 10   [clerk:1.seen: 0 -> 10]")
    screen.type("1")
    shown = screen.shows("balance = seen   [balance: 0 -> 10]")
    assert "balance = 0" in shown
    screen.type("b 2")
    screen.shows("step 1-2, s state, ? help, q quit [1]>")  # Enter goes the way again that was undone
    screen.type("2")
    screen.shows("seen = seen + 10   [clerk:0.seen: 0 -> 10]")
    screen.type("save by-hand.json")
    screen.shows("by-hand.json", 2)
    screen.type("q")
    screen.shows("state at the end:")
    saved = json.loads((tmp_path / "by-hand.json").read_text())
    assert [step["actor"] for step in saved["steps"]] == ["clerk:0"]
