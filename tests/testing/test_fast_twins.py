"""What is done in C++ for speed gives what its twins in Python give: races of runs, and hooks of instrumented code."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from kripke._native import DataRacesOfRuns, RacesOfRuns
from kripke._native import hooks as native_hooks
from kripke.testing import Settings, explore
from kripke.testing import exploration as exploration_module
from kripke.testing.exploration import Exploration
from kripke.testing.explore import under_control
from kripke.testing.race_analysis import DataRaces, RaceAnalysis
from tests.testing.shared_accesses import CASES
from tests.testing.test_exploration import Program, perform_program, random_program


class Compared:
    """Both analyses at the same time; what is given back is what both say."""

    count = 0

    def __init__(self) -> None:
        self.plain, self.native = RaceAnalysis(), RacesOfRuns()
        self.plain_data, self.native_data = DataRaces(), DataRacesOfRuns(self.native)
        self.own_data = DataRacesOfRuns(None)

    def races_of(self, steps: list[Any], known: int, tasks: int, blocked: list[Any]) -> Any:
        found = self.native.races_of(steps, known, tasks, blocked)
        assert [tuple(each) for each in self.plain.races_of(steps, known, tasks, blocked)] == found
        data = [tuple(each) for each in self.plain_data.of(steps, known, tasks)]
        assert sorted(data, key=repr) == sorted(self.native_data.of(steps, known, tasks), key=repr)
        assert sorted(data, key=repr) == sorted(self.own_data.of(steps, known, tasks), key=repr)
        Compared.count += len(found) + len(data)
        return found


def runs_of(body: Callable[[], Any]) -> int:
    with under_control(Settings(leave_out=(__name__,)), body) as perform:
        exploration = Exploration(perform)
        return sum(1 for _ in exploration.runs())


def test_races_of_random_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exploration_module, "RacesOfRuns", Compared)
    Compared.count = 0
    program: Program = []
    for seed in range(12):
        program[:] = random_program(seed)
        runs_of(lambda: perform_program(program))
    assert Compared.count > 100


def times_out() -> None:
    condition = threading.Condition()
    seen = []

    def wait() -> None:
        with condition:
            seen.append(condition.wait(1))

    def tell() -> None:
        with condition:
            condition.notify()

    threads = [threading.Thread(target=each) for each in (wait, tell)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


async def tasks() -> None:
    lock = asyncio.Lock()
    order: list[int] = []

    async def work(number: int) -> None:
        async with lock:
            order.append(number)
        await asyncio.sleep(number)
        order.append(-number)

    await asyncio.gather(work(1), work(2))


@pytest.mark.parametrize("body", [times_out, tasks])
def test_races_of_programs_that_wait(body: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from kripke.testing.loop import run_coroutine

    monkeypatch.setattr(exploration_module, "RacesOfRuns", Compared)
    Compared.count = 0
    runs_of((lambda: run_coroutine(body)) if asyncio.iscoroutinefunction(body) else body)
    assert Compared.count > 0


@contextmanager
def slow_ways() -> Iterator[None]:
    native_hooks.use_fast_ways(False)
    try:
        yield
    finally:
        native_hooks.use_fast_ways(True)


def explored(body: Callable[[], Any]) -> tuple[Any, ...]:
    report = explore(body, Settings(seconds=None))
    return report.runs, report.steps, report.redundant, report.complete, report.failure is None, sorted(report.races)


@pytest.mark.parametrize("name", list(CASES)[::6])
def test_hooks(name: str) -> None:
    def body() -> None:
        one, other, _ = CASES[name]()
        threads = [threading.Thread(target=worker) for worker in (one, other)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    with slow_ways():
        wanted = explored(body)
    assert explored(body) == wanted


@pytest.mark.parametrize("seed", range(20, 26))
def test_hooks_of_random_programs(seed: int) -> None:
    program = random_program(seed)
    with slow_ways():
        wanted = explored(lambda: perform_program(program))
    assert explored(lambda: perform_program(program)) == wanted
