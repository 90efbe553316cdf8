"""Run a function under every schedule that makes a difference, and say what was found."""

from __future__ import annotations

import functools
import gc
import inspect
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, Literal

from kripke._native import DataRacesOfRuns
from kripke.testing import foreign, hooks, primitives
from kripke.testing.exploration import Exploration, RandomSchedule, choices_of
from kripke.testing.failure import Failure, failure_of, is_same
from kripke.testing.instrument import Instrumentation, supported, takes_part
from kripke.testing.loop import run_coroutine, unfinished_words
from kripke.testing.minimise import with_fewer_switches
from kripke.testing.primitives import exit_program
from kripke.testing.run import MOST_STEPS, Run, Schedule
from kripke.testing.stopped import NeverAwaited, Uncontrolled
from kripke.testing.surroundings import controlled, going_on
from kripke.testing.task import Strands
from kripke.testing.watchdog import watched

_real_clock = time.monotonic

#: Objects that runs leave behind in circles, before somebody looks for them: Python's own search is off all the time.
MOST_GARBAGE = 10_000

Choices = tuple[tuple[int, int], ...]


class NotSupported(RuntimeError):
    """This Python cannot be controlled."""


@dataclass
class Report:
    """What was found. ``complete``: all behaviours were seen, so that what was not found is not there."""

    complete: bool = False
    runs: int = 0
    steps: int = 0
    most_tasks: int = 0
    redundant: int = 0
    reason: str = ""
    failure: Failure | None = None
    races: list[str] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return self.failure is None

    def __str__(self) -> str:
        if self.failure is not None:
            return str(self.failure)
        if self.complete:
            return f"all behaviours: {_count(self.runs, 'schedule')}, no failure"
        return f"{_count(self.runs, 'schedule')}, not all: {self.reason}"


@dataclass(frozen=True)
class Settings:
    """How to explore. ``schedules`` and ``seconds`` are limits. ``search``: "all" tries everything up to the order of
    independent steps; "random" tries ``schedules`` of them by chance, by ``seed``. ``races``: a data race is a failure
    too. ``unfinished``: tasks that have not ended when the program does are one too. ``replay``: only this schedule.
    ``stuck``: a run that stands still for so many seconds is ended.
    ``modules`` of installed libraries are watched too, those of ``leave_out`` are not watched."""

    search: Literal["all", "random"] = "all"
    schedules: int | None = None
    seconds: float | None = 60.0
    most_steps: int = MOST_STEPS
    seed: int = 0
    races: Literal["report", "fail"] = "report"
    unfinished: Literal["report", "fail"] = "report"
    replay: Choices | None = None
    stuck: float | None = 30.0
    modules: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()


#: Something that holds while a program is explored, such as where its modules are found.
Arrangement = Callable[[Instrumentation], AbstractContextManager[None]]


def explore(
    body: Callable[[], Any],
    settings: Settings | None = None,
    *,
    name: str = "",
    arrangement: Arrangement | None = None,
) -> Report:
    """Run ``body`` again and again until all its behaviours were seen, it failed, or a limit is reached.

    The body must do the same each time: what it uses is to be made inside it.
    """
    settings = settings or Settings()
    if not supported():
        raise NotSupported(
            "kripke.testing controls programs on CPython 3.11, 3.12 and 3.13 (with the lock around the interpreter); "
            "this is another Python. Run the tests with one of these"
        )
    if primitives.present_run is not None and not primitives.elsewhere():
        raise RuntimeError("a program that is explored cannot explore another one: call the function itself")
    report = Report()
    with under_control(settings, body, arrangement) as perform:
        if settings.replay is not None:
            run = perform(Schedule(settings.replay), settings.most_steps)
            while run.incomplete:
                run = perform(Schedule(settings.replay), settings.most_steps)
            report.runs = 1
            report.reason = "one schedule was followed again"
            if run.failure is not None:
                report.failure = failure_of(run, report, name)
            return report
        _search(settings, perform, report, name)
        if report.failure is not None and not isinstance(report.failure.error, Uncontrolled):
            _make_clear(settings, perform, report, name)
    return report


def _search(settings: Settings, perform: Callable[[Schedule, int], Run], report: Report, name: str) -> None:
    until = None if settings.seconds is None else _real_clock() + settings.seconds
    exploration = Exploration(perform, most_steps=settings.most_steps)
    is_all = settings.search == "all"
    runs = exploration.runs() if is_all else _by_chance(settings, perform)
    found_races: dict[str, None] = {}
    seen_races: set[Any] = set()
    races, restarts = DataRacesOfRuns(exploration.races if is_all else None), 0
    is_cut = False
    unseen: dict[str, None] = {}
    for run in runs:
        if exploration.restarts != restarts:
            races, restarts = DataRacesOfRuns(exploration.races), exploration.restarts
        is_cut = is_cut or run.cut
        unseen |= run.unseen
        report.runs += 1
        report.steps += len(run.steps)
        report.unfinished += [each for each in run.unfinished if each not in report.unfinished]
        report.most_tasks = max(report.most_tasks, len(run.tasks))
        is_new = not isinstance(run.failure, Uncontrolled)  # else nothing that it did means anything
        for _, one, other in races.of(run.steps, exploration.shared, len(run.tasks)) if is_new else ():
            first, second = run.steps[one].operation, run.steps[other].operation
            places = first.code, first.instruction, second.code, second.instruction
            if places not in seen_races:
                seen_races.add(places)
                found_races[
                    f"{first.words()} at {first.file}:{first.line} and {second.words()} at {second.file}:{second.line}"
                ] = None
        if run.failure is not None:
            report.failure = failure_of(run, report, name)
            break
        if found_races and settings.races == "fail":
            report.failure = failure_of(run, report, name, f"data race: {next(iter(found_races))}")
            break
        if settings.schedules is not None and report.runs >= settings.schedules and settings.search == "all":
            report.reason = f"the limit of {settings.schedules:,} schedules is reached"
            break
        if until is not None and _real_clock() >= until:
            report.reason = f"the limit of {settings.seconds:g} seconds is reached"
            break
    report.redundant = exploration.redundant
    report.complete = exploration.complete and report.failure is None and not is_cut and not unseen
    if exploration.complete and is_cut:
        report.reason = "a daemon thread goes on without end: its first steps only were seen"
    if exploration.complete and unseen:
        report.reason = "; ".join(unseen)
    report.races = list(found_races)
    if not report.complete and not report.reason:
        report.reason = "schedules were chosen by chance" if settings.search == "random" else "it failed before"


def _by_chance(settings: Settings, perform: Callable[[Schedule, int], Run]) -> Iterator[Run]:
    length = 0
    for number in range(settings.schedules or 1_000):
        run = perform(RandomSchedule(settings.seed + number, length, number % 4), settings.most_steps)
        while run.incomplete:
            run = perform(RandomSchedule(settings.seed + number, length, number % 4), settings.most_steps)
        length = max(length, len(run.steps))
        yield run
        run.forget()


def _make_clear(settings: Settings, perform: Callable[[Schedule, int], Run], report: Report, name: str) -> None:
    """The same failure with fewer switches; then once more, with the values that change."""
    assert report.failure is not None
    found = report.failure

    def fails(choices: Choices) -> Run | None:
        run = perform(Schedule(choices), settings.most_steps)
        return run if run.failure is not None and is_same(run.failure, found.error) else None

    run = with_fewer_switches(found.choices, fails)
    if run is None:
        return
    watched = perform(Schedule(choices_of(run)), settings.most_steps, True)  # type: ignore[call-arg]
    report.failure = failure_of(watched if watched.failure is not None else run, report, name)


def unwrapped(body: Callable[..., Any]) -> Callable[..., Any]:
    """The function that does the work."""
    plain: Callable[..., Any] = inspect.unwrap(body)
    while isinstance(plain, functools.partial):
        plain = inspect.unwrap(plain.func)
    return plain


@contextmanager
def under_control(
    settings: Settings, body: Callable[[], Any], arrangement: Arrangement | None = None
) -> Iterator[Callable[..., Run]]:
    def wanted(module: str) -> bool:
        return module not in settings.leave_out and (is_named(module) or takes_part(module))

    def is_named(module: str) -> bool:
        return module in settings.modules or module.partition(".")[0] in settings.modules

    instrumentation = Instrumentation(wanted)
    fine = False
    strands = Strands()
    is_async = inspect.iscoroutinefunction(unwrapped(body))
    whole: Callable[[], Any] = functools.partial(run_coroutine, body) if is_async else body

    def program() -> None:
        whole()
        exit_program()

    def perform(schedule: Schedule, most_steps: int, watching: bool = False) -> Run:
        nonlocal fine
        run = Run(schedule, most_steps=most_steps, watching=watching, fine=fine, strands=strands)
        if settings.unfinished == "fail":
            run.at_end.append(lambda: unfinished_words(run.unfinished) if run.unfinished else None)
        run.at_end.append(lambda: NeverAwaited("; ".join(run.never_awaited)) if run.never_awaited else None)
        run.stuck_after = settings.stuck or 0.0
        with going_on(run, settings.seed):
            run.perform(program)
        if gc.get_count()[0] > MOST_GARBAGE:
            gc.collect(0)  # what is young, and still in the cache of the processor
        if run.wants_fine:
            fine = hooks.incomplete = True
        if instrumentation.new_modules():
            instrumentation.watch_all()
            hooks.incomplete = True
        if hooks.incomplete:
            run.incomplete, hooks.incomplete = True, False
            instrumentation.add_again()
        return run

    hooks.forget_names()
    foreign.left_out.clear()
    foreign.left_out.update(settings.leave_out)
    limit = settings.stuck if settings.replay is None else None  # somebody may be looking around in a debugger
    with (
        controlled(),
        arrangement(instrumentation) if arrangement is not None else nullcontext(),
        watched(limit),
    ):
        instrumentation.watch_all()
        plain = unwrapped(body)
        if isinstance(plain, FunctionType):
            instrumentation.add(plain)
        try:
            yield perform
        finally:
            strands.end()
            instrumentation.remove()


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
