"""Sorts of terms: truth values, and integers between bounds.

A range is integers with both bounds, an enumeration a range whose values have names, a bit-vector the range of its
values (``bits``). Integers without a bound are for engines that can reason about them. Arrays and records are no sorts:
every element and field is a variable of its own, and ``choose`` (``build.py``) reads the one that a subscript names.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sort:
    """Integers from ``low`` to ``high`` (None: no bound), or truth values. ``names`` are those of the values."""

    low: int | None
    high: int | None
    boolean: bool = False
    names: tuple[str, ...] = ()

    @property
    def size(self) -> int | None:
        """How many values there are; None: infinitely many."""
        return None if self.low is None or self.high is None else self.high - self.low + 1

    def __contains__(self, value: int) -> bool:
        return (self.low is None or self.low <= value) and (self.high is None or value <= self.high)

    def __str__(self) -> str:
        if self.boolean:
            return "boolean"
        if self.names:
            return "{" + ", ".join(self.names) + "}"
        low = "" if self.low is None else str(self.low)
        high = "" if self.high is None else str(self.high)
        return f"{low}..{high}"


BOOLEAN = Sort(0, 1, boolean=True)
INTEGER = Sort(None, None)


def integers(low: int | None, high: int | None) -> Sort:
    return Sort(low, high)


def enumeration(names: tuple[str, ...]) -> Sort:
    """The first name is 0."""
    return Sort(0, len(names) - 1, names=names)


def bits(width: int, *, signed: bool = False) -> Sort:
    """The values of a bit-vector."""
    return Sort(-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else Sort(0, (1 << width) - 1)
