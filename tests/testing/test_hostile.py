"""Programs that would hang, leave the process or escape: a clear message, and no hang."""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kripke.testing import Report, Settings, explore


def both(*works: Callable[[], Any]) -> None:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def headline(report: Report) -> str:
    assert report.failure is not None, str(report)
    return report.failure.headline


def refused(work: Callable[[], Any]) -> str:
    return headline(explore(lambda: both(work, lambda: None)))


@pytest.mark.parametrize(
    ("work", "words"),
    [
        (lambda: os.fork(), "refused: os.fork() at "),
        (lambda: os.system("true"), "refused: os.system() at "),
        (lambda: subprocess.run(["true"]), "refused: subprocess.Popen() at "),
        (lambda: multiprocessing.Process(target=print).start(), "refused: multiprocessing.Process.start() at "),
        (lambda: os.kill(os.getpid(), signal.SIGTERM), "refused: os.kill() at "),
        (lambda: signal.alarm(1), "refused: signal.alarm() at "),
        (lambda: signal.raise_signal(signal.SIGINT), "refused: signal.raise_signal() at "),
        (lambda: os._exit(3), "refused: os._exit(3) at "),
    ],
)
def test_what_would_leave_the_program_is_refused(work: Callable[[], Any], words: str) -> None:
    found = refused(work)
    assert found.startswith(words)
    assert f"{os.path.basename(__file__)}:" in found
    os.getpid()


def test_loops_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kripke.testing.run.MOST_TURNS", 10_000)

    def turn() -> None:
        while True:
            pass

    def count() -> None:
        for _ in itertools.count():
            pass

    for work in (turn, count):
        assert refused(work).startswith("no end: ")


def test_a_loop_that_waits_for_nobody_is_a_deadlock() -> None:
    class Flag:
        up = False

    def body() -> None:
        flag = Flag()

        def spin() -> None:
            while not flag.up:
                pass

        both(spin, lambda: None)
        flag.up = True

    assert headline(explore(body)).startswith("deadlock: ")


def test_a_call_that_blocks_in_c_is_interrupted() -> None:
    library = ctypes.CDLL(None)

    def body() -> None:
        both(lambda: library.pause(), lambda: None)

    found = headline(explore(body, Settings(stuck=0.3)))
    assert found.startswith("refused: the program has been inside one call for 0.3 seconds")
    assert "test_hostile.py:" in found


STUBBORN = """
import ctypes, threading
from kripke.testing import Settings, explore, watchdog
watchdog._PATIENCE = 0.3
libc = ctypes.CDLL(None)
def body():
    thread = threading.Thread(target=lambda: libc.sigsuspend(ctypes.create_string_buffer(b"\\xff" * 128)))
    thread.start()
    thread.join()
explore(body, Settings(stuck=0.3))
"""


def test_a_call_that_cannot_be_interrupted_ends_the_process() -> None:
    ran = subprocess.run([sys.executable, "-c", STUBBORN], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 70
    assert "It cannot be interrupted, so this process ends." in ran.stderr


def test_threads_that_a_module_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "starts_a_thread.py").write_text("import threading\nthreading.Thread(target=print).start()\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    def body() -> None:
        import starts_a_thread  # type: ignore[import-not-found]  # noqa: F401

    found = headline(explore(body))
    assert "starts_a_thread.py:2 while this module is imported" in found


def test_errors_when_objects_go(recwarn: pytest.WarningsRecorder) -> None:
    noted: list[Any] = []
    before, sys.unraisablehook = sys.unraisablehook, lambda unraisable: noted.append(type(unraisable.exc_value))

    class Bad:
        lock = threading.Lock()

        def __del__(self) -> None:
            with self.lock:
                raise ValueError("gone")

    def work() -> None:
        bad = Bad()
        del bad

    try:
        report = explore(lambda: both(work, work))
    finally:
        sys.unraisablehook = before
    assert report.complete, str(report)
    assert set(noted) == {ValueError}


def test_deep_recursion_is_an_error_of_the_program() -> None:
    def deep() -> None:
        deep()

    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)  # others may have raised it so far that the limit of steps comes first
    try:
        assert refused(deep).startswith("RecursionError in deep")
    finally:
        sys.setrecursionlimit(before)


def test_what_is_not_decided_by_the_schedule_is_named() -> None:
    runs = itertools.count()

    def body() -> None:
        shared = {"x": 0}
        if next(runs) % 2:
            both(lambda: shared.update(x=1), lambda: shared.update(x=2))
        else:
            both(lambda: shared.get("x"), lambda: shared.update(x=2), lambda: shared.update(x=3))

    assert headline(explore(body)).startswith("not under control: step ")


def test_keys_of_dict_are_attributes() -> None:
    """A write through ``__dict__`` races with a read of the attribute."""

    class Box:
        def __init__(self) -> None:
            self.value = 0

    for write in (
        lambda box: box.__dict__.__setitem__("value", 1),
        lambda box: box.__dict__.update(value=1),
        lambda box: vars(box).update({"value": 1}),
    ):
        seen = set()

        def body(write: Any = write, seen: Any = seen) -> None:
            box = Box()
            both(lambda: write(box), lambda: seen.add(box.value))

        assert explore(body).complete
        assert seen == {0, 1}


def test_real_time_is_not_needed() -> None:
    """No test may take as long as these sleep: the limit of the suite would end it."""
    assert explore(lambda: both(lambda: time.sleep(3600), lambda: time.sleep(7200))).complete


def side_by_side(work: Callable[[], Any]) -> None:
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Number:
    def __init__(self) -> None:
        self.value = 0


def catches_everything() -> None:
    number = Number()

    def work() -> None:
        while True:
            with contextlib.suppress(BaseException):
                number.value += 1

    side_by_side(work)


def has_no_text() -> None:
    class Nameless:
        def __repr__(self) -> str:
            raise ValueError

    def work() -> None:
        raise KeyError(Nameless())

    side_by_side(work)


def runs_text() -> None:
    number = Number()
    side_by_side(lambda: exec("number.value += 1", {"number": number}))


def evaluates_text() -> None:
    number = Number()
    side_by_side(lambda: setattr(number, "value", eval("number.value + 1", {"number": number})))
    assert number.value == 2


def explores() -> None:
    explore(lambda: None)


def contains_itself() -> None:
    items: list[Any] = []
    items.append(items)
    side_by_side(lambda: items.append(repr(items)))


def waits_when_it_goes() -> None:
    lock = threading.Lock()

    class Going:
        def __del__(self) -> None:
            with lock:
                pass

    def work() -> None:
        going = Going()
        with lock:
            del going

    side_by_side(work)


def stops_the_interpreter() -> None:
    side_by_side(lambda: sys.exit(3))


def interrupts() -> None:
    def work() -> None:
        raise KeyboardInterrupt

    side_by_side(work)


def has_attributes_that_fail() -> None:
    class Failing:
        def __getattribute__(self, name: str) -> Any:
            raise RuntimeError(name)

    items: list[Any] = [Failing()]
    side_by_side(lambda: items.append(items[0]))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (catches_everything, "no end: the run has not ended after 2,000 steps"),
        (has_no_text, "KeyError in work: (its text cannot be made: ValueError)"),
        (runs_text, "not all: exec() runs code that is not watched"),
        (evaluates_text, "assert 1 == 2"),
        (explores, "a program that is explored cannot explore another one"),
        (contains_itself, "all behaviours"),
        (waits_when_it_goes, "deadlock: nobody can go on"),
        (stops_the_interpreter, "all behaviours"),
        (interrupts, "KeyboardInterrupt in work"),
        (has_attributes_that_fail, "all behaviours"),
    ],
)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_programs_that_do_what_nobody_should(body: Callable[[], None], words: str) -> None:
    assert words in str(explore(body, Settings(seconds=20, most_steps=2_000)))


def test_a_thread_starts_as_shallow_as_any_other() -> None:
    """Whoever is deep in its own calls does not let another begin there."""

    def body() -> None:
        number = Number()

        def deep(level: int) -> None:
            number.value = level
            deep(level + 1)

        def work() -> None:
            with pytest.raises(RecursionError):
                deep(0)

        side_by_side(work)

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(1_000)  # whatever others in this process made it
    try:
        report = explore(body, Settings(schedules=3))
    finally:
        sys.setrecursionlimit(limit)
    assert report.failure is None, str(report)
