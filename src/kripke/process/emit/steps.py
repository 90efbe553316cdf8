"""Deterministic steps as C: one function each, instructions as labelled blocks.

The function works in place and returns 1 + the statement of the last instruction, 0 after a violation. Only jumps
back are counted, each with the number of instructions it goes back: that bounds every loop at no cost elsewhere.
"""

from __future__ import annotations

from kripke.process.emit.code import Code, comment
from kripke.process.emit.facts import Facts
from kripke.process.emit.operations import Execution
from kripke.process.emit.scalars import View
from kripke.process.program import (
    MAX_DETERMINISTIC_LENGTH,
    Choose,
    DeterministicStep,
    Guard,
    StepInstruction,
    ViolationKind,
)

STEP_PARAMETERS = "kripke_sink *sink, uint8_t *o, uint32_t n, uint32_t f, uint32_t pid"


class StepFunctions:
    """The functions of the deterministic steps met so far."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.code = Code()
        self._names: dict[tuple[int, int], str] = {}
        # Steps are told apart by identity: comparing long ones costs more than it saves.
        self._kept: list[DeterministicStep] = []

    def name(self, step: DeterministicStep, statement: int) -> str:
        """The function of a step that is part of a statement; written when first asked for."""
        key = (id(step), statement)
        if key not in self._names:
            self._kept.append(step)
            self._names[key] = f"step_{len(self._names)}"
            StepExecution(self.facts, self.code, step, statement).write(self._names[key])
        return self._names[key]


class StepExecution(Execution):
    """The function of one deterministic step."""

    def __init__(self, facts: Facts, code: Code, step: DeterministicStep, statement: int) -> None:
        super().__init__(facts, code, View("o", "p", timeout="TIMEOUT(sink)"), self._fail, _no_step)
        self.step = step
        self.whole = statement
        self.chosen_guards = self._chosen_guards()

    def _fail(self, kind: ViolationKind) -> str:
        return f"{{ sink->report(sink, {int(kind)}, {self.whole}); return 0; }}"

    def failed(self) -> str:
        return "return 0;"

    def write(self, name: str) -> None:
        targets = self._targets()
        statements = self.facts.program.statements
        self.code.line(f"static uint32_t {name}({STEP_PARAMETERS})")
        with self.code.block():
            self.code.line("uint8_t *p = o + f;")
            self.code.line(f"int32_t fuel = {MAX_DETERMINISTIC_LENGTH};")
            self.code.line("(void)p, (void)n, (void)pid, (void)fuel;")
            if not self.step.code:
                self.code.line(f"return {self.whole + 1};")
            for i, instruction in enumerate(self.step.code):
                if i in targets:
                    self.code.label(f"i{i}")
                if instruction.statement < len(statements):
                    self.code.line(comment(statements[instruction.statement].text))
                self._instruction(i, instruction)
        self.code.line()

    def _targets(self) -> set[int]:
        """Instructions that are jumped to."""
        targets = {step.next for i, step in enumerate(self.step.code) if step.next != i + 1}
        for step in self.step.code:
            if isinstance(step.operation, Choose):
                targets |= {option for option in step.operation.options if not self._is_guard(option)}
        return targets

    def _is_guard(self, at: int) -> bool:
        return isinstance(self.step.code[at].operation, Guard)

    def _chosen_guards(self) -> set[int]:
        return {
            option
            for step in self.step.code
            if isinstance(step.operation, Choose)
            for option in step.operation.options
            if self._is_guard(option)
        }

    def _instruction(self, at: int, instruction: StepInstruction) -> None:
        self.statement = instruction.statement
        operation = instruction.operation
        if isinstance(operation, Choose):
            with self.code.block():
                self.test_options(self.step.code, operation.options, lambda option: self._choose(at, option))
            return
        with self.code.block():
            self.perform(operation)
        if at in self.chosen_guards:
            self.code.label(f"b{at}")
        self.covered.clear()
        self.cover(instruction.statement)
        if instruction.next < 0:
            self.code.line(f"return {instruction.statement + 1};")
        elif instruction.next != at + 1:
            self.code.line(self._jump(at, instruction.next, f"i{instruction.next}"))

    def _choose(self, at: int, option: int) -> str:
        """Behind the guard of an option: it has just been evaluated."""
        return self._jump(at, option, f"b{option}" if self._is_guard(option) else f"i{option}")

    def _jump(self, at: int, target: int, label: str) -> str:
        if target > at:
            return f"goto {label};"
        fail = self._fail(ViolationKind.ENDLESS)
        return f"if (UNLIKELY((fuel -= {at - target + 1}) < 0)) {fail} goto {label};"


def _no_step(step: DeterministicStep, statement: int) -> str:
    raise ValueError("a deterministic step inside a deterministic step")
