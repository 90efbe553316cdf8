"""How a check is to be done, and what is refused before anything is searched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from types import UnionType
from typing import Any, Literal, Self, TypedDict, Union, get_args, get_origin, get_type_hints

from kripke.engines.combinations import Way
from kripke.engines.explicit.search import Fairness, Order
from kripke.engines.explicit.stores import STORES, Replacement, StoreName
from kripke.engines.registry import (
    engine_names,
    knows_engine,
    knows_search,
    option_of,
    refuse_in_words,
    refuse_options,
    searches,
)
from kripke.engines.symmetry.symmetric import CHOICES, SymmetryChoice
from kripke.engines.unsupported import Unsupported as Unsupported

EngineName = str

DEFAULT_WALKS = 1_000
DEFAULT_WALK_LENGTH = 10_000
_POSITIVE = (
    "max_depth",
    "max_states",
    "memory",
    "time_limit",
    "clarify_limit",
    "store_size",
    "runs",
    "another",
    "walks",
    "deepen",
    "swarm",
    "checkpoint_every",
    "depth",
    "workers",
)
MOST_THREADS = 30  # as in native/cycles/parallel_nested.h
MOST_WORKERS = 4_096
_MOST = 2**63 - 1  # of any number that goes to the native engine


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """How to check. ``engine`` None: native where possible. Limits of None: none, but for memory 80 % of what is free.

    ``search`` None: whatever is best. ``invariants`` are names of atoms of the model, ``properties`` of what to check
    (none: everything in the model), ``possible`` of formulas that some run is to satisfy; ``memory`` is in bytes,
    ``time_limit`` in seconds. ``clarify``: traces are made short and clear; otherwise they are as they were found.
    ``clarify_limit``: for so many seconds (None: as long as the search, and at least half a second).
    ``por``: search with partial-order reduction; "auto": with what of it costs nothing, where that pays. ``symmetry``:
    of states that differ only by which of several like processes is where, one is kept; ``auto``: the canonical one,
    where that can be. ``threads``: so many search together. ``ctl`` and ``mu`` are formulas of branching time.
    ``store`` keeps the states (None: the full one); ``hash_bits`` belongs to hashcompact, ``hashes`` and ``store_size``
    (bytes) to bitstate and cache, ``replaces`` (which state makes room) to cache, ``runs`` (repeated searches with
    other hashes) to hashcompact and bitstate. ``coverage``: look at everything once more, and say why it holds.
    ``another``: not the first counterexample, but the one with this number after it.

    ``walks`` and ``seed`` belong to the search "walk". ``max_switches``: only runs in which a process that could go on
    is interrupted no more often. ``deepen``: with this depth limit, then twice as deep, and so on. ``swarm``: so many
    bitstate searches, each in another order, as many at a time as there are ``threads`` (1: as there are cores).
    ``checkpoint`` is a file from which the search can go on, written every ``checkpoint_every`` seconds; ``resume``:
    go on from this one. ``progress`` is the measure by which the search "sweep" goes; the model was loaded with it.
    ``estimate``, of directed searches: bound, formula, active, none, or an expression that the model was loaded with;
    ``weight`` is how much it counts against the steps so far; ``ties``: of equally good states the one met last (lifo)
    or first (fifo) comes next.

    ``depth`` is the bound of the engines "bmc" and "induction": so many commands are looked at.
    ``completeness``, of "bmc": go on until nothing new can come, by the diameter or the recurrence diameter.
    ``lemmas``, of "induction" and "pdr": a file of named conditions, with which the model was loaded. ``unbounded``:
    integers have no bounds. ``certificate``: the result has the proof (``engine["certificate"]``).

    ``workers``: so many processes search together, each with memory of its own, on the machines of the file ``hosts``
    or on this one; ``memory`` is then that of each. ``partition`` says who owns a state: "hash", "auto", "bytes:3,7";
    ``siblings`` how many states that were sent a worker remembers ("all", or a number), ``look_ahead`` that it expands
    them, too; ``cycles`` how accepted cycles are found: "owcty" or "nested".

    Of a net: ``formula_files``, with which it was loaded, have formulas that are answered, ``examine`` names questions.
    """

    search: str | None = None
    engine: EngineName | None = None
    deadlock: bool = True
    invariants: tuple[str, ...] = ()
    all_errors: bool = False
    clarify: bool = True
    clarify_limit: float | None = None
    max_depth: int | None = None
    max_states: int | None = None
    memory: int | None = None
    time_limit: float | None = None
    properties: tuple[str, ...] = ()
    fair: Fairness | Literal["events"] | None = None
    shortest: bool = False
    por: bool | Literal["auto"] = False
    symmetry: SymmetryChoice = "off"
    possible: tuple[str, ...] = ()
    threads: int = 1
    workers: int | None = None
    hosts: str | None = None
    partition: str | None = None
    siblings: str | None = None
    look_ahead: bool = False
    cycles: str | None = None
    ctl: tuple[str, ...] = ()
    mu: tuple[str, ...] = ()
    store: StoreName | None = None
    hash_bits: int | None = None
    hashes: int | None = None
    store_size: int | None = None
    replaces: Replacement | None = None
    runs: int = 1
    coverage: bool = False
    another: int | None = None
    walks: int | None = None
    seed: int | None = None
    max_switches: int | None = None
    deepen: int | None = None
    swarm: int | None = None
    checkpoint: str | None = None
    checkpoint_every: float | None = None
    resume: str | None = None
    progress: str | None = None
    depth: int | None = None
    completeness: str | None = None
    lemmas: str | None = None
    unbounded: bool = False
    certificate: bool = False
    estimate: str | None = None
    weight: float | None = None
    ties: str | None = None
    formula_files: tuple[str, ...] = ()
    examine: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.search is not None and not knows_search(self.search):
            known = searches()
            raise Unsupported(f"there is no search {self.search!r}: choose {', '.join(known[:-1])} or {known[-1]}")
        if self.engine is not None and not knows_engine(self.engine):
            known = engine_names()
            raise Unsupported(f"there is no engine {self.engine!r}: choose {', '.join(known[:-1])} or {known[-1]}")
        refuse_options(self)
        if self.fair not in (None, "weak", "strong", "weak-edges", "strong-edges", "events"):
            raise Unsupported(
                f"there is no fairness {self.fair!r}: choose weak, strong, weak-edges, strong-edges or events"
            )
        if self.symmetry not in CHOICES:
            raise Unsupported(
                f"there is no symmetry {self.symmetry!r}: choose {', '.join(CHOICES[:-1])} or {CHOICES[-1]}"
            )
        if self.completeness not in (None, "diameter", "recurrence"):
            raise Unsupported(f"there is no completeness {self.completeness!r}: choose diameter or recurrence")
        if self.por not in (False, True, "auto"):
            raise Unsupported(f"there is no reduction {self.por!r}: choose --por, --por auto or --no-por")
        if self.hosts is not None and self.workers is None:
            raise Unsupported("--hosts says where workers are started: give --workers, too")
        for option in ("partition", "siblings", "look_ahead", "cycles"):
            if getattr(self, option) and self.workers is None:
                raise Unsupported(f"{option_of(option)} is about workers: give --workers, too")
        if not 1 <= (self.workers or 1) <= MOST_WORKERS:
            raise Unsupported(f"{self.workers} workers: choose from 1 to {MOST_WORKERS}")
        if not 1 <= self.threads <= MOST_THREADS:
            raise Unsupported(f"{self.threads} threads: choose from 1 to {MOST_THREADS}")
        for name in _POSITIVE:
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise Unsupported(f"{name} must be greater than 0, not {value}")
            if value is not None and value > _MOST:
                raise Unsupported(f"{name} must be less than 2^63, not {value}")
        for option, file in (("--checkpoint", self.checkpoint), ("--resume", self.resume)):
            if file == "":
                raise Unsupported(f"{option} needs the name of a file")
        if self.store not in (None, *STORES):
            raise Unsupported(f"there is no store {self.store!r}: choose {', '.join(STORES[:-1])} or {STORES[-1]}")
        refuse_in_words(self)

    # --- written and read ---------------------------------------------------------------------------------------------

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """The plan of options as people give them, on the command line or in Python: a single text where there may be
        several, an amount of memory as text. What is no field is left alone, and None is the default."""
        return cls(
            **{
                field.name: _settled(field.name, field.default, given[field.name])
                for field in fields(cls)
                if given.get(field.name) is not None
            }
        )

    def to_json(self) -> dict[str, Any]:
        """What differs from the defaults; ``from_json`` reads it."""
        values = ((field.name, field.default, getattr(self, field.name)) for field in fields(self))
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, default, value in values
            if value != default
        }

    @classmethod
    def from_json(cls, written: Mapping[str, Any]) -> Self:
        """Unsupported says what is wrong with it."""
        hints = get_type_hints(cls)
        for name, value in written.items():
            if name not in hints:
                raise Unsupported(f"a plan has no option {name!r}")
            if not _fits(value, hints[name]):
                raise Unsupported(f"a plan whose option {name} is {value!r} cannot be read")
        return cls.of(written)

    # --- what follows from it -----------------------------------------------------------------------------------------

    @property
    def needs_native(self) -> bool:
        others = self.search == "sweep" or self.swarm is not None or self.checkpoints
        return self.store not in (None, "full") or self.threads > 1 or others

    @property
    def unusual(self) -> bool:
        """Is anything asked for that does not go with every property?"""
        searched = self.search is not None or self.needs_native or self.way != "once" or self.max_depth is not None
        return searched or self.por is True or self.fair is not None or self.symmetry not in ("off", "auto")

    @property
    def chosen_store(self) -> StoreName:
        return self.store or ("full" if self.swarm is None else "bitstate")

    @property
    def way(self) -> Way:
        if self.swarm is not None:
            return "swarm"
        if self.max_switches is not None:
            return "switches"
        return "once" if self.deepen is None else "deepening"

    @property
    def checkpoints(self) -> bool:
        return self.checkpoint is not None or self.resume is not None

    @property
    def wanted_engine(self) -> EngineName | None:
        """By name, where no other would do."""
        return "native" if self.needs_native else self.engine

    @property
    def safety_search(self) -> Order:
        """The order in which a search for what is bad in states and steps goes."""
        deep = self.por is True or self.store in ("hashcompact", "bitstate", "cache") or self.deepen or self.swarm
        usual: Order = "dfs" if deep else "bfs"
        return {None: usual, "ndfs": "dfs", "scc": "dfs"}.get(self.search, self.search)  # type: ignore[arg-type,return-value]


class PlanOptions(TypedDict, total=False):
    """The fields of a plan as keyword arguments (kripke.loaded): texts may stand alone, memory may be written "4G"."""

    search: str | None
    engine: EngineName | None
    deadlock: bool
    invariants: str | Sequence[str]
    all_errors: bool
    clarify: bool
    clarify_limit: float | None
    max_depth: int | None
    max_states: int | None
    memory: int | str | None
    time_limit: float | None
    properties: str | Sequence[str]
    fair: Fairness | Literal["events"] | None
    shortest: bool
    por: bool | Literal["auto"]
    symmetry: SymmetryChoice
    possible: str | Sequence[str]
    threads: int
    workers: int | None
    hosts: str | None
    partition: str | None
    siblings: str | None
    look_ahead: bool
    cycles: str | None
    ctl: str | Sequence[str]
    mu: str | Sequence[str]
    store: StoreName | None
    hash_bits: int | None
    hashes: int | None
    store_size: int | str | None
    replaces: Replacement | None
    runs: int
    coverage: bool
    another: int | None
    walks: int | None
    seed: int | None
    max_switches: int | None
    deepen: int | None
    swarm: int | None
    checkpoint: str | None
    checkpoint_every: float | None
    resume: str | None
    progress: str | None
    depth: int | None
    completeness: str | None
    lemmas: str | None
    unbounded: bool
    certificate: bool
    estimate: str | None
    weight: float | None
    ties: str | None
    formula_files: str | Sequence[str]
    examine: str | Sequence[str]


_SIZES = ("memory", "store_size")


def _settled(name: str, default: object, value: Any) -> Any:
    if isinstance(default, tuple):
        return (value,) if isinstance(value, str) else tuple(value)
    if name in _SIZES and isinstance(value, str):
        from kripke.numbers import parse_size

        try:
            return parse_size(value)
        except ValueError:
            raise Unsupported(f"{value!r} is not an amount of memory such as 512M or 4G") from None
    return value


def _fits(value: object, hint: Any) -> bool:
    """Is this what JSON has for a field of this type? Which words there are, ``SearchPlan`` says itself."""
    if get_origin(hint) in (Union, UnionType):
        return any(_fits(value, one) for one in get_args(hint))
    if get_origin(hint) is Literal:
        return isinstance(value, str)
    if get_origin(hint) is tuple:
        return isinstance(value, list) and all(isinstance(one, str) for one in value)
    if hint in (int, float):
        return isinstance(value, int if hint is int else (int, float)) and not isinstance(value, bool)
    return value is None if hint is type(None) else isinstance(value, hint)
