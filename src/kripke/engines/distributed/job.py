"""``Job``: everything that workers need to know of a search, as text that one of them reads and passes on.

Nothing in it is code of Python: it is numbers, names, the compiled model and its C source.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from dataclasses import asdict, dataclass, replace
from itertools import count
from typing import Any, cast

from kripke.engines.explicit.search import SearchRequest
from kripke.engines.explicit.stores import StoreOptions
from kripke.model.observer import Observer, Strength


class BadJob(Exception):
    """The text is no job of this version."""


@dataclass(frozen=True, slots=True)
class WrittenObserver:
    """An ``Observer`` as the native engine wants it, which is all that a worker knows of it."""

    written: list[Any]
    sets: int
    strength: Strength = Strength.STRONG

    def to_native(self) -> tuple[Any, ...]:
        initial, errors, states, stutters, waiting, first_waiting, strong, steps = self.written
        edges = [
            [([tuple(cube) for cube in guard], target, marks, alarm) for guard, target, marks, alarm in one]
            for one in states
        ]
        return initial, errors, edges, stutters, waiting, first_waiting, [tuple(pair) for pair in strong], steps


@dataclass(frozen=True, slots=True)
class Job:
    """``memory`` is in bytes, for each worker; unless ``memory_given``, it is less where less is free. ``library`` is
    the compiled model, which workers elsewhere load or, where their machine cannot, build from ``source``.
    ``partition`` is the name of the partition, ``owners`` and ``places`` what it is; none: by a hash of the whole
    state. ``checkpoint`` is a folder, and ``key`` what its files are marked with; ``resume``: go on from what is there.
    ``observer`` and ``sets`` are of a property of runs; ``cycles``: accepted cycles are looked for, not alarms alone;
    ``nested``: by the nested search of ``dependency.py``. ``fragments`` is a folder where the state space is to be
    written. ``dynamic``: classes of states change their owners when memory is short;
    ``levelling``: while there are few states."""

    workers: int
    deadlock: bool
    invariants: tuple[int, ...]
    stop_at_first: bool
    max_depth: int
    max_states: int
    memory: int
    time_limit: float
    store: dict[str, Any]
    path: str
    library: bytes
    source: str
    observer: list[Any] | None = None
    sets: int = 1
    partition: str = "hash"
    owners: tuple[int, ...] = ()
    places: tuple[int, ...] = ()
    siblings: int = -1
    look_ahead: bool = False
    checkpoint: str = ""
    checkpoint_seconds: float = 0.0
    fingerprint: str = ""
    key: str = ""
    resume: bool = False
    buffer_bytes: int = 0
    cycles: bool = False
    nested: bool = False
    fragments: str = ""
    dynamic: bool = False
    memory_given: bool = False
    levelling: bool = False

    def request(self) -> SearchRequest:
        return SearchRequest(
            deadlock=self.deadlock,
            invariants=tuple(self.invariants),
            stop_at_first=self.stop_at_first,
            max_depth=self.max_depth,
            memory=self.memory,
            store=StoreOptions(**self.store),
            observer=None if self.observer is None else cast(Observer, WrittenObserver(self.observer, self.sets)),
        )

    def for_workers(self, workers: int) -> Job:
        """For fewer than were meant: classes of those that are gone are given to the others in turn."""
        if workers == self.workers:
            return self
        gone = count()
        owners = tuple(owner if owner < workers else next(gone) % workers for owner in self.owners)
        return replace(self, workers=workers, owners=owners)

    def text(self) -> str:
        """One line."""
        fields = asdict(self)
        fields["library"] = b64encode(self.library).decode("ascii")
        return json.dumps(fields, separators=(",", ":"))

    @classmethod
    def read(cls, text: str) -> Job:
        try:
            fields = json.loads(text)
            fields["library"] = b64decode(fields["library"], validate=True)
            for name in ("invariants", "owners", "places"):
                fields[name] = tuple(fields[name])
            return cls(**fields)
        except (ValueError, TypeError, KeyError) as error:
            raise BadJob(f"this is no job of this version of Kripke: {error}") from error
