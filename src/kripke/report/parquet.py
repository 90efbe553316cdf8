"""A state space as two Parquet files: a table of states with a typed column per variable, and one of transitions."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from kripke.engines.explicit.traversal import NOWHERE, ReferenceWalk, StateWalk
from kripke.model.capabilities.tabular import columns_of
from kripke.model.columns import Column, StateColumns, States, Values
from kripke.model.model import Model

if TYPE_CHECKING:
    from collections.abc import Callable

    Array = np.ndarray[Any, Any]

_TYPES = {
    "bool": pa.bool_(),
    "uint8": pa.uint8(),
    "int16": pa.int16(),
    "uint16": pa.uint16(),
    "int32": pa.int32(),
    "text": pa.dictionary(pa.int32(), pa.string()),
}
AnyWalk = StateWalk | ReferenceWalk
_OWN = ("state", "depth", "initial", "deadlock")


class Written(NamedTuple):
    """How much was written, and why it is not everything (``reason`` empty: it is)."""

    states: int
    transitions: int
    reason: str


def transitions_file(states_file: str) -> str:
    """``space.parquet`` has its transitions in ``space.transitions.parquet``."""
    stem, ending = os.path.splitext(states_file)
    return f"{stem}.transitions{ending}"


def write_parquet(model: Model, walk: AnyWalk, path: str, watch: Callable[[int], None] | None = None) -> Written:
    """Write both files; where that fails, none is left behind or changed."""
    targets = (path, transitions_file(path))
    parts = [f"{name}.part" for name in targets]
    try:
        columns = columns_of(model)
        deadlocks, depths, count = _write_transitions(model, walk, columns, parts[1], watch)
        _write_states(walk, columns, parts[0], deadlocks, depths)
        for part, target in zip(parts, targets, strict=True):
            os.replace(part, target)
    finally:
        for part in parts:
            if os.path.exists(part):
                os.remove(part)
    return Written(walk.size, count, walk.reason)


def table_writer(path: str, schema: pa.Schema) -> pq.ParquetWriter:
    """Dictionaries for what has few values: for numbers of states they would be tried in vain."""
    coded = [field.name for field in schema if not pa.types.is_integer(field.type) or field.type.bit_width <= 16]
    coded = [name for name in coded if not pa.types.is_boolean(schema.field(name).type)]
    return pq.ParquetWriter(path, schema, use_dictionary=coded)


_WORDS = pa.dictionary(pa.int32(), pa.string())
_TRANSITIONS = pa.schema(
    [
        pa.field("source", pa.int64(), nullable=False),
        ("target", pa.int64()),
        ("process", _WORDS),
        ("statement", _WORDS),
        ("file", _WORDS),
        ("line", pa.int32()),
        ("violation", _WORDS),
    ]
)


class StepWriter:
    """The table of transitions, batch by batch."""

    def __init__(self, model: Model, path: str) -> None:
        self._statements = _Statements(model)
        self._kinds = pa.array([kind.name for kind in model.violation_kinds] or [""], pa.string())
        self._writer = table_writer(path, _TRANSITIONS)

    def __enter__(self) -> StepWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self._writer.close()

    def write(self, sources: Array, targets: Array, steps: Array, violations: Array) -> None:
        ended = targets == np.uint64(NOWHERE)
        violation = pa.DictionaryArray.from_arrays(
            pa.array(np.maximum(violations, 0), pa.int32(), mask=violations < 0), self._kinds
        )
        arrays = [
            pa.array(sources.astype(np.int64)),
            pa.array(np.where(ended, 0, targets).astype(np.int64), mask=ended),
            *self._statements.columns(steps),
            violation,
        ]
        self._writer.write_table(pa.Table.from_arrays(arrays, schema=_TRANSITIONS))


# --- transitions ------------------------------------------------------------------------------------------------------


def _write_transitions(
    model: Model,
    walk: AnyWalk,
    columns: StateColumns,
    path: str,
    watch: Callable[[int], None] | None,
) -> tuple[list[Array], list[Array], int]:
    """First pass: the steps, and what the second one must know. The states' flags take five bytes each."""
    deadlocks: list[Array] = []
    depths: list[Array] = []
    count = 0
    with StepWriter(model, path) as writer:
        for states, steps in walk.expand():
            columns.learn(states)
            deadlocks.append(steps.deadlocks)
            depths.append(steps.depths)
            count += len(steps.sources)
            writer.write(steps.sources, steps.targets, steps.statements, steps.violations)
            if watch is not None:
                watch(walk.size)
    return deadlocks, depths, count


class _Statements:
    """Process, text, file and line of statements by number; made anew where the model has found more of them."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._known = -1

    def columns(self, numbers: Array) -> list[Any]:
        statements = self._model.statements
        if len(statements) != self._known:
            self._known = len(statements)
            self._coded = [
                _Coded([statement.component for statement in statements]),
                _Coded([statement.text for statement in statements]),
                _Coded([statement.span.file for statement in statements]),
            ]
            self._lines = np.array([statement.span.line for statement in statements] or [0], np.int32)
        return [*(coded.array(numbers) for coded in self._coded), pa.array(self._lines[numbers])]


class _Coded:
    """Texts by number, equal ones once."""

    def __init__(self, texts: list[str]) -> None:
        numbers: dict[str, int] = {}
        self._codes = np.array([numbers.setdefault(text, len(numbers)) for text in texts] or [0], np.int32)
        self._texts = pa.array(list(numbers) or [""], pa.string())

    def array(self, numbers: Array) -> pa.DictionaryArray:
        return pa.DictionaryArray.from_arrays(pa.array(self._codes[numbers]), self._texts)


# --- states -----------------------------------------------------------------------------------------------------------


def _write_states(
    walk: AnyWalk,
    columns: StateColumns,
    path: str,
    deadlocks: list[Array],
    depths: list[Array],
) -> None:
    """Second pass: now all columns are known."""
    found = columns.columns()
    schema = states_schema(found)
    # A state that was stored but, for want of memory, not expanded: nothing is known of it.
    known = sum(map(len, depths))
    all_deadlocks = np.concatenate([*deadlocks, np.zeros(walk.size - known, np.uint8)])
    all_depths = np.concatenate([*depths, np.zeros(walk.size - known, np.uint32)])
    at = 0
    with table_writer(path, schema) as writer:
        for states in walk.states():
            numbers = np.arange(at, at + len(states.lengths))
            here = slice(at, at + len(states.lengths))
            arrays = [
                pa.array(numbers),
                pa.array(all_depths[here].astype(np.int32), mask=numbers >= known),
                pa.array(numbers < walk.initial_count),
                pa.array(all_deadlocks[here].astype(bool), mask=numbers >= known),
                *state_arrays(found, columns, states),
            ]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
            at += len(states.lengths)


def states_schema(columns: list[Column]) -> pa.Schema:
    names = {column.name for column in columns}
    own = []
    for name in _OWN:
        while name in names:
            name += "_"
        own.append(name)
    types = (pa.int64(), pa.int32(), pa.bool_(), pa.bool_())
    fields = [pa.field(name, type_) for name, type_ in zip(own, types, strict=True)]
    return pa.schema(fields + [pa.field(column.name, _TYPES[column.kind]) for column in columns])


def state_arrays(columns: list[Column], reader: StateColumns, states: States) -> list[pa.Array]:
    """Of a batch of states, the values of every column."""
    return [_array(column, values) for column, values in zip(columns, reader.values(states), strict=True)]


def _array(column: Column, values: Values) -> pa.Array:
    if column.kind == "text":
        numbers = pa.array(values.data.astype(np.int32), mask=values.missing)
        return pa.DictionaryArray.from_arrays(numbers, pa.array(list(values.texts or [""]), pa.string()))
    return pa.array(np.ascontiguousarray(values.data), _TYPES[column.kind], mask=values.missing)
