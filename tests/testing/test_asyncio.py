"""Coroutines on an event loop under control."""

from __future__ import annotations

import asyncio
import contextvars
import random
import threading
import time
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from kripke.testing import Report, Settings, explore
from kripke.testing.exploration import Exploration
from kripke.testing.explore import under_control
from kripke.testing.run import Deadlock
from tests.testing import enumeration
from tests.testing.enumeration import TooMany, plain_runs


def failing(body: Any, **settings: Any) -> Report:
    report = explore(body, Settings(seconds=None, **settings))
    assert report.failure is not None
    return report


def all_seen(body: Any) -> Report:
    report = explore(body, Settings(seconds=None))
    assert report.failure is None, str(report)
    assert report.complete
    return report


class Shared:
    def __init__(self) -> None:
        self.value = 0


def test_an_update_across_an_await_is_lost() -> None:
    async def body() -> None:
        shared = Shared()

        async def add() -> None:
            value = shared.value
            await asyncio.sleep(0)
            shared.value = value + 1

        await asyncio.gather(add(), add())
        assert shared.value == 2

    report = failing(body)
    assert report.failure is not None
    assert [row.words for row in report.failure.rows if "value" in str(row.words)] == [
        ("reads Shared.value",),
        ("reads Shared.value",),
        ("writes Shared.value = 1",),
        ("writes Shared.value = 1",),
        ("reads Shared.value",),
    ]


def test_an_update_without_await_is_whole() -> None:
    async def body() -> None:
        shared = Shared()

        async def add() -> None:
            shared.value += 1

        await asyncio.gather(add(), add())
        assert shared.value == 2

    all_seen(body)


def test_locks_in_two_orders() -> None:
    async def body(second: str) -> None:
        locks = {"a": asyncio.Lock(), "b": asyncio.Lock()}

        async def take(order: str) -> None:
            async with locks[order[0]]:
                await asyncio.sleep(0)
                async with locks[order[1]]:
                    pass

        async with asyncio.TaskGroup() as group:
            group.create_task(take("ab"), name="first")
            group.create_task(take(second), name="second")

    async def wrong() -> None:
        await body("ba")

    async def right() -> None:
        await body("ab")

    report = failing(wrong)
    assert report.failure is not None
    lines = report.failure.headline.splitlines()
    assert lines[0] == "deadlock: nobody can go on"
    assert [line.split(", at ")[0].strip() for line in lines[1:]] == [
        "wrong waits: waits in TaskGroup.__aexit__()",
        "first waits: waits in Lock.acquire(), which second holds",
        "second waits: waits in Lock.acquire(), which first holds",
    ]
    all_seen(right)


def test_a_coroutine_that_is_never_awaited() -> None:
    async def body() -> None:
        async def save() -> None:
            pass

        save()  # type: ignore[unused-coroutine]

    report = failing(body)
    assert report.failure is not None
    assert report.failure.headline.startswith("never awaited: the coroutine ")
    assert "save that was made at" in report.failure.headline


def test_tasks_that_have_not_ended() -> None:
    async def body() -> None:
        async def serve() -> None:
            await asyncio.Event().wait()

        task = asyncio.create_task(serve())
        await asyncio.sleep(0)
        assert not task.done()

    report = all_seen(body)
    assert any(each.startswith("serve, which waits") for each in report.unfinished)
    assert str(failing(body, unfinished="fail")).startswith("not finished: tasks had not ended when the program did: ")


def test_an_error_that_nobody_looks_at() -> None:
    async def body() -> None:
        async def breaks() -> None:
            raise ValueError("lost")

        task = asyncio.create_task(breaks())
        await asyncio.sleep(1)
        assert task.done()

    assert str(failing(body)).startswith("ValueError: lost")


def test_time_is_virtual() -> None:
    async def body() -> None:
        loop = asyncio.get_running_loop()
        before = time.monotonic()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(60):
                await asyncio.sleep(3600)
        assert loop.time() == 60
        assert time.monotonic() - before == 60
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(asyncio.Event().wait(), 30)
        assert await asyncio.wait_for(asyncio.sleep(1, "done"), 5) == "done"

    assert all_seen(body).runs >= 1


def test_everything_of_asyncio_works() -> None:
    """Events, conditions, semaphores, queues, barriers, shield, wait, cancellation, context variables."""
    variable: contextvars.ContextVar[int] = contextvars.ContextVar("variable", default=0)

    async def body() -> None:
        variable.set(1)
        queue: asyncio.Queue[int] = asyncio.Queue(1)
        event = asyncio.Event()
        condition = asyncio.Condition()
        seen: list[Any] = []

        async def produce() -> None:
            for number in range(2):
                await queue.put(number)
            variable.set(2)
            event.set()

        async def consume() -> None:
            for _ in range(2):
                seen.append(await queue.get())
                queue.task_done()
            await event.wait()
            async with condition:
                seen.append("end")
                condition.notify_all()

        tasks = [asyncio.create_task(produce()), asyncio.create_task(consume())]
        async with condition:
            await condition.wait_for(lambda: "end" in seen)
        done, pending = await asyncio.wait(tasks)
        assert len(done) == 2 and not pending
        assert seen == [0, 1, "end"]
        assert variable.get() == 1

        inner = asyncio.create_task(asyncio.sleep(5, "kept"))
        outer = asyncio.shield(inner)
        outer.cancel()
        with pytest.raises(asyncio.CancelledError):
            await outer
        assert await inner == "kept"

        async def generator() -> Any:
            for number in range(2):
                await asyncio.sleep(0)
                yield number

        assert [each async for each in generator()] == [0, 1]
        with pytest.raises(NotImplementedError, match="does not control create_datagram_endpoint"):
            await asyncio.get_running_loop().create_datagram_endpoint(asyncio.DatagramProtocol)

    report = explore(body, Settings(schedules=60))
    assert report.failure is None, str(report)


def test_threads_and_coroutines_see_each_other() -> None:
    def body(loop_keeps: bool) -> Any:
        async def main() -> None:
            shared = Shared()

            def add() -> None:
                shared.value += 1

            async def add_here() -> None:
                shared.value += 1

            here = asyncio.create_task(add_here())
            if loop_keeps:
                await here
            await asyncio.to_thread(add)
            await here
            assert shared.value == 2

        return main

    assert "assert 1 == 2" in str(failing(body(False)))
    all_seen(body(True))


def test_a_loop_in_a_thread_of_a_plain_body() -> None:
    def body() -> None:
        seen: list[Any] = []

        async def main() -> None:
            assert threading.current_thread().name == "inner"
            await asyncio.sleep(1)
            seen.append(asyncio.current_task() is not None)

        thread = threading.Thread(target=lambda: asyncio.run(main()), name="inner")
        thread.start()
        thread.join()
        assert seen == [True]

    report = explore(body, Settings(schedules=50))
    assert report.failure is None, str(report)


def test_a_coroutine_that_turns_and_yields_waits() -> None:
    def body(tells: bool) -> Any:
        async def main() -> None:
            shared = Shared()

            async def wait() -> None:
                while not shared.value:
                    await asyncio.sleep(0)

            async def tell() -> None:
                if tells:
                    shared.value = 1

            await asyncio.gather(wait(), tell())

        return main

    all_seen(body(True))
    assert "deadlock: nobody can go on" in str(failing(body(False)))


# -- random programs: every final state of a plain enumeration is seen

Program = list[list[tuple[Any, ...]]]


async def perform_program(program: Program) -> tuple[Any, ...]:
    shared = Shared()
    items: dict[str, int] = {}
    lock = asyncio.Lock()
    event = asyncio.Event()
    semaphore = asyncio.Semaphore(1)
    queue: asyncio.Queue[int] = asyncio.Queue(1)
    tasks: list[asyncio.Task[None]] = []
    seen: list[list[Any]] = [[] for _ in program]

    async def work(number: int) -> None:
        for action in program[number]:
            match action:
                case ("add",):
                    value = shared.value
                    await asyncio.sleep(0)
                    shared.value = value + 1
                case ("put", key):
                    items[key] = number
                case ("see",):
                    seen[number].append((shared.value, tuple(items)))
                case ("lock",):
                    async with lock:
                        shared.value = 10 * shared.value + number
                        await asyncio.sleep(0)
                case ("semaphore",):
                    async with semaphore:
                        await asyncio.sleep(0)
                        seen[number].append(shared.value)
                case ("set",):
                    event.set()
                case ("wait",):
                    await event.wait()
                case ("send",):
                    queue.put_nowait(number) if not queue.full() else seen[number].append("full")
                case ("receive",):
                    seen[number].append(await queue.get())
                case ("sleep", seconds):
                    await asyncio.sleep(seconds)
                case ("cancel", other):
                    tasks[other].cancel()
                case ("timeout", seconds):
                    try:
                        await asyncio.wait_for(event.wait(), seconds)
                    except TimeoutError:
                        seen[number].append("late")

    tasks += [asyncio.create_task(work(number)) for number in range(len(program))]
    ends = await asyncio.gather(*tasks, return_exceptions=True)
    return shared.value, tuple(items.items()), tuple(map(tuple, seen)), tuple(type(end).__name__ for end in ends)


def random_program(seed: int) -> Program:
    chance = random.Random(seed)
    program: Program = []
    workers = chance.choice((2, 2, 3))
    for number in range(workers):
        program.append(
            [
                chance.choice(
                    (
                        ("add",), ("add",), ("put", chance.choice("ab")), ("see",), ("lock",), ("lock",),
                        ("semaphore",), ("set",), ("wait",), ("send",), ("receive",), ("sleep", chance.choice((1, 2))),
                        ("cancel", (number + 1) % workers), ("timeout", 1),
                    )
                )
                for _ in range(chance.choice((1, 2)) if workers == 3 else chance.choice((1, 2, 3)))
            ]
        )  # fmt: skip
    return program


def compare(seeds: Iterable[int], most: int) -> Iterator[tuple[int, int, int]]:
    """Numbers of plain and reduced runs and of different outcomes, for every program with few enough schedules."""
    results: list[Any] = []
    program: Program = []

    async def body() -> None:
        results.append(await perform_program(program))

    def outcome(run: Any) -> Any:
        if isinstance(run.failure, Deadlock):
            return "deadlock"
        assert run.failure is None, (program, run.failure)
        return results[-1]

    with under_control(Settings(leave_out=(enumeration.__name__,)), body) as perform:
        for seed in seeds:
            program[:] = random_program(seed)
            plain = set()
            count = 0
            try:
                for run in plain_runs(perform, most):
                    plain.add(outcome(run))
                    count += 1
            except TooMany:
                continue
            exploration = Exploration(perform)
            reduced = set()
            runs = 0
            for run in exploration.runs():
                reduced.add(outcome(run))
                runs += 1
            assert exploration.complete
            assert reduced == plain, (seed, program, reduced, plain)
            yield count, runs + exploration.redundant, len(plain)


def test_random_programs() -> None:
    compared = list(compare(range(24), most=40))
    assert len(compared) >= 8
    assert all(reduced <= plain for plain, reduced, _ in compared)
