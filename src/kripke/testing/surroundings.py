"""What a program finds in the place of Python's threads, locks, clocks and random numbers while it is under control."""

from __future__ import annotations

import _asyncio
import _thread
import asyncio
import atexit
import gc
import itertools
import multiprocessing.connection
import os
import queue
import random
import select
import selectors
import socket
import socketserver
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kripke._native import hooks as native_hooks
from kripke.testing import descriptors, loop, operating_system, primitives, sockets
from kripke.testing.run import Run

_PLAIN_QUEUE = queue._PySimpleQueue  # type: ignore[attr-defined]

#: What a program may have taken under a name of its own: what it gets instead wherever it loads such a name.
INSTEAD: dict[int, Any] = {
    id(real): controlled
    for real, controlled in (
        (_thread.allocate_lock, primitives.Lock),
        (id, primitives.number_of),
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
        (atexit.register, primitives.register),
        (atexit.unregister, primitives.unregister),
        (socket.socket, sockets.ControlledSocket),
        (socket.socketpair, sockets.socketpair),
        (select.select, descriptors.controlled_select),
        (selectors.DefaultSelector, descriptors.ControlledSelector),
        (multiprocessing.Pipe, descriptors.pipe_of_objects),
        *((getattr(os, name), made) for name, made in descriptors.OF_OS.items()),
        *(
            (getattr(owner, name), made)
            for owner, names in operating_system.REPLACED[:2]
            for name, made in names.items()
        ),
        (asyncio.new_event_loop, loop.new_loop),
        (_asyncio.Future, loop.ControlledFuture),
        (_asyncio.Task, loop.ControlledTask),
    )
}


def _note_never_awaited(coroutine: Any) -> None:
    run = primitives.present_run
    if _thread.get_ident() != primitives.home_thread:
        _REAL_WARN(coroutine)
    elif run is not None and not run.is_over():
        origin = coroutine.cr_origin
        code = coroutine.cr_code
        file, line = origin[0][:2] if origin else (code.co_filename, code.co_firstlineno)
        run.never_awaited.append(
            f"the coroutine {coroutine.__qualname__} that was made at {file}:{line} was never awaited"
        )


_REAL_WARN = warnings._warn_unawaited_coroutine  # type: ignore[attr-defined]

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
    (
        asyncio,
        {"new_event_loop": loop.new_loop, "Future": loop.ControlledFuture, "Task": loop.ControlledTask},
    ),
    (asyncio.events, {"new_event_loop": loop.new_loop}),
    (asyncio.futures, {"Future": loop.ControlledFuture}),
    (asyncio.tasks, {"Task": loop.ControlledTask}),
    (asyncio.runners, {"_cancel_all_tasks": loop.cancel_all_tasks}),
    (socket, sockets.REPLACED),
    (os, descriptors.OF_OS),
    (select, {"select": descriptors.controlled_select}),
    (
        selectors,
        dict.fromkeys(
            ("DefaultSelector", "SelectSelector", "PollSelector", "EpollSelector"), descriptors.ControlledSelector
        ),
    ),
    (socketserver, {"_ServerSelector": descriptors.ControlledSelector}),
    (multiprocessing, {"Pipe": descriptors.pipe_of_objects}),
    (multiprocessing.connection, {"Pipe": descriptors.pipe_of_objects}),
    *operating_system.REPLACED,
    (atexit, {"register": primitives.register, "unregister": primitives.unregister}),
    (warnings, {"_warn_unawaited_coroutine": _note_never_awaited}),
)


@contextmanager
def controlled() -> Iterator[None]:
    """Everything is replaced once for many runs, and put back at the end."""
    before = [
        (owner, name, owner.__dict__[name]) for owner, names in _MODULES for name in names if name in owner.__dict__
    ]
    collecting = gc.isenabled()
    random_state = random.getstate()
    origins = sys.get_coroutine_origin_tracking_depth()
    gc.disable()
    sys.set_coroutine_origin_tracking_depth(max(origins, 1))
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
        sys.set_coroutine_origin_tracking_depth(origins)
        if collecting:
            gc.enable()


@contextmanager
def going_on(run: Run, seed: int) -> Iterator[None]:
    """This run is the one that locks and threads belong to."""
    random.seed(seed)
    asyncio.tasks._task_name_counter = itertools.count(1).__next__  # type: ignore[attr-defined]
    primitives.start_numbers()
    primitives.present_run = run
    native_hooks.watch_run(run)
    twins.clear()
    try:
        yield
    finally:
        primitives.present_run = None
        native_hooks.watch_run(None)


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
