"""The plug-in of pytest, in a project of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree
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


TOGETHER = """
import threading

import hypothesis
import hypothesis.strategies
import pytest

import kripke.testing


class Account:
    def __init__(self, balance):
        self.balance = balance

    def draw(self, amount):
        if self.balance >= amount:
            self.balance -= amount


def both(account, one, other):
    threads = [threading.Thread(target=account.draw, args=(each,)) for each in (one, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.fixture
def balance():
    return 10


@pytest.mark.kripke
@pytest.mark.parametrize("amount", [4, 6])
def test_parameters_and_fixtures(balance, amount):
    account = Account(balance)
    both(account, amount, amount)
    assert account.balance >= 0


@hypothesis.settings(max_examples=20, deadline=None, derandomize=True)
@hypothesis.given(hypothesis.strategies.integers(0, 9), hypothesis.strategies.integers(0, 9))
@kripke.testing.interleave
def test_data_from_hypothesis(one, other):
    account = Account(10)
    both(account, one, other)
    assert account.balance >= 0


class TestMethods:
    @pytest.mark.kripke
    def test_method(self, balance):
        both(Account(balance), 1, 1)


@pytest.mark.kripke
async def test_coroutine():
    import asyncio

    async with asyncio.TaskGroup() as group:
        group.create_task(asyncio.sleep(1))
        group.create_task(asyncio.sleep(2))
"""


def test_fixtures_parameters_hypothesis_xdist_and_junit(tmp_path: Path) -> None:
    (tmp_path / "test_together.py").write_text(TOGETHER)
    ran = pytest_in(tmp_path, "-q", "-n", "2", "--junitxml", "report.xml", "--kripke-save", "schedules")
    assert ran.returncode == 1, ran.stdout
    outcomes = {
        case.attrib["name"]: (case.find("failure") is not None, [each.attrib for each in case.iter("property")])
        for case in xml.etree.ElementTree.parse(tmp_path / "report.xml").iter("testcase")
    }
    failed = {name for name, (is_failure, _) in outcomes.items() if is_failure}
    assert failed == {"test_parameters_and_fixtures[6]", "test_data_from_hypothesis"}
    assert set(outcomes) - failed == {"test_parameters_and_fixtures[4]", "test_method", "test_coroutine"}
    saved = {each["name"] for each in outcomes["test_parameters_and_fixtures[6]"][1]}
    assert saved == {"kripke_schedule", "kripke_page"}
    assert "one=" in ran.stdout  # hypothesis shows its example
    again = pytest_in(
        tmp_path,
        "-q",
        "test_together.py::test_parameters_and_fixtures[6]",
        "--kripke-replay",
        next(str(each) for each in (tmp_path / "schedules").iterdir() if "6" in each.name and each.suffix == ".json"),
    )
    assert again.returncode == 1
    assert "found in the first schedule" in again.stdout
