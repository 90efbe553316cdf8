"""What a search is asked and what it answers, whichever engine runs it.

COUNTS. ``states`` are distinct states, the initial ones included; ``transitions`` the states handed over by the model,
the initial ones included: those stored and those met again. A complete search gives the same two numbers in either
order and on every engine. ``depth`` is the number of the last layer (breadth-first) or the greatest height of the
stack less one (depth-first). When a search ends early, its counts say how far it came and depend on the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from kripke.engines.explicit.stores import FULL, Loss, StoreOptions
from kripke.model.observer import Strength

if TYPE_CHECKING:
    from kripke.engines.directed.guidance import Guidance
    from kripke.engines.symmetry.symmetric import Method
    from kripke.model.dependencies import DependencyAnalysis
    from kripke.model.observer import Observer
    from kripke.model.permutation_symmetry import PermutationSymmetry
    from kripke.model.safe_places import SafePlaces
    from kripke.model.symmetry import Symmetry
    from kripke.model.value_symmetry import ValueSymmetry

Order = Literal[
    "bfs", "dfs", "ndfs", "scc", "walk", "sweep", "astar", "best-first", "ida", "directed-bfs", "directed-dfs"
]
# To every process, or to every statement of every process by itself.
Fairness = Literal["weak", "strong", "weak-edges", "strong-edges"]
ErrorKind = Literal["violation", "deadlock", "invariant", "cycle"]
#: in the place of a statement: an invariant that cannot be evaluated, which is another error than one that is false
UNEVALUATED = -2  # as in native/searches/error_paths.h
# Why a search ended before it had seen everything; empty: it has.
Reason = Literal["", "error", "memory", "states", "depth", "interrupted", "time", "edges", "disk", "walks", "switches"]


class Progress(NamedTuple):
    """How far a search is. ``queue``: states stored but not expanded; depth-first: states on the stack. Of several
    workers these are sums; ``balance`` is the largest part of the states by the mean one."""

    states: int
    transitions: int
    depth: int
    queue: int
    bytes: int
    seconds: float
    workers: int = 1
    balance: float = 1.0


Watch = Callable[[Progress], object]


def both(one: Watch | None, other: Watch | None) -> Watch | None:
    """Two that watch the same search; what the first answers is the answer."""
    if one is None or other is None:
        return one or other

    def watch(now: Progress) -> object:
        other(now)
        return one(now)

    return watch


class Checkpoints(NamedTuple):
    """Write to ``file`` every so many ``seconds`` (none where it is empty); go on from ``resume``, if there is one.
    Both belong to model and options of this ``fingerprint``, and carry a mark that takes the ``key`` to make."""

    file: str
    seconds: float
    resume: str
    fingerprint: str
    key: bytes


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One search, with everything resolved that a plan leaves open: atoms are numbers, limits are numbers, the model's
    dependencies and symmetry are there. The native engine reads this very object (native/bindings/plan_binding.cpp).

    A limit of 0 is none, but for memory, where the native engine takes `kripke.memory.default_limit()`. What
    goes with what is said in ``combinations.py``.
    """

    order: Order = "bfs"
    """"ndfs" (nested depth-first) and "scc" (strongly connected components) look for a cycle of a product that has all
    marks of the observer, and end at the first. "walk" runs at random. "sweep" goes by the model's measure of progress
    and drops what it left behind (the native engine only). "astar", "best-first", "ida", "directed-bfs" and
    "directed-dfs" go by ``guidance``, and look for errors in a state when it is first met."""
    deadlock: bool = True
    """Is a state without a step that is no valid end an error?"""
    invariants: tuple[int, ...] = ()
    """Atoms that must be true in every state."""
    goals: tuple[int, ...] = ()
    """Atoms for each of which a state is looked for in which it is true; when all are found, the search ends (the
    native engine only)."""
    stop_at_first: bool = True
    max_depth: int = 0
    """States so many steps from an initial state are the last to be stored."""
    max_states: int = 0
    memory: int = 0
    """In bytes."""
    time_limit: float = 0.0
    """In seconds."""
    observer: Observer | None = None
    """The search is of the product of the model and this."""
    fairness: Fairness | None = None
    """Only cycles that are fair to every process, or to every statement of each; "scc" only."""
    actors: int = 255
    """There are never more than these; for fairness."""
    shortest: bool = False
    """Of all cycles with the way to them, one of the fewest steps; not with fairness (the native engine only)."""
    threads: int = 1
    """So many search together (more than one: the native engine only)."""
    store: StoreOptions = FULL
    """What keeps the states (other than full: the native engine only)."""
    dependencies: DependencyAnalysis | None = None
    """Take only as many steps as partial-order reduction must; no depth limit, no fairness."""
    safe: SafePlaces | None = None
    """Where a process at one of these places has a step, take the steps of that one alone; no ``dependencies``."""
    symmetry: Symmetry | ValueSymmetry | PermutationSymmetry | None = None
    """Of the states that differ by it only, one is kept; no cycles, no ``dependencies``."""
    method: Method = "canonical"
    """How that one is found."""
    walks: int = 0
    """Of "walk": so many runs, each of up to ``max_depth`` steps."""
    seed: int = 0
    """Of "walk": another seed, other runs."""
    shuffled: bool = False
    """The steps of a state come in an order that the seed of the store chooses (the native engine only)."""
    max_switches: int | None = None
    """Only runs with so many preemptions; states have two bytes more. One thread, full store, no observer."""
    every_switch: bool = False
    """Count other switches as well."""
    guidance: Guidance | None = None
    """Of the directed searches: how they choose."""
    checkpoints: Checkpoints | None = None
    """With "bfs" and the stores full, tree, collapse and numbers (the native engine only)."""

    def __post_init__(self) -> None:
        for name in ("max_depth", "max_states", "memory", "time_limit"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must not be negative, but is {getattr(self, name)}")

    @property
    def sets(self) -> int:
        """Marks that a cycle must have."""
        return 1 if self.observer is None else self.observer.sets

    @property
    def weak(self) -> bool:
        """Is every cycle of the observer marked all the way round, or not at all?"""
        return self.observer is not None and self.observer.strength is not Strength.STRONG


class Sweep(NamedTuple):
    """How often a sweep went over the states, the most it kept at a time, and how many it kept for good."""

    sweeps: int
    most_kept: int
    persistent: int


class Expansions(NamedTuple):
    """Of a directed search: how many states it expanded, how many of these again since a shorter way to them was found,
    and how often the limit of "ida" was raised."""

    expanded: int
    reopened: int
    rounds: int


@dataclass(frozen=True, slots=True)
class ErrorPath:
    """An error and the states on the way to it, an initial one first; no states where the way is not known.

    A violation happens in a step from the last state; a deadlock or a broken invariant is the last state itself.
    ``code`` is that of the violation or the number of the invariant's atom, ``statement`` the violating statement; -1
    where there is none, UNEVALUATED for an invariant that cannot be evaluated there. A cycle goes from the
    state at ``loop_start`` to the last one, which is the same.
    """

    kind: ErrorKind
    code: int
    statement: int
    path: tuple[bytes, ...]
    loop_start: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """Everything a search has to say."""

    reason: Reason
    """Why the search ended early; empty: it came to its end."""
    states: int
    transitions: int
    depth: int
    errors: int
    """All errors met."""
    error_paths: tuple[ErrorPath, ...]
    """The first error of each sort; breadth-first: with a shortest path."""
    covered: bytes
    """One byte per statement: 1 if it was executed."""
    state_bytes: int
    """Length of the longest state met."""
    store_bytes: int
    """Memory of the visited set."""
    seconds: float
    """Of the search alone."""
    samples: tuple[tuple[float, int], ...] = ()
    """(seconds, states) while the search went on."""
    queue: int = 0
    """States left to expand, depth-first: on the stack, at the end."""
    peak_bytes: int = 0
    """Most memory that was in use; 0 where nobody knows."""
    reached: Mapping[int, tuple[bytes, ...]] = field(default_factory=dict)
    """The goals that were found, each with a path to a state in which it is true."""
    loss: Loss | None = None
    """Of a store that is not exact."""
    dropped: int = 0
    """Of a cache: states that made room for others, and count again where they were met again."""
    components: tuple[tuple[str, int], ...] = ()
    """Of a collapse: names of its tables, and how many components are in each."""
    number_bits: int = 0
    """Of numbers: those of the longest."""
    sweep: Sweep | None = None
    expansions: Expansions | None = None
    sketch: bytes = b""
    """Of shuffled steps: the states that were met (``sketch.py``)."""
    account: str = ""
    """Why nothing found is not nothing there, where the search itself can say it."""
    checkpoints: int = 0
    failed_checkpoints: int = 0
    """Checkpoints written, and those that could not be."""

    @property
    def complete(self) -> bool:
        """Was everything seen? Of a store that is not exact nobody knows, but where there was nothing to keep (a
        formula that every run satisfies leaves no runs to look at)."""
        return self.reason == "" and (self.loss is None or self.states == 0)
