"""What is asked of a search at once, and rules that refuse: which search goes with which store, reduction, number of
threads and sort of property.

Every engine registers its own rules (``registry.py``); the manual's table is made from them, and a test walks through
all combinations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from kripke.engines.explicit.stores import STORES, StoreName

# What is bad in a state or step; what an observer sees in finite runs; what it accepts in infinite ones.
PropertySort = Literal["safety", "alarms", "cycles"]

# One search; with growing depth limits; of few preemptions only; many small ones.
Way = Literal["once", "deepening", "switches", "swarm"]

WAYS: tuple[Way, ...] = get_args(Way)
SORTS: tuple[PropertySort, ...] = get_args(PropertySort)


@dataclass(frozen=True, slots=True)
class Combination:
    search: str
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
    """A combination that fits is refused for the reason. ``search`` of nothing: every search of the engine."""

    reason: str
    search: tuple[str, ...] = ()
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
            (not self.search or asked.search in self.search)
            and asked.store in self.store
            and asked.por in self.por
            and (asked.threads > 1) in self.several_threads
            and asked.sort in self.sort
            and asked.bounded in self.bounded
            and asked.symmetry in self.symmetry
            and asked.way in self.way
            and asked.checkpoint in self.checkpoint
        )


LOSSY: tuple[StoreName, ...] = ("hashcompact", "bitstate")
NOT_FULL: tuple[StoreName, ...] = ("tree", "collapse", "numbers", *LOSSY, "cache", "disk")
NOT_ONCE: tuple[Way, ...] = ("deepening", "switches", "swarm")

_NO_STATES = "this search visits no single states"

#: of engines that go not from state to state but work on sets of them, on formulas, on unfoldings
WITHOUT_STATES: tuple[Rule, ...] = (
    Rule("this is a way to visit states: choose another search", way=NOT_ONCE),
    Rule(f"{_NO_STATES}, so there are none to store: leave out --store", store=NOT_FULL),
    Rule(f"{_NO_STATES}, so none can be left out: leave out --por", por=(True,)),
    Rule(f"{_NO_STATES}, so none stands for others: leave out --symmetry", symmetry=(True,)),
    Rule("this search is made by one thread: leave out --threads", several_threads=(True,)),
    Rule(f"{_NO_STATES}, and knows no depth: leave out --max-depth", bounded=(True,)),
    Rule("checkpoints are of states: leave out --checkpoint and --resume, or choose bfs", checkpoint=(True,)),
)
