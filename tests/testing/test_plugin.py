"""The plug-in of pytest, in a project of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

TEST = """
import threading

import kripke.testing


class Counter:
    def __init__(self):
        self.value = 0

    def add(self):
        self.value += 1


@kripke.testing.interleave
def test_counter(tmp_path):
    counter = Counter()
    threads = [threading.Thread(target=counter.add) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counter.value == 2


def test_plain():
    assert True
"""


def pytest_in(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=240,
    )


def test_a_failing_schedule_is_shown_saved_and_replayed(tmp_path: Path) -> None:
    (tmp_path / "test_counter.py").write_text(TEST)
    ran = pytest_in(tmp_path, "-q", "--kripke-save", "schedules")
    assert ran.returncode == 1
    assert "1 tests under control, 2 schedules: 0 saw all behaviours, 1 failed, 0 not all" in ran.stdout
    assert "writes Counter.value = 1" in ran.stdout
    page, saved = sorted((tmp_path / "schedules").iterdir())
    assert "<code>self.value += 1</code>" in page.read_text()
    assert json.loads(saved.read_text())["test"] == "test_counter.py::test_counter"
    again = subprocess.run(
        [sys.executable, "-m", "kripke", "replay", str(saved)], capture_output=True, text=True, timeout=240
    )
    assert again.returncode == 1
    assert "1 tests under control, 1 schedules" in again.stdout
    assert "assert 1 == 2" in again.stdout


def test_a_broken_schedule_is_refused(tmp_path: Path) -> None:
    (tmp_path / "test_counter.py").write_text(TEST)
    (tmp_path / "broken.json").write_text('{"format": "kripke schedule 1", "choices": [[0]], "test": "x"}')
    ran = pytest_in(tmp_path, "-q", "--kripke-replay", "broken.json")
    assert ran.returncode == 4
    assert "choices must be pairs of numbers" in ran.stderr + ran.stdout


def test_every_test_under_control(tmp_path: Path) -> None:
    (tmp_path / "test_plain.py").write_text(TEST.replace("@kripke.testing.interleave\n", ""))
    ran = pytest_in(tmp_path, "-q", "--kripke")
    assert "2 tests under control, 3 schedules: 1 saw all behaviours, 1 failed, 0 not all" in ran.stdout
