"""The types of variables of machines: truth values, ranges of integers, enumerations. Every value is an integer."""

from __future__ import annotations

from dataclasses import dataclass

SMALLEST, LARGEST = -(2**31), 2**31 - 1


@dataclass(frozen=True, slots=True)
class Type:
    """``low`` to ``high``; ``names`` are those of an enumeration's values, or false and true."""

    low: int
    high: int
    names: tuple[str, ...] = ()

    @property
    def is_bool(self) -> bool:
        return self.names == BOOL_NAMES

    @property
    def is_integer(self) -> bool:
        return not self.names

    @property
    def width(self) -> int:
        """Bytes of a value in a state, which holds its distance from ``low``."""
        span = self.high - self.low
        return 1 if span < 1 << 8 else 2 if span < 1 << 16 else 4

    def text(self, value: int) -> str:
        return self.names[value - self.low] if self.names else str(value)

    def __str__(self) -> str:
        if self.is_bool:
            return "bool"
        return "{" + ", ".join(self.names) + "}" if self.names else f"{self.low}..{self.high}"


BOOL_NAMES = ("false", "true")
BOOL = Type(0, 1, BOOL_NAMES)


def same_kind(one: Type, other: Type) -> bool:
    """May values of both be compared and assigned?"""
    return one.names == other.names
