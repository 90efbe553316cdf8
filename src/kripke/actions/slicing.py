"""Slicing: leave out data that no property and no step depends on.

The cone of influence of all that decides what happens: conditions, guards, assertions, ports, indices, and the
properties that are checked (Weiser, "Program slicing", IEEE TSE 10(4), 1984; the LF system had a slicer of its own).
What is outside only computes others outside: it keeps the value 0. So processes take the same steps as before, and
deadlocks, assertions, properties and errors of indices and divisors are kept. Whether what is no longer computed would
leave the range of its type is not looked for; a warning names every variable of this sort.

Arrays and records are followed as a whole. A ``VAR`` parameter and the variables that are passed to it are one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from kripke.actions.program import (
    BOOLEAN,
    Alternative,
    Assert,
    Assign,
    Branch,
    Cast,
    Communicate,
    Constant,
    Copy,
    Deadline,
    Device,
    Expression,
    InRange,
    Instruction,
    Load,
    New,
    Operation,
    Place,
    Print,
    ProcessType,
    Program,
    Save,
    Shown,
    Start,
)
from kripke.actions.variables import Variable, message_of, places_of, places_read, variable_of


def slice_program(program: Program) -> list[str]:
    """Change a program so that it computes what matters; the names of the variables that are left out. What the
    program is asked (``atoms``) is known by now."""
    needed = _Cone(program).needed()
    changed = False
    for process in program.processes:
        for at, instruction in enumerate(process.code):
            process.code[at] = _Change(program, process, needed).of(instruction)
            changed |= process.code[at] != instruction
    return _forget(program, needed) if changed else []


class _Cone:
    """Which variables depend on which, and those that something depends on."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._sources: dict[Variable, set[Variable]] = {}
        self._roots: set[Variable] = set()

    def needed(self) -> set[Variable]:
        for expression in self._program.atoms.values():
            self._need(expression, None)
        for process in self._program.processes:
            for instruction in process.code:
                self._add(process, instruction)
        found = set(self._roots)
        todo = list(found)
        while todo:
            for source in self._sources.get(todo.pop(), ()):
                if source not in found:
                    found.add(source)
                    todo.append(source)
        return found

    def _read(self, expression: Expression, process: ProcessType | None) -> Iterator[Variable]:
        return (variable_of(self._program, place.base, process) for place in places_read(expression))

    def _need(self, expression: Expression, process: ProcessType | None) -> None:
        self._roots.update(self._read(expression, process))

    def _assign(self, target: Variable, value: Expression, process: ProcessType) -> None:
        self._flow(target, self._read(value, process))
        if _risky(value):  # it is computed, whoever looks at the result
            self._roots.add(target)

    def _flow(self, target: Variable, sources: Iterable[Variable]) -> None:
        self._sources.setdefault(target, set()).update(sources)

    def _add(self, process: ProcessType, instruction: Instruction) -> None:
        program = self._program
        for place in places_of(instruction):
            for step in place.indexing:  # where something is must be known, whatever becomes of it
                self._need(step.index, process)
        match instruction:
            case Assign(place, type_, value):
                target = variable_of(program, place.base, process)
                self._assign(target, value, process)
                if type_.kind == "port":
                    self._roots.add(target)
            case Copy(target_place, source, _):
                target = variable_of(program, target_place.base, process)
                self._flow(target, [variable_of(program, source.base, process)])
                if target_place.indexing or source.indexing:  # which may be out of bounds
                    self._roots.add(target)
            case Branch(condition, _) | Assert(condition):
                self._need(condition, process)
            case Communicate(alternatives, _, saves):
                for save in saves:
                    self._assign((process.number, save.offset), save.value, process)
                for alternative in alternatives:
                    self._message(process, alternative)
            case Start(number, _, values, copies, references, _):
                for offset, type_, value in values:
                    self._assign((number, offset), value, process)
                    if type_.kind == "port":
                        self._roots.add((number, offset))
                for offset, _, place in copies:
                    self._flow((number, offset), [variable_of(program, place.base, process)])
                for offset, place in references:  # two names of one variable
                    named = variable_of(program, place.base, process)
                    self._flow((number, offset), [named])
                    self._flow(named, [(number, offset)])
            case New(place):
                self._roots.add(variable_of(program, place.base, process))
            case Device(address, _, _, value):
                self._need(address, process)
                if value is not None:
                    self._need(value, process)
            case Print(_, _, shown) if shown is not None and _risky(shown):
                self._need(shown, process)
            case _:
                pass

    def _message(self, process: ProcessType, alternative: Alternative) -> None:
        message = message_of(alternative)
        self._need(alternative.port, process)
        if alternative.guard is not None:
            self._need(alternative.guard, process)
        for position, (value, type_) in enumerate(alternative.values):
            self._assign((message, position), value, process)
            if type_.kind == "port":
                self._roots.add((message, position))
        for position, target in enumerate(alternative.targets):
            if target.place is None:  # it is compared
                self._roots.add((message, position))
                continue
            for step in target.place.indexing:
                self._need(step.index, process)
            self._flow(variable_of(self._program, target.place.base, process), [(message, position)])
            if target.type.kind == "port":
                self._roots.add(variable_of(self._program, target.place.base, process))


def _risky(expression: Expression) -> bool:
    """Can its evaluation fail otherwise than by leaving the range of a type?"""
    match expression:
        case Load(place, _):
            return bool(place.indexing)
        case Operation("DIV" | "MOD", (left, right), _):
            return not (isinstance(right, Constant) and right.value) or _risky(left)
        case Operation("element" | "elements", _, _) | InRange():
            return True
        case Operation(_, operands, _):
            return any(map(_risky, operands))
        case Cast(operand, _):
            return _risky(operand)
    return False


class _Change:
    """Instructions without what is not needed."""

    def __init__(self, program: Program, process: ProcessType, needed: set[Variable]) -> None:
        self._program = program
        self._process = process
        self._needed = needed

    def _dropped(self, place: Place) -> bool:
        return variable_of(self._program, place.base, self._process) not in self._needed

    def of(self, instruction: Instruction) -> Instruction:
        match instruction:
            case Assign(place, type_, _) if place.indexing and self._dropped(place):
                element = Load(place, type_)  # nothing is kept, but the index may be out of bounds
                return Assert(Operation("=", (element, element), BOOLEAN))
            case Assign(place, _, _) | Copy(place, _, _) if self._dropped(place):
                return Assert(Constant(1))  # the statement is executed, and does nothing
            case Print(kind, _, value) if value is not None and any(map(self._dropped, places_read(value))):
                return Print("String", f"<{kind}>")
            case Deadline():
                return Deadline(Constant(0))
            case Communicate(alternatives, _, saves):
                return replace(
                    instruction,
                    alternatives=tuple(map(self._silent, alternatives)),
                    saves=tuple(map(self._zero, saves)),
                )
            case Start(number, _, values, _, _, _):
                kept = tuple(
                    (offset, type_, value if (number, offset) in self._needed else Constant(0))
                    for offset, type_, value in values
                )
                return replace(instruction, values=kept)
        return instruction

    def _zero(self, save: Save) -> Save:
        return save if (self._process.number, save.offset) in self._needed else replace(save, value=Constant(0))

    def _silent(self, alternative: Alternative) -> Alternative:
        message = message_of(alternative)
        values = tuple(
            (value if (message, position) in self._needed else Constant(0), type_)
            for position, (value, type_) in enumerate(alternative.values)
        )
        return replace(alternative, values=values)


def _forget(program: Program, needed: set[Variable]) -> list[str]:
    """Variables that are left out are not shown; their names."""
    names: list[str] = []

    def kept(shown: list[Shown], process: ProcessType | None) -> Iterator[Shown]:
        for one in shown:
            owner = None if process is None else process.number
            if one.reference or one.type.kind == "port" or (owner, one.start) in needed:
                yield one
            else:
                names.append(one.variable if process is None else f"{process.name}.{one.variable}")

    program.shown = list(kept(program.shown, None))
    for process in program.processes:
        process.shown = list(kept(process.shown, process))
    return list(dict.fromkeys(names))
