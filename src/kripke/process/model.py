"""A process program as a ``Model``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from kripke.model.columns import StateColumns
from kripke.model.explanation import Explanation, FalseAtom, Stuck
from kripke.model.message import Message
from kripke.model.model import FairnessConstraint, Model, Part, Transition, Violation, ViolationKind, no_pause
from kripke.model.property import Temporal
from kripke.model.source import Diagnostic, Sources, Span
from kripke.process.evaluation import State, StepFailed, channel_length, message_fields, read_scalar
from kripke.process.expressions import ChannelElement, ChannelIdentity, IntType
from kripke.process.interpreter import Interpreter
from kripke.process.passes.uses import uses
from kripke.process.program import (
    VIOLATION_TEXT,
    CCode,
    Channel,
    Choose,
    DeterministicStep,
    Operation,
    Print,
    Program,
    Receive,
    Reset,
    Run,
    Scope,
    Send,
    Variable,
)
from kripke.process.program import ViolationKind as Code

if TYPE_CHECKING:
    from kripke.model.capabilities.encodable import Encoding
    from kripke.model.capabilities.estimate import Estimator, Goal, Way
    from kripke.model.coverage import Branch, MessageType
    from kripke.model.dependencies import DependencyAnalysis
    from kripke.model.diagram import Diagram
    from kripke.model.safe_places import SafePlaces
    from kripke.model.symmetry import Symmetry
    from kripke.model.value_ranges import ValueRanges
    from kripke.process.estimates.estimator import ProcessEstimator

_CONVERSION = re.compile(r"%([-+ #0]*\d*(?:\.\d+)?)([cdeoux%])")
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", '"': '"', "'": "'"}


class ProcessModel(Model):
    """Interpreter and C emitter of a process program behind the common interface."""

    def __init__(
        self,
        program: Program,
        language: str,
        sources: Sources,
        warnings: Sequence[Diagnostic],
        mtypes: Mapping[int, str],
        remarks: Callable[[], Sequence[Diagnostic]] = tuple,
        properties: Sequence[Temporal] = (),
        fairness_constraints: Sequence[FairnessConstraint] = (),
    ) -> None:
        self.program = program
        self.file = program.name
        self.language = language
        self.statements = program.statements
        self.violation_kinds = [ViolationKind(code.name.lower(), VIOLATION_TEXT[code]) for code in Code]
        self.atoms = list(program.atoms)
        if program.record is not None:
            self.step_atoms = dict.fromkeys(program.record.events, frozenset[int]())
        self.warnings = warnings
        self.reductions = program.reductions
        self.properties = properties
        self.fairness_constraints = fairness_constraints
        self._sources = sources
        self._mtypes = mtypes
        self._remarks = remarks
        self._interpreter: Interpreter | None = None

    def remarks(self) -> Sequence[Diagnostic]:
        return self._remarks()

    @property
    def interpreter(self) -> Interpreter:
        """Made at first use: a compiled run that finds nothing needs none."""
        if self._interpreter is None:
            self._interpreter = Interpreter(self.program)
        return self._interpreter

    @property
    def max_state_bytes(self) -> int:
        return self.program.max_state_bytes

    # --- behaviour ----------------------------------------------------------------------------------------------------

    def initial(self) -> list[bytes]:
        return [step.target for step in self.interpreter.initial() if step.target is not None]

    def initial_violations(self) -> list[Transition]:
        """Violations in the start values of the model."""
        return [step for step in self.interpreter.initial() if step.violations]

    def successors(self, state: bytes) -> list[Transition]:
        return self.interpreter.successors(state)

    def each_successor(self, state: bytes) -> Iterator[Transition]:
        return self.interpreter.each_successor(state)

    def distinct_successors(self, state: bytes, pause: Callable[[], None] = no_pause) -> Iterator[Transition]:
        return self.interpreter.distinct_successors(state, pause)

    def valid_end(self, state: bytes) -> bool:
        return self.interpreter.valid_end(state)

    def atom_values(self, state: bytes) -> tuple[bool, ...]:
        return self.interpreter.atom_values(state)

    def failed_atoms(self, state: bytes) -> int:
        return self.interpreter.failed_atoms(state)

    def emit_c(self, *, dependencies: bool = False) -> str:
        from kripke.process.emit import emit_c

        return emit_c(self.program, dependencies=dependencies and self._has_dependencies())

    def value_ranges(self) -> ValueRanges:
        from kripke.process.ranges import value_ranges

        return value_ranges(self.program)

    def estimator(self, goal: Goal, way: Way) -> ProcessEstimator | str:
        from kripke.process.estimates.estimator import ProcessEstimator
        from kripke.process.estimates.goals import distance_to

        return ProcessEstimator(self.interpreter, *distance_to(self.program, goal, way))

    def distance_to_state(self, state: bytes) -> Callable[[bytes], int]:
        from kripke.process.estimates.state_distance import distance_to_state

        return distance_to_state(self.interpreter, state)

    def emit_estimates(self, estimators: Sequence[Estimator], *, dependencies: bool = False) -> str:
        from kripke.process.emit import emit_c
        from kripke.process.estimates.estimator import ProcessEstimator

        distances = [one.distance for one in estimators if isinstance(one, ProcessEstimator)]
        return emit_c(self.program, dependencies=dependencies and self._has_dependencies(), estimates=distances)

    def _has_dependencies(self) -> bool:
        from kripke.process.dependence.analysis import obstacle

        return obstacle(self.program) is None

    def dependencies(self, atoms: Sequence[int] = ()) -> DependencyAnalysis | str:
        from kripke.process.dependence.analysis import ProcessDependencies, obstacle

        reason = obstacle(self.program)
        if reason is not None:
            return reason
        asked = list(self.program.atoms.values())
        return ProcessDependencies(self.interpreter, [asked[number] for number in atoms])

    def safe_places(self, atoms: Sequence[int] = (), *, thorough: bool = False, fair: bool = False) -> SafePlaces | str:
        from kripke.process.dependence.analysis import obstacle
        from kripke.process.dependence.safe_places import find_safe_places

        reason = obstacle(self.program)
        if reason is not None:
            return reason
        asked = list(self.program.atoms.values())
        return find_safe_places(self.interpreter, [asked[number] for number in atoms], thorough=thorough, fair=fair)

    def steps_at_safe_place(self, safe: SafePlaces, state: bytes) -> list[Transition] | None:
        return self.interpreter.steps_at_safe_place(safe, state)

    def symmetry(self, atoms: Sequence[int] = ()) -> Symmetry | str:
        from kripke.process.symmetry import symmetry_of

        asked = list(self.program.atoms.values())
        return symmetry_of(self.program, [asked[number] for number in atoms])

    # --- in terms -----------------------------------------------------------------------------------------------------

    def encode(self, room: int = 1) -> Encoding | str:
        return self._encoded(room, unbounded=False)

    def encode_integers(self) -> Encoding | str:
        return self._encoded(1, unbounded=True)

    def _encoded(self, room: int, *, unbounded: bool) -> Encoding | str:
        from kripke.model.capabilities.encodable import Encoding
        from kripke.process.encode.slots import Slots
        from kripke.process.encode.steps import encoded
        from kripke.terms.refusal import Unencodable
        from kripke.terms.system import valued

        try:
            slots = Slots(self.program, room, unbounded=unbounded)
            initial = valued(slots.variables, [slots.values(state) for state in self.initial()])
            return Encoding(encoded(self.program, slots, initial), slots.values, slots.state)
        except Unencodable as refusal:
            place = f" ({self.statements[refusal.statement].span})" if refusal.statement >= 0 else ""
            return f"{refusal.what} cannot be said in terms{place}"

    @property
    def most_actors(self) -> int:  # type: ignore[override]
        from kripke.process.program import Run

        starts = (
            isinstance(action.operation, Run)
            for process in self.program.processes
            for location in process.locations
            for edge in location.edges
            for action in edge.actions
        )
        return 255 if any(starts) else len(self.program.initial)

    @property
    def one_thread(self) -> str:  # type: ignore[override]
        return "" if self.program.embedded is None else "C code inside the model may keep data of its own"

    # --- for people ---------------------------------------------------------------------------------------------------

    def describe(self, state: bytes) -> dict[str, str]:
        shown: dict[str, str] = {}
        for variable in self.program.variables:
            if variable.shown:
                self._show_variable(shown, variable, "", state, 0)
        for channel in self.program.channels:
            self._show_channel(shown, channel, "", state, 0)
        frames = self.interpreter.frames(state)
        for pid, (base, control) in enumerate(zip(frames.offsets, frames.controls, strict=True)):
            process = self.interpreter.process_of_control(control)
            name = f"{process.name}:{pid}"
            shown[f"{name}@"] = self.location_text(control)
            for variable in process.variables:
                self._show_variable(shown, variable, f"{name}.", state, base)
            for channel in process.channels:
                self._show_channel(shown, channel, f"{name}.", state, base)
        return shown

    def executed(self, statement: int) -> bool:
        return self._interpreter is not None and statement in self._interpreter.executed

    def forgotten(self, parts: Sequence[Part]) -> frozenset[str]:
        names: set[str] = set()
        for part in parts:
            component = self.statements[part.statement].component
            for variable, reset in self._changed_by.get(part.statement, ()):
                own = "" if variable.scope is Scope.GLOBAL else f"{component}:{part.actor}."
                (names.add if reset else names.discard)(f"{own}{variable.name}")
        return frozenset(names)

    @cached_property
    def _changed_by(self) -> dict[int, tuple[tuple[Variable, bool], ...]]:
        """By statement: the plain variables that it changes, in this order, and whether only to forget them."""
        found: dict[int, list[tuple[Variable, bool]]] = {}
        edges = (edge for process in self.program.processes for place in process.locations for edge in place.edges)
        for action in {id(action): action for edge in edges for action in edge.actions}.values():
            changed = found.setdefault(action.statement, [])
            operations = [action.operation]
            if isinstance(action.operation, DeterministicStep):
                inside = (instruction.operation for instruction in action.operation.code)
                operations = [operation for operation in inside if not isinstance(operation, Choose)]
            for operation in operations:
                written = uses(operation, lambda variable: variable.scalar)[1]
                changed += [(variable, isinstance(operation, Reset)) for variable in written]
        forgets = {number: tuple(changed) for number, changed in found.items()}
        return forgets if any(reset for changed in forgets.values() for _, reset in changed) else {}

    def diagrams(self) -> list[Diagram]:
        from kripke.process.diagrams import program_diagrams

        return program_diagrams(self.program)

    def marked_diagrams(self) -> list[Diagram]:
        return self.diagrams()

    def marks(self, state: bytes) -> dict[str, str]:
        from kripke.process.diagrams import point_key

        there: dict[str, str] = {}
        for pid, control in enumerate(self.interpreter.frames(state).controls):
            process = self.interpreter.process_of_control(control)
            key = point_key(process.name, control - process.control_base)
            there[key] = f"{there[key]}, {pid}" if key in there else str(pid)
        return there

    def location_text(self, control: int) -> str:
        """Where a process at a control point stands."""
        process = self.interpreter.process_of_control(control)
        location = process.locations[control - process.control_base]
        place = f"line {location.span.line}" if location.span is not None else str(control - process.control_base)
        return f"{location.labels[0]} ({place})" if location.labels else place

    def _show_variable(self, shown: dict[str, str], variable: Variable, prefix: str, state: bytes, base: int) -> None:
        if not variable.components:  # data that only the model's C code understands
            at = base + variable.offset
            shown[f"{prefix}{variable.name}"] = f"0x{state[at : at + variable.size].hex()}"
        for component in variable.components:
            value = read_scalar(component.type, state, base + variable.offset + component.offset)
            shown[f"{prefix}{variable.name}{component.path}"] = self.value_text(variable, component.type, value)

    def value_text(self, variable: Variable, type_: IntType, value: int) -> str:
        """A value of a variable, or of a part of it that has this type."""
        if variable.is_channel:
            return self.channel_name(value)
        if type_.name == "bool":
            return "true" if value else "false"
        return (variable.enumeration or {}).get(value, str(value))

    def channel_name(self, identity: int) -> str:
        """The name of the channel a variable holds."""
        if 0 < identity <= len(self.program.channels):
            return self.program.channels[identity - 1].name
        return "none" if identity == 0 else f"channel {identity}"

    def _show_channel(self, shown: dict[str, str], channel: Channel, prefix: str, state: bytes, base: int) -> None:
        if channel.capacity:
            shown[f"{prefix}{channel.name}"] = self.channel_text(state, base + channel.offset, channel)

    def channel_text(self, state: State, at: int, channel: Channel) -> str:
        """The messages in a channel that lies at a place of the state, oldest first."""
        messages = []
        first = at + channel.length_bytes
        for slot in range(channel_length(state, at, channel)):
            values = message_fields(state, first + slot * channel.message_bytes, channel)
            messages.append(",".join(self.field_text(channel, i, value) for i, value in enumerate(values)))
        return "[" + "] [".join(messages) + "]" if messages else "empty"

    def field_text(self, channel: Channel, position: int, value: int) -> str:
        """The value of a field of a message."""
        names = channel.field_names[position] if position < len(channel.field_names) else None
        if channel.fields[position].name == "chan":
            return self.channel_name(value)
        return (names or {}).get(value, str(value))

    def actor_name(self, actor: int, state: bytes) -> str:
        controls = self.interpreter.frames(state).controls
        if actor >= len(controls):
            return f"process {actor}"
        return f"{self.interpreter.process_of_control(controls[actor]).name}:{actor}"

    def source_line(self, span: Span) -> str:
        return self._sources.line(span.file, span.line) or ""

    def operation_of(self, statement: int) -> Operation | Choose | None:
        """What a statement does, where it is part of a step."""
        if not hasattr(self, "_by_statement"):
            found: dict[int, Operation | Choose] = {}
            for process in self.program.processes:
                for location in process.locations:
                    for edge in location.edges:
                        for action in edge.actions:
                            found.setdefault(action.statement, action.operation)
                            for instruction in getattr(action.operation, "code", ()):
                                found.setdefault(instruction.statement, instruction.operation)
            self._by_statement = found
        return self._by_statement.get(statement)

    def state_columns(self) -> StateColumns:
        from kripke.process.columns import ProcessColumns

        return ProcessColumns(self)

    def explain(self, state: bytes, cause: Violation | FalseAtom | Stuck) -> Explanation | None:
        from kripke.process.explanation import explain

        return explain(self, state, cause)

    def explain_part(self, part: Part) -> str:
        text = self.statements[part.statement].text
        operation = self.operation_of(part.statement)
        if isinstance(operation, (Send, Receive)) and part.values:
            channels = self._meant(operation, len(part.values))
            names = [self._value_name(channels, i, value) for i, value in enumerate(part.values)]
            return f"{text}  [{', '.join(names)}]"
        if isinstance(operation, Run) and part.values:
            return f"{text}  [process {part.values[0]}]"
        return text

    def message(self, part: Part, state: bytes) -> Message | None:
        operation = self.operation_of(part.statement)
        if not isinstance(operation, (Send, Receive)):
            return None
        frames = self.interpreter.frames(state)
        frames.pid = part.actor
        base = frames.offsets[part.actor] if part.actor < len(frames.offsets) else 0
        try:
            _, channel = self.interpreter.evaluator.find_channel(operation.channel)(state, base, frames)
        except (StepFailed, IndexError):
            # Inside an atomic sequence the channel may be known only later than in the state before the step.
            from kripke.process.notation import write

            name, content = write(operation.channel), ",".join(map(str, part.values))
        else:
            fields = [self.field_text(channel, i, v) for i, v in enumerate(part.values[: len(channel.fields)])]
            name, content = channel.name, ",".join(fields)
        if isinstance(operation, Send):
            return Message("send", name, content)
        return Message("receive", name, content, operation.keep)

    def branches(self) -> Sequence[Branch]:
        from kripke.process.choices import branches

        return tuple(branches(self.program))

    def message_types(self) -> Sequence[MessageType]:
        from kripke.process.choices import message_types

        return message_types(self.program)

    def source_files(self) -> dict[str, list[str]]:
        return self._sources.texts()

    def _meant(self, operation: Send | Receive, fields: int) -> Sequence[Channel]:
        """The channels an operation with so many fields may be about."""
        match operation.channel:
            case ChannelIdentity(channel):
                return (channel,)
            case ChannelElement(channels, _):
                return channels[:1]  # they are alike
        program = self.program
        every = (*program.channels, *(channel for process in program.processes for channel in process.channels))
        return [channel for channel in every if len(channel.fields) >= fields]

    def _value_name(self, channels: Sequence[Channel], position: int, value: int) -> str:
        """A field of a message, by its name where all the channels give it the same."""
        names = {self.field_text(channel, position, value) for channel in channels if position < len(channel.fields)}
        return names.pop() if len(names) == 1 else str(value)

    def printed(self, part: Part) -> str | None:
        operation = self.operation_of(part.statement)
        if isinstance(operation, CCode):
            return bytes(part.values).decode("utf-8", "replace") or None
        if not isinstance(operation, Print) or (not operation.format and not operation.arguments):
            return None
        from kripke.process.notation import names_of

        arguments = enumerate(part.values)

        def convert(match: re.Match[str]) -> str:
            flags, conversion = match.groups()
            if conversion == "%":
                return "%"
            position, value = next(arguments, (-1, 0))
            if position in operation.forgotten:
                return "?"
            if conversion == "e":
                names = names_of(operation.arguments[position]) if position >= 0 else None
                chosen = self._mtypes if names is None or names.get(1) == "true" else names
                return chosen.get(value, str(value))
            if conversion == "c":
                return chr(value & 0xFF)
            if conversion in "oux":
                value &= 0xFFFFFFFF
            return f"%{flags}{'d' if conversion == 'u' else conversion}" % value

        text = re.sub(r"\\(.)", lambda m: _ESCAPES.get(m.group(1), m.group(1)), operation.format)
        return _CONVERSION.sub(convert, text)

    def facts(self) -> dict[str, object]:
        program = self.program
        return {
            "processes": {
                process.name: {
                    "instances": sum(1 for initial in program.initial if initial.process is process),
                    "locations": len(process.locations),
                    "edges": sum(len(location.edges) for location in process.locations),
                    "frame bytes": process.frame_bytes,
                    "variables": [f"{v.type_name} {v.name}" for v in process.variables],
                }
                for process in program.processes
            },
            "variables": [f"{v.type_name} {v.name}" for v in program.variables if v.shown],
            "channels": [
                f"{channel.name} [{channel.capacity}] of {{{', '.join(t.name for t in channel.fields)}}}"
                for channel in program.channels
            ],
            "global bytes": program.global_bytes,
            "first state bytes": program.global_bytes + sum(i.process.frame_bytes for i in program.initial),
            "statements": len(program.statements),
        }
