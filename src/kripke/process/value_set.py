"""Sets of integers as disjoint ranges in ascending order, with the operations that constraints have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

#: The ends of INTEGER without a range: what a process program computes with.
LEAST, GREATEST = -(2**31), 2**31 - 1


@dataclass(frozen=True, slots=True)
class ValueSet:
    """``ranges`` are (first, last), neither touching nor overlapping, in ascending order."""

    ranges: tuple[tuple[int, int], ...]

    @staticmethod
    def of(ranges: Iterable[tuple[int, int]]) -> ValueSet:
        joined: list[tuple[int, int]] = []
        for low, high in sorted((low, high) for low, high in ranges if low <= high):
            if joined and low <= joined[-1][1] + 1:
                joined[-1] = joined[-1][0], max(joined[-1][1], high)
            else:
                joined.append((low, high))
        return ValueSet(tuple(joined))

    @property
    def least(self) -> int:
        return self.ranges[0][0]

    @property
    def greatest(self) -> int:
        return self.ranges[-1][1]

    def __len__(self) -> int:
        return sum(high - low + 1 for low, high in self.ranges)

    def __bool__(self) -> bool:
        return bool(self.ranges)

    def __contains__(self, value: int) -> bool:
        return any(low <= value <= high for low, high in self.ranges)

    def __iter__(self) -> Iterator[int]:
        for low, high in self.ranges:
            yield from range(low, high + 1)

    def __or__(self, other: ValueSet) -> ValueSet:
        return ValueSet.of((*self.ranges, *other.ranges))

    def __and__(self, other: ValueSet) -> ValueSet:
        return ValueSet.of((max(a, c), min(b, d)) for a, b in self.ranges for c, d in other.ranges)

    def __sub__(self, other: ValueSet) -> ValueSet:
        left = list(self.ranges)
        for low, high in other.ranges:
            left = [part for a, b in left for part in ((a, min(b, low - 1)), (max(a, high + 1), b))]
            left = [(a, b) for a, b in left if a <= b]
        return ValueSet.of(left)

    def __le__(self, other: ValueSet) -> bool:
        return not (self - other)

    def index(self, value: int) -> int:
        """The number of a value in the set, from 0."""
        before = 0
        for low, high in self.ranges:
            if low <= value <= high:
                return before + value - low
            before += high - low + 1
        raise ValueError(value)

    def at(self, index: int) -> int:
        """The value of a number."""
        for low, high in self.ranges:
            if index <= high - low:
                return low + index
            index -= high - low + 1
        raise IndexError(index)

    def __str__(self) -> str:
        return " | ".join(str(low) if low == high else f"{low}..{high}" for low, high in self.ranges)


EVERYTHING = ValueSet(((LEAST, GREATEST),))
