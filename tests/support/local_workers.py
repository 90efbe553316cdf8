"""Workers of a distributed search as threads of this process: the loop is the real one, messages are lists."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Barrier, Lock, Thread
from time import sleep
from typing import Any

from kripke._native import BATCH_SLACK
from kripke.engines.distributed.engine import job_of
from kripke.engines.distributed.job import Job
from kripke.engines.distributed.outcome import outcome_of
from kripke.engines.distributed.worker import worker_for
from kripke.engines.explicit.prepare import prepare_native
from kripke.engines.explicit.safety import search_request, store_options
from kripke.engines.explicit.search import Outcome, SearchRequest
from kripke.engines.plan import SearchPlan
from kripke.model.model import Model
from kripke.model.observer import Observer
from kripke.report.fragments import Fragments, write_fragments


class _Switchboard:
    def __init__(self, size: int) -> None:
        self.size = size
        self.lock = Lock()
        self.barrier = Barrier(size)
        self.boxes: list[dict[int, deque[tuple[bytes, int]]]] = [{0: deque(), 1: deque()} for _ in range(size)]
        self.stops: list[deque[int]] = [deque() for _ in range(size)]
        self.news: deque[tuple[int, list[int]]] = deque()
        self.waves: dict[int, list[list[int]]] = {}
        self.values: list[Any] = [None] * size


class LocalTransport:
    """As ``MpiTransport``. Sends are over at once, but messages may be read long after."""

    def __init__(self, board: _Switchboard, rank: int) -> None:
        self._board, self.rank, self.size = board, rank, board.size
        self._done: list[int] = []
        self._waves, self._waiting = 0, False

    def send(self, number: int, to: int, states: memoryview, level: int) -> None:
        self._board.boxes[to][level % 2].append((bytes(states), self.rank))
        self._done.append(number)

    def given_back(self) -> list[int]:
        done, self._done = self._done, []
        return done

    def arrivals(self, level: int) -> Iterator[tuple[bytearray, int, int]]:
        box = self._board.boxes[self.rank][level % 2]
        while box:
            states, sender = box.popleft()
            yield bytearray(states + bytes(BATCH_SLACK)), len(states), sender

    def begin_wave(self, word: Sequence[int]) -> None:
        with self._board.lock:
            self._board.waves.setdefault(self._waves, []).append(list(word))
        self._waiting = True

    @property
    def waits_for_wave(self) -> bool:
        return self._waiting

    def wave(self) -> list[int] | None:
        with self._board.lock:
            words = self._board.waves[self._waves]
            if len(words) < self.size:
                return None
        self._waves += 1
        self._waiting = False
        return [sum(column) for column in zip(*words, strict=True)]

    def rest(self) -> None:
        sleep(0.0002)

    def send_stop(self, reason: int) -> int:
        for to in range(self.size):
            if to != self.rank:
                self._board.stops[to].append(reason)
        return self.size - 1

    def stops(self) -> Iterator[int]:
        while self._board.stops[self.rank]:
            yield self._board.stops[self.rank].popleft()

    def send_news(self, figures: Sequence[int]) -> None:
        self._board.news.append((self.rank, list(figures)))

    def news(self) -> Iterator[tuple[int, list[int]]]:
        while self._board.news:
            yield self._board.news.popleft()

    def exchange(self, value: Any) -> list[Any]:
        self._board.values[self.rank] = value
        self._board.barrier.wait()
        values = list(self._board.values)
        self._board.barrier.wait()
        return values

    def gather(self, value: Any) -> list[Any]:
        values = self.exchange(value)
        return values if self.rank == 0 else []

    def share(self, value: Any) -> Any:
        return self.exchange(value)[0]


def search_locally(model: Model, workers: int, plan: SearchPlan | None = None, **changes: Any) -> Outcome:
    """The outcome of so many workers. ``changes``: of the job."""
    return outcome_of(answer_locally(model, workers, plan, **changes), _request(model, plan or SearchPlan()))


def _request(model: Model, plan: SearchPlan) -> Any:
    return replace(search_request(model, plan, "bfs"), memory=256 << 20, store=store_options(plan))


def answer_locally(model: Model, workers: int, plan: SearchPlan | None = None, **changes: Any) -> dict[str, Any]:
    plan = plan or SearchPlan()
    engine = prepare_native(model)
    job = replace(job_of(model, plan, _request(model, plan), engine), **changes)
    return work_locally(engine.library, workers, job)


def explore_locally(model: Model, workers: int, folder: Path) -> Fragments:
    """The state space in fragments."""
    plan = SearchPlan(all_errors=True, deadlock=False)
    answer = answer_locally(model, workers, plan, fragments=str(folder), deadlock=False)
    assert not answer["problem"]
    return write_fragments(model, str(folder), answer)


def cycle_locally(model: Model, library: Any, observer: Observer, workers: int, *, nested: bool) -> Outcome:
    """A search for cycles of the product by so many workers."""
    request = SearchRequest(order="scc", deadlock=False, memory=64 << 20, observer=observer)
    job = Job(
        workers=workers,
        deadlock=False,
        invariants=(),
        stop_at_first=True,
        max_depth=0,
        max_states=0,
        memory=64 << 20,
        time_limit=0.0,
        store={"name": "full"},
        path="",
        library=b"",
        source="",
        observer=json.loads(json.dumps(observer.to_native())),
        sets=observer.sets,
        cycles=True,
        nested=nested,
    )
    return outcome_of(work_locally(library, workers, job), request)


def work_locally(library: Any, workers: int, job: Job) -> dict[str, Any]:
    """The first worker's answer."""
    board = _Switchboard(workers)
    answers: list[Any] = [None] * workers
    failures: list[BaseException] = []

    def work(rank: int) -> None:
        try:
            worker = worker_for(job)(LocalTransport(board, rank), job, library, 4096, lambda _: None, str)
            answers[rank] = worker.run()
        except BaseException as error:
            failures.append(error)
            board.barrier.abort()

    threads = [Thread(target=work, args=(rank,)) for rank in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    found: dict[str, Any] = answers[0]
    return found
