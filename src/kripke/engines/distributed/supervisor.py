"""The supervisor: starts the workers, passes on what they say, and starts them again where one of them dies."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import monotonic, perf_counter, time
from typing import Any

from kripke.engines.distributed import here, launch
from kripke.engines.distributed.hosts import Place
from kripke.engines.distributed.job import Job
from kripke.engines.distributed.outcome import progress_of
from kripke.engines.distributed.starting import Died, start
from kripke.engines.distributed.worker import MARK
from kripke.engines.explicit.search import Watch
from kripke.engines.unsupported import Unsupported

_RESTARTS = 10
_HUNG = 60.0  # seconds without a word; KRIPKE_HUNG says otherwise
_TO_END = 10.0  # seconds for an orderly end after Ctrl-C


@dataclass(frozen=True, slots=True)
class Answer:
    """What the workers found; how often they had to be started again, why, the seconds that were lost by it, and the
    hosts that were."""

    outcome: dict[str, Any]
    interrupted: bool = False
    restarts: int = 0
    lost_seconds: float = 0.0
    causes: tuple[str, ...] = ()
    lost_hosts: tuple[str, ...] = ()


class FilesMissing(Exception):
    """A checkpoint cannot be read: its files were on a host that is gone."""


def run(job: Job, workers: int, hosts: str | None, watch: Watch | None) -> Answer:
    """Unsupported where the workers cannot be started, or refuse. Where one dies, all are started again on the hosts
    that are left: from the last checkpoint, where there is one, else from the beginning."""
    if here.has_begun():
        return Answer(*here.run(job, workers, watch))
    lost, start_time, limit = 0.0, perf_counter(), job.time_limit
    causes, lost_hosts = list[str](), set[str]()
    while True:
        where = launch.places(workers, hosts, frozenset(lost_hosts))
        job = job.for_workers(sum(place.count for place in where))
        attempt = _Attempt(job, where, watch)
        try:
            outcome, interrupted = attempt.run()
            return Answer(outcome, interrupted, len(causes), lost, tuple(causes), tuple(sorted(lost_hosts)))
        except FilesMissing as error:
            if not causes:
                raise Unsupported(f"--workers {workers}: {error}") from error
            job = replace(job, resume=False)
        except Died as error:
            saved = bool(job.checkpoint) and os.path.exists(os.path.join(job.checkpoint, "checkpoint.json"))
            lasted = attempt.seconds()
            unsaved = _since(job.checkpoint, lasted) if saved else lasted
            in_vain = bool(causes) and not saved and lasted < 1.0
            begun = attempt.begun or unsaved < lasted  # what was saved may be known before what was said
            # Who has begun once may fail to begin again: a port is not free yet, a neighbour is not up yet.
            if len(causes) == _RESTARTS or in_vain or not (begun or causes):
                raise Unsupported(f"--workers {workers}: {error}") from error
            causes.append(str(error))
            lost_hosts |= {error.host} if error.host else set()
            lost += unsaved
            job = replace(job, resume=saved)
        if limit:
            job = replace(job, time_limit=max(0.1, limit - (perf_counter() - start_time)))


def _since(folder: str, attempt: float) -> float:
    """Seconds since the last checkpoint, or since the attempt began."""
    try:
        age = time() - os.path.getmtime(os.path.join(folder, "checkpoint.json"))
    except OSError:
        age = 0.0
    return min(age, attempt)


class _Attempt:
    def __init__(self, job: Job, where: Sequence[Place], watch: Watch | None) -> None:
        self.job, self.where, self.watch = job, where, watch
        self.workers = sum(place.count for place in where)
        self.begun = False
        self._alive: dict[int, float] = {}  # when each worker gave a sign of life
        self._patience = _patience()
        self._since = perf_counter()

    def seconds(self) -> float:
        return perf_counter() - self._since

    def run(self) -> tuple[dict[str, Any], bool]:
        """The outcome, and whether it was Ctrl-C that ended it."""
        started = start(self.job.text(), self.where)
        interrupted, late, heard, end = False, False, monotonic(), float("inf")
        try:
            while True:
                try:
                    line = started.next_line(0.2)
                    if line:
                        heard = monotonic()
                        answer = self._understand(line)
                        if answer is not None:
                            if not late:  # else nobody has time for an orderly end
                                started.wait()
                            return answer, interrupted
                    if monotonic() - heard > self._patience:
                        raise Died(self._silence(started.complaints()))
                    for worker, when in self._alive.items():
                        if monotonic() - when > self._patience:
                            raise Died(self._hangs(worker, monotonic() - when))
                    if monotonic() > end:
                        raise KeyboardInterrupt
                    if self.job.time_limit and not late and self.seconds() >= self.job.time_limit:
                        late = True  # by our clock: that of the workers begins when they have met
                        started.ask_to_stop("time")
                except KeyboardInterrupt:
                    if interrupted:
                        raise
                    interrupted, end = True, monotonic() + _TO_END
                    started.ask_to_stop("stop")
        finally:
            started.end()

    def _silence(self, complaints: str) -> str:
        last = complaints.rpartition("\n")[2]
        if self.begun or len(self.where) == 1:
            return f"the workers have said nothing for {self._patience:.0f} s" + (last and f"; before: {last}")
        return (
            f"the workers have started, and have not met within {self._patience:.0f} s: does a firewall keep the hosts "
            "from reaching each other, or are all ports taken?" + (last and f" They said: {last}")
        )

    def _understand(self, line: str) -> dict[str, Any] | None:
        """The outcome, if it is that."""
        try:
            news = json.loads(line.removeprefix(MARK)) if line.startswith(MARK) else None
        except ValueError:
            news = None
        if not isinstance(news, dict):
            return None
        if "refused" in news:
            words = f"--workers {self.workers}: {news['refused']}"
            raise FilesMissing(news["refused"]) if news.get("files_missing") else Unsupported(words)
        if "alive" in news:
            self._alive[int(news["alive"])] = monotonic()
        if "progress" in news:
            self.begun = True
            silent = {int(worker): age for worker, age in news["silent"].items() if age > self._patience}
            if silent:
                worker = min(silent)
                raise Died(self._hangs(worker, silent[worker]))
            if self.watch is not None:
                self.watch(progress_of(news, self.workers))
        outcome = news.get("outcome")
        return outcome if isinstance(outcome, dict) else None

    def _hangs(self, worker: int, seconds: float) -> str:
        hosts = [place.host for place in self.where for _ in range(place.count)]
        return f"worker {worker} on {hosts[worker]} has said nothing for {seconds:.0f} s"


def _patience() -> float:
    """Seconds that a worker may be silent."""
    text = os.environ.get("KRIPKE_HUNG", "")
    try:
        return max(1.0, float(text)) if text else _HUNG
    except ValueError:
        raise Unsupported(f"KRIPKE_HUNG is {text!r}: give a number of seconds") from None
