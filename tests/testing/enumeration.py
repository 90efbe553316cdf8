"""All schedules of a program, one after the other, and the traces they belong to: the reference of the reduction.

Not a part of the programs that are run, so it is not instrumented.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from kripke.testing.run import Run, Schedule
from kripke.testing.task import Task

#: What ``id`` says of what the threads of the present run share: its number and one. Steps on anything else are done at
#: once.
watched: list[int] = []


class Recorded(Schedule):
    """Notes who could have gone on. Steps that nobody else can see come first, and leave no choice."""

    keeps_going = False

    def __init__(self, prefix: tuple[tuple[int, int], ...]) -> None:
        super().__init__(prefix)
        self.enabled: dict[int, list[int]] = {}

    def next_task(self, run: Run, enabled: list[Task]) -> Task | None:
        if len(run.steps) >= len(self.prefix):
            for task in enabled:
                if task.loop is not None:
                    continue  # what a block of a coroutine touches is not known yet
                places = task.pending.reads + task.pending.writes
                if not any(number + 1 in watched for number, _ in places):
                    return task
            self.enabled[len(run.steps)] = [task.index for task in enabled]
        return super().next_task(run, enabled)


def plain_runs(perform: Callable[..., Run], most: int) -> Iterator[Run]:
    """All schedules, one after the other."""
    waiting: list[tuple[tuple[int, int], ...]] = [()]
    for _ in range(most):
        if not waiting:
            return
        prefix = waiting.pop()
        schedule = Recorded(prefix)
        run = perform(schedule, 10_000)
        while run.incomplete:
            schedule = Recorded(prefix)
            run = perform(schedule, 10_000)
        yield run
        for at in range(len(prefix), len(run.steps)):
            for other in schedule.enabled.get(at, []):
                if other != run.steps[at].task:
                    before = tuple((step.task, 0) for step in run.steps[:at])
                    waiting.append((*before, (other, 0)))
    raise TooMany


class TooMany(Exception):
    pass


def trace_of(run: Run) -> frozenset[Any]:
    """The order of dependent steps: runs with the same one differ only in the order of independent steps."""
    counts: dict[int, int] = {}
    labelled = []
    for task, operation in run.steps:
        counts[task] = counts.get(task, 0) + 1
        labelled.append(((task, counts[task]), set(operation.reads), set(operation.writes)))
    return frozenset(
        (one[0], other[0])
        for place, one in enumerate(labelled)
        for other in labelled[place + 1 :]
        if one[0][0] != other[0][0] and (one[2] & (other[1] | other[2]) or one[1] & other[2])
    ) | frozenset((label, "done") for label, _, _ in labelled)
