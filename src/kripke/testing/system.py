"""Distributed programs in one process: a start-up file under every schedule."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from kripke.testing import primitives
from kripke.testing.explore import Report, Settings, explore
from kripke.testing.instrument import Instrumentation
from kripke.testing.network import network_of
from kripke.testing.operation import SEND
from kripke.testing.processes import Process, in_process
from kripke.testing.programs import ProgramError, Programs
from kripke.testing.run import Run
from kripke.testing.startup import Startup, read_startup


class System:
    """All processes of one run, for those who look at its end. ``log``: what processes recorded, in order."""

    def __init__(self, run: Run, startup: Startup, programs: Programs, shows_output: bool) -> None:
        network = network_of(run)
        network.waits_for_listeners = startup.connect == "wait"
        network.reorders = startup.delay
        network.adversary = startup.adversary
        self.processes = {
            line.name: Process(run, number, line, programs, shows_output)
            for number, line in enumerate(startup.processes, 1)
        }
        network.hosts = {process.name: process.host for process in self.processes.values()}
        self.log: list[Any] = []
        self.exports: dict[str, Any] = {}
        self.place = (run.keep(self), "log")
        network.system = self

    def __getitem__(self, name: str) -> Process:
        return self.processes[name]


Check = Callable[[System], Any]


def explore_system(
    startup: str | Startup, settings: Settings | None = None, *, check: Check | None = None, name: str = ""
) -> Report:
    """Run the processes of a start-up file under every schedule. ``check`` looks at the end of every run, and fails
    by an exception; the settings of the file count where none are given."""
    if isinstance(startup, str):
        startup = read_startup(startup)
    settings = settings or Settings()
    settings = replace(settings, **{**startup.search, **_given(settings)})
    programs: Programs | None = None
    chosen = startup

    @contextmanager
    def arrangement(instrumentation: Instrumentation) -> Iterator[None]:
        nonlocal programs, check
        programs = Programs(chosen.folder, instrumentation, settings.modules)
        programs.compile_all(
            [os.path.join(chosen.folder, each.target) for each in chosen.processes if not each.is_module]
        )
        if check is None and chosen.check:
            check = load_check(chosen)
        with programs.found_first():
            yield

    def body() -> None:
        assert programs is not None
        run = primitives.the_run()
        system = System(run, chosen, programs, settings.replay is not None)
        if check is not None:
            run.at_end.append(lambda: _looked(check, system))
        for process in system.processes.values():
            process.start()

    return explore(body, settings, name=name or chosen.path, arrangement=arrangement)


def _given(settings: Settings) -> dict[str, Any]:
    """What differs from the defaults."""
    defaults = Settings()
    return {name: value for name, value in vars(settings).items() if value != getattr(defaults, name)}


def _looked(check: Check, system: System) -> BaseException | None:
    try:
        check(system)
    except Exception as error:
        return error
    return None


def load_check(startup: Startup) -> Check:
    """The function that ``set check=FILE.py:FUNCTION`` names."""
    file, _, function = startup.check.partition(":")
    path = os.path.join(startup.folder, file)
    spec = importlib.util.spec_from_file_location("kripke_check", path)
    if not function or spec is None or spec.loader is None or not os.path.isfile(path):
        raise ProgramError(f"{startup.path}: check is FILE.py:FUNCTION, not {startup.check!r}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = getattr(module, function, None)
    if not callable(found):
        raise ProgramError(f"{startup.path}: {file} has no function {function}")
    made: Check = found
    return made


# -- what processes may call


def record(value: Any) -> None:
    """Note something for the check at the end of the run. All orders of what is recorded are seen."""
    if primitives.elsewhere():
        return
    run = primitives.the_run()
    system = network_of(run).system
    if system is None:
        return
    operation = primitives.here(SEND, f"records {value!r}")
    operation.writes = (system.place,)
    run.do(operation)
    system.log.append(value)


class Disk(dict[Any, Any]):
    """What a process keeps when it crashes. Every write is a step, and a crash may come between two of them."""

    def __init__(self, process: Process) -> None:
        super().__init__()
        self._process = process

    def _write(self, text: str) -> None:
        run = primitives.present_run
        if run is not None and not primitives.elsewhere():
            operation = primitives.here(SEND, text)
            operation.writes = ((run.keep(self), "disk"),)
            run.do(operation)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._write(f"writes {key!r} to its disk")
        super().__setitem__(key, value)

    def __delitem__(self, key: Any) -> None:
        self._write(f"deletes {key!r} from its disk")
        super().__delitem__(key)

    def update(self, *args: Any, **kwargs: Any) -> None:
        """All at once."""
        self._write("writes to its disk")
        super().update(*args, **kwargs)

    def pop(self, *args: Any) -> Any:
        self._write(f"deletes {args[0]!r} from its disk")
        return super().pop(*args)

    def clear(self) -> None:
        self._write("clears its disk")
        super().clear()

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self[key]


def stable() -> Disk:
    """What this process keeps when it crashes: a dictionary in the place of a disk. Each write is done at once. What it
    holds is not copied: put values there that do not change."""

    def disk_of(process: Process) -> Disk:
        if process.stable is None:
            process.stable = Disk(process)
        disk: Disk = process.stable
        return disk

    found: Disk = in_process(disk_of)
    return found
