"""Every state and every step of a model in batches, by the native engine: what ``kripke explore`` writes to tables."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kripke._native import Walk
from kripke.engines.explicit.native import Model as NativeModel
from kripke.memory import default_limit
from kripke.model.columns import States
from kripke.model.model import Model, Part

if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]

BATCH = 1 << 16  # states
NOWHERE = (1 << 64) - 1  # the target of a step that a violation ended


class Steps(NamedTuple):
    """The steps out of a batch of states, and what is known of the states themselves."""

    sources: Array
    targets: Array
    statements: Array
    violations: Array
    depths: Array
    deadlocks: Array


class StateWalk:
    """States numbered from 0 in breadth-first order. First all of ``expand``, then ``states`` as often as you like."""

    def __init__(self, model: NativeModel, *, max_states: int = 0, memory: int | None = None) -> None:
        self._walk = Walk(model, max_states=max_states, memory_limit=memory or default_limit())

    def expand(self) -> Iterator[tuple[States, Steps]]:
        while (batch := self._walk.expand(BATCH)) is not None:
            states, steps = batch
            sources, targets, labels, violations, depths, deadlocks = steps
            yield (
                _states(states),
                Steps(
                    np.frombuffer(sources, np.uint64),
                    np.frombuffer(targets, np.uint64),
                    np.frombuffer(labels, np.uint32),
                    np.frombuffer(violations, np.int32),
                    np.frombuffer(depths, np.uint32),
                    np.frombuffer(deadlocks, np.uint8),
                ),
            )

    def states(self) -> Iterator[States]:
        self._walk.rewind()
        while (batch := self._walk.read(BATCH)) is not None:
            yield _states(batch)

    @property
    def size(self) -> int:
        return self._walk.size

    @property
    def covered(self) -> bytes:
        """A byte for every statement: 1 where it was executed."""
        return self._walk.covered

    @property
    def initial_count(self) -> int:
        return self._walk.initial_count

    @property
    def initial_steps(self) -> int:
        """Initial states as often as the model hands them over."""
        return self._walk.initial_steps

    @property
    def reason(self) -> str:
        """Why not everything is there: "states" or "memory"; empty where it is."""
        return self._walk.reason


def _states(batch: tuple[int, int, bytes, bytes]) -> States:
    _, stride, rows, lengths = batch
    sizes = np.frombuffer(lengths, np.uint32)
    return States(np.frombuffer(rows, np.uint8).reshape(len(sizes), stride), sizes)


class ReferenceWalk:
    """The same by the reference semantics, for models without a compiled form and for comparison."""

    def __init__(self, model: Model, *, max_states: int = 0) -> None:
        self._model = model
        self._most = max_states or sys.maxsize
        self._numbers: dict[bytes, int] = {}
        handed = model.initial()
        self.reason = ""
        self.covered = bytearray(len(model.statements))
        for state in handed:
            self._store(state)
        self.initial_steps = len(handed)
        self.initial_count = len(self._numbers)

    @property
    def size(self) -> int:
        return len(self._numbers)

    def _store(self, state: bytes) -> int | None:
        """The number of a state; None where the limit keeps it out."""
        number = self._numbers.get(state)
        if number is None:
            if len(self._numbers) >= self._most:
                self.reason = "states"
                return None
            number = self._numbers[state] = len(self._numbers)
        return number

    def expand(self) -> Iterator[tuple[States, Steps]]:
        """A layer at a time."""
        done, depth = 0, 0
        while done < len(self._numbers):
            layer = list(islice(self._numbers, done, None))
            edges: list[tuple[int, int, int, int]] = []
            deadlocks: list[int] = []
            for number, state in enumerate(layer, start=done):
                transitions = self._model.successors(state)
                deadlocks.append(not transitions and not self._model.valid_end(state))
                for parts, target, violations, _ in transitions:
                    self._cover(parts)
                    edges += ((number, NOWHERE, statement, code) for code, statement in violations)
                    place = None if target is None else self._store(target)
                    if place is not None:
                        edges.append((number, place, parts[-1].statement if parts else 0, -1))
            done += len(layer)
            columns = list(zip(*edges, strict=True)) or [(), (), (), ()]
            yield (
                _matrix(layer),
                Steps(
                    np.array(columns[0], np.uint64),
                    np.array(columns[1], np.uint64),
                    np.array(columns[2], np.uint32),
                    np.array(columns[3], np.int32),
                    np.full(len(layer), depth, np.uint32),
                    np.array(deadlocks, np.uint8),
                ),
            )
            depth += 1

    def _cover(self, parts: Iterable[Part]) -> None:
        for part in parts:
            if part.statement >= len(self.covered):  # a model may find its statements while it is explored
                self.covered.extend(bytes(part.statement + 1 - len(self.covered)))
            self.covered[part.statement] = 1

    def states(self) -> Iterator[States]:
        every = list(self._numbers)
        for start in range(0, len(every), BATCH):
            yield _matrix(every[start : start + BATCH])


def _matrix(states: list[bytes]) -> States:
    stride = max(map(len, states))
    rows = np.frombuffer(b"".join(state.ljust(stride, b"\0") for state in states), np.uint8)
    return States(rows.reshape(len(states), stride), np.array([len(state) for state in states], np.uint32))
