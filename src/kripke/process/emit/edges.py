"""Edges as C: enabledness on the source state, effects on a copy, and what becomes of the result.

An edge that sends by rendezvous asks ``meet`` to try every receiver; the receiver's half of the step is a ``Reply``.
"""

from __future__ import annotations

from collections.abc import Callable

from kripke.process.emit.channels import ChannelSite, find_site, for_each_shape
from kripke.process.emit.code import Code
from kripke.process.emit.facts import Facts, Shape
from kripke.process.emit.moves import note_move
from kripke.process.emit.operations import Execution, Ready, wrapped_message
from kripke.process.emit.scalars import Spot, View
from kripke.process.intervals import ANY
from kripke.process.program import (
    DeterministicStep,
    Edge,
    Else,
    NoChoice,
    ProcessType,
    Receive,
    Run,
    Send,
    Terminate,
    ViolationKind,
)

StepName = Callable[[DeterministicStep, int], str]


class EdgeExecution(Execution):
    """One edge of a location. The C variable ``moved`` tells whether the location has had an enabled edge."""

    def __init__(self, facts: Facts, code: Code, process: ProcessType, edge: Edge, step_name: StepName) -> None:
        super().__init__(facts, code, View("s", "l", timeout="TIMEOUT(sink)"), self._fail, step_name)
        self.process = process
        self.edge = edge
        self.next = code.fresh("next_")
        self._copied = False
        self._starting_send = False
        self.moved = "moved"

    # --- what an edge decides -----------------------------------------------------------------------------------------

    def _fail(self, kind: ViolationKind) -> str:
        return f"{{ {self.report(kind)} moved = 1; goto {self.next}; }}"

    def failed(self) -> str:
        return f"{{ moved = 1; goto {self.next}; }}"

    def meeting_of(self, site: ChannelSite) -> str:
        if not self._starting_send:
            return "0"
        capacities = {shape.capacity for shape in ([site.shape] if site.shape else self.facts.shapes)}
        if 0 not in capacities:
            return "0"
        if capacities == {0}:
            return "1"
        meeting = self.code.fresh("meeting")
        self.code.line(f"int {meeting} = 0;")
        return meeting

    def begin_write(self) -> None:
        if self._copied:
            return
        self._copied = True
        self.code.line("uint8_t *o = copy_state(sink->out, s, n), *p = o + f;")
        length = "n"
        if any(isinstance(action.operation, Run) for action in self.edge.actions):
            length = "m"
            self.code.line("uint32_t m = n;")
        self.view = View("o", "p", length, timeout="TIMEOUT(sink)")

    # --- the edge -----------------------------------------------------------------------------------------------------

    def write(self) -> None:
        """The whole edge, as a block and the label behind it."""
        with self.code.captured() as lines:
            self.statement = self.edge.actions[0].statement
            self.blocking = f"goto {self.next};"
            if not self._first():
                self._rest()
        with self.code.block():
            self.code.lines += lines
        if any(f"goto {self.next};" in line for line in lines):
            self.code.label(self.next)

    def _first(self) -> bool:
        """The operation that may block; true where it has been the whole edge."""
        operation = self.edge.actions[0].operation
        match operation:
            case Else():
                self.code.line(f"if (moved) {self.blocking}")
            case Terminate():
                self.code.line(f"if (f + {self.process.frame_bytes} != n) {self.blocking}")
            case DeterministicStep(code):
                self.test_step(code, 0)
            case Send():
                return self._send(operation)
            case _:
                pass
        self.perform(operation)
        return False

    def _send(self, send: Send) -> bool:
        """Into a buffer, or to a receiver: then the step is over or the receiver's."""
        self._starting_send = True
        ready = self.ready_to_send(send)
        self._starting_send = False
        if ready.meeting != "0":
            self._meet(ready)
        if ready.meeting == "1":
            return True
        self.send(send, ready)
        self.label = str(self.statement)
        return False

    def _rest(self) -> None:
        self.blocking = None
        before = self.statement
        for action in self.edge.actions[1:]:
            if action.statement != before:
                self.cover(before)
            before = self.statement = action.statement
            self.perform(action.operation)
        self.begin_write()
        self._finish()

    def _finish(self) -> None:
        """Give the result away; that covers the statement of the label, too."""
        if self.label != str(self.statement):
            self.cover(self.statement)
        if self.facts.program.last is not None:
            self.code.line(f"o[{self.facts.program.last.offset}] = (uint8_t)pid;")
        for line in note_move(self.facts.program, "o", "pid"):
            self.code.line(line)
        target, length = self.process.control(self.edge.target), self.view.length
        if isinstance(self.edge.actions[0].operation, Terminate):
            self.code.line(f"moved = end_process(sink, p, f, {self.label});")
        elif self.edge.atomic:
            self.code.line(f"moved = end_atomic_edge(sink, p, {target}, {length}, f, pid, {self.label});")
        else:
            self.code.line(f"moved = end_edge(sink, p, {target}, {length}, {self.label});")

    def _meet(self, ready: Ready) -> None:
        """Offer the message to the other processes."""
        for action in self.edge.actions[1:]:
            if not isinstance(action.operation, NoChoice):
                raise ValueError("a send that may be a rendezvous must be the only operation of its edge")
        target = self.process.control(self.edge.target)

        def offer(shape: Shape, _: Spot) -> None:
            if shape.capacity or len(shape.fields) != len(ready.values):
                return
            message, count = self.code.fresh("message"), len(ready.values)
            self.code.line(f"const int32_t {message}[] = {{ {wrapped_message(shape, ready.values)} }};")
            for action in self.edge.actions[1:]:
                self.perform(action.operation)
            offer = f"meet(sink, s, n, f, pid, {target}, {ready.site.identity}, {message}, {count})"
            self.code.line(f"if ({offer}) {{ moved = 1; sink->covered[{self.statement}] = 1; }}")

        if ready.meeting == "1":
            for_each_shape(self, ready.site, offer)
        else:
            with self.code.block(f"if ({ready.meeting})"):
                for_each_shape(self, ready.site, offer)
                self.code.line(f"goto {self.next};")


class Reply(EdgeExecution):
    """The receiver's half of a rendezvous: ``message`` (``count`` fields) is offered on ``channel``."""

    def _first(self) -> bool:
        operation = self.edge.actions[0].operation
        assert isinstance(operation, Receive)
        site = find_site(self, operation.channel)
        if site.shape is not None and site.shape.capacity:
            self.code.line(self.blocked())
            return True
        self.code.line(f"if ((uint32_t){site.identity} != channel) {self.blocking}")
        fields = len(operation.patterns)
        if site.shape is None:
            self.check(f"count {'<' if operation.keep else '!='} {fields}", ViolationKind.MESSAGE)
        elif not operation.fits(len(site.shape.fields)):
            self.code.line(self.fail(ViolationKind.MESSAGE))
        tests = [f"message[{i}] == {value}" for i, value in self.wanted(operation.patterns)]
        if tests:
            self.code.line(f"if (!({' && '.join(tests)})) {self.blocking}")
        self.begin_write()
        if self.facts.program.watches_events:
            for is_send in (1, 0) if not operation.keep else (1,):
                call = f"watch_event(o, channel, {is_send}, message)"
                self.code.line(f"if (UNLIKELY({call})) {self.report(ViolationKind.EVENT)}")
        self.bind(operation, tuple((f"message[{i}]", ANY) for i in range(fields)))
        self.label = str(self.statement)
        return False
