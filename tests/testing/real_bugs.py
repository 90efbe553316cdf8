"""Known concurrency bugs in released versions of public packages, each as a test of a few lines.

``python -m tests.testing.real_bugs NAME`` runs one of them with whatever version of the package is installed.
``benchmarks/real_bugs.py`` installs the faulty and the mended versions, and runs them all.
"""

from __future__ import annotations

import asyncio
import importlib
import sys
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from kripke.testing import Settings, explore


class RealBug(NamedTuple):
    """``words``: what the failure says. The bug is in the version ``faulty`` and not in ``mended``."""

    module: str
    package: str
    faulty: str
    mended: str
    report: str
    words: str
    body: Callable[[], Any]


async def limiter_loses_a_token() -> None:
    anyio = importlib.import_module("anyio")
    limiter = anyio.CapacityLimiter(1)

    async def use(name: str) -> None:
        await limiter.acquire_on_behalf_of(name)
        limiter.release_on_behalf_of(name)

    async def release() -> None:
        limiter.release_on_behalf_of("holder")

    limiter.acquire_on_behalf_of_nowait("holder")
    cancelled, last = (asyncio.create_task(use(name), name=name) for name in ("cancelled", "last"))
    await asyncio.sleep(1)  # until both wait
    releasing = asyncio.create_task(release())
    await asyncio.sleep(0)
    cancelled.cancel()
    await asyncio.gather(cancelled, last, releasing, return_exceptions=True)


async def lock_leaves_a_waiter_behind() -> None:
    anyio = importlib.import_module("anyio")
    lock = anyio.Lock()

    async def use() -> None:
        async with lock:
            await asyncio.sleep(0)

    first, cancelled, last = (asyncio.create_task(use(), name=name) for name in ("first", "cancelled", "last"))
    await asyncio.sleep(0)
    cancelled.cancel()
    await asyncio.gather(first, cancelled, last, return_exceptions=True)


async def limiter_gives_a_token_twice() -> None:
    anyio = importlib.import_module("anyio")
    limiter = anyio.CapacityLimiter(1)

    async def use(name: str) -> None:
        await limiter.acquire_on_behalf_of(name)
        assert limiter.borrowed_tokens <= 1
        limiter.release_on_behalf_of(name)

    async def try_to_use() -> None:
        try:
            limiter.acquire_on_behalf_of_nowait("impatient")
        except anyio.WouldBlock:
            return
        await asyncio.sleep(0)
        assert limiter.borrowed_tokens <= 1
        limiter.release_on_behalf_of("impatient")

    limiter.acquire_on_behalf_of_nowait("holder")
    waiter = asyncio.create_task(use("waiter"))
    await asyncio.sleep(1)
    impatient = asyncio.create_task(try_to_use())
    limiter.release_on_behalf_of("holder")
    await asyncio.gather(waiter, impatient)


async def window_forgets_a_hit() -> None:
    memory = importlib.import_module("limits.aio.storage.memory")
    storage = memory.MemoryStorage()

    async def hit() -> bool:
        return bool(await storage.acquire_entry("key", 2, 60))

    assert await asyncio.gather(hit(), hit()) == [True, True]
    await storage.timer
    assert not await hit()


def once_handler_is_removed_twice() -> None:
    emitter = importlib.import_module("pyee").BaseEventEmitter()
    calls: list[str] = []
    emitter.once("event", lambda: calls.append("called"))
    threads = [threading.Thread(target=emitter.emit, args=("event",)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert calls == ["called"]


def cache_drops_a_key_twice() -> None:
    parser = importlib.import_module("ua_parser.user_agent_parser")
    parser._PARSE_CACHE.clear()
    parser.MAX_CACHE_SIZE = 1
    parser._lookup("seen before", {})
    threads = [threading.Thread(target=parser._lookup, args=(name, {})) for name in ("one", "other")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


_ANYIO = "https://github.com/agronholm/anyio"
BUGS = {
    bug.body.__name__: bug
    for bug in (
        RealBug("anyio._backends._asyncio", "anyio", "4.9.0", "4.10.0", f"{_ANYIO}/issues/947", "deadlock",
                limiter_loses_a_token),
        RealBug("anyio._backends._asyncio", "anyio", "4.13.0", "4.14.0", f"{_ANYIO}/pull/1145", "deadlock",
                lock_leaves_a_waiter_behind),
        RealBug("anyio._backends._asyncio", "anyio", "4.13.0", "4.14.2", f"{_ANYIO}/issues/1170", "AssertionError",
                limiter_gives_a_token_twice),
        RealBug("limits.aio.storage.memory", "limits", "5.2.0", "5.3.0",
                "https://github.com/alisaifee/limits/issues/277", "AssertionError", window_forgets_a_hit),
        RealBug("pyee", "pyee", "7.0.4", "8.1.0", "https://github.com/jfhbrook/pyee/pull/77", "KeyError",
                once_handler_is_removed_twice),
        RealBug("ua_parser.user_agent_parser", "ua-parser", "0.16.0", "0.16.1",
                "https://github.com/ua-parser/uap-python/issues/132", "KeyError", cache_drops_a_key_twice),
    )
}  # fmt: skip


def main(name: str) -> int:
    bug = BUGS[name]
    importlib.import_module(bug.module)
    report = explore(bug.body, Settings(seconds=120, modules=(bug.module.partition(".")[0],)))
    print(report)
    return 1 if report.failure is not None else 0 if report.complete else 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
