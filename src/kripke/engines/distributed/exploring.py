"""A worker that writes its fragment of the state space: the states it owns, and the steps that lead to them.

H. Garavel, R. Mateescu, I. Smarandache, Parallel state space construction for model-checking, SPIN 2001. A step
goes to the fragment of its target; the number of its source has travelled with the state. Steps are written as they are
found, states at the end, as the engine keeps them: what their bytes mean is said where the model is known
(``report/fragments.py``).
"""

from __future__ import annotations

import os
from struct import Struct
from typing import IO, Any

import numpy as np

from kripke._native import DistributedSearch
from kripke.engines.distributed.job import Job
from kripke.engines.distributed.rounds import Driven, Level
from kripke.engines.distributed.worker import Worker

LOG = 1 << 17  # steps that are kept before they are written
ROWS = 1 << 14  # states that are written together
HEAD = Struct("<QQQ")  # states, bytes of each row, level


def steps_name(rank: int) -> str:
    return f"steps-{rank}.raw"


def rows_name(rank: int) -> str:
    return f"rows-{rank}.raw"


def _opened(path: str) -> IO[bytes]:
    return open(path, "wb", opener=lambda name, flags: os.open(name, flags | os.O_NOFOLLOW, 0o644))


class _Logging(Driven):
    """What was found is written before there is much of it; to nowhere, where there is no file."""

    def __init__(self, search: DistributedSearch, file: IO[bytes] | None) -> None:
        super().__init__(search)
        self._file = file
        self.expand = self._expand
        self.receive = self._receive
        self.transitions = 0
        self.failed = ""

    def _expand(self, most: int) -> bool:
        more = self.search.expand(most)
        self._write(LOG)
        return more

    def _receive(self, buffer: bytearray, count: int, sender: int) -> None:
        self.search.receive(buffer, count, sender)
        self._write(LOG)

    def _write(self, least: int) -> None:
        if self.search.logged < least or self.failed or self._file is None:
            return
        sources, targets, words, codes = self.search.take_steps()
        count = len(words) // 4
        self.transitions += count
        try:
            self._file.write(count.to_bytes(8, "little") + sources + targets + words + codes)
        except OSError as error:
            self.failed = error.strerror or str(error)
            self.stop("disk")

    def end(self) -> None:
        self._write(1)


class ExploreWorker(Worker):
    problem = ""

    def _new_search(self, job: Job, steps: str = "") -> DistributedSearch:
        return super()._new_search(job, steps or "log")

    def _driven(self, search: DistributedSearch) -> _Logging:
        folder, rank = self.job.fragments, self.transport.rank
        self.file: IO[bytes] | None = None
        try:
            # The folder was empty; what is there was written before the workers had to be started again.
            self.file = _opened(os.path.join(folder, steps_name(rank)))
        except OSError as error:
            self.problem = f"{folder}: {error.strerror}"
            search.stop("disk")
        self.logging = _Logging(search, self.file)
        return self.logging

    def _first_level(self) -> Level:
        level = super()._first_level()
        self.initials = np.frombuffer(self.search.take_initials(), np.uint64).tolist()
        return level

    def _closing(self, level: Level) -> None:
        self.search.end_level()
        self._finish()

    def _finish(self) -> None:
        """The rest of the steps, and the states."""
        if self.file is None:
            return
        self.logging.end()
        self.problem = self.problem or self.logging.failed
        try:
            self.file.close()
            if not self.problem:
                self._write_states()
        except OSError as error:
            self.problem = error.strerror or str(error)

    def _write_states(self) -> None:
        deadlocks = np.frombuffer(self.search.take_deadlocks(), np.uint64)
        at = level = 0
        with _opened(os.path.join(self.job.fragments, rows_name(self.transport.rank))) as file:
            while self.search.open_level(level):
                while (batch := self.search.next_rows(ROWS)) is not None:
                    stride, rows, lengths = batch
                    count = len(lengths) // 4
                    stuck = np.zeros(count, np.uint8)
                    here = deadlocks[np.searchsorted(deadlocks, at) : np.searchsorted(deadlocks, at + count)]
                    stuck[(here - np.uint64(at)).astype(np.int64)] = 1
                    file.write(HEAD.pack(count, stride, level) + lengths + stuck.tobytes() + rows)
                    at += count
                level += 1

    def _gathered(self, last: Level, reason: str, seconds: float) -> dict[str, Any] | None:
        told = self.transport.gather([self.initials, self.logging.transitions, self.problem])
        answer = super()._gathered(last, reason, seconds)
        if answer is not None:
            answer["initials"] = [number for part in told for number in part[0]]
            answer["steps"] = [part[1] for part in told]
            answer["problem"] = next((part[2] for part in told if part[2]), "")
        return answer

    def _paths(self) -> list[Any]:
        return []
