"""Workers as people start them: processes that MPI connects."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import kripke
from kripke.cli.main import main
from kripke.engines.distributed import launch, supervisor
from kripke.engines.distributed.hosts import Place
from kripke.engines.unsupported import Unsupported

EXAMPLES = Path(__file__).parents[3] / "examples"


def _no_mpi() -> str:
    try:
        launch.by_relays()
    except Unsupported as error:
        return str(error)
    return ""


needs_mpi = pytest.mark.skipif(bool(_no_mpi()), reason=_no_mpi() or "there is an MPI")


def _check(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "kripke", "check", *arguments], capture_output=True, text=True)


@needs_mpi
def test_two_workers_check_a_model() -> None:
    done = _check(str(EXAMPLES / "promela/leader_election.pml"), "--property", "safety", "--workers", "2", "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert (answer["states"], answer["transitions"], answer["depth"]) == (115, 224, 33)
    assert answer["engine"]["workers"] == 2
    assert 0 < answer["engine"]["transferred"] < 1


@needs_mpi
def test_three_workers_find_an_error_and_say_how() -> None:
    done = _check(str(EXAMPLES / "promela/lost_update.pml"), "--workers", "3", "--store", "tree")
    assert done.returncode == 1, done.stderr
    assert "assertion" in done.stdout and "3 workers" in done.stdout and "steps sent to another worker" in done.stdout


@needs_mpi
def test_workers_that_are_there_already() -> None:
    program = Path(sysconfig.get_path("scripts")) / "kripke-worker"
    line = launch.mpiexec_command([Place("localhost", 2)], "", "")[:-4]  # without Python, its module and the job
    model = str(EXAMPLES / "promela/peterson.pml")
    done = subprocess.run([*line, str(program), "check", model, "--property", "safety"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "holds: no deadlock, no failed assertion in 38 states" in done.stdout


@needs_mpi
def test_ctrl_c_gives_what_is_known(tmp_path: Path) -> None:
    file = tmp_path / "endless.pml"
    file.write_text("int x, y; active proctype p() { do :: x < 50000 -> x++ :: y < 50000 -> y++ od }")
    line = [sys.executable, "-m", "kripke", "check", str(file), "--workers", "2", "--json", "--memory", "2G"]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    answer = json.loads(out)
    assert answer["verdict"] == "unknown" and "interrupted" in answer["reason"], err
    assert "Traceback" not in err


@needs_mpi
@pytest.mark.parametrize(
    ("how", "words"), [(signal.SIGKILL, "was ended by signal 9"), (signal.SIGSTOP, "has said nothing for")]
)
def test_a_worker_that_dies_or_hangs(how: signal.Signals, words: str, tmp_path: Path) -> None:
    """All are started again, from the last level that was saved; the counts are those of one search."""
    file, folder = tmp_path / "long.pml", tmp_path / "saved"
    file.write_text(
        "byte a, b, c; active proctype p() { do :: a = (a + 1) % 60 od }\n"
        "active proctype q() { do :: b = (b + 1) % 60 od } active proctype r() { do :: c = (c + 1) % 60 od }"
    )
    one = kripke.load(file).check(properties="safety", por=False)
    line = [sys.executable, "-m", "kripke", "check", str(file), "--property", "safety", "--workers", "2", "--json"]
    process = subprocess.Popen(
        [*line, "--checkpoint", str(folder), "--checkpoint-every", "0.01"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "KRIPKE_HUNG": "2"},
    )
    while not (folder / "checkpoint.json").exists():
        time.sleep(0.01)
    os.kill(_workers_of(process.pid)[1], how)
    out, err = process.communicate(timeout=60)
    answer = json.loads(out)
    assert (answer["states"], answer["transitions"]) == (one.states, one.transitions) == (216_000, 648_001), err
    assert answer["engine"]["restarts"] == 1 and words in answer["warnings"][-1]
    assert "s of work were done twice" in answer["warnings"][-1]


def test_workers_are_told_when_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the clock of the command: that of the workers begins later, when they have met."""

    class Slow:
        asked = ""

        def next_line(self, _: float) -> str:
            return f'{supervisor.MARK}{{"outcome": {{"reason": "{self.asked}"}}}}' if self.asked else ""

        def ask_to_stop(self, why: str) -> None:
            self.asked = why

        def complaints(self) -> str:
            return ""

        def end(self) -> None:
            pass

    monkeypatch.setattr(supervisor, "start", lambda job, where: Slow())
    job = SimpleNamespace(text=lambda: "{}", time_limit=0.05)
    attempt = supervisor._Attempt(job, [Place("localhost", 2)], None)  # type: ignore[arg-type]
    assert attempt.run() == ({"reason": "time"}, False)


def _workers_of(process: int) -> list[int]:
    """Below this process: those that were started as workers."""

    def children(parent: int) -> list[int]:
        text = Path(f"/proc/{parent}/task/{parent}/children").read_text()
        return [int(word) for word in text.split()]

    relays = children(process)
    return [worker for relay in relays for worker in children(relay)]


@needs_mpi
@pytest.mark.parametrize("cycles", ["owcty", "nested"])
def test_a_lasso_is_found_and_replayed(cycles: str, capsys: pytest.CaptureFixture[str]) -> None:
    formula = "[] (flag[0] -> <> (turn == 1))"
    line = ["check", str(EXAMPLES / "promela/peterson.pml"), "--workers", "2", "--cycles", cycles, "--ltl", formula]
    assert main([*line, "--no-clarify", "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["verdict"] == "violated" and answer["trace"]["loop_start"] is not None
    assert answer["engine"]["cycles"] == cycles


def test_what_is_refused() -> None:
    """In Python, where it costs no process; the command says the same."""
    model = kripke.load(str(EXAMPLES / "promela/peterson.pml"))
    refused: tuple[tuple[dict[str, Any], str], ...] = (
        ({"por": True}, "workers have no reduction: leave out --por"),
        ({"threads": 2}, "every worker is one thread: leave out --threads, and give more workers"),
        ({"store": "collapse"}, "workers keep their states in memory: choose full, tree, hashcompact or bitstate"),
        ({"symmetry": "canonical"}, "workers have no symmetry: leave out --symmetry"),
        ({"search": "dfs"}, "--search does not go with --workers"),
        ({"ctl": "AG true"}, "--ctl does not go with --workers"),
        ({"look_ahead": True, "store": "tree"}, "--look-ahead with --store tree: it goes with the full store"),
        ({"partition": "odd"}, "there is no partition 'odd'"),
        ({"partition": "dynamic:odd"}, "there is no partition 'odd'"),
        ({"partition": "dynamic", "store": "tree"}, "it goes with the full store; leave one out"),
        ({"partition": "dynamic", "look_ahead": True}, "leave out --look-ahead and --checkpoint"),
        ({"hosts": "/nowhere"}, "--hosts /nowhere: there is no such file"),
        ({"siblings": "few"}, "--siblings few: give a number of states, or all"),
        ({"cycles": "owcty"}, "--cycles owcty: only safety is checked here, without cycles; leave it out"),
        ({"cycles": "odd"}, "--cycles odd: choose owcty or nested"),
        ({"ltl": "[]<> true", "fair": "weak"}, "--workers with --fair weak: that needs the search by components"),
        ({"ltl": "<>[] (turn == 1)", "store": "tree"}, "which only the full store has; leave out --store tree"),
        ({"ltl": "<>[] (turn == 1)", "max_depth": 3}, "leave out --max-depth"),
        ({"ltl": "<>[] (turn == 1)", "checkpoint": "x"}, "checkpoints are for --property safety"),
        ({"ltl": "<>[] (turn == 1)", "siblings": "3"}, "leave out --siblings and --look-ahead"),
    )
    for options, words in refused:
        with pytest.raises(Unsupported) as found:
            model.check(properties="safety", workers=2, **options)
        assert words in str(found.value)
    for option, value in (("hosts", "x"), ("partition", "auto"), ("siblings", "1"), ("look_ahead", True)):
        with pytest.raises(Unsupported, match="give --workers, too"):
            model.check(properties="safety", **{option: value})
    with pytest.raises(Unsupported, match="choose from 1 to 4096"):
        model.check(workers=5000)


def test_a_missing_mpi_is_named(tmp_path: Path) -> None:
    environment = {**os.environ, "KRIPKE_MPIEXEC": str(tmp_path / "none")}
    line = [sys.executable, "-m", "kripke", "check", str(EXAMPLES / "promela/peterson.pml"), "--property", "safety"]
    done = subprocess.run([*line, "--workers", "2"], capture_output=True, text=True, env=environment)
    assert done.returncode == 2 and "KRIPKE_MPIEXEC is" in done.stderr
