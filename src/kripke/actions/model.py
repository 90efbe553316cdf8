"""An action program as a ``Model``: interpreter and C emitter behind the common interface."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from kripke.actions.interpreter import FINDS, WAITS, Interpreter
from kripke.actions.memory import Memory, StepFailed
from kripke.actions.program import (
    VIOLATION_TEXT,
    Alternative,
    Communicate,
    Control,
    ControlKind,
    Instruction,
    Load,
    Print,
    Program,
    Scalar,
    Shown,
    Start,
)
from kripke.actions.program import ViolationKind as Code
from kripke.model.explanation import Explanation, FalseAtom, Stuck
from kripke.model.message import Message
from kripke.model.model import Model, Part, Transition, Violation, ViolationKind
from kripke.model.property import Temporal
from kripke.model.source import Diagnostic, Sources, Span

if TYPE_CHECKING:
    from kripke.model.capabilities.encodable import Encoding
    from kripke.model.dependencies import DependencyAnalysis
    from kripke.model.diagram import Diagram
    from kripke.model.symmetry import Symmetry


class ActionModel(Model):
    """A step is an action of a process; a state in which all processes wait for others is a deadlock."""

    deadlock_text = "every process that has not ended waits for another"

    def __init__(
        self,
        program: Program,
        file: str,
        language: str,
        sources: Sources,
        warnings: Sequence[Diagnostic] = (),
        properties: Sequence[Temporal] = (),
    ) -> None:
        self.program = program
        self.file = file
        self.language = language
        self.statements = program.statements
        self.violation_kinds = [ViolationKind(code.name.lower(), VIOLATION_TEXT[code]) for code in Code]
        self.atoms = list(program.atoms)
        self.warnings = warnings
        self.properties = properties
        self.sources = sources
        self._interpreter: Interpreter | None = None
        self._by_statement: dict[int, Instruction] = {}

    @property
    def interpreter(self) -> Interpreter:
        """Made at first use: a compiled run that finds nothing needs none."""
        if self._interpreter is None:
            self._interpreter = Interpreter(self.program)
        return self._interpreter

    @property
    def max_state_bytes(self) -> int:
        return self.program.max_state_bytes

    @property
    def most_actors(self) -> int:  # type: ignore[override]
        return self.program.max_processes

    # --- behaviour ----------------------------------------------------------------------------------------------------

    def initial(self) -> list[bytes]:
        return [self.interpreter.initial()]

    def successors(self, state: bytes) -> list[Transition]:
        return self.interpreter.successors(state)

    def each_successor(self, state: bytes) -> Iterator[Transition]:
        return self.interpreter.each_successor(state)

    def valid_end(self, state: bytes) -> bool:
        return self.interpreter.valid_end(state)

    def atom_values(self, state: bytes) -> tuple[bool, ...]:
        return tuple(value is True for value in self._atoms(state))

    def failed_atoms(self, state: bytes) -> int:
        return sum(1 << number for number, value in enumerate(self._atoms(state)) if value is None)

    def _atoms(self, state: bytes) -> list[bool | None]:
        memory = Memory(self.program, state)
        found: list[bool | None] = []
        for expression in self.program.atoms.values():
            try:
                found.append(self.interpreter.evaluator.value(expression, None)(memory, 0) != 0)
            except StepFailed:
                found.append(None)
        return found

    def emit_c(self, *, dependencies: bool = False) -> str:
        from kripke.actions.dependence import obstacle
        from kripke.actions.emit import emit_c

        return emit_c(self.program, dependencies=dependencies and obstacle(self.program) is None)

    def dependencies(self, atoms: Sequence[int] = ()) -> DependencyAnalysis | str:
        from kripke.actions.dependence import ActionDependencies, obstacle

        asked = list(self.program.atoms.values())
        reason = obstacle(self.program)
        return reason or ActionDependencies(self.interpreter, [asked[number] for number in atoms])

    def symmetry(self, atoms: Sequence[int] = ()) -> Symmetry | str:
        """Atoms are about global variables, which do not know the processes."""
        from kripke.actions.symmetry import symmetry_of

        return symmetry_of(self.interpreter)

    def encode(self, room: int = 1) -> Encoding | str:
        from kripke.actions.encode.slots import Slots
        from kripke.actions.encode.steps import encoded
        from kripke.model.capabilities.encodable import Encoding
        from kripke.terms.refusal import Unencodable
        from kripke.terms.system import valued

        try:
            slots = Slots(self.program, room)
            initial = valued(slots.variables, [slots.values(state) for state in self.initial()])
            return Encoding(encoded(self.program, slots, initial, room), slots.values, slots.state)
        except Unencodable as refusal:
            place = f" ({self.statements[refusal.statement].span})" if refusal.statement >= 0 else ""
            return f"{refusal.what} cannot be said in terms{place}"

    # --- for people ---------------------------------------------------------------------------------------------------

    def describe(self, state: bytes) -> dict[str, str]:
        memory = Memory(self.program, state)
        shown: dict[str, str] = {}
        for variable in self.program.shown:
            shown[variable.name] = _text(memory.read(variable.offset, variable.type), variable.type)
        for pid in memory.processes():
            control = self.control(memory, pid)
            process = self.program.processes[control.process]
            name = f"{process.name}:{pid}"
            shown[f"{name}@"] = self._location(control)
            for variable in process.shown:
                shown[f"{name}.{variable.name}"] = self._shown(memory, pid, variable)
        return shown

    def _shown(self, memory: Memory, pid: int, variable: Shown) -> str:
        at = memory.at[pid] + variable.offset
        if not variable.reference:
            return _text(memory.read(at, variable.type), variable.type)
        owner, offset = memory.data[at], memory.data[at + 1] | memory.data[at + 2] << 8
        return f"-> {self._name_at(memory, owner, offset)}"

    def _name_at(self, memory: Memory, owner: int, offset: int) -> str:
        """The name of the variable that a reference refers to."""
        prefix, variables = "", self.program.shown
        if owner:
            process = self.program.processes[self.control(memory, owner - 1).process]
            prefix, variables = f"{process.name}:{owner - 1}.", process.shown
        for variable in variables:
            if variable.offset == offset and not variable.reference:
                return prefix + variable.name
        return f"{prefix}offset {offset}"

    def control(self, memory: Memory, pid: int) -> Control:
        control = self.program.controls[memory.control(pid)]
        assert control is not None
        return control

    def _location(self, control: Control) -> str:
        process = self.program.processes[control.process]
        at = control.at
        if control.kind is ControlKind.ENDED:
            return "its end (processes that it created have not ended)"
        if control.kind is ControlKind.WAITING:
            instruction = process.code[at]
            assert isinstance(instruction, Communicate)
            texts = [self.statements[one.statement].text for one in instruction.alternatives]
            line = self.statements[instruction.alternatives[0].statement].span.line
            return f"line {line}, waiting: {' or '.join(texts)}"
        labels = [label for label in process.statements[at:] if label >= 0]
        line = self.statements[labels[0]].span.line if labels else process.span.line
        if control.kind is ControlKind.CALLING:
            called = process.code[at - 1]
            assert isinstance(called, Start)
            line = self.statements[process.statements[at - 1]].span.line
            return f"line {line}, until {self.program.processes[called.process].name} ends"
        return f"line {line}"

    def diagrams(self) -> list[Diagram]:
        from kripke.actions.diagrams import program_diagrams

        return program_diagrams(self.program)

    def marked_diagrams(self) -> list[Diagram]:
        return self.diagrams()

    def marks(self, state: bytes) -> dict[str, str]:
        from kripke.actions.diagrams import point_key

        memory = Memory(self.program, state)
        there: dict[str, str] = {}
        for pid in memory.processes():
            key = point_key(self.program, self.control(memory, pid))
            there[key] = f"{there[key]}, {pid}" if key in there else str(pid)
        return there

    def actor_name(self, actor: int, state: bytes) -> str:
        memory = Memory(self.program, state)
        if actor >= len(memory.at) or not memory.control(actor):
            return f"process {actor}"
        return f"{self.program.processes[self.control(memory, actor).process].name}:{actor}"

    def source_line(self, span: Span) -> str:
        return self.sources.line(span.file, span.line) or ""

    def source_files(self) -> Mapping[str, Sequence[str]]:
        return self.sources.texts()

    def _instruction(self, statement: int) -> Instruction | None:
        if not self._by_statement:
            for process in self.program.processes:
                for instruction, label in zip(process.code, process.statements, strict=True):
                    self._by_statement.setdefault(label, instruction)
                    if isinstance(instruction, Communicate):
                        for alternative in instruction.alternatives:
                            self._by_statement[alternative.statement] = instruction
        return self._by_statement.get(statement)

    def explain_part(self, part: Part) -> str:
        text = self.statements[part.statement].text
        instruction = self._instruction(part.statement)
        if part.values in ((WAITS,), (FINDS,)):
            return f"{text}  [{'waits' if part.values == (WAITS,) else 'somebody waits for it'}]"
        if isinstance(instruction, Communicate) and part.values:
            return f"{text}  [{', '.join(map(str, part.values))}]"
        if isinstance(instruction, Start) and part.values:
            return f"{text}  [process {part.values[0]}]"
        return text

    def message(self, part: Part, state: bytes) -> Message | None:
        instruction = self._instruction(part.statement)
        if not isinstance(instruction, Communicate) or part.values in ((WAITS,), (FINDS,)):
            return None
        memory = Memory(self.program, state)
        for alternative in instruction.alternatives:
            if alternative.statement == part.statement:
                content = alternative.text.split()[-1] + (f"({','.join(map(str, part.values))})" if part.values else "")
                channel = self.channel_name(memory, part.actor, instruction, alternative)
                return Message("send" if alternative.sends else "receive", channel, content)
        return None

    def channel_name(self, memory: Memory, actor: int, communicate: Communicate, alternative: Alternative) -> str:
        """The name of the channel: that of the global port that holds it, else its number."""
        port = alternative.port
        for save in communicate.saves:
            if isinstance(port, Load) and port.place.base.hops == 0 and port.place.base.offset == save.offset:
                port = save.value
        try:
            process = self.program.processes[self.control(memory, actor).process]
            number = self.interpreter.evaluator.value(port, process)(memory, actor)
        except (StepFailed, IndexError, AssertionError):  # the process, or its port, is made in this step
            return self.statements[alternative.statement].text.replace("?", "!").split("!")[0].strip()
        for variable in self.program.shown:
            if variable.type.kind == "port" and memory.data[variable.offset] == number:
                return variable.name
        return f"channel {number}"

    def forbids(self, statement: int) -> bool:
        """The statements of a PROPERTY are those of an automaton that watches."""
        return self._instruction(statement) is None

    def explain(self, state: bytes, cause: Violation | FalseAtom | Stuck) -> Explanation | None:
        from kripke.actions.explanation import explain

        return explain(self, state, cause)

    @staticmethod
    def value_text(value: int, type_: Scalar) -> str:
        return _text(value, type_)

    def printed(self, part: Part) -> str | None:
        instruction = self._instruction(part.statement)
        if not isinstance(instruction, Print):
            return None
        value = part.values[0] if part.values else 0
        match instruction.kind:
            case "Ln":
                return "\n"
            case "String":
                return instruction.text
            case "Char":
                return chr(value)
            case "Bool":
                return "TRUE" if value else "FALSE"
            case "Hex":
                return f"{value & 0xFFFFFFFF:X}"
        return str(value)

    def facts(self) -> dict[str, object]:
        program = self.program
        return {
            "processes": {
                process.name: {
                    "instructions": len(process.code),
                    "record bytes": process.record_bytes,
                    "variables": [f"{v.name} : {v.type.name}" for v in process.shown],
                }
                for process in program.processes
            },
            "variables": [f"{v.name} : {v.type.name}" for v in program.shown],
            "global bytes": program.global_bytes,
            "queues": program.queues.value,
            "most processes": program.max_processes,
            "statements": len(program.statements),
        }


def _text(value: int, type_: Scalar) -> str:
    match type_.kind:
        case "boolean":
            return "TRUE" if value else "FALSE"
        case "character":
            return repr(chr(value)) if 32 <= value < 127 else f"{value:02X}X"
        case "set":
            return "{" + ", ".join(str(bit) for bit in range(8 * type_.size) if value >> bit & 1) + "}"
        case "port":
            return f"channel {value}" if value else "none"
    return str(value)
