"""One run of a program under control: tasks as greenlets, every operation known before it is done.

A task runs until it is about to do something that others can see. It announces that operation, and the schedule says
who goes on. A step of a task is its operation and everything until the next one. All tasks live in one thread of the
operating system, so a debugger stops wherever it is told to.
"""

from __future__ import annotations

from _asyncio import _get_running_loop, _set_running_loop
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from greenlet import GreenletExit, getcurrent

from kripke._native import RunState
from kripke.testing.footprint import Footprint
from kripke.testing.operation import (
    ACCESS,
    ACQUIRE,
    AWAIT,
    BLOCK,
    CHOOSE,
    END,
    JOIN,
    RECEIVE,
    RELEASE,
    SEND,
    WAKE,
    Operation,
    Place,
    dependent,
)
from kripke.testing.race_analysis import Step
from kripke.testing.stopped import Deadlock, Endless, Redundant, Stopped, Uncontrolled, uncontrolled_words
from kripke.testing.task import Strands, Task
from kripke.testing.values import value_written
from kripke.testing.waiting import who_waits

if TYPE_CHECKING:
    from kripke.testing.processes import Process

#: Tasks that are passed over, each with the footprint of what it would do, where that is a block.
Asleep = dict[int, Footprint | None]
MOST_STEPS = 20_000
MOST_STEPS_OF_DAEMONS = 300
MOST_TURNS = 5_000_000
MOST_TURNS_AFTER, MOST_THROWS = 50_000, 3  # of a task that catches what ends it, before it is left where it is


class _Loop(NamedTuple):
    """A loop at its last turn: the number of steps then, its frame (kept, so that no other gets its identity), and the
    identities of its variables."""

    step: int
    frame: FrameType
    variables: dict[str, int] | None


class Schedule:
    """Who goes on: first as ``prefix`` says (task and option of every step), then the present task while it can. From
    the last step of the prefix on, tasks of ``asleep`` are passed over until something they depend on was done.
    ``expected``: the steps of the prefix as an earlier run took them; those that come again are not made again.
    ``keeps_going``: nobody is asked while the present task can go on."""

    keeps_going = True

    def __init__(
        self,
        prefix: tuple[tuple[int, int], ...] = (),
        asleep: Asleep | None = None,
        expected: list[Step] | None = None,
    ) -> None:
        self.prefix = prefix
        self.asleep = asleep or {}
        self.expected = expected if expected is not None else []

    def next_task(self, run: Run, enabled: list[Task]) -> Task | None:
        """One of ``enabled``, which is not empty; None where all sleep."""
        at = len(run.steps)
        if at < len(self.prefix):
            wanted = self.prefix[at][0]
            for task in enabled:
                if task.index == wanted:
                    return task
            run.end(Uncontrolled(f"step {at + 1} cannot be repeated: {uncontrolled_words}"))
        asleep = run.asleep
        if not asleep:
            return run.present if run.present in enabled else enabled[0]
        if run.present in enabled and run.present.index not in asleep:
            return run.present
        return next((task for task in enabled if task.index not in asleep), None)

    def option(self, run: Run, options: int) -> int:
        at = len(run.steps)
        return self.prefix[at][1] if at < len(self.prefix) else 0


class Run(RunState):
    """A run of a program from start to end, by a schedule.

    ``failure`` is the first exception that left a task, or what stopped the run; ``steps`` what was done.
    """

    steps: list[Step]
    slept: list[Asleep]  # who was asleep before each step
    asleep: Asleep
    present: Task
    _block: Operation | None  # the block that is being run, and what it touched so far

    def __init__(
        self,
        schedule: Schedule,
        *,
        most_steps: int = MOST_STEPS,
        watching: bool = False,
        fine: bool = False,
        strands: Strands | None = None,
    ) -> None:
        self._strands = strands or Strands()
        self.schedule = schedule
        self._prefix = schedule.prefix
        self._expected_steps = schedule.expected
        self._keeps_going = schedule.keeps_going
        self.watching = watching
        self.values: dict[int, str] = {}  # what steps wrote, as text, where the run is watched
        self.most_steps = most_steps
        self.tasks: list[Task] = []
        self.steps = []
        self.options = []
        self.asleep = {}
        self.slept = []  # who was asleep before each step
        self.enabled: dict[int, list[Task]] = {}  # who could have taken a step, where messages are waited for
        #: What ``__dict__`` of an object gave, by identity, and the number of the object: its keys are attributes.
        self.dictionaries: dict[int, tuple[dict[str, Any], int]] = {}
        self.network = None  # what sockets are connected by
        self.fine = fine  # blocks of coroutines have steps: threads see what is done in them
        self.wants_fine = False  # threads came, and the run was not fine: it means nothing
        self.numbers = {}  # of objects, by identity, in the order in which they were touched
        self.at_end: list[Callable[[], BaseException | None]] = []  # what is looked at when the program has ended
        self.at_close: list[Callable[[], None]] = []  # what is thrown away with the run
        self.ending = False  # only daemons are left
        self.cut = False  # a daemon goes on without end
        self._last_step = 0
        self.exit_callbacks: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = []
        self.loops = 0  # event loops that were made
        self.never_awaited: list[str] = []
        self.unfinished: list[str] = []
        self._block = None  # the block that is being run, and what it touched so far
        self._reads: dict[Place, None] = {}
        self._writes: dict[Place, None] = {}
        self.failure: BaseException | None = None
        self.failed_task: Task | None = None
        self.redundant = False
        self.numbering = True  # may objects get numbers now?
        self.unseen: dict[str, None] = {}  # what may have been missed, in words
        self.incomplete = False  # what was not watched is written after all: the run means nothing
        self.now = 0.0
        self.stuck_after = 0.0  # seconds without a step after which somebody ends the run
        self.present = None  # type: ignore[assignment]
        self.holders: dict[int, Task] = {}  # of locks, by identity
        self.alone = True  # until the first task is started: nobody sees what is done before
        self.turns = 0  # of loops, since the last step
        self._written = {}  # the step that last wrote a place
        self._loops: dict[tuple[int, int], _Loop] = {}
        self._kept = []
        self._over = False
        self._busy = False  # deciding who goes on
        self._starting: Task | None = None
        self._names: dict[str, int] = {}
        self._hub = getcurrent()

    # -- from outside

    def perform(self, body: Callable[[], Any]) -> None:
        """Run to the end."""
        main = self._new_task(body, "main", daemon=False)
        self.present = main
        starting: Task | None = main
        while starting is not None:  # from here, so that nobody begins as deep as another one is
            self._starting = None
            self._strands.begin(starting, starting.life)
            starting = self._starting
        self._settle()
        if self.present.process is not None:
            self.present.process.leave()
        self._busy = True  # what is looked at is no step
        if self.failure is None and not self.redundant and not self._over:
            self.failure = next(filter(None, (look() for look in self.at_end)), None)
        self._over, self._busy = True, False
        for task in self.tasks:
            for _ in range(MOST_THROWS):
                if task.greenlet is not None:  # alive, and not where we are
                    task.greenlet.throw(GreenletExit)
        for close in self.at_close:
            close()

    def forget(self) -> None:
        """Nobody asks the run anything more: what it holds is free at once, without a search for circles."""
        for task in self.tasks:
            task.greenlet = task.life = task.owner = task.loop = task.place = task.spins = task.error = None
            task.foreign.clear()
            task.local.clear()
        for held in (self.tasks, self._kept, self._loops, self.holders, self.dictionaries, self.enabled):
            held.clear()
        self.at_end.clear()
        self.at_close.clear()
        self.exit_callbacks.clear()
        self.present = self._starting = self._block = None  # type: ignore[assignment]

    @property
    def blocked(self) -> list[Step]:
        """Who still waited when the run was over, and for what."""
        return [
            Step(task.index, task.pending)
            for task in self.tasks
            if task.loop is None
            and task.pending.kind != "loop"
            and ((not task.finished and task.pending.waits_for) or task.killed is not None)
        ]

    # -- from tasks

    def not_all(self, why: str) -> None:
        """Something was done of which it is not known what it touches: other behaviours may be left out."""
        self.unseen[why] = None

    def kind_of(self, number: int) -> str:
        return type(self._kept[number]).__qualname__

    def target(self, number: int) -> Any:
        return self._kept[number] if 0 <= number < len(self._kept) else None

    def start(
        self,
        work: Callable[[], Any],
        name: str,
        *,
        daemon: bool,
        operation: Operation,
        process: Process | None = None,
    ) -> Task:
        """A new task. Starting it is a step of the present one."""
        task = self._new_task(work, name, daemon, process)
        place: Place = (self.keep(task), "start")
        operation.writes = (place,)
        task.pending.reads = (place,)
        task.pending.waits_for = never
        if task.process is None or task.process.has_many():
            self.alone = False
        if self.loops:
            self.need_fine_steps()
        self.do(operation)
        task.pending.waits_for = None
        return task

    def add_actor(self, loop: Any, name: str, work: Callable[[], Any], pending: Operation) -> Task:
        """What an event loop runs: a task whose first operation is already known. Whatever it does is a block of its
        own; ``work`` gives True when nothing is left to do."""
        task = self._new_task(work, name, daemon=True)
        task.loop = loop
        task.pending = pending
        task.life = partial(self._live_in_loop, task, work)
        pending.after = self.at_this_step()
        if task.process is None and len(self.tasks) > 2:
            self.alone = False
        elif task.process is not None and len(task.process.tasks) > 2:
            task.process.crowd()
            self.alone = False
        return task

    def at_this_step(self) -> tuple[int, ...]:
        """The step that is being done, as something that lets others go on."""
        return (len(self.steps) - 1,) if self.steps else ()

    def need_fine_steps(self) -> None:
        """Threads and coroutines see each other: blocks cannot be single steps."""
        if not self.fine:
            self.wants_fine = True
            self.redundant = True
            self._over = True
            if getcurrent() is not self._hub:
                self._hub.switch()
                raise GreenletExit

    def fail(self, error: BaseException) -> NoReturn:
        """The run is over because of this error, which nobody catches."""
        if self.failure is None and not self._over:
            self.failure, self.failed_task = error, self.present
        self._over = True
        if getcurrent() is not self._hub:
            self._hub.switch()
        raise GreenletExit

    def join(self, task: Task, operation: Operation, timeout: float | None) -> None:
        """Wait until the task has ended, or time is over."""
        operation.kind = JOIN
        operation.reads = ((self.keep(task), "end"),)
        operation.waits_for = lambda: task.finished
        operation.deadline = None if timeout is None else self.now + max(timeout, 0.0)
        self.do(operation)
        if task.killed is not None:
            operation.after += task.killed

    def do(self, operation: Operation) -> Operation:
        """Announce an operation of the present task, and come back when it is done: the operation, or the wake-up that
        came first."""
        if self._over or self._busy:  # this task is being thrown away, or the schedule itself runs code of the program
            self.count_turn()
            return operation
        task = self.present
        process = task.process
        if process is not None:
            process.before(operation)
            if process.crashes_left and operation.kind in (SEND, RECEIVE):
                process.may_crash(self, operation)
        if task.loop is None and self.loops and not self.fine and operation.kind == ACCESS and process is None:
            return operation  # no loop runs while this thread does, and there is no other thread
        if task.loop is not None and not self.fine and operation.kind != BLOCK:
            if operation.kind in (ACCESS, RELEASE, SEND) or (
                operation.kind == ACQUIRE and operation.waits_for is not None and operation.waits_for()
            ):
                self._touch(operation)
                return operation
            self.need_fine_steps()
        if self.take(operation):
            return operation
        task.pending = operation
        try:
            self._go_on(task)
            done = task.pending
            self._record(task, done)
        except RecursionError:
            # The program's own calls left no room for ours: it gets the error before its step.
            self._busy, self.present = False, task
            del self.options[len(self.steps) :], self.slept[len(self.steps) :]
            raise
        return done

    def choose(self, options: int, operation: Operation) -> int:
        """A number below ``options``: every one of them is tried."""
        operation.kind = CHOOSE
        operation.options = options
        self.do(operation)
        return self.options[-1] if not self._over else 0

    def is_over(self) -> bool:
        return self._over

    def turn(self, frame: FrameType) -> None:
        """One more turn of a loop of the present task. A loop that only reads, and has the variables it had a turn ago,
        waits: it goes on when somebody has written what it reads. Turning it again shows nothing new."""
        self.count_turn()
        if self._over or self._busy or self.alone:
            return
        key = id(frame), frame.f_lasti
        if self._block is not None:
            self._turn_in_block(frame, key)
            return
        at = len(self.steps)
        before = self._loops.get(key)
        own = (
            [step.operation for step in self.steps[before.step :] if step.task == self.present.index] if before else []
        )
        if before is None or not own or any(each.kind != ACCESS or each.writes for each in own):
            self._loops[key] = _Loop(at, frame, None)
            return
        variables = {name: id(value) for name, value in frame.f_locals.items()}
        if before.variables != variables:
            self._loops[key] = _Loop(at, frame, variables)
            return
        reads = tuple(dict.fromkeys(place for each in own for place in each.reads))
        since = before.step
        if not any(self._written.get(place, -1) >= since for place in reads):
            operation = Operation(AWAIT, reads, (), "turns in a loop until this changes", frame.f_code, frame.f_lasti)
            operation.waits_for = lambda: any(self._written.get(place, -1) >= since for place in reads)
            self.do(operation)
        self._loops[key] = _Loop(len(self.steps), frame, variables)

    def count_turn(self) -> None:
        self.turns += 1
        if self._over and self.turns > MOST_TURNS_AFTER and getcurrent() is not self._hub:
            self.turns = 0
            self._hub.switch()
        elif self.turns > MOST_TURNS and not self._over and not self._busy:
            self.end(Endless(f"{self.present.name} turns in a loop without end, and touches nothing that others see"))

    def _turn_in_block(self, frame: FrameType, key: tuple[int, int]) -> None:
        """The same for a loop with an ``await`` in it: the next block waits, others go on."""
        at = len(self.steps) - 1
        task = self.present
        before = self._loops.get(key)
        variables = {name: id(value) for name, value in frame.f_locals.items()}
        self._loops[key] = _Loop(at, frame, variables)
        if before is None or before.step == at or before.variables != variables:
            return
        own = [step.operation for step in self.steps[before.step : at] if step.task == task.index]
        reads = {place for each in own for place in each.reads} | self._reads.keys()
        writes = {place for each in own for place in each.writes} | self._writes.keys()
        if all(number == self.numbers.get(id(task.owner)) for number, _ in writes):
            since = before.step
            task.spins = lambda: not any(self._written.get(place, -1) > since for place in reads - writes)

    def end(self, why: Stopped) -> NoReturn:
        """The run is over, from within a task, which does not go on."""
        if isinstance(why, Redundant):
            self.redundant = True
        elif self.failure is None:
            self.failure = why
        self._over = True
        self._hub.switch()
        raise GreenletExit

    # -- inside

    def _new_task(self, work: Callable[[], Any], name: str, daemon: bool, process: Process | None = None) -> Task:
        if process is None and self.present is not None:
            process = self.present.process
        if process is not None and process.tasks:
            name = f"{process.name}/{name}"
        number = self._names.get(name, 0) + 1
        self._names[name] = number
        task = Task(len(self.tasks), name if number == 1 else f"{name}-{number}", daemon)
        task.life = partial(self._live, task, work)
        self.tasks.append(task)
        if process is not None:
            process.adopt(task)
        return task

    def _live_in_loop(self, task: Task, work: Callable[[], Any]) -> None:
        if self._over:
            return
        try:
            self._record(task, task.pending)
            while not work():
                pass
            task.finished = True
            self._go_on(task)
        except GreenletExit:
            return
        except BaseException as error:
            if not self._over:
                self.failure, self.failed_task = error, task

    def _touch(self, operation: Operation) -> None:
        """The present block does this too."""
        operation.look_again()
        self._reads.update(dict.fromkeys(operation.reads))
        self._writes.update(dict.fromkeys(operation.writes))
        if self.watching and self._block is not None:
            if self._block.parts is None:
                self._block.parts = []
            parts = self._block.parts
            if parts:
                parts[-1].value = value_written(self, parts[-1]) or parts[-1].value
            parts.append(operation)

    def note(self, operation: Operation) -> None:
        """The present block comes to this place."""
        if self._block is not None and self.watching:
            self._block.parts = [*(self._block.parts or ()), operation]

    def _settle(self) -> None:
        """The step before is done: now it is known what a block touched."""
        block = self._block
        if block is None:
            return
        self._block = None
        if block.parts:
            block.parts[-1].value = value_written(self, block.parts[-1]) or block.parts[-1].value
        block.reads = tuple(dict.fromkeys((*block.reads, *self._reads)))
        block.writes = tuple(dict.fromkeys((*block.writes, *self._writes)))
        self._reads, self._writes = {}, {}
        for place in block.writes:
            self._written[place] = len(self.steps) - 1
        self._wake_sleepers(self.steps[-1].task, block)

    def _wake_sleepers(self, task: int, operation: Operation) -> None:
        """Whoever depends on the last step sleeps no longer."""
        asleep = self.asleep
        if len(self.steps) == len(self.schedule.prefix):
            asleep = self.schedule.asleep
        if asleep:
            tasks = self.tasks
            still: Asleep = {}
            for other, footprint in asleep.items():
                if other == task:
                    continue
                if footprint is not None:
                    if not footprint.depends_on(self, operation):
                        still[other] = footprint
                elif not dependent(tasks[other].pending, operation):
                    still[other] = None
            asleep = still
        self.asleep = asleep

    def _live(self, task: Task, work: Callable[[], Any]) -> None:
        if self._over:
            return
        try:
            self._record(task, task.pending)
            work()
        except GreenletExit:
            return
        except BaseException as error:
            if self.is_over():
                return
            task.error = error
            if not isinstance(error, SystemExit):
                self.failure, self.failed_task = error, task
                return  # to the hub: the run is over
        try:
            self.do(Operation(END, writes=((self.keep(task), "end"),), text=f"{task.name} ends"))
            task.finished = True
            if not self.is_over():
                self._after_end(task)
        except GreenletExit:
            return

    def _after_end(self, task: Task) -> None:
        """Others go on; comes back where nobody is left."""
        living = [other for other in self.tasks if not other.finished and other.loop is None]
        starts_processes = task.process is None and any(other.process is not None for other in living)
        if living and not self.ending and not starts_processes and all(other.daemon for other in living):
            # What daemons do from now on they might have done before the program ended: nothing orders it.
            self.ending = True
            self._last_step = len(self.steps) + MOST_STEPS_OF_DAEMONS
        if living:
            self._go_on(task)

    def abandon(self) -> NoReturn:
        """The present task ends here, whatever it was about to do: its process is gone."""
        task = self.present
        task.finished = True
        self._after_end(task)
        self._hub.switch()
        raise GreenletExit

    def _go_on(self, task: Task) -> None:
        """Let somebody go on. Comes back when it is this task's turn."""
        if self._block is not None:
            self._settle()
        self._busy = True
        chosen = self._expected()
        if chosen is None:
            chosen = self._chosen()
        self._busy = False
        if chosen is task:
            return
        self._switch(task, chosen)

    def _expected(self) -> Task | None:
        """Who goes on where nobody has to be asked: the schedule knows it, or the present task just goes on."""
        schedule, at = self.schedule, len(self.steps)
        if at < len(schedule.prefix):
            task = self.tasks[schedule.prefix[at][0]] if schedule.prefix[at][0] < len(self.tasks) else None
        elif schedule.keeps_going and not self.asleep and self.network is None:
            task = self.present
        else:
            return None
        if task is None or task.finished:
            return None
        waits_for = task.pending.waits_for
        return task if waits_for is None or waits_for() else None

    def _chosen(self) -> Task:
        enabled = [
            other
            for other in self.tasks
            if not other.finished and (other.pending.waits_for is None or other.pending.waits_for())
        ]
        if not enabled:
            enabled = self._wake()
        if self.network is not None:
            self.enabled[len(self.steps)] = enabled
        chosen = self.schedule.next_task(self, enabled)
        if chosen is None:
            self.end(Redundant())
        return chosen

    def _switch(self, task: Task, chosen: Task) -> None:
        if chosen.process is not task.process:
            self._enter(task.process, chosen.process)
        self.present = chosen
        if self.fine:
            loop = _get_running_loop()
            _set_running_loop(None)
            self._hand_over(chosen)
            _set_running_loop(loop)
        else:
            self._hand_over(chosen)

    def _hand_over(self, chosen: Task) -> None:
        if chosen.greenlet is not None:
            chosen.greenlet.switch()
        else:
            self._starting = chosen
            self._hub.switch()

    def _enter(self, old: Process | None, new: Process | None) -> None:
        """Modules, arguments and the like are those of another process."""
        if old is not None:
            old.leave()
        if new is not None:
            new.enter()
            self.alone = new.alone

    def _record(self, task: Task, operation: Operation) -> None:
        at = len(self.steps)
        self.turns = 0
        self._busy = True
        if self.ending and at >= min(self._last_step, self.most_steps):
            self.cut = True
            self._leave()
        if at >= self.most_steps:
            self.end(Endless(f"the run has not ended after {at:,} steps"))
        operation.look_again()
        self.slept.append(self.asleep)
        if self.watching and at and self.steps[-1].operation.writes:
            self._look(at - 1)
        self.options.append(self.schedule.option(self, operation.options) if operation.options > 1 else 0)
        for place in operation.writes:
            self._written[place] = at
        if task.loop is not None and not self.fine:
            operation.known = max(len(self._kept), 1)
            self._block = operation
            self.steps.append(Step(task.index, operation))
        else:
            self.numbering = False
            for other in self.schedule.asleep if at + 1 == len(self.schedule.prefix) else self.asleep:
                self.tasks[other].pending.look_again()
            self.numbering = True
            self.steps.append(Step(task.index, operation))
            self._wake_sleepers(task.index, operation)
        self._busy = False

    def _look(self, step: int) -> None:
        """What the step wrote, now that it is done."""
        value = value_written(self, self.steps[step].operation)
        if value:
            self.values[step] = value

    def _wake(self) -> list[Task]:
        """Time goes by only while everybody waits: the first deadline lets its tasks go on without what they want."""
        deadlines = {
            task.index: task.pending.deadline
            for task in self.tasks
            if not task.finished and task.pending.deadline is not None
        }
        if self.ending:
            self._leave()
        if not deadlines:
            if all(task.daemon for task in self.tasks if not task.finished):
                self._leave()
            self.end(Deadlock(who_waits(self)))
        self.now = first = max(self.now, min(deadlines.values()))
        woken = []
        for index, deadline in deadlines.items():
            if deadline <= first:
                task = self.tasks[index]
                waited = task.pending
                # Those that wake at the same time may go on in any order.
                wake = Operation(WAKE, waited.reads, (*waited.writes, (-1, ("time", first))), waited.text)
                wake.code, wake.instruction, wake.since = waited.code, waited.instruction, len(self.steps)
                task.pending = wake
                woken.append(task)
        return woken

    def _leave(self) -> NoReturn:
        """The program has ended; daemons are thrown away."""
        self._busy = False
        self._hub.switch()
        raise GreenletExit


def never() -> bool:
    return False
