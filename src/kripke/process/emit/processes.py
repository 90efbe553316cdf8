"""Process types as C: functions that try the edges of a process, chunked, and functions that create processes.

Huge functions take compilers out of proportion long, so a function covers a few locations only; the tables ``steps``
and ``replies`` lead from a control point to its function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kripke.process.emit.code import Code, comment, place_of
from kripke.process.emit.edges import EdgeExecution, Reply, StepName
from kripke.process.emit.facts import Facts
from kripke.process.emit.meeting import NO_MEETING, meeting_point
from kripke.process.emit.operations import Execution
from kripke.process.emit.scalars import Spot, View, bytes_of, write_scalar
from kripke.process.intervals import ANY
from kripke.process.program import (
    Edge,
    Location,
    ProcessType,
    Receive,
    Variable,
    ViolationKind,
)

STEP_PARAMETERS = "kripke_sink *sink, const uint8_t *s, uint32_t n, uint32_t f, uint32_t pid"
REPLY_PARAMETERS = f"{STEP_PARAMETERS},\n    uint32_t channel, const int32_t *message, uint32_t count"

_MOST_LOCATIONS = 32
_MOST_EDGES = 64

Placed = tuple[int, Location]
WriteLocation = Callable[[ProcessType, Location], None]


class ProcessFunctions:
    """All functions of process types, and which of them belongs to each control point."""

    def __init__(self, facts: Facts, step_name: StepName) -> None:
        self.facts = facts
        self.step_name = step_name
        self.code = Code()
        self.steps: list[str] = []
        self.replies: list[str] = []
        #: per control point: the rendezvous channel received there
        self.meets: list[str] = []
        for number, process in enumerate(facts.program.processes):
            self._process(number, process)

    def _process(self, number: int, process: ProcessType) -> None:
        if process not in self.facts.created:
            for column, nothing in ((self.steps, "0"), (self.replies, "0"), (self.meets, NO_MEETING)):
                column += [nothing] * len(process.locations)
            return
        for chunk, locations in enumerate(chunks(process.locations)):
            name = f"process_{number}_{chunk}"
            self._function(name, STEP_PARAMETERS, process, locations, self._location)
            self.steps += [name] * len(locations)
            points = [meeting_point(self.facts, location) for _, location in locations]
            receiving = [place for place, point in zip(locations, points, strict=True) if point != NO_MEETING]
            reply = f"reply_{number}_{chunk}" if receiving and self.facts.has_rendezvous else "0"
            if reply != "0":
                self._function(reply, REPLY_PARAMETERS, process, receiving, self._reply_location)
            self.meets += points
            self.replies += [reply] * len(locations)

    # --- functions ----------------------------------------------------------------------------------------------------

    def _function(
        self, name: str, parameters: str, process: ProcessType, locations: list[Placed], write: WriteLocation
    ) -> None:
        code = self.code
        code.line(comment(f"process {process.name}"))
        code.line(f"static int {name}({parameters})")
        with code.block():
            code.line("const uint8_t *l = s + f;")
            code.line("int moved = 0;")
            unused = ["n", "pid", "sink"] + (["channel", "message", "count"] if parameters is REPLY_PARAMETERS else [])
            code.line(f"{', '.join(f'(void){name}' for name in unused)};")
            for check in self._permission(process, parameters):
                code.line(check)
            with code.block("switch (get_control(l))"):
                for i, location in locations:
                    if location.edges:
                        with code.block(f"case {process.control(i)}:", " break;"):
                            write(process, location)
                code.line("default: break;")
            code.line("return moved;")
        code.line()

    def _permission(self, process: ProcessType, parameters: str) -> list[str]:
        from kripke.process.emit.enabled import check_priority, check_provided

        checks = [check_provided(self.facts, process)]
        if parameters is STEP_PARAMETERS:
            checks.append(check_priority(self.facts))
        return list(filter(None, checks))

    def _location(self, process: ProcessType, location: Location) -> None:
        escape = 0
        for edge in location.edges:
            escape = self._leave_escape(escape, edge)
            self._announce(edge)
            EdgeExecution(self.facts, self.code, process, edge, self.step_name).write()

    def _reply_location(self, process: ProcessType, location: Location) -> None:
        escape = 0
        for edge in location.edges:
            operation = edge.actions[0].operation
            if isinstance(operation, Receive) and self.facts.met_channel(operation) != 0:
                escape = self._leave_escape(escape, edge)
                self._announce(edge)
                Reply(self.facts, self.code, process, edge, self.step_name).write()

    def _leave_escape(self, before: int, edge: Edge) -> int:
        """The edges of an escape are behind: where one was enabled, the others are not tried."""
        if before and edge.escape != before:
            self.code.line("if (moved) break;")
        return edge.escape

    def _announce(self, edge: Edge) -> None:
        statements = self.facts.program.statements
        for number in dict.fromkeys(action.statement for action in edge.actions):
            if number < len(statements):
                statement = statements[number]
                self.code.line(comment(f"{place_of(statement.span)}{statement.text}"))

    # --- tables -------------------------------------------------------------------------------------------------------

    def tables(self, steps_are_used: bool) -> Iterator[str]:
        if steps_are_used:
            yield table("step_function", "steps", self.steps)
        if self.facts.has_rendezvous:
            yield table("reply_function", "replies", self.replies)
            yield table("meeting_point", "meets", self.meets, columns=1)


def chunks(locations: tuple[Location, ...]) -> Iterator[list[Placed]]:
    chunk: list[Placed] = []
    edges = 0
    for i, location in enumerate(locations):
        if chunk and (len(chunk) == _MOST_LOCATIONS or edges + len(location.edges) > _MOST_EDGES):
            yield chunk
            chunk, edges = [], 0
        chunk.append((i, location))
        edges += len(location.edges)
    if chunk:
        yield chunk


def table(type_: str, name: str, values: Iterable[str], columns: int = 8) -> str:
    """A constant C array, never of size zero."""
    items = list(values) or ["{0}" if columns == 1 else "0"]
    rows = [", ".join(items[i : i + columns]) for i in range(0, len(items), columns)]
    return f"static const {type_} {name}[{len(items)}] = {{\n    " + ",\n    ".join(rows) + "\n};\n"


# --- creation ---------------------------------------------------------------------------------------------------------


class Creation(Execution):
    """The function that appends a process to a state in place: the new length, 0 after a violation.

    Violations of the start values are those of the statement that creates the process, ``label``.
    """

    def __init__(self, facts: Facts, code: Code, step_name: StepName) -> None:
        super().__init__(facts, code, View("o", "p", timeout="TIMEOUT(sink)"), self._fail, step_name)
        self.all_exist = False

    def _fail(self, kind: ViolationKind) -> str:
        return f"{{ sink->report(sink, {int(kind)}, label); return 0; }}"

    def failed(self) -> str:
        return "return 0;"

    def write(self, number: int, process: ProcessType) -> None:
        code, size = self.code, process.frame_bytes
        own = process.variables[len(process.parameters) :]
        start = process.control(process.entry).to_bytes(self.facts.program.control_bytes, "little")
        code.line(table("uint8_t", f"frame_{number}", map(str, start_bytes(size, own, start))).rstrip())
        code.line()
        code.line(comment(f"create process {process.name}"))
        code.line(creation_head(number, process))
        with code.block():
            code.line("uint32_t f = n;")
            code.line("uint8_t *p = o + f;")
            code.line("(void)sink, (void)pid, (void)label;")
            code.line(f"memcpy(p, frame_{number}, {size});")
            code.line(f"n += {size};")
            for i, (parameter, component) in enumerate(process.parameter_scalars()):
                spot = Spot(True, parameter.offset + component.offset)
                code.line(write_scalar(spot, component.type, self.view, f"(int32_t)a{i}", ANY))
            for action in process.setup:
                self.statement = action.statement
                with code.block():
                    self.perform(action.operation)
                self.cover(action.statement)
            code.line("return n;")
        code.line()


def creation_head(number: int, process: ProcessType) -> str:
    arguments = "".join(f", uint32_t a{i}" for i in range(len(process.parameter_scalars())))
    return (
        f"static uint32_t create_{number}(kripke_sink *sink, uint8_t *o, uint32_t n, uint32_t pid, uint32_t label"
        f"{arguments})"
    )


def start_bytes(size: int, variables: Iterable[Variable], start: bytes = b"") -> bytes:
    """A block of the state with the constant start values of its variables."""
    block = bytearray(size)
    block[: len(start)] = start
    for variable in variables:
        for component, value in zip(variable.components, variable.initial, strict=True):
            stored = bytes_of(component.type, value)
            at = variable.offset + component.offset
            block[at : at + len(stored)] = stored
    return bytes(block)
