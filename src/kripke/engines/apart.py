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
from typing import Any, Generic, Self, TypeVar

from kripke.deadline import OutOfTime
from kripke.engines.explicit.search import Progress, Watch
from kripke.engines.unsupported import Unsupported
from kripke.memory import default_limit, resident_memory

Answer = TypeVar("Answer")
#: what the work tells while it goes on: how far it is, or a sentence
Report = Callable[[Progress | str], None]

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
    with Apart(work, memory=memory, time_limit=time_limit) as apart:
        return apart.wait(watch)


def _child(work: Callable[[Report], Any], writing: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    gc.disable()
    last = 0.0

    def report(now: Progress | str) -> None:
        nonlocal last
        if isinstance(now, str):
            _send(writing, ("news", now))
        elif perf_counter() - last > 0.1:
            last = perf_counter()
            _send(writing, ("progress", now))

    try:
        message: tuple[str, Any] = ("done", work(report))
    except Unsupported as refusal:
        message = ("refused", str(refusal))
    except MemoryError:
        message = ("memory", None)
    except OutOfTime:
        message = ("time", None)
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


class Apart(Generic[Answer]):
    """Work that goes on beside this process; leaving the context ends it."""

    def __init__(self, work: Callable[[Report], Answer], *, memory: int | None, time_limit: float | None) -> None:
        self._begin = perf_counter()
        self._most, self._time_limit = memory or default_limit(), time_limit
        self.last: Progress | None = None
        self.news = ""
        self.done: Done[Answer] | None = None
        self._shared = resident_memory()
        self._data = b""
        self._reading, writing = os.pipe()
        self._child = os.fork()
        if self._child == 0:  # pragma: no cover - the child is not measured
            os.close(self._reading)
            _child(work, writing)
        os.close(writing)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._reading)
        with suppress(ProcessLookupError):
            os.kill(self._child, signal.SIGKILL)
        os.waitpid(self._child, 0)

    def wait(self, watch: Watch | None = None) -> Done[Answer]:
        """Until it is done, a limit is reached, or Ctrl-C. Unsupported where the work refuses."""
        try:
            while self.done is None:
                self.look(_LOOK, watch)
        except KeyboardInterrupt:
            self.done = Done(None, "interrupted", self.seconds, self.last)
        return self.done

    @property
    def seconds(self) -> float:
        return perf_counter() - self._begin

    def look(self, patience: float = 0.0, watch: Watch | None = None) -> Done[Answer] | None:
        """What the work has come to, waiting for news for so many seconds; None: it goes on."""
        if self.done is None:
            if self._time_limit is not None and self.seconds > self._time_limit:
                self.done = Done(None, "time", self.seconds, self.last)
            elif self._most and resident_memory(self._child) - self._shared > self._most:
                self.done = Done(None, "memory", self.seconds, self.last)
        while self.done is None and select([self._reading], [], [], patience)[0]:
            patience = 0.0
            data = os.read(self._reading, 1 << 16)
            if not data:  # the child is gone without a word: the system has ended it
                self.done = Done(None, "memory", self.seconds, self.last)
                break
            self._data += data
            for kind, content in self._messages():
                self._hear(kind, content, watch)
        return self.done

    def _hear(self, kind: str, content: Any, watch: Watch | None) -> None:
        if kind == "progress":
            self.last = content
            if watch is not None:
                watch(content)
        elif kind == "news":
            self.news = content
        elif kind == "refused":
            raise Unsupported(content)
        elif kind == "crash":
            raise RuntimeError(content)
        else:
            self.done = Done(content, kind if kind in ("memory", "time") else "", self.seconds, self.last)

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
