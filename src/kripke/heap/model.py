"""A program with a heap as a ``Model``: a step is one thread's, from a visible operation to before its next one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kripke.heap.machine import FIRST_CLASS, Machine
from kripke.heap.memory import UNBOUND, Codec, Memory, Obj, TooLarge, Value, mark_shared
from kripke.heap.operations import MEMORY
from kripke.heap.program import Class, Op, Options, Program
from kripke.heap.reduction.footprint import Footprint
from kripke.heap.reduction.futures import Futures
from kripke.heap.reduction.reducer import Reducer, Tried
from kripke.heap.shown import Shown
from kripke.model.model import Model, Part, Statement, Transition, Violation, ViolationKind
from kripke.model.source import Diagnostic, Sources, Span

if TYPE_CHECKING:
    from kripke.model.property import Temporal

KINDS = (
    ViolationKind("assertion", "assertion failed"),
    ViolationKind("exception", "an exception that nobody catches"),
    ViolationKind("overflow", "an integer of more than 64 bits"),
    ViolationKind("unsupported", "something outside of the part of Python that can be checked"),
    ViolationKind("memory", "a state larger than --state-limit"),
)


class HeapModel(Model):
    deadlock_text = "every thread waits, and nobody can wake them"
    actors_text = "threads"
    most_actors = None

    def __init__(
        self,
        program: Program,
        options: Options,
        file: str,
        sources: Sources,
        properties: Sequence[Temporal] = (),
        warnings: Sequence[Diagnostic] = (),
    ) -> None:
        self.program, self.options = program, options
        self.file, self.language, self.sources = file, "python", sources
        self.properties, self.warnings = properties, warnings
        self.statements = [Statement(each.text, each.span, each.function) for each in program.statements]
        self.violation_kinds = [
            *KINDS,
            *(ViolationKind("exception", f"{each.name} is raised and not caught") for each in program.classes),
        ]
        self.atoms = [name for name, _, _ in program.atoms]
        self.machine = Machine(program, options)
        self.codec = Codec(program, options)
        self.shown = Shown(program)
        #: chooses which steps are enough, where not all are asked for
        self.reducer: Reducer | None = None
        self._futures: Futures | None = None
        assert len(self.violation_kinds) == FIRST_CLASS + len(program.classes)

    @property
    def max_state_bytes(self) -> int:
        return self.options.max_state_bytes

    # --- behaviour ----------------------------------------------------------------------------------------------------

    def initial(self) -> list[bytes]:
        return [self.codec.encode(self.machine.start())]

    def successors(self, state: bytes) -> list[Transition]:
        memory = self.codec.decode(state)
        if self.finished(memory):
            return []
        threads = [thread for thread, frame in enumerate(memory.frames) if frame is not None]
        if self.reducer is None:
            return [step for thread in threads for step in self._steps(state, thread)]
        return self._enough(self.reducer, memory, state, threads)

    def _enough(self, reducer: Reducer, memory: Memory, state: bytes, threads: list[int]) -> list[Transition]:
        """The steps of some threads, where no others are needed."""
        steps: dict[int, list[Transition]] = {}
        tried: list[Tried] = []
        for thread in threads:
            self.machine.footprint = footprint = Footprint(reducer.futures.places)
            steps[thread] = self._steps(state, thread)
            self.machine.footprint = None
            tried.append(Tried(thread, bool(steps[thread]), footprint))
        mark_shared(memory)
        chosen = reducer.choose(memory, tried) or set(threads)
        found = [step for thread in threads if thread in chosen for step in steps[thread]]
        if any(step.target is None for step in found):
            found += [step for thread in threads if thread not in chosen for step in steps[thread]]
        return found

    def _steps(self, state: bytes, thread: int) -> list[Transition]:
        found: list[Transition] = []
        choice, choices = 0, 1
        while choice < choices:
            step, choices = self._step(state, thread, choice)
            if step is not None:
                found.append(step)
            choice += 1
        return found

    def reduced(self, atoms: Sequence[int]) -> HeapModel | str:
        obstacle = Reducer.obstacle(self.program)
        if obstacle:
            return obstacle
        made = HeapModel(self.program, self.options, self.file, self.sources, self.properties, self.warnings)
        if self._futures is None:
            self._futures = Futures(self.program)
        made.reducer = Reducer(self._futures, atoms)
        return made

    def _step(self, state: bytes, thread: int, choice: int) -> tuple[Transition | None, int]:
        memory = self.codec.decode(state)
        mark_shared(memory)
        outcome = self.machine.step(memory, thread, choice)
        if outcome.blocked:
            return None, 1
        parts = tuple(
            Part(thread, each, tuple(map(ord, text)))
            for each, text in zip(outcome.statements, outcome.printed, strict=True)
        )
        violations = [Violation(code, label) for code, label in outcome.violations]
        target = None
        if not outcome.ended:
            try:
                target = self.codec.encode(memory)
            except TooLarge:
                violations.append(Violation(MEMORY, outcome.label))
        return Transition(parts, target, tuple(violations)), outcome.choices

    def finished(self, memory: Memory) -> bool:
        """Nobody runs but daemons: these end with the program."""
        for thread, frame in zip(memory.threads, memory.frames, strict=True):
            if frame is not None and not self._is_daemon(thread):
                return False
        return True

    def _is_daemon(self, thread: Value) -> bool:
        if not isinstance(thread, Obj):
            return False
        found: Class = thread.fields[0]
        names = self.program.names
        at = next((n for n, name in enumerate(found.layout) if names[name] == "daemon"), -1)
        return at >= 0 and thread.fields[1 + at] is True

    def valid_end(self, state: bytes) -> bool:
        return self.finished(self.codec.decode(state))

    def atom_values(self, state: bytes) -> tuple[bool, ...]:
        memory = self.codec.decode(state)
        return tuple(self._truth(number, memory) is True for number in range(len(self.atoms)))

    def failed_atoms(self, state: bytes) -> int:
        memory = self.codec.decode(state)
        return sum(1 << number for number in range(len(self.atoms)) if self._truth(number, memory) is None)

    def _truth(self, number: int, memory: Memory) -> bool | None:
        _, code, unbound = self.program.atoms[number]
        for each in self.program.codes[code].instructions:
            if each.op == Op.LOAD_GLOBAL and memory.globals[each.argument] is UNBOUND:
                return unbound
        return self.machine.evaluate(code, memory)

    def emit_c(self, *, dependencies: bool = False) -> str:
        from kripke.heap.emit import emit_c

        return emit_c(self)

    # --- for people ---------------------------------------------------------------------------------------------------

    def describe(self, state: bytes) -> Mapping[str, str]:
        return self.shown.state(self.codec.decode(state))

    def actor_name(self, actor: int, state: bytes) -> str:
        memory = self.codec.decode(state)
        return self.shown.thread_name(memory, actor)

    def source_line(self, span: Span) -> str:
        return self.sources.line(span.file, span.line) or ""

    def source_files(self) -> Mapping[str, Sequence[str]]:
        return {self.file: self.sources.texts()[self.file]} if self.file in self.sources.texts() else {}

    def explain_part(self, part: Part) -> str:
        return self.statements[part.statement].text

    def printed(self, part: Part) -> str | None:
        return "".join(map(chr, part.values)) if part.values else None

    def facts(self) -> Mapping[str, object]:
        own = [code for code in self.program.codes if not code.library]
        return {
            "functions": len(own) - 1,
            "classes": sum(not each.library for each in self.program.classes),
            "global variables": len(self.program.global_names),
            "statements": len(self.statements),
            "instructions": sum(len(code.instructions) for code in own),
            "bytes of the longest state": self.max_state_bytes,
        }
