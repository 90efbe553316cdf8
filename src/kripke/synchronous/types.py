"""Types of a synchronous system. Every value is an integer: of a truth value 0 or 1, of an enumeration with names the
number of the name in its type, of all others the number itself."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from kripke.terms.sort import BOOLEAN as BOOLEAN_SORT
from kripke.terms.sort import INTEGER as INTEGER_SORT
from kripke.terms.sort import Sort


@dataclass(frozen=True)
class Type:
    """What expressions have. Those of variables say which values there are."""

    @property
    def size(self) -> int | None:
        """How many values there are; None: infinitely many."""
        low, high = self.sort.low, self.sort.high
        return None if low is None or high is None else high - low + 1

    @property
    def sort(self) -> Sort:
        return INTEGER_SORT

    @property
    def domain(self) -> range | tuple[int, ...]:
        """Every value, in ascending order."""
        assert self.sort.low is not None and self.sort.high is not None
        return range(self.sort.low, self.sort.high + 1)

    def text(self, value: int) -> str:
        return str(value)


@dataclass(frozen=True)
class Boolean(Type):
    @property
    def sort(self) -> Sort:
        return BOOLEAN_SORT

    def text(self, value: int) -> str:
        return "TRUE" if value else "FALSE"

    def __str__(self) -> str:
        return "boolean"


@dataclass(frozen=True)
class Integer(Type):
    """Numbers; of a variable the ones that it may have, in ascending order (a range, or some)."""

    values: range | tuple[int, ...] | None = None

    @property
    def size(self) -> int | None:
        return None if self.values is None else len(self.values)

    @property
    def sort(self) -> Sort:
        return INTEGER_SORT if self.values is None else Sort(self.values[0], self.values[-1])

    @property
    def domain(self) -> range | tuple[int, ...]:
        assert self.values is not None
        return self.values

    def __str__(self) -> str:
        if self.values is None:
            return "integer"
        if isinstance(self.values, range):
            return f"{self.values[0]}..{self.values[-1]}"
        return "{" + ", ".join(map(str, self.values)) + "}"


@dataclass(frozen=True)
class Enumeration(Type):
    """Names, perhaps beside numbers."""

    values: tuple[int | str, ...]

    @cached_property
    def numbers(self) -> dict[int | str, int]:
        return {value: number for number, value in enumerate(self.values)}

    @property
    def sort(self) -> Sort:
        return Sort(0, len(self.values) - 1, names=tuple(map(str, self.values)))

    def text(self, value: int) -> str:
        return str(self.values[value])

    def __str__(self) -> str:
        return "{" + ", ".join(map(str, self.values)) + "}"


@dataclass(frozen=True)
class Word(Type):
    width: int
    signed: bool = False

    @property
    def sort(self) -> Sort:
        half = 1 << (self.width - 1)
        return Sort(-half, half - 1) if self.signed else Sort(0, 2 * half - 1)

    def text(self, value: int) -> str:
        """As NuSMV writes it: ``0ud8_17``."""
        sign = "-" if value < 0 else ""
        return f"{sign}0{'s' if self.signed else 'u'}d{self.width}_{abs(value)}"

    def __str__(self) -> str:
        return f"{'signed' if self.signed else 'unsigned'} word[{self.width}]"


BOOLEAN = Boolean()
INTEGER = Integer()
