"""Operations as C: first what may block or fail, reading the state before; then the writes, on a copy of it.

``Execution`` is the code of one edge, deterministic step or process creation. It reads through ``view``. The first
write asks ``begin_write`` for a copy to work on and from there on everything happens on that copy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kripke.process.emit.channels import (
    ChannelSite,
    append_message,
    find_site,
    for_each_shape,
    insert_message,
    length_of,
    remove_message,
    times,
)
from kripke.process.emit.code import Code
from kripke.process.emit.expressions import Evaluation
from kripke.process.emit.facts import Facts, Shape
from kripke.process.emit.scalars import Spot, View, read_scalar, wrap, write_scalar
from kripke.process.expressions import Bind, Constant, Expression, Ignore, Match, Place
from kripke.process.intervals import ANY, Interval, interval_of
from kripke.process.program import (
    MAX_PROCESSES,
    Assert,
    Assign,
    CCode,
    Choose,
    DeterministicStep,
    Discard,
    Else,
    Exclusive,
    Guard,
    NoChoice,
    Operation,
    Print,
    Receive,
    Reset,
    Run,
    Send,
    SetPriority,
    Skip,
    StepInstruction,
    Terminate,
    ViolationKind,
)

Value = tuple[str, Interval]


@dataclass(frozen=True, slots=True)
class Ready:
    """A send or receive that has been found possible: what its second half needs."""

    site: ChannelSite
    values: tuple[Value, ...] = ()
    slot: str = "0"
    #: the C variable that tells whether this is a rendezvous ("0", "1" where that is known)
    meeting: str = "0"


class Execution(Evaluation):
    """Writes operations. ``step_name`` gives the C function of a deterministic step."""

    def __init__(
        self,
        facts: Facts,
        code: Code,
        view: View,
        fail: Callable[[ViolationKind], str],
        step_name: Callable[[DeterministicStep, int], str],
    ) -> None:
        super().__init__(facts, code, view, fail)
        self.step_name = step_name
        self.statement = 0
        #: the C statement that gives up where an operation blocks; None: that is a BLOCKED violation
        self.blocking: str | None = None
        self.covered: set[int] = set()
        #: the statement of the last operation, as a C operand
        self.label = "0"
        #: the C operand that tells whether an earlier edge of the location was enabled
        self.moved = "0"

    # --- what subclasses decide ---------------------------------------------------------------------------------------

    def begin_write(self) -> None:
        """From here on the state is written. Edges copy it now."""

    def meeting_of(self, site: ChannelSite) -> str:
        """The operand that tells whether a send is a rendezvous; only edges can start one."""
        return "0"

    def failed(self) -> str:
        """The statement that gives up after a violation which has been reported."""
        raise NotImplementedError

    def cover(self, statement: int) -> None:
        """Note that a statement was executed."""
        if statement not in self.covered:
            self.covered.add(statement)
            self.code.line(f"sink->covered[{statement}] = 1;")

    def blocked(self) -> str:
        """The statement that gives up because the operation blocks."""
        return self.fail(ViolationKind.BLOCKED) if self.blocking is None else self.blocking

    # --- all operations -----------------------------------------------------------------------------------------------

    def perform(self, operation: Operation) -> None:
        """The whole operation. ``blocking`` says what happens where it cannot run."""
        if not isinstance(operation, (Reset, NoChoice, Exclusive)):
            self.label = str(self.statement)
        match operation:
            case Guard(condition):
                self._require(condition)
            case Assign(place, value):
                self._assign(place, value)
            case Reset(place, value):
                self._assign(place, Constant(value))
            case Discard(indices, value):
                self.code.line(f"(void){self.value(value)};")
                for index in indices:
                    self.code.line(f"(void){self.subscript(index.value, index.count)};")
            case Send():
                self.send(operation, self.ready_to_send(operation))
            case Receive():
                self.receive(operation, self.ready_to_receive(operation))
            case Assert(condition, _):
                test = self.condition(condition)
                self.code.line(f"if (UNLIKELY(!{test})) {self.report(ViolationKind.ASSERTION)}")
            case Run():
                self._run(operation)
            case SetPriority():
                self._set_priority(operation)
            case NoChoice():
                self.code.line(f"if (UNLIKELY({self.moved})) {self.report(ViolationKind.CHOICE)}")
            case Exclusive(condition):
                self.check(self.condition(condition), ViolationKind.EXCLUSIVE)
            case DeterministicStep():
                self._step(operation)
            case CCode(fragment):
                self.begin_write()
                self.code.line(f"{self.call_c(fragment)};")
                self.check_c()
                self.code.line(f"if (UNLIKELY(kripke_embedded_asserted)) {self.report(ViolationKind.ASSERTION)}")
            case Else() | Print() | Skip() | Terminate():
                pass

    def report(self, kind: ViolationKind) -> str:
        return f"sink->report(sink, {int(kind)}, {self.statement});"

    def _require(self, condition: Expression) -> None:
        if isinstance(condition, Constant) and condition.value:
            return
        self.code.line(f"if (!{self.condition(condition)}) {self.blocked()}")

    def store(self, place: Place, value: Value) -> None:
        spot = self.spot(place)
        self.code.line(write_scalar(spot, place.type, self.view, *value))

    def _assign(self, place: Place, value: Expression) -> None:
        operand, bounds = self.value(value), interval_of(value)
        spot = self.spot(place)
        self.begin_write()
        self.code.line(write_scalar(spot, place.type, self.view, operand, bounds))

    # --- sending ------------------------------------------------------------------------------------------------------

    def ready_to_send(self, send: Send) -> Ready:
        """Find room and evaluate the message."""
        site = find_site(self, send.channel)
        meeting = self.meeting_of(site)

        def room(shape: Shape, spot: Spot) -> None:
            if shape.capacity:
                self.code.line(f"if ({length_of(shape, spot, self.view)} == {shape.capacity}) {self.blocked()}")
            elif meeting == "0":
                self.code.line(self.blocked())
            elif meeting != "1":
                self.code.line(f"{meeting} = 1;")
            if len(shape.fields) != len(send.values):
                self.code.line(self.fail(ViolationKind.MESSAGE))

        for_each_shape(self, site, room)
        values = tuple((self.named(self.value(value), "v"), interval_of(value)) for value in send.values)
        return Ready(site, values, meeting=meeting)

    def send(self, send: Send, ready: Ready) -> None:
        """Put the message into the buffer."""
        self.begin_write()
        put = insert_message if send.ordered else append_message

        def store(shape: Shape, spot: Spot) -> None:
            if shape.capacity and len(shape.fields) == len(ready.values):
                put(self.code, shape, spot, self.view, list(ready.values))
                self._watch(ready.site.identity, wrapped_message(shape, ready.values), is_send=True)

        for_each_shape(self, ready.site, store)

    # --- receiving ----------------------------------------------------------------------------------------------------

    def ready_to_receive(self, receive: Receive) -> Ready:
        """Find the message to take: its slot, and its fields where they are wanted."""
        site = find_site(self, receive.channel)

        def some(shape: Shape, spot: Spot) -> None:
            if not shape.capacity:
                self.code.line(self.blocked())
                return
            self.code.line(f"if ({length_of(shape, spot, self.view)} == 0) {self.blocked()}")
            if not receive.fits(len(shape.fields)):
                self.code.line(self.fail(ViolationKind.MESSAGE))

        for_each_shape(self, site, some)
        wanted = self.wanted(receive.patterns)
        if receive.anywhere or site.shape is None:
            wanted = [(i, self.named(value)) for i, value in wanted]
        slot = "0"
        if receive.anywhere:
            slot = self.code.fresh("k")
            self.code.line(f"uint32_t {slot} = 0;")
        fields = [self.code.fresh("x") if isinstance(p, Bind) else "" for p in receive.patterns]
        for field in filter(None, fields):
            self.code.line(f"int32_t {field} = 0;")

        def find(shape: Shape, spot: Spot) -> None:
            if shape.capacity and receive.fits(len(shape.fields)):
                self._find_message(shape, spot, slot, wanted, fields)

        for_each_shape(self, site, find)
        return Ready(site, tuple((field, ANY) for field in fields), slot)

    def _find_message(
        self, shape: Shape, spot: Spot, slot: str, wanted: list[tuple[int, str]], fields: list[str]
    ) -> None:
        message = spot.plus(shape.length_bytes)
        if slot != "0":
            message = message.plus(0, times(slot, shape.message_bytes))
            with self.code.block(f"for (;; {slot}++)"):
                self.code.line(f"if ({slot} == {length_of(shape, spot, self.view)}) {self.blocked()}")
                self.code.line(f"if ({self.matches(shape, message, wanted)}) break;")
        elif wanted:
            self.code.line(f"if (!({self.matches(shape, message, wanted)})) {self.blocked()}")
        for i, field in enumerate(fields):
            if field:
                value = read_scalar(message.plus(shape.field_offset(i)), shape.fields[i], self.view)
                self.code.line(f"{field} = {value};")

    def receive(self, receive: Receive, ready: Ready) -> None:
        """Store the fields of the message, then take it out of the buffer."""
        self.begin_write()
        self.bind(receive, ready.values)
        if receive.keep:
            return

        def remove(shape: Shape, spot: Spot) -> None:
            if shape.capacity and len(shape.fields) == len(receive.patterns):
                if self.facts.program.watches_events:
                    self._watch_receive(ready, shape, spot)
                remove_message(self.code, shape, spot, self.view, ready.slot)

        for_each_shape(self, ready.site, remove)

    def bind(self, receive: Receive, values: tuple[Value, ...]) -> None:
        """Store message fields from left to right."""
        for pattern, value in zip(receive.patterns, values, strict=True):
            match pattern:
                case Bind(place):
                    self.store(place, value)
                case Match() | Ignore():
                    pass

    # --- events -------------------------------------------------------------------------------------------------------

    def _watch(self, identity: str, message: str, *, is_send: bool) -> None:
        """Tell monitor and record of an event, where it may be one that they watch."""
        watched = {channel.number + 1 for channel in self.facts.program.watched(is_send)}
        if not watched or (identity.isdigit() and int(identity) not in watched):
            return
        with self.code.block():
            self.code.line(f"const int32_t event[] = {{ {message} }};")
            call = f"watch_event({self.view.state}, (uint32_t){identity}, {int(is_send)}, event)"
            self.code.line(f"if (UNLIKELY({call})) {self.report(ViolationKind.EVENT)}")

    def _watch_receive(self, ready: Ready, shape: Shape, spot: Spot) -> None:
        message = spot.plus(shape.length_bytes)
        if ready.slot != "0":
            message = message.plus(0, times(ready.slot, shape.message_bytes))
        fields = [
            read_scalar(message.plus(shape.field_offset(i)), type_, self.view) for i, type_ in enumerate(shape.fields)
        ]
        self._watch(ready.site.identity, ", ".join(fields), is_send=False)

    # --- processes and steps ------------------------------------------------------------------------------------------

    def _run(self, run: Run) -> None:
        arguments = [self.named(self.value(argument), "a") for argument in run.arguments]
        self.begin_write()
        view, pid = self.view, self.code.fresh("new_pid")
        self.code.line(f"uint32_t {pid} = process_count({view.state}, {view.length});")
        self.check(f"{pid} >= {MAX_PROCESSES}u", ViolationKind.PROCESSES)
        number = self.facts.program.processes.index(run.process)
        call = ", ".join(
            ["sink", view.state, view.length, pid, f"{self.statement}u", *(f"(uint32_t){a}" for a in arguments)]
        )
        self.code.line(f"{view.length} = create_{number}({call});")
        self.code.line(f"if (UNLIKELY({view.length} == 0)) {self.failed()}")
        if run.result is not None and run.value is not None:
            self._assign(run.result, run.value)
        elif run.result is not None:
            self.store(run.result, (f"(int32_t){pid}", (0, MAX_PROCESSES - 1)))

    def _set_priority(self, operation: SetPriority) -> None:
        pid, value = self.named(self.value(operation.process)), self.named(self.value(operation.priority))
        self.begin_write()
        other = self.code.fresh("other")
        self.code.line(f"uint32_t {other} = frame_at({self.view.state}, {self.view.length}, (uint32_t){pid});")
        with self.code.block(f"if ({other} != NO_FRAME)"):
            self.check(f"{value} < 1 || {value} > 255", ViolationKind.PRIORITY)
            self.code.line(f"{self.view.state}[{other} + {self.facts.program.control_bytes}] = (uint8_t){value};")

    def _step(self, step: DeterministicStep) -> None:
        self.begin_write()
        name = self.step_name(step, self.statement)
        view = self.view
        done = self.code.fresh("done")
        self.code.line(f"uint32_t {done} = {name}(sink, {view.state}, {view.length}, {view.offset}, {view.pid});")
        self.code.line(f"if (UNLIKELY({done} == 0)) {self.failed()}")
        self.label = f"{done} - 1"

    # --- enabledness without execution --------------------------------------------------------------------------------

    def test_step(self, code: tuple[StepInstruction, ...], at: int) -> None:
        """Go on where instruction ``at`` of a deterministic step is enabled, else give up as ``blocked`` says."""
        operation = code[at].operation
        match operation:
            case Choose(options):
                chosen = self.code.fresh("chosen")
                self.test_options(code, options, lambda option: f"goto {chosen};", chosen)
            case Guard(condition):
                self._require(condition)
            case Send():
                self.ready_to_send(operation)
            case Receive():
                self.ready_to_receive(operation)
            case _:
                pass

    def test_options(
        self,
        code: tuple[StepInstruction, ...],
        options: tuple[int, ...],
        jump: Callable[[int], str],
        end: str | None = None,
    ) -> None:
        """Jump to the first option that is enabled; give up as ``blocked`` says where none is."""
        outer = self.blocking
        for option in options:
            refused = self.code.fresh("refused")
            self.blocking = f"goto {refused};"
            with self.code.captured() as lines:
                self.test_step(code, option)
            with self.code.block():
                self.code.lines += lines
                self.code.line(jump(option))
            if any(self.blocking in line for line in lines):
                self.code.label(refused)
        self.blocking = outer
        self.code.line(self.blocked())
        if end is not None:
            self.code.label(end)


def wrapped_message(shape: Shape, values: tuple[Value, ...]) -> str:
    """The initialiser of a message as the channel's fields keep it."""
    kept = [wrap(type_, value, bounds) for type_, (value, bounds) in zip(shape.fields, values, strict=True)]
    return ", ".join(kept) or "0"
