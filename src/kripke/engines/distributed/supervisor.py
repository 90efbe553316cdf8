"""The supervisor: starts the workers, passes on what they say, and starts them again where one of them dies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic, perf_counter
from typing import IO, Any

from kripke.engines.distributed import here, launch
from kripke.engines.distributed.job import Job
from kripke.engines.distributed.worker import MARK
from kripke.engines.explicit.search import Progress, Watch
from kripke.engines.unsupported import Unsupported

_RESTARTS = 10
_HUNG = 120.0  # seconds without a word
_TO_END = 10.0  # seconds for an orderly end after Ctrl-C
_MOST_TEXT = 2_000  # characters of what a failed start has said


@dataclass(frozen=True, slots=True)
class Answer:
    """What the workers found; how often they had to be started again, and the seconds that were lost by it."""

    outcome: dict[str, Any]
    interrupted: bool = False
    restarts: int = 0
    lost_seconds: float = 0.0


class Died(Exception):
    """The workers ended without an answer."""


def run(job: Job, workers: int, hosts: str | None, watch: Watch | None) -> Answer:
    """Unsupported where the workers cannot be started, or refuse. Where one dies, all are started again: from the last
    checkpoint, where there is one, else from the beginning."""
    if here.has_begun():
        return Answer(*here.run(job, workers, watch))
    restarts, lost, begun = 0, 0.0, perf_counter()
    while True:
        attempt = perf_counter()
        try:
            outcome, interrupted = _Attempt(job, workers, hosts, watch).run()
            return Answer(outcome, interrupted, restarts, lost)
        except Died as error:
            saved = bool(job.checkpoint) and os.path.exists(os.path.join(job.checkpoint, "checkpoint.json"))
            if restarts == _RESTARTS or (restarts and not saved and perf_counter() - attempt < 1.0) or error.args[1]:
                raise Unsupported(f"--workers {workers}: {error.args[0]}") from error
            restarts += 1
            lost += perf_counter() - attempt if not saved else _since(job.checkpoint, attempt)
            job = replace(job, resume=saved)
            if job.time_limit:
                job = replace(job, time_limit=max(0.1, job.time_limit - (perf_counter() - begun)))


def _since(folder: str, attempt: float) -> float:
    """Seconds since the last checkpoint, or since the attempt began."""
    from time import time

    try:
        age = time() - os.path.getmtime(os.path.join(folder, "checkpoint.json"))
    except OSError:
        age = 0.0
    return min(age, perf_counter() - attempt)


class _Attempt:
    def __init__(self, job: Job, workers: int, hosts: str | None, watch: Watch | None) -> None:
        self.job, self.watch = job, watch
        self.workers = workers
        self.hosts = hosts
        self.command: list[str] = []
        self.environment = launch.environment(hosts)
        self.lines: SimpleQueue[str | None] = SimpleQueue()
        self.said = ""  # what is no line of ours: complaints of mpiexec
        self.begun = False

    def run(self) -> tuple[dict[str, Any], bool]:
        with tempfile.TemporaryFile() as complaints, tempfile.NamedTemporaryFile("w", prefix="kripke-job-") as job:
            job.write(self.job.text())
            job.flush()
            self.command = launch.command(self.workers, job.name, self.hosts)
            process = self._start(complaints)
            try:
                return self._listen(process, complaints)
            finally:
                _end(process)

    def _start(self, complaints: IO[bytes]) -> subprocess.Popen[bytes]:
        try:
            process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=complaints,
                env=self.environment,
                start_new_session=True,  # Ctrl-C is for us alone
            )
        except OSError as error:
            raise Unsupported(f"--workers: {self.command[0]} cannot be started: {error}") from error
        assert process.stdout is not None
        Thread(target=_read, args=(process.stdout, self.lines.put), daemon=True).start()
        return process

    def _listen(self, process: subprocess.Popen[bytes], complaints: IO[bytes]) -> tuple[dict[str, Any], bool]:
        interrupted, heard, end = False, monotonic(), float("inf")
        while True:
            try:
                try:
                    line = self.lines.get(timeout=0.2)
                except Empty:
                    line = ""
                if line is None:
                    raise Died(self._why(process, complaints), not self.begun)
                if line:
                    heard = monotonic()
                    answer = self._understand(line)
                    if answer is not None:
                        return answer, interrupted
                if monotonic() - heard > _HUNG:
                    raise Died(f"the workers have said nothing for {_HUNG:.0f} s", False)
                if monotonic() > end:
                    raise KeyboardInterrupt
            except KeyboardInterrupt:
                if interrupted:
                    raise
                interrupted, end = True, monotonic() + _TO_END
                _say_stop(process)

    def _understand(self, line: str) -> dict[str, Any] | None:
        """The outcome, if it is that."""
        try:
            news = json.loads(line.removeprefix(MARK)) if line.startswith(MARK) else None
        except ValueError:
            news = None
        if not isinstance(news, dict):
            self.said += line
            return None
        if "refused" in news:
            raise Unsupported(f"--workers {self.workers}: {news['refused']}")
        if "progress" in news:
            self.begun = True
            silent = {int(worker): age for worker, age in news["silent"].items() if age > _HUNG}
            if silent:
                raise Died(f"worker {min(silent)} has said nothing for {max(silent.values()):.0f} s", False)
            if self.watch is not None:
                self.watch(Progress(*news["progress"]))
        outcome = news.get("outcome")
        return outcome if isinstance(outcome, dict) else None

    def _why(self, process: subprocess.Popen[bytes], complaints: IO[bytes]) -> str:
        status = process.wait()
        complaints.seek(0)
        said = (self.said + complaints.read().decode("utf-8", "replace")).strip()
        how = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
        about = f"; it said:\n{said[-_MOST_TEXT:]}" if said else ""
        return f"{os.path.basename(self.command[0])} {how} before there was an answer{about}"


def _read(pipe: IO[bytes], put: Callable[[str | None], None]) -> None:
    try:
        for line in pipe:
            put(line.decode("utf-8", "replace"))
    except (OSError, ValueError):
        pass
    put(None)


def _say_stop(process: subprocess.Popen[bytes]) -> None:
    try:
        if process.stdin is not None:
            process.stdin.write(b"stop\n")
            process.stdin.flush()
    except (OSError, ValueError):
        pass


def _end(process: subprocess.Popen[bytes]) -> None:
    """All of them, whatever they do."""
    if process.poll() is None:
        try:
            process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            for how in (signal.SIGTERM, signal.SIGKILL):
                try:
                    os.killpg(process.pid, how)
                    process.wait(timeout=3)
                    break
                except subprocess.TimeoutExpired:
                    continue
                except OSError:
                    break
    for pipe in (process.stdin, process.stdout):
        try:
            if pipe is not None:
                pipe.close()
        except OSError:
            pass
