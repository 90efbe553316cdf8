"""Checks side by side, each in a process of its own, with a cache of what they found."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from kripke import __version__
from kripke.digest import sha256
from kripke.report.record import COMPLETE, ERROR, SKIPPED, CheckRecord, Place


@dataclass(frozen=True, slots=True)
class Job:
    """A check to be done: the options of ``kripke check``, and what is expected of it."""

    name: str
    options: argparse.Namespace
    expected: Mapping[str, Any] = field(default_factory=dict)
    #: jobs of one chain run one after the other, and those behind the first that finds another verdict than the
    #: expected one are skipped
    chain: Hashable = None

    @property
    def file(self) -> str:
        return str(self.options.file)


def usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_jobs(jobs: Sequence[Job], workers: int, cache: ResultCache | None = None) -> Iterator[CheckRecord]:
    """What each of them found, in their order, as soon as that is known. What came to an end is in the cache at once,
    so that nothing is lost if this process is killed. After Ctrl-C those that run say how far they came, and no other
    is begun."""
    from concurrent.futures import Future, ThreadPoolExecutor

    stopped: list[bool] = []
    running: set[subprocess.Popen[str]] = set()
    chains: dict[Hashable, list[int]] = {}
    for number, job in enumerate(jobs):
        chains.setdefault((None, number) if job.chain is None else job.chain, []).append(number)
    found: list[Future[CheckRecord]] = [Future() for _ in jobs]

    def done(job: Job) -> CheckRecord:
        if stopped:
            return CheckRecord(job.file, job.name, "unknown", "interrupted before it began", expected=job.expected)
        record = None if cache is None else cache.find(job)
        if record is None:
            record = _run(job, workers, running)
            if cache is not None:
                cache.keep(job, record)
        return record

    def follow(chain: list[int]) -> None:
        finder: Job | None = None
        for number in chain:
            job = jobs[number]
            try:
                if finder is not None:
                    reason = f"skipped after {finder.name}"
                    found[number].set_result(CheckRecord(job.file, job.name, SKIPPED, reason))
                    continue
                record = done(job)
                if record.is_finding:
                    finder = job
                found[number].set_result(record)
            except BaseException as error:
                found[number].set_exception(error)

    with ThreadPoolExecutor(max_workers=max(1, min(workers, len(jobs)))) as pool:
        for chain in chains.values():
            pool.submit(follow, chain)
        for future in found:
            yield _awaited(future, stopped, running)


def _awaited(future: Any, stopped: list[bool], running: set[subprocess.Popen[str]]) -> CheckRecord:
    while True:
        try:
            record: CheckRecord = future.result()
            return record
        except KeyboardInterrupt:
            stopped.append(True)
            for process in list(running):
                with suppress(OSError):
                    process.terminate()


def _run(job: Job, workers: int, running: set[subprocess.Popen[str]]) -> CheckRecord:
    options = argparse.Namespace(**vars(job.options))
    if options.memory is None and workers > 1:
        from kripke.memory import default_limit

        options.memory = default_limit() // workers
    start, begun = time.perf_counter(), time.time()
    process = subprocess.Popen(
        [sys.executable, "-m", "kripke.cli.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )
    running.add(process)
    try:
        written, _ = process.communicate(json.dumps(vars(options)))
    finally:
        running.discard(process)
    seconds = time.perf_counter() - start
    try:
        found = json.loads(written)
    except ValueError:
        ended = f"signal {-process.returncode}" if process.returncode < 0 else f"exit code {process.returncode}"
        found = {"error": f"the check ended without an answer ({ended})", "text": "", "place": None}
    record = _record(job, found, seconds)
    # What was checked may not be what is there now: nothing to be remembered.
    return replace(record, files=()) if any(_changed_since(begun, name) for name in record.files) else record


def _changed_since(begun: float, name: str) -> bool:
    try:
        return os.stat(name).st_mtime >= begun
    except OSError:
        return True


def _record(job: Job, found: Mapping[str, Any], seconds: float) -> CheckRecord:
    result = found.get("result")
    if result is None:
        verdict = "unknown" if found["error"] in ("interrupted", "out of memory") else ERROR
        place = Place.read(found["place"])
        return CheckRecord(
            job.file, job.name, verdict, found["error"], seconds, place, text=found["text"], expected=job.expected
        )
    return CheckRecord(
        job.file,
        job.name,
        result["verdict"],
        result["reason"],
        seconds,
        Place.read(result["place"]),
        result,
        found["text"],
        job.expected,
        tuple(found["files"]),
        page=found.get("page"),
    )


# --- what is known from earlier -------------------------------------------------------------------------------------


class ResultCache:
    """Results of checks that came to an end, as long as neither a file that was read nor Kripke itself changes."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._version = _fingerprint()
        self._hashes: dict[str, str | None] = {}

    @classmethod
    def of_user(cls) -> ResultCache | None:
        """In the user's own folder; None where there is no safe place for it."""
        from kripke.compilation.cache import Unusable, open_user_cache

        try:
            folder = os.path.join(open_user_cache().folder, "results")
            os.makedirs(folder, mode=0o700, exist_ok=True)
        except (Unusable, OSError):
            return None
        return cls(folder)

    def find(self, job: Job) -> CheckRecord | None:
        self._hash(job.file)  # as it is before the check: an edit meanwhile must not be taken for what was checked
        try:
            with open(self._place(job), encoding="utf-8") as file:
                kept = json.load(file)
            if any(self._hash(name) != digest for name, digest in kept["files"].items()):
                return None
            if kept["found"].get("page") and not os.path.isfile(job.options.html):
                return None
            return replace(_record(job, kept["found"], kept["seconds"]), cached=True)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def keep(self, job: Job, record: CheckRecord) -> None:
        if record.result is None or not record.files or record.verdict not in COMPLETE:
            return
        found = {"result": record.result, "text": record.text, "files": list(record.files), "page": record.page}
        hashes = {name: self._hash(name) for name in record.files}
        place = self._place(job)
        with suppress(OSError):
            unfinished = f"{place}.{os.getpid()}.{threading.get_ident()}"
            with open(unfinished, "w", encoding="utf-8") as file:
                json.dump({"files": hashes, "found": found, "seconds": record.seconds}, file)
            os.replace(unfinished, place)

    def _place(self, job: Job) -> str:
        asked = json.dumps([self._version, os.getcwd(), vars(job.options)], sort_keys=True)
        return os.path.join(self.folder, sha256(asked.encode()) + ".json")

    def _hash(self, name: str) -> str | None:
        if name not in self._hashes:
            try:
                with open(name, "rb") as file:
                    self._hashes[name] = sha256(file.read())
            except OSError:
                self._hashes[name] = None
        return self._hashes[name]


def _fingerprint() -> str:
    """Of the program that checks."""
    import kripke

    parts = [__version__]
    for folder, folders, names in os.walk(os.path.dirname(kripke.__file__)):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            if name.endswith((".py", ".so", ".pyd")):
                status = os.stat(os.path.join(folder, name))
                parts.append(f"{name} {status.st_mtime_ns} {status.st_size}")
    return sha256("\n".join(parts).encode())
