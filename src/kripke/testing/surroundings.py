"""What a program finds in the place of Python's threads, locks, clocks and random numbers while it is under control."""

from __future__ import annotations

import _thread
import gc
import queue
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kripke.testing import primitives
from kripke.testing.run import Run

_PLAIN_QUEUE = queue._PySimpleQueue  # type: ignore[attr-defined]

#: What a program may have taken under a name of its own: what it gets instead wherever it loads such a name.
INSTEAD: dict[int, Any] = {
    id(real): controlled
    for real, controlled in (
        (_thread.allocate_lock, primitives.Lock),
        (threading.RLock, primitives.RLock),
        (threading._CRLock, primitives.RLock),  # type: ignore[attr-defined]
        (threading.local, primitives.Local),
        (threading.get_ident, primitives.identity),
        (threading.current_thread, primitives.current_thread),
        (threading.enumerate, primitives.living_threads),
        (queue.SimpleQueue, _PLAIN_QUEUE),
        (time.sleep, primitives.sleep),
        (time.time, primitives.clock),
        (time.monotonic, primitives.clock),
        (time.perf_counter, primitives.clock),
        (time.time_ns, primitives.clock_in_nanoseconds),
        (time.monotonic_ns, primitives.clock_in_nanoseconds),
        (time.perf_counter_ns, primitives.clock_in_nanoseconds),
    )
}

_MODULES: tuple[tuple[Any, dict[str, Any]], ...] = (
    (
        threading,
        {
            "Lock": primitives.Lock,
            "RLock": primitives.RLock,
            "_allocate_lock": primitives.Lock,
            "_CRLock": primitives.RLock,
            "local": primitives.Local,
            "get_ident": primitives.identity,
            "current_thread": primitives.current_thread,
            "enumerate": primitives.living_threads,
            "_time": primitives.clock,
        },
    ),
    (
        threading.Thread,
        {
            "start": primitives.start,
            "join": primitives.join,
            "is_alive": primitives.is_alive,
            "ident": property(primitives.identity_of),
            "native_id": property(primitives.identity_of),
        },
    ),
    (queue, {"SimpleQueue": _PLAIN_QUEUE, "time": primitives.clock}),
    (
        time,
        {
            "sleep": primitives.sleep,
            "time": primitives.clock,
            "monotonic": primitives.clock,
            "perf_counter": primitives.clock,
            "time_ns": primitives.clock_in_nanoseconds,
            "monotonic_ns": primitives.clock_in_nanoseconds,
            "perf_counter_ns": primitives.clock_in_nanoseconds,
        },
    ),
)


@contextmanager
def controlled() -> Iterator[None]:
    """Everything is replaced once for many runs, and put back at the end."""
    before = [
        (owner, name, owner.__dict__[name]) for owner, names in _MODULES for name in names if name in owner.__dict__
    ]
    collecting = gc.isenabled()
    random_state = random.getstate()
    gc.disable()
    try:
        for owner, names in _MODULES:
            for name, value in names.items():
                if name in owner.__dict__:
                    setattr(owner, name, value)
        yield
    finally:
        for owner, name, value in before:
            setattr(owner, name, value)
        random.setstate(random_state)
        if collecting:
            gc.enable()


@contextmanager
def going_on(run: Run, seed: int) -> Iterator[None]:
    """This run is the one that locks and threads belong to."""
    random.seed(seed)
    primitives.present_run = run
    twins.clear()
    try:
        yield
    finally:
        primitives.present_run = None


#: Locks that were made before anything was under control, and what stands for them in this run.
twins: dict[int, Any] = {}
_REAL_LOCK = type(_thread.allocate_lock())
_REAL_RLOCK = type(_thread.RLock())
REAL_LOCKS = frozenset({_REAL_LOCK, _REAL_RLOCK})


def twin_of(lock: Any) -> Any:
    """The controlled lock that stands for a real one."""
    found = twins.get(id(lock))
    if found is None:
        found = primitives.Lock() if type(lock) is _REAL_LOCK else primitives.RLock()
        twins[id(lock)] = found
        primitives.the_run().keep(lock)
    return found
