"""Who owns which states: classes of states and their owners (native/distributed/partition.h)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

#: classes for each worker, at least: so that every worker gets nearly the same number of them
_CLASSES_PER_WORKER = 64
_FEWEST = 1024
_PI0, _PI2, _PI3 = 0x243F6A8885A308D3, 0xA4093822299F31D0, 0x082EFA98EC4E6C89
_FACTOR, _WORD = 0x9E3779B97F4A7C15, (1 << 64) - 1


def class_count(workers: int) -> int:
    """A power of two."""
    return 1 << max(_FEWEST, workers * _CLASSES_PER_WORKER).bit_length() - 1


def even_owners(workers: int) -> list[int]:
    """The same number of classes for each, or one more."""
    classes = class_count(workers)
    return [number * workers // classes for number in range(classes)]


def class_of(state: bytes, places: Sequence[int], classes: int) -> int:
    """The class of a state by the content of some places, as in native/distributed/partition.h."""
    key = _PI0
    for place in places:
        key = ((key ^ (state[place] if place < len(state) else 0)) * _FACTOR) & _WORD
    product = (key ^ _PI3) * _PI2
    mixed = (product & _WORD) ^ (product >> 64)
    return mixed >> (65 - classes.bit_length())


@dataclass(frozen=True, slots=True)
class Partition:
    """``bytes`` are places in a state whose content decides; none: all of it. ``owners`` has a worker for each class.
    ``name`` is for people."""

    name: str
    owners: tuple[int, ...]
    bytes: tuple[int, ...] = ()


def by_hash(workers: int) -> Partition:
    return Partition("hash", tuple(even_owners(workers)))
