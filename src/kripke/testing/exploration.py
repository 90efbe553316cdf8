"""All runs of a program that differ in more than the order of independent steps.

Source-DPOR with sleep sets (Abdulla, Aronsson, Jonsson, Sagonas, POPL 2014): run once; for every race of the run, try
the other order too, unless a run that does so is planned already. Nothing is stored but the present run's path.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from kripke._native import RacesOfRuns
from kripke.testing.footprint import Footprint, footprint_of
from kripke.testing.race_analysis import Step
from kripke.testing.run import MOST_STEPS, Asleep, Run, Schedule
from kripke.testing.stopped import Uncontrolled, uncontrolled_words
from kripke.testing.task import Task

#: Makes a run by a schedule.
Perform = Callable[[Schedule, int], Run]


class _Node:
    """A state of the path: who went on from it, with which option, who was tried before, who is to be tried."""

    __slots__ = ("able", "asleep", "done", "footprint", "option", "options", "task", "wanted")

    def __init__(self, task: int, option: int, options: int, asleep: Asleep) -> None:
        self.task = task
        self.option = option
        self.options = options
        self.asleep = asleep
        self.done: Asleep = {}
        self.footprint: Footprint | None = None  # of the step, where it is a block
        self.wanted: set[int] = {task}
        self.able: frozenset[int] | None = None  # who could go on, where that may be other than those who race


class Exploration:
    """``runs()`` gives every run once; ``complete`` afterwards: nothing was left out."""

    def __init__(self, perform: Perform, *, most_steps: int = MOST_STEPS) -> None:
        self._perform = perform
        self._most_steps = most_steps
        self._path: list[_Node] = []
        self._steps: list[Step] = []  # of the path, as they were taken last
        self._choices: list[tuple[int, int]] = []  # of the path: task and option
        self.races = RacesOfRuns()
        self.complete = False
        self.redundant = 0
        self.restarts = 0  # how often everything began anew
        self.shared = 0  # how many steps the last run that was given has in common with the one given before

    def runs(self) -> Iterator[Run]:
        schedule = Schedule()
        shared = 0
        while True:
            run = self._perform(schedule, self._most_steps)
            if run.incomplete:  # from the beginning, now that it is known what is written
                schedule = Schedule()
                self._path.clear()
                self._steps.clear()
                self._choices.clear()
                self.races = RacesOfRuns()
                self.restarts += 1
                self.redundant = shared = 0
                continue
            shared = min(shared, max(len(schedule.prefix) - 1, 0))
            self._compare(run, len(schedule.prefix))
            if run.redundant:
                self.redundant += 1
            if isinstance(run.failure, Uncontrolled):
                self.shared = 0
                yield run
                return
            self._extend(run, len(schedule.prefix))
            self._plan(run, len(schedule.prefix))
            if not run.redundant:
                self.shared, shared = shared, MOST_STEPS
                yield run
            run.forget()
            following = self._next()
            if following is None:
                self.complete = True
                return
            schedule = following

    def _compare(self, run: Run, known: int) -> None:
        """The steps that were taken again must be the ones of before; else nothing that follows means anything."""
        if run.failure is not None and len(run.steps) < known:
            return
        for number in range(known):
            if number < len(run.steps) and number < known - 1:
                if self._steps[number] is run.steps[number]:
                    continue  # it was not even made again
                before, now = self._steps[number].operation, run.steps[number].operation
                if (
                    before.instruction == now.instruction
                    and before.code is now.code
                    and before.kind == now.kind
                    and before.reads == now.reads
                    and before.writes == now.writes
                ):
                    continue
            elif number < len(run.steps):
                self._steps[number] = run.steps[number]
                self._note_footprint(run, number)
                continue
            run.failure = Uncontrolled(f"step {number + 1} cannot be repeated: {uncontrolled_words}")
            return

    def _extend(self, run: Run, known: int) -> None:
        path = self._path
        for number in range(known, len(run.steps)):
            step = run.steps[number]
            option = run.options[number]
            path.append(_Node(step.task, option, step.operation.options, run.slept[number]))
            self._steps.append(step)
            self._choices.append((step.task, option))
            enabled = run.enabled.get(number)
            if enabled is not None:
                path[-1].able = frozenset(task.index for task in enabled)
            self._note_footprint(run, number)

    def _note_footprint(self, run: Run, number: int) -> None:
        operation = run.steps[number].operation
        self._path[number].footprint = footprint_of(run, operation) if operation.known else None

    def _plan(self, run: Run, known: int) -> None:
        """For every race, a run in which it comes out the other way."""
        for first, _, initials in self.races.races_of(run.steps, max(known - 1, 0), len(run.tasks), run.blocked):
            node = self._path[first]
            if node.wanted.isdisjoint(initials) and initials.isdisjoint(node.asleep):
                able = node.able
                possible = initials if able is None else initials & able
                # Where none of them can go on there, whoever can is tried (C. Flanagan and P. Godefroid, POPL 2005).
                node.wanted.update((min(possible),) if possible else able or ())

    def _next(self) -> Schedule | None:
        path = self._path
        while path:
            node = path[-1]
            if node.option + 1 < node.options:
                node.option += 1
                return self._schedule(node)  # the same task: the step is compared with the one of before
            node.done[node.task] = node.footprint
            left = None
            if len(node.wanted) > len(node.done):  # all that were done were wanted
                left = node.wanted - node.done.keys() - node.asleep.keys()
            if left:
                node.task = min(left)
                node.option, node.options = 0, 1
                return self._schedule(node)
            path.pop()
            self._steps.pop()
            self._choices.pop()
        return None

    def _schedule(self, node: _Node) -> Schedule:
        self._choices[-1] = node.task, node.option
        return Schedule(tuple(self._choices), node.asleep | node.done, self._steps)


class RandomSchedule(Schedule):
    """Probabilistic concurrency testing (S. Burckhardt and others, *A Randomized Scheduler with Probabilistic
    Guarantees of Finding Bugs*, ASPLOS 2010): priorities by chance, changed at ``changes`` steps chosen by chance."""

    keeps_going = False

    def __init__(self, seed: int, length: int, changes: int) -> None:
        super().__init__()
        self._random = random.Random(seed)
        self._priorities: dict[int, float] = {}
        self._changes = {self._random.randrange(max(length, 1)) for _ in range(changes)}

    def next_task(self, run: Run, enabled: list[Task]) -> Task:
        if len(run.steps) in self._changes:
            self._priorities[run.present.index] = -self._random.random()
        for task in enabled:
            if task.index not in self._priorities:
                self._priorities[task.index] = self._random.random()
        return max(enabled, key=lambda task: self._priorities[task.index])

    def option(self, run: Run, options: int) -> int:
        return self._random.randrange(options)


def choices_of(run: Run) -> tuple[tuple[int, int], ...]:
    """The schedule of a run, to be followed again."""
    return tuple((step.task, option) for step, option in zip(run.steps, run.options, strict=True))


def switches_of(steps: Any) -> int:
    """How often a task went on that had not taken the step before."""
    return sum(one.task != other.task for one, other in pairwise(steps))
