"""A state space from its file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kripke.algebra.lts.system import Lts
from kripke.model.source import ModelError

_WRITTEN_BY = "kripke explore -o FILE.parquet, and kripke merge, write such tables"


@dataclass(frozen=True, slots=True)
class Space:
    """``steps[s]`` are pairs (label, target), None where an error ended the step. ``columns`` have a value for each
    state; ``ends`` are states in which it may rest for ever."""

    initial: Sequence[int]
    steps: Sequence[Sequence[tuple[int, int | None]]]
    labels: Sequence[str]
    columns: Mapping[str, Sequence[Any]]
    ends: frozenset[int] = frozenset()


def read_aut(path: str) -> Space:
    read = Lts.read(path)
    return Space((read.initial,), read.steps, read.labels, {"state": range(len(read.steps))})


def read_tables(path: str) -> Space:
    """States here, transitions in the file beside it."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise ModelError(
            f"{path}: tables need pyarrow ({error}); install it with: pip install 'kripke[data]'"
        ) from None
    beside = f"{path.removesuffix('.parquet')}.transitions.parquet"
    for name in (path, beside):
        if not os.path.isfile(name):
            raise ModelError(f"cannot read {name}: there is no such file", hint=_WRITTEN_BY)
    try:
        # As a file each: a folder, or a name with a pattern, is nothing for us.
        states, transitions = (pq.ParquetFile(name).read() for name in (path, beside))
        columns = {name: states.column(name).to_pylist() for name in states.schema.names}
        rows = [transitions.column(name).to_pylist() for name in ("source", "target", "process", "statement")]
        # They come first, whatever they had to be called.
        numbers, _, first, stuck = list(columns.values())[:4]
    except (pa.ArrowException, OSError, KeyError, ValueError) as error:
        raise ModelError(f"{path} is no table of a state space: {error}", hint=_WRITTEN_BY) from error
    count = len(numbers)
    if numbers != list(range(count)):
        raise ModelError(f"{path}: its states are not numbered from 0 on", hint="kripke merge numbers fragments so")
    labels: dict[str, int] = {}
    steps: list[list[tuple[int, int | None]]] = [[] for _ in range(count)]
    for source, target, process, statement in zip(*rows, strict=True):
        if not (_is_state(source, count) and (target is None or _is_state(target, count))):
            raise ModelError(f"{beside}: a transition has the number of a state that is not there")
        label = f"{process} {statement}".strip()
        steps[source].append((labels.setdefault(label, len(labels)), target))
    initial = [state for state in range(count) if first[state]]
    if not initial:
        raise ModelError(f"{path}: it has no initial state")
    ends = frozenset(state for state in range(count) if not steps[state] and not stuck[state])
    return Space(initial, steps, list(labels), columns, ends)


def _is_state(number: object, count: int) -> bool:
    return isinstance(number, int) and 0 <= number < count
