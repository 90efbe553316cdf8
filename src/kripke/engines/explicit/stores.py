"""Stores: what keeps the states that were seen; ``full``, ``tree``, ``collapse`` and ``numbers`` all of them, ``disk``
in files, ``cache`` as many as there is room for, the others a hash or a few bits of each.

A store that is not exact takes some new states for known ones and says so: what it did not find may still be there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from kripke.model.value_ranges import ValueRanges

StoreName = Literal["full", "tree", "collapse", "numbers", "hashcompact", "bitstate", "cache", "disk"]
Replacement = Literal["least", "first"]

STORES: tuple[StoreName, ...] = get_args(StoreName)
HASH_BITS = (32, 40, 64)
MOST_HASHES = 32
DEFAULT_TABLE = {"bitstate": 128 << 20, "cache": 512 << 20}  # bytes, where memory is not scarcer


@dataclass(frozen=True, slots=True)
class StoreOptions:
    """``hash_bits`` are those of a state (hashcompact); ``hashes`` are bits of a state in a table of ``table_bytes``
    (bitstate; also the size of a cache). ``first_goes``: a cache drops the first state that may go, not the one that is
    worth least. Another ``seed`` is another hash function. ``folder`` is where files are
    made (disk)."""

    name: StoreName = "full"
    hash_bits: int = 64
    hashes: int = 4
    table_bytes: int = 0
    first_goes: bool = False
    seed: int = 0
    folder: str = ""
    values: ValueRanges | None = None
    """Of numbers: which values the scalars of a state have; None where nobody knows."""

    @property
    def exact(self) -> bool:
        return self.name not in ("hashcompact", "bitstate")


FULL = StoreOptions()


@dataclass(frozen=True, slots=True)
class Loss:
    """What a store that is not exact knows about itself: the part of it that is in use, and about how many states it
    took for others."""

    fill: float
    omitted: float

    def text(self, store: StoreOptions, states: int, runs: int) -> str:
        """Why nothing found is not nothing there."""
        many = f" in each of {runs} runs" if runs > 1 else ""
        part = self.omitted / max(1.0, states + self.omitted)
        lost = "less than one state" if self.omitted < 0.5 else f"about {self.omitted:,.0f} states"
        return (
            f"nothing was found{many}, but --store {store.name} is not exact: {lost} of "
            f"{states + round(self.omitted):,} ({part:.2g}) taken for others, and what only they lead to was not seen; "
            f"{self.fill:.1%} of the store in use"
        )
