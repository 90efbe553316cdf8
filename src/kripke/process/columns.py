"""The states of a process program as columns: a typed column per variable, channel and control point.

Processes come and go, so states differ in shape. The rows of a batch are taken apart by the types of their processes,
from the oldest to the youngest; what has the same processes so far is decoded together, with one look at each byte.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kripke.model.columns import Column, Kind, StateColumns, States, Values
from kripke.process.expressions import IntType
from kripke.process.program import Channel, ProcessType, Program, Variable

if TYPE_CHECKING:
    from kripke.process.model import ProcessModel

    Array = np.ndarray[Any, Any]


class _Frame(NamedTuple):
    """A process in states of one shape: which rows, who, where its frame starts in each of them."""

    rows: Array
    pid: int
    process: ProcessType
    base: int
    controls: Array


class ProcessColumns(StateColumns):
    def __init__(self, model: ProcessModel) -> None:
        self._model = model
        self._program = model.program
        program = self._program
        controls = [process for process in program.processes for _ in process.locations]
        numbers = {id(process): number for number, process in enumerate(program.processes)}
        self._type_of_control = np.array([numbers[id(process)] for process in controls] or [0])
        self._places = [
            model.location_text(process.control(location))
            for process in program.processes
            for location in range(len(process.locations))
        ]
        self._processes: dict[tuple[int, str], ProcessType] = {}
        self._texts: dict[bytes, str] = {}

    # --- shapes -------------------------------------------------------------------------------------------------------

    def learn(self, states: States) -> None:
        for frame in self._frames(states):
            self._processes.setdefault((frame.pid, frame.process.name), frame.process)

    def _frames(self, states: States) -> Iterator[_Frame]:
        """The processes of all states, each with the rows in which it is at the same place."""
        lengths = states.lengths
        waiting = [(np.arange(len(lengths)), 0, self._program.global_bytes)]
        size = self._program.control_bytes
        while waiting:
            rows, pid, base = waiting.pop()
            longer = lengths[rows] > base
            if not longer.any():
                continue
            rows = rows if longer.all() else rows[longer]
            controls = _integers(states.rows, rows, base, IntType("control", 8 * size, False))
            types = self._type_of_control[controls]
            for number in np.flatnonzero(np.bincount(types)):
                process = self._program.processes[int(number)]
                same = types == number
                alike = rows if same.all() else rows[same]
                yield _Frame(alike, pid, process, base, controls if same.all() else controls[same])
                waiting.append((alike, pid + 1, base + process.frame_bytes))

    # --- columns ------------------------------------------------------------------------------------------------------

    def columns(self) -> list[Column]:
        program = self._program
        found = [*self._global_columns(_shown(program), program.channels, "")]
        for (pid, name), process in sorted(self._processes.items(), key=lambda item: item[0]):
            who = f"{name}:{pid}"
            found.append(Column(f"{who}@", "text"))
            found += self._global_columns(process.variables, process.channels, f"{who}.")
        return found

    def _global_columns(
        self, variables: tuple[Variable, ...], channels: tuple[Channel, ...], prefix: str
    ) -> Iterator[Column]:
        for variable in variables:
            for component in variable.components:
                kind = _kind(component.type, variable)
                yield Column(f"{prefix}{variable.name}{component.path}", kind)
        for channel in channels:
            if channel.capacity:
                yield Column(f"{prefix}{channel.name}", "text")

    # --- values -------------------------------------------------------------------------------------------------------

    def values(self, states: States) -> list[Values]:
        every = np.arange(len(states.lengths))
        program = self._program
        found = [*self._block(states, every, 0, _shown(program), program.channels)]
        frames: dict[tuple[int, str], list[_Frame]] = {}
        for frame in self._frames(states):
            frames.setdefault((frame.pid, frame.process.name), []).append(frame)
        for key, process in sorted(self._processes.items(), key=lambda item: item[0]):
            found += _joined(
                [self._frame_values(states, frame) for frame in frames.get(key, ())],
                [frame.rows for frame in frames.get(key, ())],
                len(every),
                1 + sum(1 for _ in self._global_columns(process.variables, process.channels, "")),
            )
        return found

    def _frame_values(self, states: States, frame: _Frame) -> list[Values]:
        process = frame.process
        control = Values(frame.controls, None, self._places)
        return [control, *self._block(states, frame.rows, frame.base, process.variables, process.channels)]

    def _block(
        self, states: States, rows: Array, base: int, variables: tuple[Variable, ...], channels: tuple[Channel, ...]
    ) -> Iterator[Values]:
        for variable in variables:
            for component in variable.components:
                at = base + variable.offset + component.offset
                data = _integers(states.rows, rows, at, component.type)
                yield self._named(data, variable, component.type)
        for channel in channels:
            if channel.capacity:
                yield self._messages(states.rows, rows, base + channel.offset, channel)

    def _named(self, data: Array, variable: Variable, type_: IntType) -> Values:
        kind = _kind(type_, variable)
        if kind == "bool":
            return Values(data.astype(bool))
        if kind != "text":
            return Values(data)
        if data.dtype == np.uint8:
            return Values(
                data.astype(np.int32), None, [self._model.value_text(variable, type_, value) for value in range(256)]
            )
        found, numbers = np.unique(data, return_inverse=True)
        texts = [self._model.value_text(variable, type_, int(value)) for value in found]
        return Values(numbers.astype(np.int32), None, texts)

    def _messages(self, matrix: Array, rows: Array, at: int, channel: Channel) -> Values:
        """The content of a channel as text: few of them are different."""
        block = np.ascontiguousarray(_bytes(matrix, rows, at, channel.size))
        found, numbers = np.unique(block.view(np.dtype((np.void, channel.size))).ravel(), return_inverse=True)
        texts = [self._model.channel_text(value.tobytes(), 0, channel) for value in found]
        return Values(numbers.astype(np.int32), None, texts)


def _kind(type_: IntType, variable: Variable) -> Kind:
    if type_.name == "bool":
        return "bool"
    if variable.is_channel or variable.enumeration:
        return "text"
    if type_.size == 1:
        return "int16" if type_.signed else "uint8"
    return "int32" if type_.size == 4 else "int16" if type_.signed else "uint16"


def _bytes(matrix: Array, rows: Array, at: int, count: int) -> Array:
    """Some bytes of some rows; a matrix less wide than that ends in zeros."""
    wanted = matrix[:, at : at + count] if len(rows) == len(matrix) else matrix[rows, at : at + count]
    if wanted.shape[1] < count:
        wanted = np.pad(wanted, ((0, 0), (0, count - wanted.shape[1])))
    return wanted


def _integers(matrix: Array, rows: Array, at: int, type_: IntType) -> Array:
    """The integers at a place of some rows."""
    block = _bytes(matrix, rows, at, type_.size)
    if type_.size == 1:
        values = block[:, 0]
        return values if not type_.signed else _sign_extended(values.astype(np.int16), type_.bits)
    plain = np.ascontiguousarray(block).view(f"<u{type_.size}")[:, 0]
    if not type_.signed:
        return plain if type_.size == 2 else plain.astype(np.int32)
    return _sign_extended(plain.astype(np.int64), type_.bits).astype(np.int32 if type_.size == 4 else np.int16)


def _sign_extended(values: Array, bits: int) -> Array:
    return np.where(values >> (bits - 1) & 1, values - (1 << bits), values)


def _joined(parts: list[list[Values]], rows: list[Array], count: int, width: int) -> list[Values]:
    """Columns of a process that is there in some rows, perhaps at different places, as columns of all rows."""
    if len(parts) == 1 and len(rows[0]) == count:
        return parts[0]
    found: list[Values] = []
    for column in range(width):
        missing = np.ones(count, bool)
        data: Array | None = None
        texts: list[str] | None = None
        for values, where in zip((part[column] for part in parts), rows, strict=True):
            new = values.data
            if values.texts is not None:
                texts = [] if texts is None else texts
                new = new + len(texts)
                texts.extend(values.texts)
            if data is None:
                data = np.zeros(count, np.int32 if values.texts is not None else new.dtype)
            data[where] = new
            missing[where] = False
        found.append(Values(np.zeros(count, np.int32) if data is None else data, missing, texts))
    return found


def _shown(program: Program) -> tuple[Variable, ...]:
    return tuple(variable for variable in program.variables if variable.shown)
