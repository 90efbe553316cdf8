"""The checks that run, that wait, and that are done: each a process of its own, with a history that stays.

A run has a folder with its figures (``run.json``), its report and its traces. So the history of a folder is there again
when the workbench is started again. Some runs at a time; the others wait; too many are refused.
"""

from __future__ import annotations

import json
import os
import queue
import secrets
import shutil
import subprocess
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from http import HTTPStatus
from typing import Any

from kripke.web.child import end, started
from kripke.web.guard import Refused

MOST_WAITING = 16
_MOST_KEPT = 60
_MOST_SAMPLES = 300
_LATE = 10.0  # seconds after the time limit, until a run that does not end by itself is ended

WAITING, RUNNING, DONE, STOPPED, FAILED = "waiting", "running", "done", "stopped", "failed"


@dataclass
class Run:
    id: str
    name: str
    command: str
    words: list[str]
    plan: dict[str, Any]
    defines: dict[str, str]
    status: str = WAITING
    asked: float = 0.0
    seconds: float = 0.0
    #: of the last progress: states, transitions, depth, queue, bytes, seconds
    progress: list[float] = field(default_factory=list)
    samples: list[list[float]] = field(default_factory=list)
    found: dict[str, Any] | None = None
    error: str = ""
    version: str = ""


class Runs:
    """``tell`` is called with a run whenever something about it has changed."""

    def __init__(self, folder: str, setting: Mapping[str, Any], at_once: int, tell: Any) -> None:
        self.folder = folder
        self.setting = setting
        self.at_once = at_once
        self.tell = tell
        self._lock = threading.Lock()
        self._runs: dict[str, Run] = {}
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._stopped: set[str] = set()
        self._waiting: queue.Queue[Run | None] = queue.Queue()
        self._read_history()
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(at_once)]
        for thread in self._threads:
            thread.start()

    # --- what pages ask -----------------------------------------------------------------------------------------------

    def start(self, name: str, words: list[str], command: str, plan: Any, defines: dict[str, str], version: str) -> Run:
        with self._lock:
            busy = sum(run.status in (WAITING, RUNNING) for run in self._runs.values())
            if busy >= self.at_once + MOST_WAITING:
                raise Refused(
                    HTTPStatus.TOO_MANY_REQUESTS,
                    f"{busy} checks run or wait already: stop some, or wait until they end",
                )
            run = Run(f"{int(time.time()):x}-{secrets.token_hex(4)}", name, command, words, plan, defines)
            run.asked, run.version = time.time(), version
            self._runs[run.id] = run
        os.makedirs(self.place(run.id), mode=0o700)
        self._forget_old()
        self.tell(run)
        self._waiting.put(run)
        return run

    def run(self, number: object) -> Run:
        with self._lock:
            found = self._runs.get(number) if isinstance(number, str) else None
        if found is None:
            raise Refused(HTTPStatus.NOT_FOUND, "there is no such run (any more)")
        return found

    def all(self) -> list[Run]:
        """The latest first."""
        with self._lock:
            return sorted(self._runs.values(), key=lambda run: (run.asked, run.id), reverse=True)

    def stop(self, number: object) -> None:
        run = self.run(number)
        with self._lock:
            process = self._processes.get(run.id)
            if run.status == WAITING:
                run.status = STOPPED
                run.error = "stopped before it began"
            elif process is not None:
                self._stopped.add(run.id)
        if process is not None:
            threading.Thread(target=end, args=(process,), daemon=True).start()
        self.tell(run)

    def remove(self, number: object) -> None:
        run = self.run(number)
        if run.status in (WAITING, RUNNING):
            raise Refused(HTTPStatus.CONFLICT, "this check is not done yet: stop it first")
        with self._lock:
            del self._runs[run.id]
        shutil.rmtree(self.place(run.id), ignore_errors=True)

    def place(self, number: str, file: str = "") -> str:
        return os.path.join(self.folder, number, file) if file else os.path.join(self.folder, number)

    def close(self) -> None:
        """End everything that runs."""
        with self._lock:
            processes = list(self._processes.values())
        for _ in self._threads:
            self._waiting.put(None)
        for process in processes:
            end(process, at_once=True)

    # --- how they run -------------------------------------------------------------------------------------------------

    def _work(self) -> None:
        while (run := self._waiting.get()) is not None:
            with self._lock:
                if run.status != WAITING:
                    continue
                run.status = RUNNING
                setting = {**self.setting, "words": run.words, "scratch": self.place(run.id)}
                process = self._processes[run.id] = started("checking", setting)
            self.tell(run)
            timer = threading.Timer(self.setting["time_limit"] + _LATE, end, (process,), {"at_once": True})
            timer.daemon = True
            timer.start()
            begun = time.monotonic()
            try:
                self._listen(run, process)
            finally:
                timer.cancel()
                end(process, at_once=True)
            with self._lock:
                del self._processes[run.id]
                run.seconds = time.monotonic() - begun
                if run.status == RUNNING and run.id in self._stopped:
                    run.status, run.error = STOPPED, "stopped before anything was known"
                elif run.status == RUNNING:
                    run.status = FAILED
                    run.error = (
                        run.error or "the check ended without an answer: its limit of memory or time was reached"
                    )
            self._save(run)
            self.tell(run)

    def _listen(self, run: Run, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            try:
                said = json.loads(line)
            except ValueError:
                continue
            if "progress" in said:
                run.progress = said["progress"]
                run.samples.append([round(run.progress[5], 2), run.progress[0]])
                if len(run.samples) > _MOST_SAMPLES:  # half as many, twice as far apart
                    run.samples = run.samples[::2]
                self.tell(run)
            elif "done" in said:
                run.found = said["done"]
                run.status = STOPPED if run.id in self._stopped else DONE
            elif "failed" in said:
                run.error = said["failed"]
                run.status = STOPPED if run.id in self._stopped else FAILED

    # --- what stays ---------------------------------------------------------------------------------------------------

    def _save(self, run: Run) -> None:
        with suppress(OSError), open(self.place(run.id, "run.json"), "w", encoding="utf-8") as file:
            json.dump(asdict(run), file)

    def _read_history(self) -> None:
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        for number in os.listdir(self.folder):
            try:
                with open(self.place(number, "run.json"), encoding="utf-8") as file:
                    run = Run(**json.load(file))
            except (OSError, ValueError, TypeError):
                shutil.rmtree(self.place(number), ignore_errors=True)  # was not done when the workbench ended
                continue
            if run.id == number:
                self._runs[number] = run

    def _forget_old(self) -> None:
        done = [run for run in self.all() if run.status not in (WAITING, RUNNING)]
        for run in done[_MOST_KEPT:]:
            with suppress(Refused):
                self.remove(run.id)
