"""A state space in fragments, one for each worker that found it; and one whole state space from them, as a stream.

A folder of fragments has ``space.json`` and for each worker *i* the tables ``states-i.parquet`` and
``transitions-i.parquet``, with the columns of ``parquet.py``. The numbers of the states of worker *i* among N are i,
i + N, i + 2 N, ...; a transition is in the fragment of its target, or, where a violation ended it, of its source.

Merging (H. Garavel, R. Mateescu, I. Smarandache, SPIN 2001, section 5): state q becomes first[q mod N] + q div N, where
``first`` counts the states of the fragments before, beginning with the one that has the initial state; so that is 0,
numbers are contiguous, and a transition is rewritten by itself: what is in memory is one batch of them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from kripke.engines.distributed.exploring import HEAD, rows_name, steps_name
from kripke.engines.unsupported import Unsupported
from kripke.model.capabilities.tabular import columns_of
from kripke.model.columns import StateColumns, States
from kripke.model.model import Model
from kripke.report.parquet import StepWriter, state_arrays, states_schema, table_writer, transitions_file

if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]

NAME = "space.json"
_VERSION = 1
_NOWHERE = (1 << 64) - 1
_BATCH = 1 << 16  # rows that are in memory at a time
_MOST_STEPS = 1 << 24  # of one piece of a raw file
INITIAL_LABEL = "i"


@dataclass(frozen=True, slots=True)
class Fragments:
    """What ``space.json`` says: how many states and transitions each fragment has, the numbers of initial states, and
    why not everything is there (empty: it is)."""

    folder: str
    states: tuple[int, ...]
    transitions: tuple[int, ...]
    initial: tuple[int, ...]
    reason: str

    @property
    def size(self) -> int:
        return len(self.states)

    def states_file(self, worker: int) -> str:
        return os.path.join(self.folder, f"states-{worker}.parquet")

    def transitions_file(self, worker: int) -> str:
        return os.path.join(self.folder, f"transitions-{worker}.parquet")

    def order(self) -> list[int]:
        """The fragments, the one with the first initial state first."""
        start = self.initial[0] % self.size if self.initial else 0
        return [(start + place) % self.size for place in range(self.size)]

    def first(self) -> list[int]:
        """By fragment: the states of those before it."""
        counted, first = 0, [0] * self.size
        for worker in self.order():
            first[worker] = counted
            counted += self.states[worker]
        return first


def is_fragments(path: str) -> bool:
    return os.path.isfile(os.path.join(path, NAME))


def read_fragments(folder: str) -> Fragments:
    """Unsupported says what is wrong with the folder."""
    try:
        with open(os.path.join(folder, NAME), encoding="utf-8") as file:
            content = json.load(file)
        if content["version"] != _VERSION:
            raise Unsupported(f"{folder}: its fragments are of another version of Kripke: make them anew")
        states, transitions, initial = (tuple(map(int, content[name])) for name in ("states", "transitions", "initial"))
        if len(states) != len(transitions) or not states or any(one < 0 for one in (*states, *transitions, *initial)):
            raise ValueError("counts do not fit")
        found = Fragments(folder, states, transitions, initial, str(content["reason"]))
    except OSError as error:
        raise Unsupported(
            f"{folder}: {NAME} cannot be read ({error.strerror}); kripke explore MODEL --workers N -o {folder} "
            "writes it"
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise Unsupported(f"{folder}: {NAME} is damaged ({error})") from error
    for worker in range(found.size):
        for name in (found.states_file(worker), found.transitions_file(worker)):
            if not os.path.isfile(name):
                raise Unsupported(f"{folder}: {os.path.basename(name)} is missing")
    return found


# --- from what workers wrote to tables --------------------------------------------------------------------------------


def write_fragments(model: Model, folder: str, answer: dict[str, Any]) -> Fragments:
    """Say in typed columns what the workers have written in bytes; their files are removed."""
    states = tuple(part["states"] for part in answer["parts"])
    for worker in range(len(states)):
        for name in (rows_name(worker), steps_name(worker)):
            if not os.path.isfile(os.path.join(folder, name)):
                raise Unsupported(
                    f"{folder}: {name} is not here: with --hosts the folder must be one that all hosts see"
                )
    initial = list(dict.fromkeys(answer["initials"]))
    columns = columns_of(model)
    for worker in range(len(states)):
        for _, _, batch in _rows(os.path.join(folder, rows_name(worker))):
            columns.learn(batch)
    found = Fragments(folder, states, tuple(answer["steps"]), tuple(initial), answer["reason"])
    for worker in range(len(states)):
        _write_states(found, worker, columns)
        _write_transitions(found, worker, model)
        os.remove(os.path.join(folder, rows_name(worker)))
        os.remove(os.path.join(folder, steps_name(worker)))
    content = {
        "version": _VERSION,
        "model": model.file,
        "language": model.language,
        "workers": len(states),
        "states": states,
        "transitions": answer["steps"],
        "initial": initial,
        "reason": answer["reason"],
    }
    with open(os.path.join(folder, NAME), "w", encoding="utf-8") as file:
        json.dump(content, file, indent=1)
        file.write("\n")
    return found


def _rows(path: str) -> Iterator[tuple[int, Array, States]]:
    """Batches of states, each with its level and which of them are deadlocks."""
    with open(path, "rb") as file:
        while head := file.read(HEAD.size):
            count, stride, level = HEAD.unpack(head)
            lengths = np.frombuffer(_exactly(file, 4 * count), np.uint32)
            stuck = np.frombuffer(_exactly(file, count), np.uint8)
            rows = np.frombuffer(_exactly(file, count * stride), np.uint8).reshape(count, stride)
            yield level, stuck, States(rows, lengths)


def _exactly(file: IO[bytes], count: int) -> bytes:
    data = file.read(count)
    if len(data) != count:
        raise Unsupported(f"{file.name} is damaged: it ends too soon")
    return data


def _write_states(found: Fragments, worker: int, columns: StateColumns) -> None:
    kinds = columns.columns()
    schema = states_schema(kinds)
    initial = np.array([number for number in found.initial if number % found.size == worker], np.int64)
    at = 0
    with table_writer(found.states_file(worker), schema) as writer:
        for level, stuck, batch in _rows(os.path.join(found.folder, rows_name(worker))):
            count = len(batch.lengths)
            numbers = np.arange(at, at + count, dtype=np.int64) * found.size + worker
            own = [
                pa.array(numbers),
                pa.array(np.full(count, level, np.int32)),
                pa.array(np.isin(numbers, initial)),
                pa.array(stuck.astype(bool)),
            ]
            writer.write_table(pa.Table.from_arrays([*own, *state_arrays(kinds, columns, batch)], schema=schema))
            at += count


def _write_transitions(found: Fragments, worker: int, model: Model) -> None:
    with (
        open(os.path.join(found.folder, steps_name(worker)), "rb") as file,
        StepWriter(model, found.transitions_file(worker)) as writer,
    ):
        while head := file.read(8):
            count = int.from_bytes(head, "little")
            if count > _MOST_STEPS:
                raise Unsupported(f"{file.name} is damaged")
            sources = np.frombuffer(_exactly(file, 8 * count), np.uint64)
            targets = np.frombuffer(_exactly(file, 8 * count), np.uint64)
            words = np.frombuffer(_exactly(file, 4 * count), np.uint32)
            codes = np.frombuffer(_exactly(file, 4 * count), np.int32)
            for start in range(0, count, _BATCH):
                piece = slice(start, start + _BATCH)
                writer.write(sources[piece], targets[piece], words[piece], codes[piece])


# --- merging ----------------------------------------------------------------------------------------------------------


def merged_numbers(numbers: Array, first: Sequence[int]) -> Array:
    """Of states in fragments, those in the whole."""
    size = len(first)
    table = np.array(first, np.int64)
    moved: Array = table[numbers % size] + numbers // size
    return moved


def merge(found: Fragments, path: str) -> None:
    """One state space: ``.parquet`` with its transitions beside it, or ``.aut``. Where it fails, nothing is left."""
    try:
        if path.endswith(".aut"):
            _merge_aut(found, path)
        else:
            _merge_tables(found, path)
    except OSError as error:
        raise Unsupported(f"{path} cannot be written: {os.strerror(error.errno) if error.errno else error}") from error


def _merge_tables(found: Fragments, path: str) -> None:
    targets = (path, transitions_file(path))
    parts = [f"{name}.part" for name in targets]
    try:
        _rewrite([found.states_file(worker) for worker in found.order()], parts[0], found, ("state",))
        _rewrite([found.transitions_file(w) for w in found.order()], parts[1], found, ("source", "target"))
        for part, target in zip(parts, targets, strict=True):
            os.replace(part, target)
    finally:
        for part in parts:
            if os.path.exists(part):
                os.remove(part)


def _rewrite(files: list[str], path: str, found: Fragments, numbers: tuple[str, ...]) -> None:
    """The files one behind the other, with these columns renumbered."""
    first = found.first()
    opened = pq.ParquetFile(files[0])
    schema = opened.schema_arrow
    own = [schema.names[place] for place in range(len(numbers))]  # they come first, whatever they had to be called
    with table_writer(path, schema) as writer:
        for name in files:
            for batch in _batches(name):
                table = pa.Table.from_batches([batch])
                if table.schema != schema:
                    raise Unsupported(f"{name} does not belong to {files[0]}: its columns differ")
                for column in own:
                    table = table.set_column(
                        table.schema.get_field_index(column), schema.field(column), _moved(table[column], found, first)
                    )
                writer.write_table(table)


def _batches(name: str) -> Iterator[pa.RecordBatch]:
    """Row group by row group, without reading ahead."""
    try:
        opened = pq.ParquetFile(name, pre_buffer=False)
        yield from opened.iter_batches(batch_size=_BATCH, use_threads=False)
    except (pa.ArrowInvalid, OSError) as error:
        raise Unsupported(f"{name} cannot be read: {error}") from error


def _moved(column: pa.ChunkedArray, found: Fragments, first: Sequence[int]) -> pa.Array:
    missing = column.is_null().to_numpy()
    numbers = column.fill_null(0).to_numpy()
    counts = np.array(found.states, np.int64)
    if len(numbers) and ((numbers < 0) | (numbers // found.size >= counts[numbers % found.size]) & ~missing).any():
        raise Unsupported(f"{found.folder}: a fragment has the number of a state that no fragment has")
    return pa.array(merged_numbers(numbers, first), pa.int64(), mask=missing if missing.any() else None)


def _merge_aut(found: Fragments, path: str) -> None:
    """Aldebaran: the head has the counts, which are known beforehand but for steps that a violation ended. Several
    initial states get a common one before them."""
    first = found.first()
    initial = merged_numbers(np.array(found.initial, np.int64), first).tolist()
    shift = 0 if initial == [0] else 1
    count = sum(_led_somewhere(found.transitions_file(worker)) for worker in range(found.size))
    try:
        with open(f"{path}.part", "w", encoding="utf-8") as file:
            file.write(f"des (0,{count + (len(initial) if shift else 0)},{sum(found.states) + shift})\n")
            if shift:
                file.writelines(f'(0,"{INITIAL_LABEL}",{number + 1})\n' for number in initial)
            for worker in found.order():
                for batch in _batches(found.transitions_file(worker)):
                    _write_aut(file, pa.Table.from_batches([batch]), found, first, shift)
        os.replace(f"{path}.part", path)
    finally:
        if os.path.exists(f"{path}.part"):
            os.remove(f"{path}.part")


def _led_somewhere(name: str) -> int:
    return sum(len(batch) - batch.column(1).null_count for batch in _batches(name))


def _write_aut(file: IO[str], table: pa.Table, found: Fragments, first: Sequence[int], shift: int) -> None:
    table = table.filter(table["target"].is_valid())
    sources = _moved(table["source"], found, first).to_numpy() + shift
    targets = _moved(table["target"], found, first).to_numpy() + shift
    words = [table[name].combine_chunks().dictionary_decode().to_pylist() for name in ("process", "statement")]
    labels: dict[tuple[str, str], str] = {}
    lines = []
    for source, target, process, statement in zip(sources.tolist(), targets.tolist(), *words, strict=True):
        label = labels.get((process, statement))
        if label is None:
            text = f"{process} {statement}".strip()
            label = labels[process, statement] = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
        lines.append(f'({source},"{label}",{target})\n')
    file.writelines(lines)
