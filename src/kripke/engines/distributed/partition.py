"""Who owns which states: classes of states and their owners (native/distributed/partition.h)."""

from __future__ import annotations

from dataclasses import dataclass

#: classes for each worker, at least: so that every worker gets nearly the same number of them
_CLASSES_PER_WORKER = 64
_FEWEST = 1024


def class_count(workers: int) -> int:
    """A power of two."""
    return 1 << max(_FEWEST, workers * _CLASSES_PER_WORKER).bit_length() - 1


def even_owners(workers: int) -> list[int]:
    """The same number of classes for each, or one more."""
    classes = class_count(workers)
    return [number * workers // classes for number in range(classes)]


@dataclass(frozen=True, slots=True)
class Partition:
    """``bytes`` are places in a state whose content decides; none: all of it. ``owners`` has a worker for each class.
    ``name`` is for people."""

    name: str
    owners: tuple[int, ...]
    bytes: tuple[int, ...] = ()


def by_hash(workers: int) -> Partition:
    return Partition("hash", tuple(even_owners(workers)))
