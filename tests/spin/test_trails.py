"""Trails both ways: Kripke follows what pan wrote, and ``spin -t`` follows what Kripke writes.

In both directions the run must end in the same error with the same values of the global variables.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from kripke.engines.explicit.safety import check
from kripke.engines.plan import SearchPlan
from kripke.engines.runs.replay import end_of
from kripke.languages.promela import load
from kripke.languages.promela.trails import SpinTrail, follow, trail_text
from kripke.model.source import ModelError
from kripke.model.trace import Trace
from kripke.process.model import ProcessModel
from kripke.process.passes import Passes
from tests.spin.compare import spin_is_here
from tests.spin.generator import generate
from tests.spin.terms import text_of
from tests.support.seeds import sample

pytestmark = [
    pytest.mark.spin,
    pytest.mark.skipif(not spin_is_here(), reason="spin and gcc are needed to compare with (apt-get install spin gcc)"),
]

_GLOBAL = re.compile(r"^\t\t([\w\[\].]+) = (-?\d+)$", re.MULTILINE)
_LOST = ("transition failed", "invalid statement", "no matching stmnt", "stop error", "no process", "(?)")


@pytest.fixture(autouse=True)
def _fast_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("tcc"):
        monkeypatch.setenv("KRIPKE_CC", "tcc")


def pan_trail(
    text: str, folder: Path, options: tuple[str, ...] = (), flags: tuple[str, ...] = ("-DNOCLAIM", "-DSAFETY")
) -> str | None:
    """The error pan reports after having written ``model.pml.trail``; None where it finds none."""
    (folder / "model.pml").write_text(text)
    made = _run(["spin", *options, "-a", "model.pml"], folder)
    if made.returncode or not (folder / "pan.c").is_file():
        return None
    built = _run([shutil.which("tcc") or "gcc", "-w", *flags, "-o", "pan", "pan.c"], folder)
    if built.returncode:
        return None
    try:
        output = _run(["./pan", "-m20000", "-c1", "-w16"], folder, 3).stdout
    except subprocess.TimeoutExpired:  # a random program can have too many states
        return None
    found = re.search(r"pan:1: (assertion violated|invalid end state)", output)
    return found.group(1) if found and (folder / "model.pml.trail").is_file() else None


def _run(command: list[str], folder: Path, seconds: float = 60) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=seconds,
        errors="replace",
        stdin=subprocess.DEVNULL,
    )


@dataclass(frozen=True)
class SpinReplay:
    output: str
    values: dict[str, str]


def spin_replay(folder: Path, trail: str, options: tuple[str, ...] = ()) -> SpinReplay:
    output = _run(["spin", *options, "-t", "-p", "-g", "-k", trail, "model.pml"], folder).stdout
    last = output.rpartition("#processes")[2]
    return SpinReplay(output, dict(_GLOBAL.findall(last)))


def assert_same_values(trace: Trace, replay: SpinReplay, text: str) -> None:
    described = trace.model.describe(trace.final)
    for name, value in replay.values.items():
        if name in described and re.fullmatch(r"-?\d+", described[name]):
            assert described[name] == value, f"{name}\n{text}\n{replay.output}"


@pytest.mark.parametrize("first", sample(range(1, 31, 10)))
def test_trails_of_random_programs(first: int, tmp_path: Path) -> None:
    followed = 0
    for seed in range(first, first + 10):
        text = text_of(generate(seed))
        folder = tmp_path / str(seed)
        folder.mkdir()
        merged = seed % 3 > 0
        options = () if merged else ("-o3",)
        error = pan_trail(text, folder, options)
        if error is None:
            continue
        try:
            model = load(str(folder / "model.pml"), passes=Passes(merge=merged))
        except ModelError:
            continue
        assert_pan_trail_is_followed(model, folder, error, text, options)
        assert_spin_follows_ours(model, folder, merged, text, options)
        followed += 1
    assert followed, "pan found no error in any of the programs"


def assert_pan_trail_is_followed(
    model: ProcessModel, folder: Path, error: str, text: str, options: tuple[str, ...] = ()
) -> None:
    trail = SpinTrail.read(folder / "model.pml.trail")
    # SPIN merges nothing where a process has a condition or a local variable is read from outside.
    unmerged = bool(options) or " provided (" in text or "proctype Observer" in text
    assert trail.merged is not unmerged
    result = follow(model, trail)
    assert result.deviation is None, f"{result.deviation}\n{text}"
    assert end_of(result.trace).startswith({"invalid end state": "deadlock"}.get(error, error)), text
    assert_same_values(result.trace, spin_replay(folder, "model.pml.trail", options), text)


def assert_spin_follows_ours(
    model: ProcessModel, folder: Path, merged: bool, text: str, options: tuple[str, ...] = ()
) -> None:
    result = check(model, SearchPlan(engine="interpreter", max_states=20_000, time_limit=10))
    if result.trace is None or result.kind not in ("assertion", "deadlock"):
        return
    (folder / "ours.trail").write_text(trail_text(result.trace, model, merged=merged))
    replay = spin_replay(folder, "ours.trail", options)
    assert not any(sign in replay.output for sign in _LOST), f"{replay.output}\n{text}"
    assert ("assertion violated" in replay.output) is (result.kind == "assertion"), f"{replay.output}\n{text}"
    assert_same_values(result.trace, replay, text)
