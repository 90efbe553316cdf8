"""Explicit-state search by the native engine.

A compiled model (a shared library that keeps to `native/model/model.h`) is opened with `open_model` and searched with
`search`. The engine knows states as byte strings only; what they mean is the caller's business.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, cast

from kripke._native import Model, Pairs
from kripke._native import search as _search
from kripke.engines.explicit.search import Checkpoints, Fairness, Sweep
from kripke.engines.explicit.stores import FULL, Loss, StoreOptions
from kripke.engines.memory import default_limit
from kripke.engines.symmetry.symmetric import Method
from kripke.model.dependencies import DependencyAnalysis
from kripke.model.observer import Observer, Strength
from kripke.model.symmetry import Symmetry
from kripke.model.value_symmetry import Shape, ValueSymmetry

__all__ = [
    "Finding",
    "Model",
    "Progress",
    "SearchOptions",
    "SearchResult",
    "open_model",
    "search",
]

Order = Literal["bfs", "dfs", "ndfs", "scc", "walk", "sweep"]
Kind = Literal["violation", "deadlock", "invariant", "cycle"]
Reason = Literal["error", "memory", "states", "depth", "interrupted", "time", "edges", "disk", "walks", "switches"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a search is."""

    states: int
    transitions: int
    depth: int
    queue: int
    """States stored but not yet expanded; depth-first: states on the stack."""
    bytes: int
    """Memory used by the engine."""
    seconds: float


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """What a search is asked. Limits that are None are none, but for memory, where the default is chosen."""

    order: Order = "bfs"
    deadlock: bool = True
    """Is a state without a step that is no valid end an error?"""
    invariants: tuple[int, ...] = ()
    """Atoms that must be true in every state."""
    goals: tuple[int, ...] = ()
    """Atoms for each of which a state is looked for in which it is true; when all are found, the search ends."""
    stop_at_first: bool = True
    max_depth: int | None = None
    """States so many steps from an initial state are the last to be stored."""
    max_states: int | None = None
    memory_limit: int | None = None
    """In bytes; None is `kripke.engines.memory.default_limit()`."""
    time_limit: float | None = None
    """In seconds."""
    observer: Observer | None = None
    """Search the product of the model and this; "ndfs" and "scc" look for its accepted cycles."""
    fairness: Fairness | None = None
    """Only cycles that are fair to every process, or every statement of each; "scc" only."""
    processes: int = 255
    """There are never more than these."""
    shortest: bool = False
    """Of all cycles with the way to them, one of the fewest steps; not with fairness."""
    threads: int = 1
    """More than one: not "scc"; "ndfs" and "dfs" then have no depth limit."""
    store: StoreOptions = FULL
    """Other than full: "bfs" (exact stores only), "dfs", and by one thread "ndfs" (not cache, disk) and "scc" (tree,
    collapse), without goals."""
    dependencies: DependencyAnalysis | None = None
    """Take only as many steps as partial-order reduction must; no depth limit or fairness, threads only with "bfs" and
    the store tree."""
    symmetry: Symmetry | ValueSymmetry | None = None
    """Keep one of the states that differ by it only; without an observer and dependencies."""
    method: Method = "canonical"
    """How that one is found."""
    walks: int = 0
    """Of "walk": so many runs at random, each of up to ``max_depth`` steps."""
    seed: int = 0
    """Of "walk"."""
    shuffled: bool = False
    """The steps of a state come in an order that the seed of the store chooses; one thread, no cycles, no reduction."""
    max_switches: int | None = None
    """Only runs with so many preemptions; states have two bytes more. One thread, full store, no observer."""
    every_switch: bool = False
    """Count other switches as well."""
    checkpoints: Checkpoints | None = None
    """With "bfs" and the stores full, tree, collapse. A file to go on from that is not good raises `RuntimeError`."""

    def __post_init__(self) -> None:
        for name in ("max_depth", "max_states", "memory_limit", "time_limit"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise ValueError(f"{name} must be positive, not {value}")


@dataclass(frozen=True, slots=True)
class Finding:
    """One kind of error, with the way to its first occurrence."""

    kind: Kind
    code: int | None
    """The model's code of a violation, the atom of an invariant."""
    label: int | None
    """The statement that broke, for a violation."""
    path: tuple[bytes, ...]
    """From an initial state to the bad one; for a violation, to the state where the violating step starts. A
    shortest path if the search was breadth-first. Empty where there was no memory or time left to make it, and for
    a violation in the initial step itself. Of a cycle, the last state is one that was there before."""
    loop_start: int | None = None
    """Of a cycle: where in the path its last state was before."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search answers."""

    complete: bool
    """Was every reachable state seen and checked?"""
    reason: Reason | None
    """Why not: the first thing that ended the search."""
    states: int
    """Distinct states, the initial ones included."""
    transitions: int
    """States handed over by the model, the initial ones included (stored and matched, as SPIN counts)."""
    depth: int
    """Breadth-first: the last layer, initial states being layer 0. Depth-first: steps of the longest path tried."""
    queue: int
    """States left to expand (breadth-first) or on the stack (depth-first) at the end."""
    errors: int
    """All errors met."""
    findings: tuple[Finding, ...]
    """The first of every distinct (kind, code, label), at most 100."""
    reached: Mapping[int, tuple[bytes, ...]]
    """The goals that were found, each with a path to a state in which it is true."""
    seconds: float
    """Of the search alone."""
    state_bytes: int
    """Length of the longest state met."""
    store_bytes: int
    """Memory of the visited set: states and hash table."""
    peak_bytes: int
    """Most memory the engine had in use."""
    covered: bytes
    """One byte per label: 1 if the statement was executed."""
    samples: tuple[tuple[float, int], ...]
    """(seconds, states) while the search went on."""
    loss: Loss | None = None
    """Of a store that is not exact: then ``complete`` says only that the search came to its end."""
    dropped: int = 0
    """Of a cache: states that made room for others, and count again where they were met again."""
    components: tuple[tuple[str, int], ...] = ()
    """Of a collapse: for each table its name and how many different components are in it."""
    sweep: Sweep | None = None
    sketch: bytes = b""
    """Of shuffled steps: the states met (sketch.py)."""
    checkpoints: int = 0
    failed_checkpoints: int = 0
    """Checkpoints written, and those that could not be."""


def open_model(path: str | os.PathLike[str]) -> Model:
    """Open a compiled model; `RuntimeError` says what is wrong with it."""
    return Model(os.path.abspath(os.fspath(path)))


_Tables = tuple[list[bytes], list[list[bytes]], bytes, list[int], bytes]
_Rows = tuple[list[bytes], list[list[bytes]]]


_Advice = tuple[Callable[[bytes], _Tables], Callable[[bytes, int], _Rows], Callable[[], Pairs | None]]


def _advice(analysis: DependencyAnalysis) -> _Advice:
    """Tables of a state's configuration, rows of transitions at hand, and pairs of views, as the engine reads them."""
    sizes: dict[Hashable, int] = {}

    def tables(state: bytes) -> _Tables:
        found = analysis.tables(state)
        size = sizes[analysis.configuration(state)] = (len(found.conflicts) + 63) // 64 * 8
        rows = _written(zip(found.conflicts, found.enabling, strict=True), size)
        visible, unseen = (one.to_bytes(size, "little") for one in (found.visible, found.unseen))
        return *rows, visible, list(found.first), unseen

    def at_hand(state: bytes, transition: int) -> _Rows:
        return _written(analysis.at_hand(state, transition), sizes[analysis.configuration(state)])

    def pairs() -> Pairs | None:
        found = analysis.pairs()
        return found if isinstance(found, Pairs) else None

    return tables, at_hand, pairs


def _written(rows: Iterable[tuple[int, tuple[int, ...]]], size: int) -> _Rows:
    conflicts, enabling = [], []
    for conflicting, sets in rows:
        conflicts.append(conflicting.to_bytes(size, "little"))
        enabling.append([one.to_bytes(size, "little") for one in sets])
    return conflicts, enabling


#: families (first value, parts, keys), sites; as the engine reads them
_Shape = tuple[list[tuple[int, list[tuple[list[int], int]], list[tuple[list[int], int, bool, bool]]]], list[list[int]]]


#: families (values, cells, turn), shapes (kind, count, family, length, parts), places (capacity, shape)
_Tokens = tuple[
    list[tuple[int, list[list[int]], int]],
    list[tuple[int, int, int, int, list[int]]],
    list[tuple[list[tuple[int, int]], int]],
]
_KINDS = ("plain", "value", "struct", "array", "union", "buffer")


def _tokens(symmetry: ValueSymmetry) -> _Tokens:
    numbers: dict[Shape, int] = {}
    shapes = []

    def number(shape: Shape) -> int:
        if shape not in numbers:
            parts = [number(part) for part in shape.parts]
            shapes.append((_KINDS.index(shape.kind), shape.count, shape.family, shape.length, parts))
            numbers[shape] = len(numbers)
        return numbers[shape]

    families = [(family.count, [list(cell) for cell in family.cells], family.turn) for family in symmetry.families]
    places = [(list(place.capacity or ()), number(place.shape)) for place in symmetry.places]
    return families, shapes, places


def _shape(symmetry: Symmetry | ValueSymmetry) -> _Shape | _Tokens:
    if isinstance(symmetry, ValueSymmetry):
        return _tokens(symmetry)
    families = [
        (
            family.first,
            [(list(part.offsets), part.size) for part in family.parts],
            [(list(key.offsets), key.size, key.signed, key.reference) for key in family.keys],
        )
        for family in symmetry.families
    ]
    sites = [[s.offset, s.size, s.length_at, s.length_bytes, s.stride, s.most] for s in symmetry.sites]
    return families, sites


def search(
    model: Model, options: SearchOptions | None = None, progress: Callable[[Progress], object] | None = None
) -> SearchResult:
    """Search the state space of `model`.

    `progress` is called about ten times a second, and asks for a checkpoint where it returns something true; what it
    raises stops the search and is raised here. Ctrl-C ends the search with a partial result of reason "interrupted" and
    raises nothing.
    """
    options = options or SearchOptions()
    observer = options.observer
    answer = _search(
        model,
        order=options.order,
        deadlock=options.deadlock,
        invariants=list(options.invariants),
        stop_at_first=options.stop_at_first,
        max_depth=options.max_depth or 0,
        max_states=options.max_states or 0,
        memory_limit=options.memory_limit or default_limit(),
        time_limit=options.time_limit or 0.0,
        progress=None if progress is None else lambda *figures: progress(Progress(*figures)),
        observer=None if observer is None else observer.to_native(),
        sets=1 if observer is None else observer.sets,
        weak=observer is not None and observer.strength is not Strength.STRONG,
        fairness=options.fairness or "",
        shortest=options.shortest,
        dependencies=None if options.dependencies is None else _advice(options.dependencies),
        deadlocks_only=options.dependencies is not None and options.dependencies.deadlocks_only,
        symmetry=None if options.symmetry is None else _shape(options.symmetry),
        method=options.method,
        goals=list(options.goals),
        threads=options.threads,
        processes=options.processes,
        store=options.store.name,
        hash_bits=options.store.hash_bits,
        hashes=options.store.hashes,
        table_bytes=options.store.table_bytes,
        folder=options.store.folder,
        seed=options.store.seed or options.seed,
        walks=options.walks,
        max_switches=options.max_switches,
        every_switch=options.every_switch,
        shuffle=options.shuffled,
        checkpoint=options.checkpoints,
    )
    return SearchResult(
        complete=answer.complete,
        reason=cast(Reason, answer.reason) if answer.reason else None,
        states=answer.states,
        transitions=answer.transitions,
        depth=answer.depth,
        queue=answer.queue,
        errors=answer.errors,
        findings=tuple(
            Finding(
                kind=cast(Kind, kind),
                code=None if code < 0 else code,
                label=None if label < 0 else label,
                path=tuple(path),
                loop_start=None if loop < 0 else loop,
            )
            for kind, code, label, path, loop in answer.findings
            if kind != "goal"
        ),
        reached={code: tuple(path) for kind, code, _, path, _ in answer.findings if kind == "goal"},
        seconds=answer.seconds,
        state_bytes=answer.state_bytes,
        store_bytes=answer.store_bytes,
        peak_bytes=answer.peak_bytes,
        covered=answer.covered,
        samples=tuple(answer.samples),
        loss=None if options.store.exact else Loss(answer.fill, answer.omitted),
        dropped=answer.dropped,
        components=tuple(answer.components),
        sweep=Sweep(answer.sweeps, answer.most_kept, answer.persistent) if options.order == "sweep" else None,
        sketch=answer.sketch,
        checkpoints=answer.checkpoints,
        failed_checkpoints=answer.failed_checkpoints,
    )
