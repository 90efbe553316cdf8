"""What a search is asked and what it answers, whichever engine runs it.

COUNTS. ``states`` are distinct states, the initial ones included; ``transitions`` the states handed over by the model,
the initial ones included: those stored and those met again. A complete search gives the same two numbers in either
order and on every engine. ``depth`` is the number of the last layer (breadth-first) or the greatest height of the
stack less one (depth-first). When a search ends early, its counts say how far it came and depend on the engine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from kripke.engines.explicit.stores import FULL, Loss, StoreOptions

if TYPE_CHECKING:
    from kripke.engines.symmetry.symmetric import Method
    from kripke.model.dependencies import DependencyAnalysis
    from kripke.model.symmetry import Symmetry
    from kripke.model.value_symmetry import ValueSymmetry

Order = Literal["bfs", "dfs", "ndfs", "scc", "walk", "sweep"]
# To every process, or to every statement of every process by itself.
Fairness = Literal["weak", "strong", "weak-edges", "strong-edges"]
ErrorKind = Literal["violation", "deadlock", "invariant", "cycle"]
# Why a search ended before it had seen everything; empty: it has.
Reason = Literal["", "error", "memory", "states", "depth", "interrupted", "time", "edges", "disk", "walks", "switches"]


class Progress(NamedTuple):
    """How far a search is. ``queue``: states stored but not expanded; depth-first: states on the stack."""

    states: int
    transitions: int
    depth: int
    queue: int
    bytes: int
    seconds: float


Watch = Callable[[Progress], None]


class Checkpoints(NamedTuple):
    """Write to ``file`` every so many ``seconds`` (none where it is empty); go on from ``resume``, if there is one.
    Both belong to model and options of this ``fingerprint``, and carry a mark that takes the ``key`` to make."""

    file: str
    seconds: float
    resume: str
    fingerprint: str
    key: bytes


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """``invariants`` are numbers of atoms that must hold in every state. A limit of 0 is none.

    The orders "ndfs" (nested depth-first) and "scc" (strongly connected components) look for a cycle of a product with
    all of ``sets`` marks, under a ``fairness`` if there is one ("scc" only; never more than
    so many ``processes``), and end at the first. ``weak``: every
    cycle of the observer is marked all the way round, or not at all. ``shortest``: a cycle that with the way to it
    has the fewest steps (the native engine only, and not with fairness).

    ``threads``: so many search together. ``store``: what keeps the states. Both are the native engine's, and go
    together as ``combinations.py`` says.

    The order "walk" makes so many ``walks`` at random, each of up to ``max_depth`` steps; another ``seed``, others.
    The order "sweep" goes by the model's measure of progress and drops what it left behind (the native engine only).
    ``shuffled``: the steps of a state come in an order that the seed of the store chooses (the native engine only).

    ``dependencies``: take only as many steps as partial-order reduction must (no depth limit, fairness or threads).
    ``symmetry``: of states that differ by it only, one is kept, found by ``method`` (no cycles, no ``dependencies``).
    """

    order: Order = "bfs"
    deadlock: bool = True
    invariants: tuple[int, ...] = ()
    stop_at_first: bool = True
    max_depth: int = 0
    max_states: int = 0
    memory: int = 0
    time_limit: float = 0.0
    sets: int = 1
    weak: bool = False
    fairness: Fairness | None = None
    processes: int = 255
    shortest: bool = False
    threads: int = 1
    store: StoreOptions = FULL
    dependencies: DependencyAnalysis | None = None
    symmetry: Symmetry | ValueSymmetry | None = None
    method: Method = "canonical"
    walks: int = 0
    seed: int = 0
    shuffled: bool = False
    checkpoints: Checkpoints | None = None


class Sweep(NamedTuple):
    """How often a sweep went over the states, the most it kept at a time, and how many it kept for good."""

    sweeps: int
    most_kept: int
    persistent: int


@dataclass(frozen=True, slots=True)
class Discovery:
    """An error and the states on the way to it, an initial one first; no states where the way is not known.

    A violation happens in a step from the last state; a deadlock or a broken invariant is the last state itself.
    ``code`` is that of the violation or the number of the invariant's atom, ``statement`` the violating statement.
    A cycle goes from the state at ``loop_start`` to the last one, which is the same.
    """

    kind: ErrorKind
    code: int
    statement: int
    path: tuple[bytes, ...]
    loop_start: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """Everything a search has to say. ``discoveries`` holds the first error of each sort, ``errors`` counts all;
    ``samples`` are (seconds, states) while the search went on. ``loss``: of a store that is not exact; ``dropped``:
    states that a cache had no more room for, which count again where they were met again; ``components``: names of the
    tables of a collapse, and how many components are in each.
    ``sketch``: of shuffled steps, the states that were met (``sketch.py``). ``account``: why nothing found is not
    nothing there."""

    reason: Reason
    states: int
    transitions: int
    depth: int
    errors: int
    discoveries: tuple[Discovery, ...]
    covered: bytes
    state_bytes: int
    store_bytes: int
    seconds: float
    samples: tuple[tuple[float, int], ...] = ()
    loss: Loss | None = None
    dropped: int = 0
    components: tuple[tuple[str, int], ...] = ()
    sweep: Sweep | None = None
    sketch: bytes = b""
    account: str = ""
    checkpoints: int = 0
    failed_checkpoints: int = 0

    @property
    def complete(self) -> bool:
        """Was everything seen? Of a store that is not exact nobody knows, but where there was nothing to keep (a
        formula that every run satisfies leaves no runs to look at)."""
        return self.reason == "" and (self.loss is None or self.states == 0)
