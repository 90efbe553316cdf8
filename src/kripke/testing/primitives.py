"""Locks, threads and time of a program under control, in the place of those of Python.

Condition, Semaphore, Event, Barrier, Timer, queues and executors are Python code on top of locks. They stay.
"""

from __future__ import annotations

import _thread
import asyncio
import asyncio.streams
import asyncio.taskgroups
import asyncio.threads
import asyncio.timeouts
import atexit
import concurrent.futures.thread
import itertools
import os
import queue
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

from kripke._native import hooks as native_hooks
from kripke.testing.operation import ACCESS, ACQUIRE, RELEASE, START, WAKE, Operation
from kripke.testing.run import Run
from kripke.testing.stopped import OutOfControl
from kripke.testing.task import Task

#: The run that is going on; there is one at a time, in one thread of the operating system. Other threads (those of a
#: test runner, say) get the real things.
present_run: Run | None = None
home_thread = _thread.get_ident()

_REAL = {name: getattr(time, name) for name in ("sleep", "time", "time_ns")} | {
    name: getattr(threading, name) for name in ("get_ident", "current_thread", "enumerate", "local", "RLock")
}
_REAL_START = threading.Thread.start
_REAL_JOIN = threading.Thread.join
_REAL_IS_ALIVE = threading.Thread.is_alive
_REAL_IDENT = threading.Thread.ident


_numbers = itertools.count(1)


def start_numbers() -> None:
    """At the beginning of a run."""
    global _numbers
    _numbers = itertools.count(1)


def next_number() -> int:
    """Of an object that sets and dictionaries hold: the same in every run that begins in the same way."""
    return next(_numbers)


def elsewhere() -> bool:
    """Is this another thread of the operating system than the one under control, or is no run going on?"""
    return present_run is None or _thread.get_ident() != home_thread


#: Code of these files is passed over when a step is shown: the program called it.
ASYNCIO = frozenset(
    module.__file__
    for module in (
        asyncio.base_events,
        asyncio.events,
        asyncio.futures,
        asyncio.locks,
        asyncio.queues,
        asyncio.runners,
        asyncio.streams,
        asyncio.taskgroups,
        asyncio.tasks,
        asyncio.threads,
        asyncio.timeouts,
    )
)
LIBRARIES = ASYNCIO | {
    threading.__file__,
    queue.__file__,
    concurrent.futures._base.__file__,
    concurrent.futures.thread.__file__,
    *(
        os.path.join(os.path.dirname(threading.__file__), *name.split("/"))
        for name in (
            "socket.py",
            "socketserver.py",
            "subprocess.py",
            "selectors.py",
            "http/client.py",
            "http/server.py",
            "urllib/request.py",
            "xmlrpc/client.py",
            "xmlrpc/server.py",
            "atexit.py",
            "email/parser.py",
            "email/feedparser.py",
        )
    ),
}
_OWN = os.path.dirname(__file__) + os.sep


native_hooks.prepare_places(Operation, LIBRARIES, _OWN)


def caller(frame: FrameType) -> FrameType:
    """The frame of the program that led to this one; the frame itself where no program did."""
    found: FrameType = native_hooks.caller(frame)
    return found


def library_call(frame: FrameType) -> str:
    """What the program called, where this frame is one of asyncio: ``Lock.acquire``."""
    found = frame
    while found.f_back is not None and (
        found.f_back.f_code.co_filename in LIBRARIES or found.f_back.f_code.co_filename.startswith(_OWN)
    ):
        found = found.f_back
        if found.f_code.co_filename in ASYNCIO and not found.f_code.co_qualname.startswith("_"):
            frame = found
    return frame.f_code.co_qualname


def here(kind: str, text: Any = "") -> Operation:
    """An operation of the program, at the place of the program that led to it."""
    made: Operation = native_hooks.here(kind, text)
    if kind == ACQUIRE:
        made.takes = True
    return made


def the_run() -> Run:
    assert present_run is not None
    return present_run


def present_thread() -> Task:
    """The task that stands for the present thread: of what an event loop runs, the one that runs the loop."""
    task = the_run().present
    while task.loop is not None:
        task = task.loop.thread
    return task


class Lock:
    """As ``threading.Lock``. Its state is part of the run; acquiring it is a step that waits."""

    __slots__ = ("__weakref__", "_held", "_made_at")

    def __new__(cls) -> Any:
        return _thread.allocate_lock() if elsewhere() else object.__new__(cls)

    def __init__(self) -> None:
        self._held = False
        self._made_at = here("")

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        if not blocking and timeout != -1:
            raise ValueError("can't specify a timeout for a non-blocking call")
        if timeout < 0 and timeout != -1:
            raise ValueError("timeout value must be a non-negative number")
        run = present_run
        if run is None:
            if self._held:
                raise RuntimeError("a lock of a run is used after the run")
            self._held = True
            return True
        place = (run.keep(self), "lock")
        if not blocking or timeout == 0:
            operation = here(ACCESS, self._words("tries"))
            operation.writes = (place,)
            done = run.do(operation)
            if self._held:
                return False
        else:
            operation = here(ACQUIRE, self._words("acquires"))
            operation.writes = (place,)
            operation.waits_for = self._is_free
            operation.deadline = None if timeout == -1 else run.now + timeout
            done = run.do(operation)
            if done.kind == WAKE and self._held:
                return False
        self._held = done.takes = True
        run.holders[place[0]] = run.present
        return True

    acquire_lock = acquire

    def release(self) -> None:
        run = present_run
        if run is not None:
            operation = here(RELEASE, self._words("releases"))
            number = run.keep(self)
            operation.writes = ((number, "lock"),)
            run.do(operation)
            run.holders.pop(number, None)
        if not self._held:
            raise RuntimeError("release unlocked lock")
        self._held = False

    release_lock = release

    def locked(self) -> bool:
        run = present_run
        if run is not None:
            operation = here(ACCESS, self._words("looks at"))
            operation.reads = ((run.keep(self), "lock"),)
            run.do(operation)
        return self._held

    locked_lock = locked

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *exception: object) -> None:
        self.release()

    def _is_free(self) -> bool:
        return not self._held

    def _words(self, verb: str) -> Callable[[], str]:
        made = self._made_at
        return lambda: f"{verb} the lock of {os.path.basename(made.file)}:{made.line}"

    def _at_fork_reinit(self) -> None:
        self._held = False


class RLock:
    """As ``threading.RLock``: only its first acquisition and its last release are steps."""

    __slots__ = ("__weakref__", "_count", "_lock", "_owner")

    def __new__(cls) -> Any:
        return _REAL["RLock"]() if elsewhere() else object.__new__(cls)

    def __init__(self) -> None:
        self._lock = Lock()
        self._owner: Task | None = None
        self._count = 0

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        me = present_run.present if present_run is not None else None
        if self._count and self._owner is me:
            self._count += 1
            return True
        if not self._lock.acquire(blocking, timeout):
            return False
        self._owner = me
        self._count = 1
        return True

    def release(self) -> None:
        me = present_run.present if present_run is not None else None
        if not self._count or self._owner is not me:
            raise RuntimeError("cannot release un-acquired lock")
        if self._count > 1:
            self._count -= 1
            return
        # The step comes first: until it is done, the lock is this task's.
        run = present_run
        if run is not None:
            operation = here(RELEASE, self._lock._words("releases"))
            number = run.keep(self._lock)
            operation.writes = ((number, "lock"),)
            run.do(operation)
            run.holders.pop(number, None)
        self._count = 0
        self._owner = None
        self._lock._held = False

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _is_owned(self) -> bool:
        return bool(self._count) and self._owner is (present_run.present if present_run is not None else None)

    def _release_save(self) -> int:
        count = self._count
        self._count = 1
        self.release()
        return count

    def _acquire_restore(self, count: int) -> None:
        self.acquire()
        self._count = count


class Local:
    """As ``threading.local``: every task has attributes of its own."""

    def __init__(self, /, *args: Any, **kwargs: Any) -> None:
        object.__setattr__(self, "_made_with", (args, kwargs))
        self._own()

    def _own(self) -> dict[str, Any]:
        values = present_thread().local
        identity = the_run().keep(self)
        if identity not in values:
            values[identity] = {}
            if type(self) is not Local and type(self).__init__ is not Local.__init__:
                args, kwargs = object.__getattribute__(self, "_made_with")
                type(self).__init__(self, *args, **kwargs)
        found: dict[str, Any] = values[identity]
        return found

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("__") or name in ("_own", "_made_with"):
            if name == "__dict__":
                return object.__getattribute__(self, "_own")()
            return object.__getattribute__(self, name)
        own = object.__getattribute__(self, "_own")()
        if name in own:
            return own[name]
        return object.__getattribute__(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        self._own()[name] = value

    def __delattr__(self, name: str) -> None:
        try:
            del self._own()[name]
        except KeyError:
            raise AttributeError(name) from None


def sleep(seconds: float) -> None:
    """Go on when everybody else waits and no earlier deadline is left."""
    if elsewhere():
        _REAL["sleep"](seconds)
        return
    run = the_run()
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    operation = here("sleep", f"sleeps for {seconds:g} s")
    operation.waits_for = is_never
    operation.deadline = run.now + seconds
    run.do(operation)


def is_never() -> bool:
    return False


def clock() -> float:
    """Seconds of the run's own time."""
    return float(_REAL["time"]()) if elsewhere() else the_run().now


def clock_in_nanoseconds() -> int:
    return int(_REAL["time_ns"]()) if elsewhere() else int(the_run().now * 1_000_000_000)


def announce_call(function: Any, args: tuple[Any, ...]) -> None:
    """Code of ours is about to call this for the program."""
    from kripke.testing import foreign  # it stands on the locks here

    foreign.announce(function, args)


def number_of(target: Any) -> int:
    """In the place of ``id``: the same in every run that begins in the same way."""
    return id(target) if elsewhere() else the_run().keep(target) + 1


def identity() -> int:
    """As ``threading.get_ident``."""
    return int(_REAL["get_ident"]()) if elsewhere() else present_thread().index + 1


def start(thread: threading.Thread) -> None:
    """In the place of ``Thread.start``."""
    if elsewhere():
        _REAL_START(thread)
        return
    run = the_run()
    state = thread.__dict__
    if not state.get("_initialized", False):
        raise RuntimeError("thread.__init__() not called")
    if "_kripke_task" in state:
        raise RuntimeError("threads can only be started once")
    if run.present.process is None:
        refuse_while_importing(run)

    def work() -> None:
        target = state.get("_target")
        if target is not None and type(thread).run is threading.Thread.run:
            announce_call(target, tuple(state["_args"]))
        try:
            thread.run()
        finally:
            state["_is_stopped"] = True

    name = getattr(thread, "_target", None)
    name = getattr(name, "__name__", None) or type(thread).__name__
    task = run.start(
        work,
        name,
        daemon=bool(state.get("_daemonic", False)),
        operation=here(START, lambda: f"starts {task_name(state)}"),
    )
    state["_kripke_task"] = task
    task.owner = thread


def refuse_while_importing(run: Run) -> None:
    """A module is imported by the first run only: the others would have no such thread."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__") in sys.modules and not run.is_over():
            above = frame.f_back
            if above is not None and above.f_code.co_filename.startswith("<frozen importlib"):
                run.end(
                    OutOfControl(
                        f"a thread is started at {frame.f_code.co_filename}:{frame.f_lineno} while this module is "
                        "imported, which is done once only: import it before the test, or start the thread later"
                    )
                )
        frame = frame.f_back


def task_name(state: dict[str, Any]) -> str:
    task = state.get("_kripke_task")
    return task.name if task is not None else str(state.get("_name", "a thread"))


def join(thread: threading.Thread, timeout: float | None = None) -> None:
    """In the place of ``Thread.join``."""
    if elsewhere():
        _REAL_JOIN(thread, timeout)
        return
    task = thread.__dict__.get("_kripke_task")
    if task is None:
        raise RuntimeError("cannot join thread before it is started")
    run = the_run()
    if task is run.present:
        raise RuntimeError("cannot join current thread")
    run.join(task, here("join", lambda: f"waits for the end of {task.name}"), timeout)


def is_alive(thread: threading.Thread) -> bool:
    task = thread.__dict__.get("_kripke_task")
    if task is None:
        return _REAL_IS_ALIVE(thread) if elsewhere() else False
    run = the_run()
    operation = here(ACCESS, lambda: f"asks whether {task.name} is alive")
    operation.reads = ((run.keep(task), "end"),)
    run.do(operation)
    return not task.finished


def current_thread() -> threading.Thread:
    if elsewhere():
        found: threading.Thread = _REAL["current_thread"]()
        return found
    owner = present_thread().owner
    if owner is None:
        return threading.main_thread()
    assert isinstance(owner, threading.Thread)
    return owner


def living_threads() -> list[threading.Thread]:
    if elsewhere():
        return list(_REAL["enumerate"]())
    run = the_run()
    return [task.owner or threading.main_thread() for task in run.tasks if not task.finished and task.loop is None]


def identity_of(thread: threading.Thread) -> int | None:
    """In the place of the property ``Thread.ident``."""
    task = thread.__dict__.get("_kripke_task")
    if task is not None:
        return int(task.index) + 1
    if elsewhere():
        return _REAL_IDENT.__get__(thread)  # type: ignore[no-any-return]
    return 1 if thread is threading.main_thread() else None


_REAL_REGISTER = atexit.register
_REAL_UNREGISTER = atexit.unregister


def register(function: Any, *args: Any, **kwargs: Any) -> Any:
    """In the place of ``atexit.register``: what is registered in a run is called at the end of the run."""
    if elsewhere():
        return _REAL_REGISTER(function, *args, **kwargs)
    run = the_run()
    (run.present.process or run).exit_callbacks.append((function, args, kwargs))
    return function


def unregister(function: Any) -> None:
    if elsewhere():
        _REAL_UNREGISTER(function)
        return
    callbacks = (the_run().present.process or the_run()).exit_callbacks
    callbacks[:] = [each for each in callbacks if each[0] != function]


def exit_program() -> None:
    """The end of a program, as the interpreter ends it: threads that are no daemons first, then what was registered,
    the last one first, while daemons go on."""
    run = the_run()
    if not run.exit_callbacks:
        return
    for task in list(run.tasks):
        if task is not run.present and task.loop is None and not task.daemon:
            run.join(task, Operation("join", text=f"waits for the end of {task.name}"), None)
    while run.exit_callbacks:
        function, args, kwargs = run.exit_callbacks.pop()
        function(*args, **kwargs)
