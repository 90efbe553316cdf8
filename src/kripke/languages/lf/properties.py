"""A PROPERTY as an observer: its own variables and places are the states of a Büchi automaton, its conditions on global
variables the letters.

One action of the property goes with every action of the program. ``ACCEPT`` marks the action that executes it,
``NOMOVE`` says that there is none. The property sees the states from the one after the initialisation on.
"""

from __future__ import annotations

from typing import NamedTuple

from kripke.actions.evaluation import Evaluator
from kripke.actions.memory import Memory, StepFailed
from kripke.actions.notation import write
from kripke.actions.program import (
    Assign,
    Branch,
    Cast,
    Choose,
    Constant,
    Copy,
    End,
    Expression,
    Indexing,
    InRange,
    Jump,
    Load,
    Mark,
    Operation,
    Place,
    Print,
    ProcessType,
    Program,
    Reschedule,
)
from kripke.languages.lf.translation import Property
from kripke.logic.automaton import ALWAYS, Cube
from kripke.model.observer import Observer, ObserverEdge
from kripke.model.source import ModelError, Sources

_MOST_STATES = 5000
_MOST_JUMPS = 20_000
_MOST_ATOMS = 60


class _Path(NamedTuple):
    """An action on its way: where it is, the variables of the property, what must be true, was ACCEPT executed."""

    at: int
    local: bytes
    cube: Cube
    accepts: bool


def observer_of(property_: Property, program: Program, atoms: dict[str, Expression], sources: Sources) -> Observer:
    """The automaton; conditions on global variables are added to the atoms."""
    return _Unrolling(property_, program, atoms, sources).observer()


class _Unrolling:
    def __init__(self, property_: Property, program: Program, atoms: dict[str, Expression], sources: Sources) -> None:
        self.property = property_
        self.process: ProcessType = property_.process
        self.program = program
        self.atoms = atoms
        self.sources = sources
        self.states: dict[tuple[int, bytes], int] = {}
        self.todo: list[tuple[int, bytes]] = []
        # Only its own record is ever read: a memory with nothing else in it.
        self.record = bytes(self.process.record_bytes)

    def observer(self) -> Observer:
        # State 0: the program has not been initialised.
        edges: list[list[ObserverEdge]] = [[]]
        first = self._number((0, self.record))
        edges[0].append(ObserverEdge((ALWAYS,), first))
        done = 0
        while done < len(self.todo):
            found: list[ObserverEdge] = []
            for path in self._action(*self.todo[done]):
                found.append(ObserverEdge((path.cube,), self._number((path.at, path.local)), int(path.accepts)))
            edges.append(found)
            done += 1
        names = ("not started", *(self._name(*state) for state in self.todo))
        return Observer(self.property.name, "never", (0,), tuple(map(tuple, edges)), 1, (), names, stutters=False)

    def _number(self, state: tuple[int, bytes]) -> int:
        if state not in self.states:
            if len(self.states) >= _MOST_STATES:
                raise self._error(f"the PROPERTY {self.property.name} has more than {_MOST_STATES:,} states", 0)
            self.states[state] = len(self.states) + 1
            self.todo.append(state)
        return self.states[state]

    def _name(self, at: int, local: bytes) -> str:
        memory = self._memory(local)
        values = [f"{v.name}={memory.read(v.offset, v.type)}" for v in self.process.shown if not v.reference]
        line = self.program.statements[max(self._label(at), 0)].span.line
        return " ".join((f"line {line}", *values))

    def _label(self, at: int) -> int:
        labels = self.process.statements
        return next((label for label in labels[at:] if label >= 0), labels[-1])

    def _error(self, message: str, at: int, hint: str | None = None) -> ModelError:
        label = self._label(at)
        return self.sources.error(message, self.program.statements[label].span, hint=hint)

    def _memory(self, local: bytes) -> Memory:
        memory = Memory.__new__(Memory)
        memory.program, memory.data, memory.at = self.program, bytearray(local), [0]
        return memory

    # --- one action ---------------------------------------------------------------------------------------------------

    def _action(self, start: int, local: bytes) -> list[_Path]:
        """Every way through the action from here to the next cut."""
        instruction = self.process.code[start]
        starts = instruction.targets if isinstance(instruction, Choose) else (start,)
        work = [_Path(at, local, ALWAYS, False) for at in reversed(starts)]
        found: list[_Path] = []
        jumps = 0
        while work:
            path = work.pop()
            jumps += 1
            if jumps > _MOST_JUMPS:
                raise self._error(f"an action of the PROPERTY {self.property.name} does not end", start)
            at, instruction = path.at, self.process.code[path.at]
            match instruction:
                case Assign():
                    work += reversed(self._assigned(path, instruction))
                case Copy(target, source, size):
                    memory = self._memory(path.local)
                    to, start_ = (self._address(place, path, at) for place in (target, source))
                    memory.data[to : to + size] = memory.data[start_ : start_ + size]
                    work.append(path._replace(at=at + 1, local=bytes(memory.data)))
                case Jump(target_at):
                    work.append(path._replace(at=target_at))
                case Branch(condition, otherwise):
                    for truth, cube in reversed(self._decided(condition, path)):
                        work.append(path._replace(at=at + 1 if truth else otherwise, cube=cube))
                case Mark("accept"):
                    work.append(path._replace(at=at + 1, accepts=True))
                case Mark():
                    pass  # no move
                case Print():
                    work.append(path._replace(at=at + 1))
                case Reschedule():
                    found.append(path._replace(at=at + 1))
                case Choose():
                    found.append(path)
                case End():
                    pass  # a property that has ended moves no more
                case _:
                    raise AssertionError(instruction)
        return found

    def _assigned(self, path: _Path, assign: Assign) -> list[_Path]:
        if assign.type.kind == "boolean":
            outcomes = self._decided(assign.value, path)
        else:
            value = self._reduced(assign.value, path)
            if not isinstance(value, Constant):
                raise self._error(
                    "a PROPERTY keeps only values that do not depend on global variables",
                    path.at,
                    hint="compare the variable and keep what came out, as BOOLEAN or as a number for each case",
                )
            outcomes = [(value.value, path.cube)]
        found = []
        for number, cube in outcomes:
            memory = self._memory(path.local)
            memory.write(self._address(assign.place, path, path.at), assign.type, int(number))
            found.append(path._replace(at=path.at + 1, local=bytes(memory.data), cube=cube))
        return found

    def _address(self, place: Place, path: _Path, at: int) -> int:
        address = place.base.offset + place.offset
        for step in place.indexing:
            index = self._reduced(step.index, path)
            if not isinstance(index, Constant):
                raise self._error("an index of a PROPERTY's own array does not depend on global variables", at)
            if not 0 <= index.value < step.length:
                raise self._error("array index out of range in the PROPERTY", at)
            address += index.value * step.stride
        return address

    def _decided(self, condition: Expression, path: _Path) -> list[tuple[int, Cube]]:
        """The values that a condition may have, each with what must be true then."""
        reduced = self._reduced(condition, path)
        if isinstance(reduced, Constant):
            return [(int(reduced.value != 0), path.cube)]
        name = write(reduced, self.program)
        known = {text: number for number, text in enumerate(self.atoms)}
        if name not in known:
            if len(known) >= _MOST_ATOMS:
                raise self._error("the PROPERTY has too many conditions on global variables", path.at)
            self.atoms[name] = reduced
            known[name] = len(known)
        bit, cube = 1 << known[name], path.cube
        found = []
        if not cube.negative & bit:
            found.append((1, Cube(cube.positive | bit, cube.negative)))
        if not cube.positive & bit:
            found.append((0, Cube(cube.positive, cube.negative | bit)))
        return found

    # --- what is known ------------------------------------------------------------------------------------------------

    def _reduced(self, expression: Expression, path: _Path) -> Expression:
        """The expression with the property's own variables replaced by their values."""
        match expression:
            case Constant():
                return expression
            case Load(place, type_):
                if place.base.hops is None:
                    steps = tuple(
                        Indexing(self._reduced(step.index, path), step.length, step.stride) for step in place.indexing
                    )
                    return Load(Place(place.base, place.offset, steps), type_)
                return Constant(self._memory(path.local).read(self._address(place, path, path.at), type_))
            case Cast(operand, type_):
                parts: tuple[Expression, ...] = (self._reduced(operand, path),)
                made: Expression = Cast(parts[0], type_)
            case InRange(operand, type_):
                parts = (self._reduced(operand, path),)
                made = InRange(parts[0], type_)
            case Operation(operator, operands, type_):
                parts = tuple(self._reduced(one, path) for one in operands)
                if operator in ("and", "or") and isinstance(parts[0], Constant):
                    decisive = operator == "or"
                    return parts[0] if bool(parts[0].value) == decisive else parts[1]
                made = Operation(operator, parts, type_)
        if not all(isinstance(part, Constant) for part in parts):
            return made
        try:
            value = Evaluator(self.program).value(made, None)(self._memory(path.local), 0)
        except StepFailed as failed:
            raise self._error(f"{failed.kind.name.lower()} error in the PROPERTY", path.at) from None
        return Constant(value)
