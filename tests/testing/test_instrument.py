"""Functions are instrumented when they are called first, and do what they did."""

from __future__ import annotations

import gc
import inspect
import threading
from types import CodeType, FunctionType
from typing import Any

from kripke.testing import Settings, explore
from kripke.testing.instrument import Instrumentation, instrument

OFFSET = 1


def plain(a: int, /, b: int, *rest: int, c: int = 3, **named: int) -> tuple[Any, ...]:
    def inner() -> int:
        return a + b + OFFSET

    return inner(), rest, c, named


def generator(number: int) -> Any:
    got = yield number
    yield got


class Base:
    def name(self) -> str:
        return "base"


class Derived(Base):
    def name(self) -> str:
        return "derived " + super().name()


async def coroutine() -> int:
    return 5


def test_the_first_call_is_like_every_other() -> None:
    instrumentation = Instrumentation(lambda module: module == __name__)
    before = plain.__code__
    instrumentation.watch_all()
    try:
        waiting: CodeType = plain.__code__
        assert waiting is not before
        for _ in range(2):
            assert plain(1, 2, 7, 8, c=4, d=5) == (4, (7, 8), 4, {"d": 5})
            steps = generator(3)
            assert (next(steps), steps.send("x")) == (3, "x")
            assert Derived().name() == "derived base"
            assert inspect.iscoroutinefunction(coroutine)
            running = coroutine()
            try:
                running.send(None)
            except StopIteration as end:
                assert end.value == 5
        assert plain.__code__ not in (waiting, before)
        assert Base.__init__ is object.__init__
    finally:
        instrumentation.remove()
    assert plain.__code__ is before


def test_what_is_not_called_is_not_instrumented() -> None:
    made = []
    instrumentation = Instrumentation(lambda module: module == __name__)
    instrumentation.watch_all()
    try:
        for function in (plain, generator):
            assert isinstance(function, FunctionType)
            made.append(function.__code__.co_consts)
        plain(1, 2)
        assert plain.__code__.co_consts != made[0]
        assert generator.__code__.co_consts == made[1]
    finally:
        instrumentation.remove()


def test_instrumented_code_keeps_lines_and_arguments() -> None:
    made = instrument(plain.__code__)
    assert made.co_varnames == plain.__code__.co_varnames
    assert {line for *_, line in made.co_lines() if line} == {line for *_, line in plain.__code__.co_lines() if line}


def test_frozen_functions_take_part() -> None:
    gc.freeze()
    test_the_first_call_is_like_every_other()


class Late:
    state = 0


late_global = 0


def _write_late() -> None:
    global late_global
    late_global = 1


def test_names_that_are_written_late_are_watched_from_the_start() -> None:
    """The reader runs before the code that writes was ever seen."""

    def attribute() -> None:
        late = Late()
        seen = []
        thread = threading.Thread(target=lambda: setattr(late, "state", 1))
        reader = threading.Thread(target=lambda: seen.append(late.state))
        reader.start()
        thread.start()
        reader.join()
        thread.join()
        assert seen == [0]

    def by_global() -> None:
        global late_global
        late_global = 0
        seen = []
        reader = threading.Thread(target=lambda: seen.append(late_global))
        writer = threading.Thread(target=_write_late)
        reader.start()
        writer.start()
        reader.join()
        writer.join()
        assert seen == [0]

    for body in (attribute, by_global):
        report = explore(body, Settings(seconds=None))
        assert report.failure is not None
        assert "assert [1] == [0]" in str(report)


def many_variables(number: int) -> int:
    """More variables than fit into instructions for two of them at a time."""
    a = b = c = d = e = f = g = h = i = j = k = m = n = o = p = number
    q, r = p + 1, p + 2
    s = q
    return a + b + c + d + e + f + g + h + i + j + k + m + n + o + p + q * r + s


def test_many_variables() -> None:
    made = FunctionType(instrument(many_variables.__code__), globals())
    assert made(3) == many_variables(3)


def test_code_of_the_library_is_still_code() -> None:
    """Everything that the compiler makes of real modules can be instrumented."""
    for module in (inspect, threading, gc):
        source = inspect.getsource(module) if hasattr(module, "__file__") else ""
        made = instrument(compile(source, "module.py", "exec"))
        assert isinstance(made, CodeType)


def test_a_look_whether_a_container_is_empty_is_a_step() -> None:
    seen = set()

    def body() -> None:
        waiting: list[int] = []
        found: list[bool] = []
        threads = [
            threading.Thread(target=lambda: found.append(not waiting)),
            threading.Thread(target=lambda: waiting.append(1)),
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seen.add(found[0])

    assert explore(body).complete
    assert seen == {False, True}
