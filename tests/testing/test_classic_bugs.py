"""Bugs that every programmer of threads has met: found with a trace; mended, all behaviours are seen."""

from __future__ import annotations

import asyncio
import atexit
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from kripke.testing import Report, Settings, choose, explore

MODULE_LOCK = threading.Lock()


def side_by_side(*functions: Callable[[], object]) -> None:
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def failing(body: Callable[[], object]) -> Report:
    report = explore(body, Settings(seconds=None))
    assert report.failure is not None
    return report


def all_seen(body: Callable[[], object]) -> Report:
    report = explore(body, Settings(seconds=None))
    assert report.failure is None, str(report)
    assert report.complete
    return report


class Counter:
    def __init__(self) -> None:
        self.value = 0
        self.lock = threading.Lock()

    def add(self) -> None:
        self.value += 1

    def add_safely(self) -> None:
        with self.lock:
            self.value += 1

    def add_by_module_lock(self) -> None:
        with MODULE_LOCK:
            self.value += 1


def test_lost_update() -> None:
    def body() -> None:
        counter = Counter()
        side_by_side(counter.add, counter.add)
        assert counter.value == 2

    report = failing(body)
    assert report.failure is not None
    assert report.failure.switches == 4
    assert [row.words for row in report.failure.rows if row.task] == [
        ("reads Counter.value",),
        ("reads Counter.value", "writes Counter.value = 1"),
        ("writes Counter.value = 1",),
    ]
    assert "self.value += 1" in str(report)


@pytest.mark.parametrize("name, schedules", [("add_safely", 2), ("add_by_module_lock", 2)])
def test_update_under_a_lock(name: str, schedules: int) -> None:
    def body() -> None:
        counter = Counter()
        side_by_side(getattr(counter, name), getattr(counter, name))
        assert counter.value == 2

    assert all_seen(body).runs == schedules


def test_lock_order() -> None:
    def body(second_order: str) -> None:
        locks = {"a": threading.Lock(), "b": threading.Lock()}

        def transfer(order: str) -> None:
            with locks[order[0]], locks[order[1]]:
                pass

        side_by_side(lambda: transfer("ab"), lambda: transfer(second_order))

    report = failing(lambda: body("ba"))
    assert report.failure is not None
    text = report.failure.headline
    assert text.startswith("deadlock: nobody can go on")
    assert text.count("acquires the lock of test_classic_bugs.py:") == 2
    assert ", which " in text
    all_seen(lambda: body("ab"))


def test_lost_wake_up() -> None:
    def body(looks_inside: bool) -> None:
        condition = threading.Condition()
        state = {"ready": False}

        def waits() -> None:
            if looks_inside:
                with condition:
                    while not state["ready"]:
                        condition.wait()
            elif not state["ready"]:
                with condition:
                    condition.wait()

        def notifies() -> None:
            with condition:
                state["ready"] = True
                condition.notify()

        side_by_side(waits, notifies)

    assert "deadlock" in str(failing(lambda: body(False)))
    all_seen(lambda: body(True))


def test_condition_without_a_loop() -> None:
    """Two consumers are woken, one item is there."""

    def body(loops: bool) -> None:
        condition = threading.Condition()
        items: list[int] = []

        def take() -> None:
            with condition:
                if loops:
                    while not items:
                        condition.wait()
                elif not items:
                    condition.wait()
                items.pop()

        def put() -> None:
            for number in range(2):
                with condition:
                    items.append(number)
                    condition.notify_all()

        side_by_side(take, take, put)

    assert "IndexError" in str(failing(lambda: body(False)))
    all_seen(lambda: body(True))


def test_double_checked_locking() -> None:
    """The object is published before it is ready."""

    class Service:
        made: Service | None = None

        def __init__(self) -> None:
            self.port = 0

    def body(publishes_early: bool) -> None:
        Service.made = None
        lock = threading.Lock()
        seen = []

        def get() -> None:
            if Service.made is None:
                with lock:
                    if Service.made is None:
                        made = Service()
                        if publishes_early:
                            Service.made = made
                        made.port = 80
                        Service.made = made
            found = Service.made
            assert found is not None
            seen.append(found.port)

        side_by_side(get, get)
        assert seen == [80, 80]

    assert "assert [" in str(failing(lambda: body(True)))
    all_seen(lambda: body(False))


def test_check_then_act() -> None:
    def body(locks: bool) -> None:
        account = {"balance": 100}
        lock = threading.Lock()

        def withdraw() -> None:
            if locks:
                with lock:
                    if account["balance"] >= 80:
                        account["balance"] -= 80
            elif account["balance"] >= 80:
                account["balance"] -= 80

        side_by_side(withdraw, withdraw)
        assert account["balance"] == 20

    failing(lambda: body(False))
    all_seen(lambda: body(True))


def test_unsafe_publication_through_a_dict() -> None:
    def body(complete_first: bool) -> None:
        registry: dict[str, dict[str, int]] = {}
        found = []

        def publish() -> None:
            entry: dict[str, int] = {}
            if complete_first:
                entry["size"] = 1
            registry["entry"] = entry
            entry["size"] = 1

        def use() -> None:
            entry = registry.get("entry")
            if entry is not None:
                found.append(entry["size"])

        side_by_side(publish, use)

    assert "KeyError" in str(failing(lambda: body(False)))
    all_seen(lambda: body(True))


def test_aba_in_a_stack() -> None:
    """A stack whose pop compares the head only: the same head again is not the same stack."""

    class Node:
        def __init__(self, name: str, below: Node | None) -> None:
            self.name = name
            self.below = below

    class Stack:
        def __init__(self, counts: bool) -> None:
            self.head: tuple[Node | None, int] = (Node("a", Node("b", None)), 0)
            self.counts = counts
            self.lock = threading.Lock()

        def swap(self, old: tuple[Node | None, int], new: Node | None) -> bool:
            """The head and the number of changes are compared; without counting, the number is always 0."""
            with self.lock:
                if self.head[0] is not old[0] or self.head[1] != old[1]:
                    return False
                self.head = (new, old[1] + 1 if self.counts else 0)
                return True

        def pop(self) -> Node | None:
            while True:
                head = self.head
                if head[0] is None:
                    return None
                if self.swap(head, head[0].below):
                    return head[0]

        def push(self, node: Node) -> None:
            while True:
                head = self.head
                node.below = head[0]
                if self.swap(head, node):
                    return

    def body(counts: bool) -> None:
        stack = Stack(counts)
        popped: list[str] = []

        def one() -> None:
            node = stack.pop()
            if node is not None:
                popped.append(node.name)

        def other() -> None:
            first = stack.pop()
            second = stack.pop()
            if second is not None:
                popped.append(second.name)
            if first is not None:
                stack.push(first)

        side_by_side(one, other)
        left = []
        node = stack.head[0]
        while node is not None:
            left.append(node.name)
            node = node.below
        assert sorted(popped + left) == ["a", "b"]

    assert "AssertionError" in str(failing(lambda: body(False)))
    all_seen(lambda: body(True))


def test_a_cancelled_task_that_holds_a_lock() -> None:
    async def body(gives_back: bool) -> None:
        lock = asyncio.Lock()

        async def work() -> None:
            await lock.acquire()
            if gives_back:
                try:
                    await asyncio.sleep(0)
                finally:
                    lock.release()
            else:
                await asyncio.sleep(0)
                lock.release()

        cancelled, other = asyncio.create_task(work()), asyncio.create_task(work())
        await asyncio.sleep(0)
        cancelled.cancel()
        await asyncio.gather(cancelled, other, return_exceptions=True)

    async def wrong() -> None:
        await body(False)

    async def right() -> None:
        await body(True)

    assert "waits in Lock.acquire(), which work" in str(failing(wrong))
    all_seen(right)


class ReadersAndWriters:
    """``fair``: readers that come after a waiting writer wait for it."""

    def __init__(self, fair: bool) -> None:
        self.condition = threading.Condition()
        self.fair = fair
        self.readers = 0
        self.writing = False
        self.waiting = 0
        self.overtaken = 0

    def read(self) -> None:
        with self.condition:
            while self.writing or (self.fair and self.waiting):
                self.condition.wait()
            self.overtaken += self.waiting
            self.readers += 1
        with self.condition:
            self.readers -= 1
            self.condition.notify_all()

    def write(self) -> None:
        with self.condition:
            self.waiting += 1
            while self.writing or self.readers:
                self.condition.wait()
            self.waiting -= 1
            self.writing = True
        with self.condition:
            self.writing = False
            self.condition.notify_all()


def test_a_writer_that_starves() -> None:
    """A reader goes in although a writer waits: with readers enough, the writer never comes in."""

    def body(fair: bool) -> None:
        lock = ReadersAndWriters(fair)
        side_by_side(lock.read, lock.read, lock.write)
        assert not lock.overtaken, "a reader has overtaken a waiting writer"

    assert "a reader has overtaken a waiting writer" in str(failing(lambda: body(False)))
    all_seen(lambda: body(True))


def test_a_race_at_exit() -> None:
    """What is closed at exit is still in use by a daemon."""

    class Log:
        def __init__(self) -> None:
            self.lines: list[str] | None = []

        def write(self, line: str) -> None:
            assert self.lines is not None, "the log is closed"
            self.lines.append(line)

        def close(self) -> None:
            self.lines = None

    def body(waits: bool) -> None:
        log = Log()
        writer = threading.Thread(target=lambda: log.write("working"), daemon=True)
        writer.start()
        atexit.register(log.close)
        if waits:
            atexit.register(writer.join)

    assert "the log is closed" in str(failing(lambda: body(False)))
    all_seen(lambda: body(True))


def test_a_daemon_without_end_is_said() -> None:
    def body() -> None:
        counter = Counter()

        def count() -> None:
            while True:
                counter.value += 1

        threading.Thread(target=count, daemon=True).start()

    report = explore(body, Settings(schedules=3))
    assert report.failure is None
    assert not report.complete


def test_a_loop_that_waits_is_no_endless_run() -> None:
    def body(tells: bool) -> None:
        counter = Counter()

        def waits() -> None:
            while not counter.value:
                pass

        def tell() -> None:
            if tells:
                counter.value = 1

        side_by_side(waits, tell)

    all_seen(lambda: body(True))
    assert "turns in a loop until this changes" in str(failing(lambda: body(False)))


def test_a_for_loop_over_equal_values_does_not_wait() -> None:
    def body() -> None:
        values = [None] * 5
        counter = Counter()

        def loops() -> None:
            for _ in values:
                assert counter.value >= 0

        side_by_side(loops, counter.add)

    all_seen(body)


def test_queues_events_and_time() -> None:
    def body() -> None:
        items: queue.Queue[int] = queue.Queue(1)
        done = threading.Event()
        taken = []

        def take() -> None:
            for _ in range(2):
                taken.append(items.get())
            done.set()

        thread = threading.Thread(target=take)
        thread.start()
        items.put(1)
        items.put(2)
        assert done.wait(timeout=1.5)
        thread.join()
        assert taken == [1, 2]
        before = time.monotonic()
        time.sleep(2)
        assert time.monotonic() - before == 2

    all_seen(body)


def test_an_event_that_never_comes_times_out_at_once() -> None:
    def body() -> None:
        assert not threading.Event().wait(3600)

    assert all_seen(body).runs == 1


def test_executors() -> None:
    def body() -> None:
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(lambda: 41 + 1).result() == 42

    report = explore(body, Settings(schedules=5))
    assert report.failure is None, str(report)


def test_every_value_of_a_choice() -> None:
    seen = []

    def body() -> None:
        seen.append(choose("abc"))

    assert all_seen(body).runs == 3
    assert seen == ["a", "b", "c"]


def test_data_races_are_reported_and_may_be_failures() -> None:
    def body() -> None:
        counter = Counter()
        side_by_side(counter.add, counter.add)

    report = explore(body, Settings(seconds=None))
    assert report.complete
    assert any("Counter.value" in race for race in report.races)
    report = explore(body, Settings(seconds=None, races="fail"))
    assert report.failure is not None
    assert report.failure.headline.startswith("data race: ")


def test_state_left_over_is_noticed() -> None:
    left: list[int] = []

    def body() -> None:
        counter = Counter()
        if not left:
            left.append(1)
            side_by_side(counter.add, counter.add)

    report = explore(body, Settings(seconds=None))
    assert report.failure is not None
    assert report.failure.headline.startswith("not under control: step ")


def test_an_endless_loop_ends_in_words() -> None:
    def body() -> None:
        counter = Counter()

        def turns() -> None:
            while True:
                counter.value += 1

        threading.Thread(target=turns).start()

    report = explore(body, Settings(seconds=None, most_steps=500))
    assert report.failure is not None
    assert report.failure.headline == "no end: the run has not ended after 500 steps"


def test_random_schedules_say_that_they_are_not_all() -> None:
    def body() -> None:
        counter = Counter()
        side_by_side(counter.add_safely, counter.add_safely)

    report = explore(body, Settings(search="random", schedules=10))
    assert not report.complete
    assert str(report) == "10 schedules, not all: schedules were chosen by chance"
