"""States as numbers: every part of a state has a number among the values it can have, and these are the digits of one
number, each with a base of its own (V. Shanbhag, K. Gopinath, A SPIN-based model checker for telecommunication
protocols, SPIN 2001, section 3).

The digits are the scalars of the global block, then those of the frames, oldest process first; the weight of a digit is
the product of the bases before it, so a process that is created or ends leaves the weights of the others as they are. A
frame begins with its control point, among those of its process: which processes there are is the *shape* of a state,
and numbers are those of one shape. A slot of a queue is 0 where it is empty, else its first field counts from 1. Ranges
make this tight: 8..15 takes three bits, (5..7) x (3..7) takes four.

This is the definition. What ``--store numbers`` does is native/stores/numbering.h, which is tested against it.

The residue of the number is a hash that a step changes by few terms: ``R + (w mod H) * (i' - i)``, modulo H.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from kripke.process.evaluation import read_scalar, write_scalar
from kripke.process.expressions import IntType
from kripke.process.interpreter import Interpreter
from kripke.process.program import Channel, ProcessType, Variable
from kripke.process.value_set import ValueSet

#: A prime, the largest below 2**32.
MODULUS = 4_294_967_291


class Digit(NamedTuple):
    """A scalar at an offset. Of a queue: the slot it belongs to, where the length lies and in how many bytes.

    ``first``: the first field of its message, which counts from 1. ``control``: the control point of a frame."""

    offset: int
    type: IntType
    base: int
    slot: int = -1
    length_at: int = 0
    length_bytes: int = 0
    first: bool = False
    control: bool = False

    def moved(self, by: int) -> Digit:
        return self._replace(offset=self.offset + by, length_at=self.length_at + by)

    def index_in(self, state: bytes) -> int:
        if self.slot < 0:
            return index_of(read_scalar(self.type, state, self.offset), self.type)
        if int.from_bytes(state[self.length_at : self.length_at + self.length_bytes], "little") <= self.slot:
            return 0
        return self.first + index_of(read_scalar(self.type, state, self.offset), self.type)

    def fits(self, state: bytes) -> bool:
        """Is the value one of its type?"""
        return self.type.values is None or read_scalar(self.type, state, self.offset) in self.type.values

    def put(self, state: bytearray, index: int) -> None:
        """Into a state that is zero there."""
        if self.slot < 0:
            write_scalar(self.type, state, self.offset, value_of(index, self.type))
            return
        at = slice(self.length_at, self.length_at + self.length_bytes)
        length = int.from_bytes(state[at], "little")
        if self.first and index:
            length += 1
            state[at] = length.to_bytes(self.length_bytes, "little")
            index -= 1
        elif self.first:
            return
        if self.slot < length:
            write_scalar(self.type, state, self.offset, value_of(index, self.type))


def index_of(value: int, type_: IntType) -> int:
    """The number of a value among those of its type."""
    if type_.values is not None:
        return type_.values.index(value)
    return value + (1 << type_.bits - 1) if type_.signed else value


def value_of(index: int, type_: IntType) -> int:
    if type_.values is not None:
        return type_.values.at(index)
    return index - (1 << type_.bits - 1) if type_.signed else index


def _digits(variables: tuple[Variable, ...], channels: tuple[Channel, ...]) -> list[Digit]:
    found = [
        Digit(variable.offset + part.offset, part.type, part.type.cardinality)
        for variable in variables
        for part in variable.components
    ]
    for channel in channels:
        for slot in range(channel.capacity):
            start = channel.offset + channel.length_bytes + slot * channel.message_bytes
            for number, (type_, at) in enumerate(zip(channel.fields, channel.field_offsets, strict=True)):
                base = type_.cardinality + (number == 0)
                found.append(
                    Digit(start + at, type_, base, slot, channel.offset, channel.length_bytes, first=number == 0)
                )
    return found


@dataclass(frozen=True, slots=True)
class Shape:
    """The digits of all states with the same processes. ``of_byte``: which digits a byte of the state belongs to."""

    digits: tuple[Digit, ...]
    weights: tuple[int, ...]
    residues: tuple[int, ...]
    of_byte: tuple[tuple[int, ...], ...]
    count: int

    @property
    def bits(self) -> int:
        """What a number takes."""
        return max(1, (self.count - 1).bit_length())

    def indices(self, state: bytes) -> list[int]:
        return [digit.index_in(state) for digit in self.digits]


class Numbering:
    """Of the states of one program. C code of the model has no part in it: its values are not known."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter
        program = interpreter.program
        self._controls: dict[int, IntType] = {}
        first = 0
        for process in program.processes:
            points = ValueSet(((first, first + len(process.locations) - 1),))
            self._controls[id(process)] = IntType("control", 8 * program.control_bytes, False, points)
            first += len(process.locations)
        self._global = _digits(program.variables, program.channels)
        self._frames = {id(process): _digits(process.variables, process.channels) for process in program.processes}
        self._shapes: dict[tuple[int, ...], Shape] = {}

    def shape(self, state: bytes) -> Shape:
        controls = self.interpreter.frames(state).controls
        key = tuple(id(self.interpreter.process_of_control(control)) for control in controls)
        if key not in self._shapes:
            processes = [self.interpreter.process_of_control(control) for control in controls]
            self._shapes[key] = self._made(processes)
        return self._shapes[key]

    def _made(self, processes: list[ProcessType]) -> Shape:
        program = self.interpreter.program
        digits = list(self._global)
        at = program.global_bytes
        for process in processes:
            control = self._controls[id(process)]
            digits.append(Digit(at, control, control.cardinality, control=True))
            digits += [digit.moved(at) for digit in self._frames[id(process)]]
            at += process.frame_bytes
        weights: list[int] = []
        weight = 1
        of_byte: list[list[int]] = [[] for _ in range(at)]
        for number, digit in enumerate(digits):
            weights.append(weight)
            weight *= digit.base
            for byte in range(digit.offset, digit.offset + digit.type.size):
                of_byte[byte].append(number)
            for byte in range(digit.length_at, digit.length_at + digit.length_bytes):
                of_byte[byte].append(number)
        residues = tuple(one % MODULUS for one in weights)
        return Shape(tuple(digits), tuple(weights), residues, tuple(map(tuple, of_byte)), weight)

    def number(self, state: bytes) -> int:
        shape = self.shape(state)
        return sum(weight * index for weight, index in zip(shape.weights, shape.indices(state), strict=True))

    def state(self, shape: Shape, number: int) -> bytes:
        """The state of a number, which is less than ``shape.count``."""
        state = bytearray(len(shape.of_byte))
        for digit in shape.digits:
            number, index = divmod(number, digit.base)
            digit.put(state, index)
        return bytes(state)


class RunningHash:
    """The residues of the numbers of states that follow one another: a step changes it by the digits that changed."""

    def __init__(self, numbering: Numbering) -> None:
        self.numbering = numbering
        self._shape: Shape | None = None
        self._state = b""
        self._indices: list[int] = []
        self._residue = 0

    def whole(self, state: bytes) -> int:
        """Computed from all digits."""
        shape = self._shape = self.numbering.shape(state)
        self._state, self._indices = state, shape.indices(state)
        residue = 0
        for one, index in zip(shape.residues, self._indices, strict=True):
            residue += one * index
        self._residue = residue % MODULUS
        return self._residue

    def next(self, state: bytes) -> int:
        """Computed from what is different from the state before."""
        shape = self._shape
        if shape is None or len(state) != len(self._state):
            return self.whole(state)
        changed = int.from_bytes(state, "little") ^ int.from_bytes(self._state, "little")
        residue, indices = self._residue, self._indices
        while changed:
            byte = (changed & -changed).bit_length() - 1 >> 3
            changed &= ~(0xFF << 8 * byte)
            for number in shape.of_byte[byte]:
                digit = shape.digits[number]
                if digit.control and not digit.fits(state):
                    return self.whole(state)  # what follows is another process's
                index = digit.index_in(state)
                residue += shape.residues[number] * (index - indices[number])
                indices[number] = index
        self._state, self._residue = state, residue % MODULUS
        return self._residue
