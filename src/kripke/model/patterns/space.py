"""A model seen through a few of its variables.

A *state* of the space is a combination of values; sets of states are the bits of one whole number. A step of the model
is seen as a set of states it may begin in and what it does to each variable. Whatever a run of the model does, it does
in the space as well: a distance there is never more than the one in the model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kripke.model.capabilities.estimate import UNREACHABLE


@dataclass(frozen=True, slots=True)
class Any:
    """The variable may have any value afterwards."""


#: What a step does to a variable: its new value; any; or values with those they may become.
Change = int | Any | tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Step:
    """``source``: the states it may begin in. Variables are numbered within the space; others stay as they are."""

    source: int
    changes: tuple[tuple[int, Change], ...]


class Space:
    """``variables`` of the model, and how many values each has; these are numbered from 0 here."""

    def __init__(self, variables: Sequence[int], sizes: Sequence[int]) -> None:
        self.variables = tuple(variables)
        self.sizes = tuple(sizes)
        self.weights: list[int] = []
        self.size = 1
        for size in sizes:
            self.weights.append(self.size)
            self.size *= size
        self.full = (1 << self.size) - 1
        self._where: dict[tuple[int, int], int] = {}

    def where(self, variable: int, value: int) -> int:
        """The states in which a variable has a value."""
        known = self._where.get((variable, value))
        if known is None:
            weight, size = self.weights[variable], self.sizes[variable]
            block = ((1 << weight) - 1) << (weight * value)
            period = weight * size
            repeated = ((1 << self.size) - 1) // ((1 << period) - 1)
            known = self._where[variable, value] = block * repeated
        return known

    def before(self, reached: int, step: Step) -> int:
        """The states from which the step may lead to one of ``reached``."""
        for variable, change in step.changes:
            if not reached:
                return 0
            reached = self._undone(reached, variable, change)
        return reached & step.source

    def _undone(self, reached: int, variable: int, change: Change) -> int:
        weight, size = self.weights[variable], self.sizes[variable]
        match change:
            case int(value):
                return self._spread((reached & self.where(variable, value)) >> weight * value, variable)
            case Any():
                lowest = 0
                for value in range(size):
                    lowest |= (reached & self.where(variable, value)) >> weight * value
                return self._spread(lowest, variable)
            case pairs:
                found = 0
                for old, new in pairs:
                    there = reached & self.where(variable, new)
                    found |= there << weight * (old - new) if old >= new else there >> weight * (new - old)
                return found

    def _spread(self, lowest: int, variable: int) -> int:
        """From states in which the variable is 0 to those that differ in it alone."""
        if lowest == 0:
            return 0
        weight, size = self.weights[variable], self.sizes[variable]
        return lowest * (((1 << weight * size) - 1) // ((1 << weight) - 1))

    def distances(self, steps: Sequence[Step], aim: int, pause: Callable[[], None]) -> tuple[int, ...]:
        """By state: the fewest steps to one of ``aim``."""
        table = [UNREACHABLE] * self.size
        known, level, depth = 0, aim, 0
        while level:
            _fill(table, level, depth)
            known |= level
            found = 0
            for step in steps:
                found |= self.before(level, step)
            pause()
            level = found & ~known
            depth += 1
        return tuple(table)


def _fill(table: list[int], states: int, depth: int) -> None:
    for at, byte in enumerate(states.to_bytes((states.bit_length() + 7) // 8, "little")):
        while byte:
            low = byte & -byte
            table[8 * at + low.bit_length() - 1] = depth
            byte ^= low
