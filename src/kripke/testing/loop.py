"""The event loop of a program under control: any coroutine that can go on may be the next one, and time is virtual.

Every task of asyncio is a task of the run, and its steps are blocks: from one ``await`` that waits to the next. Which
block comes first is the schedule's choice, since how long input and output take is nobody's to say. Callbacks keep
the order in which one task asked for them (``call_soon`` promises that). The code of asyncio itself, from locks to task
groups, is run as it is, in the Python version of futures and tasks, and watched like code of the program.
"""

from __future__ import annotations

import asyncio
import asyncio.events
import asyncio.futures
import asyncio.runners
import asyncio.tasks
import contextvars
import os
import sys
import threading
import weakref
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import suppress
from types import CodeType
from typing import Any, NoReturn

from kripke.testing import primitives, streams
from kripke.testing.operation import ACQUIRE, BLOCK, RELEASE, Operation
from kripke.testing.run import Run
from kripke.testing.stopped import Unfinished
from kripke.testing.task import Task

_Future: Any = asyncio.futures._PyFuture  # type: ignore[attr-defined]
_Task: Any = asyncio.tasks._PyTask  # type: ignore[attr-defined]
_AbstractLoop: Any = asyncio.AbstractEventLoop
_ASYNCIO = os.path.dirname(asyncio.__file__) + os.sep
_OWN = os.path.dirname(__file__) + os.sep


class ControlledFuture(_Future):  # type: ignore[misc]
    """A future whose place in sets is the same in all runs: addresses are not."""

    def __init__(self, *, loop: Any = None) -> None:
        self._kripke_number = primitives.next_number()
        super().__init__(loop=loop)

    def __hash__(self) -> int:
        return int(self._kripke_number)


class ControlledTask(_Task):  # type: ignore[misc]
    """The same for tasks."""

    def __init__(self, coro: Any, *, loop: Any = None, name: str | None = None, context: Any = None) -> None:
        self._kripke_number = primitives.next_number()
        super().__init__(coro, loop=loop, name=name, context=context)

    def __hash__(self) -> int:
        return int(self._kripke_number)

    def set_name(self, value: object) -> None:
        super().set_name(value)
        if isinstance(self._loop, Loop):
            self._loop._actors[self].task.name = str(value)


class _Actor:
    """Handles that one task of the run works off, one after the other."""

    __slots__ = ("handles", "loop", "task")

    def __init__(self, loop: Loop, name: str) -> None:
        self.loop = loop
        self.handles: deque[tuple[asyncio.Handle, tuple[int, ...]]] = deque()
        self.task: Task = loop.run.add_actor(loop, name, self._work, self._operation())

    def add(self, handle: asyncio.Handle) -> None:
        run = self.loop.run
        at = run.at_this_step()
        if not self.handles and self.task is not run.present:
            self.task.pending.after = at + self.loop.started
        self.handles.append((handle, at))

    def _operation(self) -> Operation:
        """The next block. In fine runs it takes the loop, which is a lock to what it runs."""
        loop = self.loop
        operation = Operation(ACQUIRE if loop.run.fine else BLOCK, reads=(loop.running_place,), text="goes on")
        if loop.run.fine:
            operation.writes = (loop.turn_place,)
        operation.waits_for = self._can_go_on
        operation.deadline = None
        return operation

    def _can_go_on(self) -> bool:
        if not self.handles or not self.loop.running or self.loop.busy is not None:
            return False
        spins = self.task.spins
        if spins is not None:
            if spins():
                return False
            self.task.spins = None
            self.task.pending.after += self.loop.run.at_this_step()
        return True

    def _work(self) -> bool:
        loop, run = self.loop, self.loop.run
        handle, _ = self.handles.popleft()
        loop.perform(self.task, handle)
        owner = self.task.owner
        if owner is not None and is_done(owner) and not self.handles:
            return True
        operation = self._operation()
        if self.handles:
            operation.after = self.handles[0][1] + loop.started
        run.do(operation)
        return False


class _Timer:
    """A handle whose time comes: a task of the run that waits for nothing else."""

    __slots__ = ("handle", "loop", "task")

    def __init__(self, loop: Loop, handle: asyncio.TimerHandle) -> None:
        self.loop = loop
        self.handle = handle
        operation = Operation("timer", reads=(loop.running_place,), text=f"time {handle.when():g} comes")
        operation.waits_for = primitives.is_never
        operation.deadline = handle.when()
        self.task = loop.run.add_actor(loop, "timer", self._work, operation)

    def _work(self) -> bool:
        loop = self.loop
        if loop.busy is not None or not loop.running:
            operation = Operation(BLOCK, text="goes on")
            operation.waits_for = lambda: loop.busy is None and loop.running
            loop.run.do(operation)
        if not self.handle.cancelled():
            loop.perform(self.task, self.handle)
        return True


class Loop(_AbstractLoop):  # type: ignore[misc]
    """As the loops of asyncio, with connections within the program alone."""

    def __init__(self) -> None:
        run = primitives.present_run
        if run is None or primitives.elsewhere():
            raise RuntimeError("this loop is for programs under control")
        self.run: Run = run
        self.running = False
        self.busy: Task | None = None
        self.thread = run.present  # that runs the loop
        identity = run.keep(self)
        self.running_place = (identity, "running")
        self.turn_place = (identity, "turn")
        self.started: tuple[int, ...] = ()  # the step that started the loop
        self._stopping = False
        self._closed = False
        self._runner: Operation | None = None
        self._callbacks: dict[int, _Actor] = {}
        self._actors: weakref.WeakKeyDictionary[Any, _Actor] = weakref.WeakKeyDictionary()
        self._timers: dict[int, _Timer] = {}
        self._tasks: list[Any] = []
        self.servers: dict[Any, streams.Server] = {}
        self._handler: Callable[..., Any] | None = None
        self._factory: Any = None
        self._executor: Any = None
        self._generators: weakref.WeakSet[Any] = weakref.WeakSet()
        run.loops += 1
        run.at_end.append(self._look_at_end)
        run.at_close.append(self._throw_away)
        if any(task.loop is None and not task.finished for task in run.tasks if task is not run.present):
            run.need_fine_steps()

    # -- running

    def run_forever(self) -> None:
        self._check_closed()
        if self.running:
            raise RuntimeError("This event loop is already running")
        if asyncio.events._get_running_loop() is not None:
            raise RuntimeError("Cannot run the event loop while another loop is running")
        run = self.run
        self.thread = run.present
        self.running, self._stopping = True, False
        self.started = run.at_this_step()
        for actor in (*self._actors.values(), *self._callbacks.values()):
            if actor.handles:
                actor.task.pending.after += self.started
        hooks = sys.get_asyncgen_hooks()
        sys.set_asyncgen_hooks(firstiter=self._generators.add, finalizer=self._finish_generator)
        operation = Operation("loop", writes=(self.running_place,), text="runs the event loop")
        frame = primitives.caller(sys._getframe(1))
        operation.code, operation.instruction = frame.f_code, frame.f_lasti
        operation.waits_for = lambda: self._stopping and self.busy is None
        self._runner = operation
        try:
            run.do(operation)
        finally:
            self._runner = None
            self.running = False
            sys.set_asyncgen_hooks(*hooks)

    def run_until_complete(self, future: Any) -> Any:
        self._check_closed()
        is_new = not asyncio.isfuture(future)
        future = asyncio.ensure_future(future, loop=self)
        if is_new:
            future._log_destroy_pending = False
        future.add_done_callback(self._stop_with)
        try:
            self.run_forever()
        finally:
            if not self.run.is_over():
                future.remove_done_callback(self._stop_with)
        if not future.done():
            raise RuntimeError("Event loop stopped before Future completed.")
        return future.result()

    def _stop_with(self, future: Any) -> None:
        if not future.cancelled():
            error = future.exception()
            if isinstance(error, (SystemExit, KeyboardInterrupt)):
                return
        self.stop()

    def stop(self) -> None:
        self._stopping = True
        if self._runner is not None:
            self._runner.after = self.run.at_this_step()

    def is_running(self) -> bool:
        return self.running

    def is_closed(self) -> bool:
        return self._closed

    def close(self) -> None:
        if self.running:
            raise RuntimeError("Cannot close a running event loop")
        self._closed = True

    def perform(self, task: Task, handle: asyncio.Handle) -> None:
        """One block."""
        self.busy = task
        asyncio.events._set_running_loop(self)
        try:
            if not handle.cancelled():
                primitives.announce_call(handle._callback, tuple(handle._args or ()))  # type: ignore[attr-defined]
                handle._run()
        finally:
            asyncio.events._set_running_loop(None)
            if self.run.fine and not self.run.is_over():
                self.run.do(Operation(RELEASE, writes=(self.turn_place,), text="waits"))
            self.busy = None
        if self.run.watching and task.place is not None:
            where = task.place()
            if where is not None:
                self.run.note(where)

    # -- what is asked of a loop

    def time(self) -> float:
        return self.run.now

    def call_soon(self, callback: Any, *args: Any, context: contextvars.Context | None = None) -> asyncio.Handle:
        self._check_closed()
        handle = asyncio.Handle(callback, args, self, context)
        if self.run.is_over():
            return handle
        owner = getattr(callback, "__self__", None)
        actor = None
        if isinstance(owner, _Task):
            if owner not in self._actors:
                self.adopt(owner)
            actor = self._actors[owner]
        if actor is None:
            # Of callbacks that one task asks for, the order is kept.
            asking = self.run.present.index
            actor = self._callbacks.get(asking)
            if actor is None:
                actor = self._callbacks[asking] = _Actor(self, f"callbacks of {self.run.present.name}")
        actor.add(handle)
        return handle

    def call_soon_threadsafe(self, callback: Any, *args: Any, context: Any = None) -> asyncio.Handle:
        return self.call_soon(callback, *args, context=context)

    def call_later(self, delay: float, callback: Any, *args: Any, context: Any = None) -> asyncio.TimerHandle:
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_at(self, when: float, callback: Any, *args: Any, context: Any = None) -> asyncio.TimerHandle:
        self._check_closed()
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        handle._scheduled = True  # type: ignore[attr-defined]
        if not self.run.is_over():
            self._timers[id(handle)] = _Timer(self, handle)
        return handle

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        timer = self._timers.pop(id(handle), None)
        if timer is not None:
            timer.task.finished = True

    def create_future(self) -> Any:
        return ControlledFuture(loop=self)

    def create_task(self, coro: Any, *, name: str | None = None, context: Any = None) -> Any:
        self._check_closed()
        if self._factory is not None:
            return self._factory(self, coro) if context is None else self._factory(self, coro, context=context)
        return ControlledTask(coro, loop=self, name=name, context=context)

    def adopt(self, task: Any) -> None:
        """A task of asyncio that was made just now: a task of the run."""
        name = getattr(task._coro, "__name__", "task")
        given = task._name
        actor = _Actor(self, name if given.startswith("Task-") else str(given))
        actor.task.owner = task
        actor.task.place = lambda: where_it_waits(task)
        self._actors[task] = actor
        self._tasks.append(task)

    def set_task_factory(self, factory: Any) -> None:
        self._factory = factory

    def get_task_factory(self) -> Any:
        return self._factory

    def get_debug(self) -> bool:
        return False

    def set_debug(self, enabled: bool) -> None:
        pass

    # -- errors

    def set_exception_handler(self, handler: Any) -> None:
        self._handler = handler

    def get_exception_handler(self) -> Any:
        return self._handler

    def default_exception_handler(self, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, BaseException) and not self.run.is_over():
            self.run.fail(error)

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        if self.run.is_over():
            return
        if self._handler is not None:
            self._handler(self, context)
        else:
            self.default_exception_handler(context)

    def _look_at_end(self) -> BaseException | None:
        """Errors that nobody looked at."""
        for task in self._tasks:
            if task._state == "FINISHED" and task._Future__log_traceback:
                task._Future__log_traceback = False
                error: BaseException = task._exception
                return error
        return None

    def _throw_away(self) -> None:
        """Coroutines of tasks that have not ended go with the run."""
        for task in self._tasks:
            task._log_destroy_pending = task._Future__log_traceback = False
            if not is_done(task):
                with suppress(BaseException):
                    task._coro.close()

    def note_unfinished(self) -> None:
        """The program has ended, and these tasks have not."""
        for task in self._tasks:
            if not is_done(task):
                where = where_it_waits(task)
                place = f" at {os.path.basename(where.file)}:{where.line}" if where is not None else ""
                self.run.unfinished.append(f"{self._actors[task].task.name}, which waits{place}")

    # -- threads

    def run_in_executor(self, executor: Any, function: Callable[..., Any], *args: Any) -> Any:
        self._check_closed()
        executor = executor if executor is not None else self._executor
        if executor is not None:
            return asyncio.wrap_future(executor.submit(function, *args), loop=self)
        future = self.create_future()

        def settle(result: Any, error: BaseException | None) -> None:
            if not future.cancelled():
                if error is not None:
                    future.set_exception(error)
                else:
                    future.set_result(result)

        def work() -> None:
            try:
                result = function(*args)
            except BaseException as error:
                self.call_soon_threadsafe(settle, None, error)
            else:
                self.call_soon_threadsafe(settle, result, None)

        work.__name__ = getattr(function, "__name__", "work")
        threading.Thread(target=work).start()
        return future

    def set_default_executor(self, executor: Any) -> None:
        self._executor = executor

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=True)

    # -- connections within the program

    def channel(self, name: str) -> _Actor:
        """What is on its way, in order."""
        return _Actor(self, name)

    async def create_server(
        self, protocol_factory: Any, host: Any = None, port: Any = None, *, start_serving: bool = True, **options: Any
    ) -> Any:
        return await streams.create_server(self, protocol_factory, (host, port), start_serving, options)

    async def create_connection(self, protocol_factory: Any, host: Any = None, port: Any = None, **options: Any) -> Any:
        return await streams.create_connection(self, protocol_factory, (host, port), options)

    async def create_unix_server(
        self, protocol_factory: Any, path: Any = None, *, start_serving: bool = True, **options: Any
    ) -> Any:
        return await streams.create_server(self, protocol_factory, str(path), start_serving, options)

    async def create_unix_connection(self, protocol_factory: Any, path: Any = None, **options: Any) -> Any:
        return await streams.create_connection(self, protocol_factory, str(path), options)

    # -- asynchronous generators

    def _finish_generator(self, generator: Any) -> None:
        self._generators.discard(generator)
        if not self._closed and not self.run.is_over():
            self.call_soon(self.create_task, generator.aclose())

    async def shutdown_asyncgens(self) -> None:
        for generator in list(self._generators):
            await generator.aclose()

    # -- what is not there

    def _check_closed(self) -> None:
        if self._closed:
            raise RuntimeError("Event loop is closed")

    def __getattribute__(self, name: str) -> Any:
        if name in _NOT_UNDER_CONTROL:
            return lambda *args, **kwargs: _refuse(name)
        return super().__getattribute__(name)


_NOT_UNDER_CONTROL = frozenset(
    name
    for name in vars(asyncio.AbstractEventLoop)
    if not name.startswith("_") and name not in vars(Loop)
)  # fmt: skip


def _refuse(name: str) -> NoReturn:
    raise NotImplementedError(
        f"kripke.testing does not control {name}() of event loops: what happens outside of the process cannot be "
        "repeated. Put an asyncio.Queue or a class of your own in its place"
    )


def is_done(task: Any) -> bool:
    """As ``task.done()``, which is code that is watched."""
    return bool(task._state != "PENDING")


def where_it_waits(task: Any) -> Operation | None:
    """The line of the program at which a task of asyncio waits, and for what."""
    if is_done(task):
        return None
    awaited: Any = task._coro
    place: tuple[CodeType, int] | None = None
    inside = ""
    waits_on: Any = None
    while awaited is not None:
        frame = getattr(awaited, "cr_frame", None) or getattr(awaited, "gi_frame", None)
        if frame is not None:
            if frame.f_code.co_filename.startswith((_ASYNCIO, _OWN)):
                if not inside or inside.startswith("_"):
                    inside = frame.f_code.co_qualname
                    waits_on = frame.f_locals.get("self")
            else:
                place, inside = (frame.f_code, max(frame.f_lasti, 0)), ""
        following = getattr(awaited, "cr_await", None)
        awaited = following if following is not None else getattr(awaited, "gi_yieldfrom", None)
    waiter = task._fut_waiter
    if place is None or waiter is None:
        return None
    text = f"in {inside}()" if inside else "for a future"
    if isinstance(waiter, _Task):
        text = f"for the task {getattr(waiter._coro, '__name__', waiter._name)}"
    operation = Operation("awaits", text=f"waits {text}", code=place[0], instruction=place[1])
    if isinstance(waits_on, asyncio.Lock):
        operation.kind = ACQUIRE
        operation.writes = ((primitives.the_run().keep(waits_on), "lock"),)
    return operation


def new_loop() -> Any:
    """In the place of ``asyncio.new_event_loop``."""
    return _REAL_NEW_LOOP() if primitives.elsewhere() else Loop()


def cancel_all_tasks(loop: Any) -> None:
    """In the place of ``asyncio.runners._cancel_all_tasks``: what is cancelled had not ended."""
    if isinstance(loop, Loop):
        loop.note_unfinished()
    _REAL_CANCEL(loop)


_REAL_NEW_LOOP = asyncio.events.new_event_loop
_REAL_CANCEL = asyncio.runners._cancel_all_tasks  # type: ignore[attr-defined]


def run_coroutine(make: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """As ``asyncio.run``; tasks that are left over are noted before they are cancelled."""
    loop = Loop()
    try:
        asyncio.events.set_event_loop(loop)
        result = loop.run_until_complete(make())
        loop.note_unfinished()
        left = [task for task in loop._tasks if not is_done(task)]
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        if loop._generators:
            loop.run_until_complete(loop.shutdown_asyncgens())
        return result
    finally:
        asyncio.events.set_event_loop(None)
        if not loop.run.is_over():
            loop.close()


def unfinished_words(unfinished: list[str]) -> Unfinished:
    return Unfinished("tasks had not ended when the program did: " + "; ".join(unfinished))
