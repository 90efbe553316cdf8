"""Tasks of a run, and the greenlets that they live in."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from greenlet import GreenletExit, getcurrent, greenlet

from kripke._native import TaskState
from kripke.testing.operation import BEGIN, Operation

if TYPE_CHECKING:
    from kripke.testing.processes import Process


class Task(TaskState):
    """A thread of the program, or another strand of control. ``pending`` is what it is about to do. ``loop``: of what
    an event loop runs, that loop; then its steps are whole blocks, until it awaits something. ``process``: of a
    distributed program, the one it belongs to."""

    pending: Operation
    process: Process | None

    __slots__ = (
        "daemon",
        "error",
        "finished",
        "greenlet",
        "killed",
        "life",
        "local",
        "name",
        "owner",
        "place",
        "spins",
    )

    def __init__(self, index: int, name: str, daemon: bool) -> None:
        self.index = index
        self.name = name
        self.daemon = daemon
        self.pending = Operation(BEGIN, text=f"{name} begins")
        self.finished = False
        self.error: BaseException | None = None
        self.greenlet: greenlet | None = None  # while it lives
        self.life: Any = None  # what it does from its beginning to its end
        #: Calls of code in C that have not ended: the frame that made each, and what it touches.
        self.foreign = []
        self.local: dict[int, Any] = {}  # values of thread-local objects, by identity
        self.owner: Any = None  # the object of the program that stands for this task
        self.place: Callable[[], Operation | None] | None = None  # where it waits, for people
        self.killed: tuple[int, ...] | None = None  # the step that ended its process
        self.spins: Callable[[], bool] | None = None  # does it turn in a loop that changes nothing?


class Strands:
    """Greenlets that live for many runs: making one for each task would cost more than a short run. Each waits until it
    is given something to do; ``hub`` is where it was made, and where it comes back to."""

    def __init__(self) -> None:
        self._idle: list[greenlet] = []

    def begin(self, task: Task, work: Callable[[], None]) -> None:
        """From the hub: the task begins. Comes back when somebody switches to the hub."""
        if self._idle:
            strand = self._idle.pop()
            strand.gr_context = None  # as a new thread has it
        else:
            strand = greenlet(self._serve)
        task.greenlet = strand
        strand.switch(task, work)

    def _serve(self, task: Task, work: Callable[[], None]) -> None:
        strand = getcurrent()
        while True:
            work()
            task.greenlet = None
            del task, work
            self._idle.append(strand)
            task, work = strand.parent.switch()

    def end(self) -> None:
        for strand in self._idle:
            strand.throw(GreenletExit)
        self._idle.clear()
