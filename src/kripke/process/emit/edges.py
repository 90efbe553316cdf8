"""Edges as C: enabledness on the source state, effects on a copy, and what becomes of the result.

An edge that sends by rendezvous is run on a copy of its own; ``meet`` then lets every receiver try to go on from
there. The receiver's half of its edge is a ``Reply``.
"""

from __future__ import annotations

from collections.abc import Callable

from kripke.process.emit.channels import ChannelSite, find_site, for_each_shape
from kripke.process.emit.code import Code
from kripke.process.emit.facts import Facts, Shape
from kripke.process.emit.intervals import ANY
from kripke.process.emit.operations import Execution, Ready, wrapped_message
from kripke.process.emit.scalars import Spot, View
from kripke.process.program import (
    DeterministicStep,
    Edge,
    Else,
    ProcessType,
    Receive,
    Run,
    Send,
    Terminate,
    ViolationKind,
)

StepName = Callable[[DeterministicStep, int], str]


class EdgeExecution(Execution):
    """One edge of a location. ``enabled`` is the C variable that an Else of the location looks at."""

    def __init__(
        self, facts: Facts, code: Code, process: ProcessType, edge: Edge, enabled: str, step_name: StepName
    ) -> None:
        super().__init__(facts, code, View("s", "l", timeout="TIMEOUT(sink)"), self._fail, step_name)
        self.process = process
        self.edge = edge
        self.enabled = enabled
        self.next = code.fresh("next_")
        self._copied = False
        self._starting_send = False
        self._meeting = "0"
        self._site: ChannelSite | None = None

    # --- what an edge decides -----------------------------------------------------------------------------------------

    def _fail(self, kind: ViolationKind) -> str:
        return f"{{ {self.report(kind)} {self._moved()} goto {self.next}; }}"

    def failed(self) -> str:
        return f"{{ {self._moved()} goto {self.next}; }}"

    def _moved(self) -> str:
        """Note that the edge counts as a step; a rendezvous send does not count for Else."""
        if self.enabled == "moved" or self._meeting == "1":
            return "moved = 1;"
        if self._meeting == "0":
            return "moved = enabled = 1;"
        return f"moved = 1; enabled |= !{self._meeting};"

    def meeting_of(self, site: ChannelSite) -> str:
        if not self._starting_send:
            return "0"
        self._site = site
        capacities = {shape.capacity for shape in ([site.shape] if site.shape else self.facts.shapes)}
        if 0 not in capacities:
            return "0"
        if capacities == {0}:
            self._meeting = "1"
        else:
            self._meeting = self.code.fresh("meeting")
            self.code.line(f"int {self._meeting} = 0;")
        return self._meeting

    def begin_write(self) -> None:
        if self._copied:
            return
        self._copied = True
        target = "sink->out"
        if self._meeting != "0":
            assert self._site is not None
            test = "" if self._meeting == "1" else f"{self._meeting} && "
            self.code.line(f"if ({test}!receiver_waits(s, n, pid, {self._site.identity})) goto {self.next};")
            scratch = "MEETING_ROOM(sink)"
            target = scratch if self._meeting == "1" else f"{self._meeting} ? {scratch} : sink->out"
        self.code.line(f"uint8_t *o = copy_state({target}, s, n), *p = o + f;")
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
            self._first()
            self._rest()
        with self.code.block():
            self.code.lines += lines
        if any(f"goto {self.next};" in line for line in lines):
            self.code.label(self.next)

    def _first(self) -> None:
        operation = self.edge.actions[0].operation
        match operation:
            case Else():
                self.code.line(f"if ({self.enabled}) {self.blocking}")
            case Terminate():
                self.code.line(f"if (f + {self.process.frame_bytes} != n) {self.blocking}")
            case DeterministicStep(code):
                self.test_step(code, 0)
            case Send():
                self._starting_send = True
                ready = self.ready_to_send(operation)
                self._starting_send = False
                self.send(operation, ready)
                self._ready = ready
                self.label = str(self.statement)
                return
            case _:
                pass
        self.perform(operation)

    def _rest(self) -> None:
        self.blocking = None
        self.begin_write()
        if self._meeting == "0":
            self.cover(self.statement)
        for action in self.edge.actions[1:]:
            self.statement = action.statement
            self.perform(action.operation)
            self.cover(action.statement)
        self._finish()

    def _finish(self) -> None:
        if isinstance(self.edge.actions[0].operation, Terminate):
            self.code.line("(void)p;")
            self.code.line(self._moved())
            self.code.line(self._emit("f", alone=False))
            return
        self.code.line(f"put_control(p, {self.process.control(self.edge.target)});")
        if self._meeting != "0":
            self._meet(self._ready)
        if self._meeting != "1":
            self.cover(self.edge.actions[0].statement)
            self.code.line(self._moved())
            self.code.line(self._emit(self.view.length, alone=self.edge.atomic))

    def _emit(self, length: str, alone: bool) -> str:
        if alone:
            return f"keep_control(sink, {length}, f, pid, {self.label});"
        function = "end_step" if self.facts.has_atomic else "sink->emit"
        return f"{function}(sink, {length}, {self.label});"

    def _meet(self, ready: Ready) -> None:
        """Offer the message to the other processes."""
        statement = self.edge.actions[0].statement

        def offer(shape: Shape, _: Spot) -> None:
            if shape.capacity or len(shape.fields) != len(ready.values):
                return
            message, count = self.code.fresh("message"), len(ready.values)
            self.code.line(f"const int32_t {message}[] = {{ {wrapped_message(shape, ready.values)} }};")
            offer = f"meet(sink, o, {self.view.length}, pid, {ready.site.identity}, {message}, {count})"
            self.code.line(f"if ({offer}) {{ moved = 1; sink->covered[{statement}] = 1; }}")

        if self._meeting == "1":
            for_each_shape(self, ready.site, offer)
        else:
            with self.code.block(f"if ({self._meeting})"):
                for_each_shape(self, ready.site, offer)
                self.code.line(f"goto {self.next};")


class Reply(EdgeExecution):
    """The receiver's half of a rendezvous: ``message`` (``count`` fields) is offered on ``channel``."""

    def _first(self) -> None:
        operation = self.edge.actions[0].operation
        assert isinstance(operation, Receive)
        site = find_site(self, operation.channel)
        if site.shape is not None and site.shape.capacity:
            self.code.line(self.blocked())
            return
        self.code.line(f"if ((uint32_t){site.identity} != channel) {self.blocking}")
        fields = len(operation.patterns)
        if site.shape is None:
            self.check(f"count != {fields}", ViolationKind.MESSAGE)
        elif len(site.shape.fields) != fields:
            self.code.line(self.fail(ViolationKind.MESSAGE))
        tests = [f"message[{i}] == {value}" for i, value in self.wanted(operation.patterns)]
        if tests:
            self.code.line(f"if (!({' && '.join(tests)})) {self.blocking}")
        self.begin_write()
        self.bind(operation, tuple((f"message[{i}]", ANY) for i in range(fields)))
        self.label = str(self.statement)
