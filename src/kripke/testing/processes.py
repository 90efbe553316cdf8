"""A process of a distributed program, within this one: modules, arguments, output and sockets of its own.

Modules of the program are executed anew for every process and every run, so that globals, class attributes and
singletons belong to one process. ``sys.modules`` and the like are exchanged when another process goes on.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

from kripke.testing import primitives
from kripke.testing.operation import SEND, Operation, Place
from kripke.testing.run import Run, never
from kripke.testing.startup import ProcessLine
from kripke.testing.task import Task

if TYPE_CHECKING:
    from kripke.testing.programs import Programs


_ENVIRONMENT: Any = os.environ


class Process:
    """``life`` counts from 1 and grows when it is started again; ``stable`` and what ``disk()`` gives survive that."""

    def __init__(self, run: Run, number: int, line: ProcessLine, programs: Programs, shows_output: bool) -> None:
        self.run = run
        self.number = number
        self.line = line
        self.name = line.name
        self.host = line.host
        self.programs = programs
        self.tasks: list[Task] = []
        self.alone = True
        self.alive = True
        self.life = 1
        self.crashed = False
        self.exit_code: Any = None
        self.resources: list[Any] = []
        self.exit_callbacks: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = []
        self.stable: Any = None  # the disk, once it was asked for
        self.exported: dict[int, Any] = {}  # objects that others have references to
        self.modules: dict[str, ModuleType] = {}
        self._environment = _environment() | dict(map(_encoded, line.environment))
        self._arguments: list[str] = []
        self._outputs: list[io.StringIO] | None = None if shows_output else [io.StringIO(), io.StringIO()]
        self._outside: tuple[Any, ...] = ()
        faults = line.faults
        self.crashes_left, self.restarts_left = faults.crashes, faults.restarts
        self.losses_left, self.duplicates_left = faults.loss, faults.duplication
        self.early_timeouts_left = faults.early_timeouts
        self.alive_place: Place = (run.keep(self), "alive")

    # -- what a check asks

    def module(self, name: str) -> ModuleType:
        """A module of the program, as this process has it."""
        if name not in self.modules:
            raise KeyError(f"{self.name} has not imported {name}")
        return self.modules[name]

    @property
    def globals(self) -> dict[str, Any]:
        """Variables of the file it runs."""
        return vars(self.modules["__main__"]) if "__main__" in self.modules else {}

    @property
    def output(self) -> str:
        return "".join(each.getvalue() for each in self._outputs or ())

    # -- life

    def start(self) -> None:
        """The first life, started by the present task."""
        operation = Operation("start", text=f"starts {self.name}")
        self.run.start(self._live, self.name, daemon=self.line.background, operation=operation, process=self)

    def _live(self) -> None:
        try:
            try:
                self.programs.execute(self)
            except SystemExit as leaving:
                self.exit_code = leaving.code
            else:
                self.exit_code = 0
            self._wait_for_threads()
        except SystemExit as leaving:
            self.exit_code = leaving.code
        self.end()

    def _wait_for_threads(self) -> None:
        """As the interpreter does at its end: threads that are no daemons, then what was registered."""
        run = self.run
        for task in list(self.tasks):
            owner = task.owner
            if task is not run.present and task.loop is None and not getattr(owner, "daemon", True):
                run.join(task, Operation("join", text=f"waits for the end of {task.name}"), None)
        while self.exit_callbacks:
            function, args, kwargs = self.exit_callbacks.pop()
            function(*args, **kwargs)

    def adopt(self, task: Task) -> None:
        task.process = self
        task.daemon = task.daemon or self.line.background
        self.tasks.append(task)

    def has_many(self) -> bool:
        """Has it more than one thread? What the first does until then nobody sees."""
        if len(self.tasks) > 1:
            self.crowd()
        return not self.alone

    def crowd(self) -> None:
        """Threads of it see each other from now on; one may end the process while the others wait."""
        if self.alone:
            self.alone = False
            for task in self.tasks:
                if not task.finished:
                    self.before(task.pending)

    def before(self, operation: Operation) -> None:
        """What a task does depends on whether its process is still there, where another one may end it."""
        if self.alone:
            return
        if operation.places is None:
            operation.reads += (self.alive_place,)
            return
        places = operation.places

        def with_life() -> tuple[tuple[Place, ...], tuple[Place, ...]]:
            reads, writes = places()
            return (*reads, self.alive_place), writes

        operation.places = with_life
        operation.look_again()

    def may_crash(self, run: Run, operation: Operation) -> None:
        """Before each step that others may see. Between two of them a crash makes no difference to anybody."""
        place = Operation("", code=operation.code, instruction=operation.instruction)
        chosen = run.choose(3 if self.restarts_left else 2, place)
        if chosen:
            self.crashes_left -= 1
            self._end_at_once("crashes", operation, crashed=True, restarts=chosen == 2)

    def exit_at_once(self, code: int) -> NoReturn:
        """``os._exit``."""
        self.exit_code = code
        self._end_at_once(f"ends with os._exit({code})", primitives.here(""), crashed=False, restarts=False)

    def end(self) -> None:
        """The last thread that counted has ended: daemons are gone, sockets are closed."""
        others = [task for task in self.tasks if not task.finished and task is not self.run.present]
        if others or any(each.places() for each in self.resources):
            self._step(f"{self.name} ends", Operation(""))
            self._take_away()
        self.alive = False

    def _step(self, text: str, at: Operation) -> None:
        operation = Operation(SEND, text=text, code=at.code, instruction=at.instruction)
        operation.places = lambda: (
            (),
            (self.alive_place, *(place for each in self.resources for place in each.places())),
        )
        operation.look_again()
        crashes, self.crashes_left = self.crashes_left, 0
        self.run.do(operation)
        self.crashes_left = crashes

    def _take_away(self) -> None:
        run = self.run
        for task in self.tasks:
            if task is not run.present and not task.finished:
                task.finished, task.killed = True, run.at_this_step()
                task.pending.waits_for, task.pending.deadline = never, None
        for each in self.resources:
            each.close_now(run)
        self.resources.clear()

    def _end_at_once(self, verb: str, at: Operation, *, crashed: bool, restarts: bool) -> NoReturn:
        run = self.run
        self._step(f"{self.name} {verb}", at)
        self._take_away()
        self.alive = False
        self.crashed = crashed
        if restarts:
            self.restarts_left -= 1
            self._start_again()
        run.abandon()

    def _start_again(self) -> None:
        """With nothing but what is stable."""
        run = self.run
        self.modules = {}
        self.exit_callbacks.clear()
        self.alone = self.alive = True
        self.crashed = False
        self.life += 1
        self.tasks.clear()
        task = run._new_task(self._live, f"{self.name} again", self.line.background, self)
        task.pending.after = run.at_this_step()
        for name in self.programs.names:
            sys.modules.pop(name, None)

    # -- surroundings

    def enter(self) -> None:
        """What is found under the names of ``sys`` is this process's."""
        modules = sys.modules
        self._outside = (modules.get("__main__"), sys.argv, _ENVIRONMENT._data, sys.stdout, sys.stderr)
        for name in self.programs.names:
            if name in self.modules:
                modules[name] = self.modules[name]
            else:
                modules.pop(name, None)
        if "__main__" in self.modules:
            modules["__main__"] = self.modules["__main__"]
        sys.argv = self.arguments
        _ENVIRONMENT._data = self._environment
        if self._outputs is not None:
            sys.stdout, sys.stderr = self._outputs

    @property
    def arguments(self) -> list[str]:
        if not self._arguments:
            self._arguments = [self.line.target, *self.line.arguments]
        return self._arguments

    def leave(self) -> None:
        modules = sys.modules
        for name in self.programs.names:
            if name in modules:
                self.modules[name] = modules.pop(name)
            else:
                self.modules.pop(name, None)
        main, self._arguments, _ENVIRONMENT._data, sys.stdout, sys.stderr = (
            self._outside[0],
            sys.argv,
            *self._outside[2:],
        )
        sys.argv = self._outside[1]
        if main is not None:
            modules["__main__"] = main


def _environment() -> dict[Any, Any]:
    return dict(_ENVIRONMENT._data)


def _encoded(pair: tuple[str, str]) -> tuple[Any, Any]:
    name, value = pair
    return _ENVIRONMENT.encodekey(name), _ENVIRONMENT.encodevalue(value)


def present_process() -> Process | None:
    """The process whose code is running."""
    run = primitives.present_run
    return None if run is None or primitives.elsewhere() else run.present.process


def in_process(function: Callable[[Process], Any]) -> Any:
    process = present_process()
    if process is None:
        raise RuntimeError("this is for processes of a start-up file")
    return function(process)
