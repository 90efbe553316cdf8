"""A search that is stopped within a layer leaves a checkpoint, and goes on from it as if nothing had happened."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import kripke
from kripke.model.result import Result
from tests.engines.test_checkpoint import _handles

# Errors of all sorts: assertions, deadlocks, states that break an invariant.
ERRORS = """
byte x, y;
active [2] proctype P() {
    byte own;
    do :: x < 6 -> x++; assert(x != 4)
       :: own < 3 -> own++; y = own
       :: y == 3 -> break
    od;
    false
}
"""


def counts(result: Result) -> tuple[Any, ...]:
    unreached = None if result.unreached is None else len(result.unreached)
    return result.verdict, result.states, result.transitions, result.depth, result.errors, unreached


@pytest.mark.parametrize(("store", "threads"), [("full", 1), ("full", 2), ("tree", 1), ("collapse", 2)])
def test_slices_of_a_search(tmp_path: Path, store: Any, threads: int) -> None:
    """From limit to limit, each time from what the last one left: the counts are those of one search."""
    (tmp_path / "m.pml").write_text(ERRORS)
    model, file = kripke.load(tmp_path / "m.pml"), str(tmp_path / "point")
    asked: dict[str, Any] = {"invariants": ["x != 5 || y != 2"], "all_errors": True, "clarify": False}
    expected = model.check(**asked)
    assert expected.errors > 100 and {found.kind for found in expected.findings} >= {"assertion", "invariant"}
    resume: dict[str, str] = {}
    for states in range(1, expected.states, 97):
        cut = model.check(**asked, **resume, store=store, threads=threads, max_states=states, checkpoint=file)
        # The second thread may have stopped before it could store one more.
        assert states - threads < cut.states <= states and not cut.complete
        resume = {"resume": file}
        assert counts(model.check(**asked, **resume, threads=threads)) == counts(expected), states
    assert os.listdir(tmp_path).count("point.new") == 0


def test_a_state_that_is_stored_is_checked(tmp_path: Path) -> None:
    """Four threads find states while one of them stops the search: none may go unchecked into the checkpoint."""
    (tmp_path / "m.pml").write_text(
        """
        byte x, y;
        active [3] proctype P() {
            byte own;
            do :: own < 5 -> own++; x = (x + own) % 8
               :: own > 0 -> own--; y = (y + 1) % 4
            od
        }
        """
    )
    model, file = kripke.load(tmp_path / "m.pml"), str(tmp_path / "point")
    asked: dict[str, Any] = {"invariants": ["x > 100"], "all_errors": True, "clarify": False, "threads": 4}
    for states in range(200, 3000, 70):
        model.check(**asked, max_states=states, checkpoint=file)
        result = model.check(**asked, resume=file, max_states=6000)
        assert result.errors == result.states, states


@pytest.mark.parametrize("depth", [3, 7])
def test_with_a_depth_limit(tmp_path: Path, depth: int) -> None:
    """What the limit has kept out is known after a resumption in the last layer, too."""
    (tmp_path / "m.pml").write_text(ERRORS)
    model, file = kripke.load(tmp_path / "m.pml"), str(tmp_path / "point")
    asked: dict[str, Any] = {"max_depth": depth, "all_errors": True, "deadlock": False, "clarify": False}
    expected = model.check(**asked)
    for states in range(1, expected.states, 5):
        model.check(**asked, max_states=states, checkpoint=file)
        result = model.check(**asked, resume=file)
        assert (counts(result), result.reason) == (counts(expected), expected.reason), states


def test_what_is_said(kripke: Any, tmp_path: Path) -> None:
    (tmp_path / "m.pml").write_text("byte x; active proctype P() { do :: x++ od }")
    asked = ["check", "m.pml", "--invariant", "x < 256"]
    ran = kripke(*asked, "--checkpoint", "point", "--max-states", "100", "-q")
    assert (ran.code, ran.err) == (3, "")
    assert ran.out == "unknown: the limit of 100 states was reached; go on with --resume point, after 100 states\n"
    ran = kripke(*asked, "--resume", "point", "-q")
    assert (ran.code, ran.out) == (0, "holds: no deadlock, no failed assertion, invariant x < 256 in 256 states\n")
    ran = kripke(*asked, "--resume", "point", "--checkpoint", "point", "--max-states", "50", "-q")
    assert (ran.code, "the limit of 50 states was reached, after 50 states" in ran.out) == (3, True)
    assert kripke(*asked, "--resume", "point", "-q").code == 0  # it is still there


WHEELS = """
byte wheel[8];
active [8] proctype Wheel() { do :: d_step { wheel[_pid] < 6 -> wheel[_pid]++ } od }
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "m.pml").write_text(WHEELS)
    command = [sys.executable, "-m", "kripke", "check", "m.pml", "--no-deadlock", "--json"]
    search = subprocess.Popen(
        [*command, "--checkpoint", "point"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    give_up = time.monotonic() + 120
    while not _handles(search.pid, signal.SIGUSR1) and search.poll() is None and time.monotonic() < give_up:
        time.sleep(0.05)  # it listens to this one when the search begins
    search.send_signal(number)
    out, err = search.communicate(timeout=200)
    answer = json.loads(out)
    if answer["verdict"] == "holds":
        pytest.skip("the search was over before it could be ended")
    assert (search.returncode, err) == (3, b"")
    assert answer["reason"] == "interrupted; go on with --resume point"
    assert sorted(os.listdir(tmp_path)) == ["m.pml", "point"]
    result = subprocess.run([*command, "--resume", "point"], cwd=tmp_path, stdout=subprocess.PIPE, check=False)
    found = json.loads(result.stdout)
    assert (found["verdict"], found["states"], found["depth"]) == ("holds", 7**8, 48)
    assert found["transitions"] == 1 + 8 * 6 * 7**7
