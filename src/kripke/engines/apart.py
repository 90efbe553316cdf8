"""Work in a process of its own: it can be ended at any moment, whatever library it is inside.

Solvers and packages for diagrams run for minutes inside one call. So they work in a child process, which has the model
as it is. The parent looks at the child's memory and at the clock, and ends it when a limit is reached or at Ctrl-C.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import struct
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from select import select
from time import perf_counter
from typing import Any, Generic, TypeVar

from kripke.engines.explicit.search import Progress, Watch
from kripke.engines.memory import default_limit, resident_memory
from kripke.engines.unsupported import Unsupported

Answer = TypeVar("Answer")
Report = Callable[[Progress], None]

_LOOK = 0.05  # seconds between two looks at the child
_HEAD = struct.Struct("<Q")


@dataclass(frozen=True, slots=True)
class Done(Generic[Answer]):
    """``answer`` None: the work was ended, ``reason`` says why ("memory", "time", "interrupted"). ``last`` is what was
    reported last."""

    answer: Answer | None
    reason: str
    seconds: float
    last: Progress | None = None


def work_apart(
    work: Callable[[Report], Answer], *, memory: int | None, time_limit: float | None, watch: Watch | None = None
) -> Done[Answer]:
    """Unsupported is raised here, too, where the work raises it."""
    begin = perf_counter()
    most = memory or default_limit()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover - the child is not measured
        os.close(reading)
        _child(work, writing)
    os.close(writing)
    parent = _Parent(child, reading, begin, most, time_limit, watch)
    try:
        return parent.wait()
    except KeyboardInterrupt:
        return Done(None, "interrupted", perf_counter() - begin, parent.last)
    finally:
        os.close(reading)
        parent.end()


def _child(work: Callable[[Report], Any], writing: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    gc.disable()
    last = 0.0

    def report(now: Progress) -> None:
        nonlocal last
        if perf_counter() - last > 0.1:
            last = perf_counter()
            _send(writing, ("progress", now))

    try:
        message: tuple[str, Any] = ("done", work(report))
    except Unsupported as refusal:
        message = ("refused", str(refusal))
    except MemoryError:
        message = ("memory", None)
    except BaseException:
        message = ("crash", traceback.format_exc())
    try:
        _send(writing, message)
    finally:
        os._exit(0)


def _send(writing: int, message: tuple[str, Any]) -> None:
    data = pickle.dumps(message)
    data = _HEAD.pack(len(data)) + data
    while data:
        data = data[os.write(writing, data) :]


class _Parent:
    def __init__(
        self, child: int, reading: int, begin: float, most: int, time_limit: float | None, watch: Watch | None
    ) -> None:
        self.child, self.reading, self.begin = child, reading, begin
        self.most, self.time_limit, self.watch = most, time_limit, watch
        self.last: Progress | None = None
        self._shared = resident_memory()
        self._data = b""

    def wait(self) -> Done[Any]:
        while True:
            now = perf_counter() - self.begin
            if self.time_limit is not None and now > self.time_limit:
                return Done(None, "time", now, self.last)
            if self.most and resident_memory(self.child) - self._shared > self.most:
                return Done(None, "memory", now, self.last)
            if not select([self.reading], [], [], _LOOK)[0]:
                continue
            data = os.read(self.reading, 1 << 16)
            if not data:  # the child is gone without a word: the system has ended it
                return Done(None, "memory", now, self.last)
            self._data += data
            for kind, content in self._messages():
                if kind == "progress":
                    self.last = content
                    if self.watch is not None:
                        self.watch(content)
                elif kind == "refused":
                    raise Unsupported(content)
                elif kind == "crash":
                    raise RuntimeError(content)
                else:
                    reason = "memory" if kind == "memory" else ""
                    return Done(content, reason, perf_counter() - self.begin, self.last)

    def _messages(self) -> list[tuple[str, Any]]:
        """Those that have come in full."""
        found: list[tuple[str, Any]] = []
        while len(self._data) >= _HEAD.size:
            (size,) = _HEAD.unpack_from(self._data)
            if len(self._data) < _HEAD.size + size:
                break
            found.append(pickle.loads(self._data[_HEAD.size : _HEAD.size + size]))
            self._data = self._data[_HEAD.size + size :]
        return found

    def end(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
