"""Closing an open program: what depends on the answers of devices becomes a choice.

A variable that may hold something a device answered, or something computed from it, is *unknown*. It is not kept (it is
always 0), and a condition on it can go either way. So is what it is sent as, and what it is passed as. The closed
program has every run of the open one, and perhaps more: an error that is found may need answers that no device gives.
What is computed from unknown values is not computed, so errors of range or division in it are not looked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kripke.actions.program import (
    Alternative,
    Assert,
    Assign,
    Base,
    Branch,
    Cast,
    Choose,
    Communicate,
    Constant,
    Copy,
    Deadline,
    Device,
    Expression,
    InRange,
    Instruction,
    Jump,
    Load,
    Operation,
    Place,
    Print,
    ProcessType,
    Program,
    Save,
    Start,
)
from kripke.actions.variables import Variable, message_of, places_of, variable_of
from kripke.model.source import Diagnostic, Sources


def close(program: Program, sources: Sources) -> list[Diagnostic]:
    """Change a program so that it asks no device; what that means for the answer of a check."""
    return _Closing(program, sources).close()


class _Closing:
    def __init__(self, program: Program, sources: Sources) -> None:
        self.program = program
        self.sources = sources
        self.unknown: set[Variable] = set()

    def close(self) -> list[Diagnostic]:
        asked = self._instructions()
        if not any(isinstance(instruction, Device) for _, _, instruction in asked):
            return []
        known = -1
        while known != len(self.unknown):
            known = len(self.unknown)
            for process, _, instruction in self._instructions():
                self._spread(process, instruction)
        for name, expression in self.program.atoms.items():
            if self._is_unknown(expression, None):
                raise self.sources.error(
                    f"{name} depends on what a device answers, which a closed program does not keep"
                )
        warnings = []
        for process in self.program.processes:
            for at, instruction in enumerate(list(process.code)):
                label = process.statements[at]
                changed = self._changed(process, at, instruction)
                if isinstance(changed, Choose) and changed != instruction:
                    statement = self.program.statements[label]
                    text = f"{statement.text} depends on a device and may go either way: an error found may need"
                    warnings.append(Diagnostic(f"{text} answers that no device gives", statement.span))
                process.code[at] = changed
        return warnings

    def _instructions(self) -> Iterator[tuple[ProcessType, int, Instruction]]:
        for process in self.program.processes:
            for at, instruction in enumerate(process.code):
                yield process, at, instruction

    # --- what is unknown ----------------------------------------------------------------------------------------------

    def _variable(self, base: Base, process: ProcessType | None) -> Variable:
        return variable_of(self.program, base, process)

    def _is_unknown(self, expression: Expression, process: ProcessType | None) -> bool:
        match expression:
            case Load(place, _):
                return self._variable(place.base, process) in self.unknown
            case Operation(_, operands, _):
                return any(self._is_unknown(one, process) for one in operands)
            case Cast(operand, _) | InRange(operand, _):
                return self._is_unknown(operand, process)
        return False

    def _learn(self, place: Place, process: ProcessType) -> None:
        self.unknown.add(self._variable(place.base, process))

    def _spread(self, process: ProcessType, instruction: Instruction) -> None:
        match instruction:
            case Device(_, place, _, _) if place is not None:
                self._learn(place, process)
            case Assign(place, _, value) if self._is_unknown(value, process):
                self._learn(place, process)
            case Copy(target, source, _) if self._variable(source.base, process) in self.unknown:
                self._learn(target, process)
            case Communicate(alternatives, _, saves):
                for save in saves:
                    if self._is_unknown(save.value, process):
                        self.unknown.add((process.number, save.offset))
                for alternative in alternatives:
                    self._spread_message(process, alternative)
            case Start(number, _, values, copies, references, _):
                for offset, _, value in values:
                    if self._is_unknown(value, process):
                        self.unknown.add((number, offset))
                for offset, _, place in copies:
                    if self._variable(place.base, process) in self.unknown:
                        self.unknown.add((number, offset))
                for offset, place in references:  # two names of one variable
                    names = {(number, offset), self._variable(place.base, process)}
                    if names & self.unknown:
                        self.unknown |= names
            case _:
                pass

    def _spread_message(self, process: ProcessType, alternative: Alternative) -> None:
        name = message_of(alternative)
        for position, (value, _) in enumerate(alternative.values):
            if self._is_unknown(value, process):
                self.unknown.add((name, position))
        for position, target in enumerate(alternative.targets):
            if (name, position) in self.unknown and target.place is not None:
                self._learn(target.place, process)

    # --- what becomes of it -------------------------------------------------------------------------------------------

    def _after_choice(self, process: ProcessType, at: int) -> Choose:
        """An assertion that may hold or fail: to the next instruction, or to one that fails, at the end."""
        process.code.append(Assert(Constant(0)))
        process.statements.append(process.statements[at])
        return Choose((at + 1, len(process.code) - 1))

    def _changed(self, process: ProcessType, at: int, instruction: Instruction) -> Instruction:
        label = process.statements[at]
        self._require_places(process, instruction, label)
        match instruction:
            case Device(_, place, type_, _):
                return Jump(at + 1) if place is None else Assign(place, type_, Constant(0))
            case Assign(place, type_, value) if self._variable(place.base, process) in self.unknown:
                return Assign(place, type_, Constant(0))
            case Branch(condition, otherwise) if self._is_unknown(condition, process):
                return Choose((at + 1, otherwise))
            case Assert(condition) if self._is_unknown(condition, process):
                return self._after_choice(process, at)
            case Print(kind, text, value) if value is not None and self._is_unknown(value, process):
                return Print(kind, text, Constant(0))
            case Deadline(value) if self._is_unknown(value, process):
                return Jump(at + 1)
            case Communicate(alternatives, _, saves):
                return replace(
                    instruction,
                    alternatives=tuple(self._silent(process, one) for one in alternatives),
                    saves=tuple(self._zero(process, save) for save in saves),
                )
            case Start(number, _, values, _, _, _):
                kept = tuple(
                    (offset, type_, Constant(0) if (number, offset) in self.unknown else value)
                    for offset, type_, value in values
                )
                return replace(instruction, values=kept)
        return instruction

    def _zero(self, process: ProcessType, save: Save) -> Save:
        return replace(save, value=Constant(0)) if self._is_unknown(save.value, process) else save

    def _silent(self, process: ProcessType, alternative: Alternative) -> Alternative:
        name = message_of(alternative)
        statement = self.program.statements[alternative.statement]
        if alternative.guard is not None and self._is_unknown(alternative.guard, process):
            raise self.sources.error(
                "the guard depends on what a device answers",
                statement.span,
                hint="test it in an IF behind the communication, or play the device in a process",
            )
        for position, target in enumerate(alternative.targets):
            if target.place is None and (name, position) in self.unknown:
                raise self.sources.error("what is received here depends on what a device answers", statement.span)
        values = tuple(
            (Constant(0) if (name, position) in self.unknown else value, type_)
            for position, (value, type_) in enumerate(alternative.values)
        )
        return replace(alternative, values=values)

    def _require_places(self, process: ProcessType, instruction: Instruction, label: int) -> None:
        """Where an index or a channel is unknown, there is no telling what is changed."""
        for place in places_of(instruction):
            if any(self._is_unknown(step.index, process) for step in place.indexing):
                raise self.sources.error(
                    "the index depends on what a device answers",
                    self.program.statements[label].span,
                    hint="play the device in a process, with messages on SYSTEM.IOPORT",
                )
