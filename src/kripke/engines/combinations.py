"""Which search goes with which store, reduction, number of threads and sort of property, and why not.

One list of rules; the manual's table is made from it, and a test walks through all combinations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from kripke.engines.explicit.stores import STORES, StoreName

Search = Literal["bfs", "dfs", "ndfs", "scc", "walk", "sweep", "prefix", "symbolic"]
# What is bad in a state or step; what an observer sees in finite runs; what it accepts in infinite ones.
PropertySort = Literal["safety", "alarms", "cycles"]

# One search; with growing depth limits; of few preemptions only; many small ones.
Way = Literal["once", "deepening", "switches", "swarm"]

SEARCHES: tuple[Search, ...] = get_args(Search)
#: of Petri nets alone: by their unfolding, by sets of markings
NET_SEARCHES: tuple[Search, ...] = ("prefix", "symbolic")
WAYS: tuple[Way, ...] = get_args(Way)
SORTS: tuple[PropertySort, ...] = get_args(PropertySort)


@dataclass(frozen=True, slots=True)
class Combination:
    search: Search
    store: StoreName = "full"
    por: bool = False
    threads: int = 1
    sort: PropertySort = "safety"
    bounded: bool = False
    """Is there a depth limit?"""
    symmetry: bool = False
    way: Way = "once"
    checkpoint: bool = False
    """Are checkpoints written, or does it go on from one?"""


@dataclass(frozen=True, slots=True)
class Rule:
    """A combination that fits is refused for the reason."""

    reason: str
    search: tuple[Search, ...] = SEARCHES
    store: tuple[StoreName, ...] = STORES
    por: tuple[bool, ...] = (False, True)
    several_threads: tuple[bool, ...] = (False, True)
    sort: tuple[PropertySort, ...] = SORTS
    bounded: tuple[bool, ...] = (False, True)
    symmetry: tuple[bool, ...] = (False, True)
    way: tuple[Way, ...] = WAYS
    checkpoint: tuple[bool, ...] = (False, True)

    def fits(self, asked: Combination) -> bool:
        return (
            asked.search in self.search
            and asked.store in self.store
            and asked.por in self.por
            and (asked.threads > 1) in self.several_threads
            and asked.sort in self.sort
            and asked.bounded in self.bounded
            and asked.symmetry in self.symmetry
            and asked.way in self.way
            and asked.checkpoint in self.checkpoint
        )


_LOSSY: tuple[StoreName, ...] = ("hashcompact", "bitstate")
_NOT_FULL: tuple[StoreName, ...] = ("tree", "collapse", *_LOSSY, "cache", "disk")

_NOT_ONCE: tuple[Way, ...] = ("deepening", "switches", "swarm")

_NO_STATES = "this search visits no single states"

RULES: tuple[Rule, ...] = (
    Rule("this is a way to visit states: choose another search", search=NET_SEARCHES, way=_NOT_ONCE),
    Rule(f"{_NO_STATES}, so there are none to store: leave out --store", search=NET_SEARCHES, store=_NOT_FULL),
    Rule(f"{_NO_STATES}, so none can be left out: leave out --por", search=NET_SEARCHES, por=(True,)),
    Rule(f"{_NO_STATES}, so none stands for others: leave out --symmetry", search=NET_SEARCHES, symmetry=(True,)),
    Rule("this search is made by one thread: leave out --threads", search=NET_SEARCHES, several_threads=(True,)),
    Rule(f"{_NO_STATES}, and knows no depth: leave out --max-depth", search=NET_SEARCHES, bounded=(True,)),
    Rule(
        "checkpoints are of states: leave out --checkpoint and --resume, or choose bfs",
        search=NET_SEARCHES,
        checkpoint=(True,),
    ),
    Rule(
        "what is not one whole search looks for errors in states and steps only: choose --property safety",
        way=_NOT_ONCE,
        sort=("alarms", "cycles"),
    ),
    Rule(
        "a random walk looks for errors in states and steps only: choose --property safety, or another search",
        search=("walk",),
        sort=("alarms", "cycles"),
    ),
    Rule(
        "this is for searches that see everything within their limits: leave out --search walk",
        search=("walk",),
        way=("deepening", "swarm"),
    ),
    Rule("a random walk keeps no states: leave out --store", search=("walk",), store=_NOT_FULL),
    Rule("a random walk may take every step: leave out --por", search=("walk",), por=(True,)),
    Rule("a random walk is made by one thread: leave out --threads", search=("walk",), several_threads=(True,)),
    Rule(
        "a sweep drops states that a temporal property may come back to: choose --property safety, or another search",
        search=("sweep",),
        sort=("alarms", "cycles"),
    ),
    Rule("a sweep is one whole search: choose another search", search=("sweep",), way=_NOT_ONCE),
    Rule("a sweep has a store of its own, which drops states: leave out --store", search=("sweep",), store=_NOT_FULL),
    Rule(
        "the reduction must know all states of a cycle, and a sweep drops some: leave out --por",
        search=("sweep",),
        por=(True,),
    ),
    Rule("a sweep is made by one thread: leave out --threads", search=("sweep",), several_threads=(True,)),
    Rule(
        "states come in the order of progress, not of depth: leave out --max-depth", search=("sweep",), bounded=(True,)
    ),
    Rule(
        "how deep a state lies depends on which thread finds it first: leave out --threads",
        store=("full",),
        several_threads=(True,),
        way=("deepening",),
    ),
    Rule(
        "with a depth limit, depth-first search must know how deep a state was met, which this store does not keep: "
        "leave out --store",
        store=("tree", "collapse", "cache", "disk"),
        way=("deepening",),
    ),
    Rule("depth limits grow for depth-first search: choose dfs", search=("bfs", "ndfs", "scc"), way=("deepening",)),
    Rule("a swarm searches depth-first: choose dfs", search=("bfs", "ndfs", "scc"), way=("swarm",)),
    Rule(
        "a swarm is of searches with small tables of bits: leave out --store, or choose bitstate",
        store=("full", "tree", "collapse", "hashcompact", "cache", "disk"),
        way=("swarm",),
    ),
    Rule(
        "the reduction does not know who moved last, nor what other searches see: leave out --por",
        por=(True,),
        way=("switches", "swarm"),
    ),
    Rule(
        "who moved last is kept with every state, which the full store has room for: leave out --store",
        store=_NOT_FULL,
        way=("switches",),
    ),
    Rule(
        "like processes are told apart by who moved last, and by the order of their steps: leave out --symmetry",
        symmetry=(True,),
        way=("switches", "swarm"),
    ),
    Rule("a random walk keeps no states: leave out --symmetry", search=("walk",), symmetry=(True,)),
    Rule("preemptions are counted by one thread: leave out --threads", several_threads=(True,), way=("switches",)),
    Rule(
        "this search looks for cycles, and a safety property needs none: choose bfs or dfs",
        search=("ndfs", "scc"),
        sort=("safety",),
    ),
    Rule("this search finds no cycles: choose ndfs or scc", search=("bfs", "dfs"), sort=("cycles",)),
    Rule(
        "where one state is taken for another, components are joined that are none, and cycles seen that are none: "
        "choose --store full, tree or collapse, or ndfs",
        search=("scc",),
        store=_LOSSY,
    ),
    Rule(
        "a search for cycles comes back to states it has seen, which a cache may have dropped and files are not made "
        "for: choose another store, or check --property safety alone",
        search=("ndfs", "scc"),
        store=("cache", "disk"),
    ),
    Rule(
        "several threads that look for cycles mark the states they share, which the full store has room for: leave "
        "out --threads or --store, or check --property safety alone",
        search=("ndfs",),
        store=_NOT_FULL,
        several_threads=(True,),
    ),
    Rule(
        "this store keeps no states, and breadth-first search goes on from those it keeps: choose dfs",
        search=("bfs",),
        store=_LOSSY,
    ),
    Rule(
        "a cache must not drop what is on the stack of the search, and breadth-first search has none: choose dfs",
        search=("bfs",),
        store=("cache",),
    ),
    Rule(
        "partial-order reduction looks up every successor at once, which files do only at the end of a layer: "
        "leave out --por",
        store=("disk",),
        por=(True,),
    ),
    Rule(
        "files are sorted layer by layer, as breadth-first search makes them: choose bfs",
        search=("dfs",),
        store=("disk",),
    ),
    Rule(
        "partial-order reduction must know the path of the search, and several threads have several: leave out --por, "
        "or choose bfs and --store tree",
        search=("dfs", "ndfs", "scc"),
        por=(True,),
        several_threads=(True,),
    ),
    Rule(
        "with reduction several threads must know which states wait, which is kept beside --store tree or collapse: "
        "leave out --por, or choose one of them",
        search=("bfs",),
        store=("full", *_LOSSY, "cache", "disk"),
        por=(True,),
        several_threads=(True,),
    ),
    Rule(
        "a depth limit cuts off what the reduction puts off; leave one out",
        por=(True,),
        bounded=(True,),
    ),
    Rule(
        "what is chosen of the steps of a state is not chosen alike in one that differs by a symmetry: leave one out",
        por=(True,),
        symmetry=(True,),
    ),
    Rule(
        "symmetry is for deadlocks, assertions and invariants yet: leave it out, or check --property safety alone",
        sort=("alarms", "cycles"),
        symmetry=(True,),
    ),
    Rule(
        "several threads look for what an observer sees nested depth-first: choose ndfs",
        search=("bfs", "dfs"),
        several_threads=(True,),
        sort=("alarms",),
    ),
    Rule(
        "files are used by one thread: choose another store",
        store=("disk",),
        several_threads=(True,),
    ),
    Rule(
        "whether the depth limit keeps a state out is not known when it is met: choose another store",
        store=("cache", "disk"),
        bounded=(True,),
    ),
    Rule(
        "checkpoints are of the search for errors in states and steps: choose --property safety",
        sort=("alarms", "cycles"),
        checkpoint=(True,),
    ),
    Rule(
        "checkpoints are of one whole search: leave out --checkpoint and --resume",
        way=_NOT_ONCE,
        checkpoint=(True,),
    ),
    Rule(
        "checkpoints are of states that are kept in memory: choose --store full, tree or collapse",
        store=(*_LOSSY, "cache", "disk"),
        checkpoint=(True,),
    ),
    Rule(
        "checkpoints do not know what partial-order reduction has put off: leave out --por",
        por=(True,),
        checkpoint=(True,),
    ),
    Rule(
        "checkpoints are written between two layers of a breadth-first search: choose bfs",
        search=("dfs", "walk", "sweep"),
        checkpoint=(True,),
    ),
    Rule(
        "checkpoints are of searches without symmetry: leave out --symmetry",
        symmetry=(True,),
        checkpoint=(True,),
    ),
    Rule("components are found by one thread: choose ndfs", search=("scc",), several_threads=(True,)),
    Rule(
        "how deep a state lies depends on which thread finds it: leave out --max-depth",
        search=("ndfs",),
        several_threads=(True,),
        bounded=(True,),
    ),
    Rule(
        "with a depth limit, depth-first search must know how deep a state was met, which this store does not keep: "
        "choose bfs",
        search=("dfs",),
        store=("tree", "collapse"),
        bounded=(True,),
    ),
    Rule(
        "how deep a state lies depends on which thread finds it first: choose bfs",
        search=("dfs",),
        store=("full", "tree", "collapse"),
        several_threads=(True,),
        bounded=(True,),
    ),
)


def refusal(asked: Combination) -> str | None:
    """Why the combination cannot be; None: it can."""
    return next((rule.reason for rule in RULES if rule.fits(asked)), None)


def table() -> str:
    """What goes together, for the manual."""
    lines = ["| search | property | reduction | " + " | ".join(STORES) + " |", "|" + "---|" * (3 + len(STORES))]
    for search in SEARCHES:
        for sort in SORTS:
            for name, por, symmetry in _REDUCTIONS:
                cells = [_cell(search, store, por, symmetry, sort) for store in STORES]
                if any(cell != "-" for cell in cells):
                    lines.append(f"| {search} | {sort} | {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


_REDUCTIONS = (("-", False, False), ("por", True, False), ("symmetry", False, True), ("both", True, True))


def _cell(search: Search, store: StoreName, por: bool, symmetry: bool, sort: PropertySort) -> str:
    def allowed(threads: int, bounded: bool) -> bool:
        return refusal(Combination(search, store, por, threads, sort, bounded, symmetry)) is None

    if not allowed(1, False):
        return "-"
    words = ["threads" if allowed(2, False) else "one thread"]
    if allowed(1, True):
        words.append("depth limit" if allowed(2, True) or not allowed(2, False) else "depth limit with one thread")
    return ", ".join(words)
