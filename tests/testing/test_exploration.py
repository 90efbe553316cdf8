"""Every behaviour is seen, and few are seen twice: reduced exploration against a plain enumeration of all schedules."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from kripke.testing.exploration import Exploration
from kripke.testing.explore import Settings, under_control
from kripke.testing.run import Deadlock, Run
from tests.testing import enumeration
from tests.testing.enumeration import TooMany, plain_runs, trace_of, watched

Program = list[list[tuple[Any, ...]]]


class Shared:
    def __init__(self) -> None:
        self.x = 0
        self.y = 0


def perform_program(program: Program) -> tuple[Any, ...]:
    """Threads that do what their lists say; what is left at the end."""
    shared = Shared()
    items: dict[str, int] = {}
    locks = {name: threading.Lock() for name in "LM"}
    seen: list[list[Any]] = [[] for _ in program]
    watched[:] = [id(each) for each in (shared, items, *locks.values())]

    def thread(number: int) -> None:
        for action in program[number]:
            match action:
                case ("read", name):
                    seen[number].append(getattr(shared, name))
                case ("write", name, value):
                    setattr(shared, name, value)
                case ("add", "x"):
                    shared.x += 1
                case ("add", "y"):
                    shared.y += 1
                case ("put", key):
                    items[key] = number
                case ("acquire", lock):
                    locks[lock].acquire()
                case ("release", lock):
                    locks[lock].release()
                case ("try", lock):
                    if locks[lock].acquire(False):
                        seen[number].append("held")
                        locks[lock].release()

    threads = [threading.Thread(target=thread, args=(number,)) for number in range(len(program))]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return shared.x, shared.y, tuple(items.items()), tuple(map(tuple, seen))


def random_program(seed: int) -> Program:
    """Two threads with up to four steps that others see, or three with fewer: few enough to try every schedule."""
    chance = random.Random(seed)
    program: Program = []
    for number, room in enumerate(chance.choice(((4, 4), (3, 3), (2, 2, 1)))):
        actions: list[tuple[Any, ...]] = []
        while room > 0:
            first, second = chance.choice(("LM", "ML"))
            cost, chosen = chance.choice(
                (
                    (1, [("read", chance.choice("xy"))]),
                    (1, [("write", chance.choice("xy"), 10 * number + 1)]),
                    (2, [("add", chance.choice("xy"))]),
                    (1, [("put", chance.choice("ab"))]),
                    (3, [("acquire", first), ("write", "x", number), ("release", first)]),
                    (4, [("acquire", first), ("acquire", second), ("release", second), ("release", first)]),
                    (2, [("try", first)]),
                )
            )
            if cost <= room:
                actions += chosen
                room -= cost
        program.append(actions)
    return program


def outcome_of(run: Run, results: list[Any]) -> Any:
    if isinstance(run.failure, Deadlock):
        return "deadlock"
    assert run.failure is None, run.failure
    return results[-1]


class Comparison(NamedTuple):
    """How many reduced runs were made, and how many differ in more than the order of independent steps."""

    runs: int
    traces: int


def compare(seeds: Iterable[int], most: int) -> Iterator[Comparison]:
    """For every random program with at most so many schedules."""
    results: list[Any] = []
    program: Program = []

    def body() -> None:
        results.append(perform_program(program))

    with under_control(Settings(leave_out=(enumeration.__name__,)), body) as perform:
        for seed in seeds:
            program[:] = random_program(seed)
            plain = set()
            traces = set()
            try:
                for run in plain_runs(perform, most):
                    plain.add(outcome_of(run, results))
                    traces.add(trace_of(run))
            except TooMany:
                continue
            exploration = Exploration(perform)
            reduced = set()
            seen = []
            for run in exploration.runs():
                reduced.add(outcome_of(run, results))
                seen.append(trace_of(run))
            assert exploration.complete
            assert reduced == plain, (seed, program)
            assert len(set(seen)) == len(traces), (seed, program)
            assert len(seen) == len(set(seen)), (seed, program)
            yield Comparison(len(seen) + exploration.redundant, len(traces))


def test_random_programs() -> None:
    compared = list(compare(range(8), most=150))
    assert len(compared) >= 4
    assert sum(each.traces for each in compared) >= 8
    assert all(each.runs <= 1.5 * each.traces for each in compared)
