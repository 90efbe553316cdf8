"""The estimate that patterns give: tables, the greatest of them or their sum, the least of several goals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from kripke.deadline import current
from kripke.model.capabilities.estimate import UNREACHABLE, Combine, Estimator, Known
from kripke.model.patterns.space import Space, Step

MOST_STATES = 4096  # of a space
MOST_SPACES = 24  # for one goal
MOST_CELLS = 120_000  # of all tables
_SECONDS = 2.0  # for all of them


@dataclass(frozen=True, slots=True)
class Lookup:
    """``table`` by the values of some variables, of which ``sizes`` are known (the first one counts in ones). Of other
    values nothing is known."""

    variables: tuple[int, ...]
    sizes: tuple[int, ...]
    table: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Fixed:
    steps: int


@dataclass(frozen=True, slots=True)
class Combined:
    how: Combine
    parts: tuple[Distance, ...]


Distance = Fixed | Lookup | Combined


class Seen(Protocol):
    """A model that can be seen through a few variables. What a part of a goal is, is for the family to say."""

    def size(self, variable: int) -> int | None:
        """How many values a variable has; None: too many, or it cannot be read."""

    def concerned(self, part: object) -> Sequence[int]:
        """The variables that a part of the goal is about, the most important first."""

    def neighbours(self, variable: int) -> Iterable[int]:
        """On which variables its changes depend, the most important first."""

    # ``pause`` is called now and then, and may raise.

    def steps(self, space: Space, pause: Callable[[], None]) -> Sequence[Step]:
        """Those that change a variable of the space."""

    def aim(self, space: Space, part: object, pause: Callable[[], None]) -> int:
        """The states in which a part of the goal may be reached."""


class _OutOfTime(Exception):
    """No more tables are made; those there are, are kept."""


def distance_to(seen: Seen, parts: Sequence[object], way: str) -> Distance:
    """Until one of the parts of a goal is reached. A bound takes the greatest of what the spaces say, ``formula`` the
    sum of what disjoint ones say."""
    search = _Patterns(seen, bounding=way == "bound")
    found = [search.distance(part) for part in parts]
    if not found:
        return Fixed(0)
    if Fixed(0) in found:
        return Fixed(0)
    return found[0] if len(found) == 1 else Combined("min", tuple(dict.fromkeys(found)))


class _Patterns:
    def __init__(self, seen: Seen, *, bounding: bool) -> None:
        self.seen = seen
        self.bounding = bounding
        self.end = current().within(_SECONDS)
        self.cells = 0
        self.known: dict[tuple[int, ...], tuple[Space, Sequence[Step]]] = {}

    def distance(self, part: object) -> Distance:
        tables: list[Lookup] = []
        tried: set[tuple[int, ...]] = set()
        used: set[int] = set()
        for first in self.seen.concerned(part):
            if not self.bounding and first in used:
                continue  # what is summed up is about different things
            variables = self._grown(first, frozenset() if self.bounding else frozenset(used))
            if not variables or variables in tried or len(tried) >= MOST_SPACES or self.cells > MOST_CELLS:
                continue
            tried.add(variables)
            used.update(variables)
            try:
                table = self._table(variables, part)
            except _OutOfTime:
                break
            if any(table.table):
                tables.append(table)
        if not tables:
            return Fixed(0)
        return tables[0] if len(tables) == 1 else Combined("max" if self.bounding else "sum", tuple(tables))

    def _grown(self, first: int, without: frozenset[int]) -> tuple[int, ...]:
        """A variable and those that decide when it changes, as far as there is room."""
        size = self.seen.size(first)
        if size is None or size > MOST_STATES:
            return ()
        chosen, states, at = [first], size, 0
        while at < len(chosen):
            for other in self.seen.neighbours(chosen[at]):
                size = self.seen.size(other)
                if size is None or size < 2 or other in chosen or other in without or states * size > MOST_STATES:
                    continue
                chosen.append(other)
                states *= size
            at += 1
        return tuple(sorted(chosen))

    def _table(self, variables: tuple[int, ...], part: object) -> Lookup:
        if variables not in self.known:
            sizes = [self.seen.size(variable) or 1 for variable in variables]
            space = Space(variables, sizes)
            self.known[variables] = space, self.seen.steps(space, self._pause)
        space, steps = self.known[variables]
        table = space.distances(steps, self.seen.aim(space, part, self._pause), self._pause)
        self.cells += len(table)
        return Lookup(space.variables, space.sizes, table)

    def _pause(self) -> None:
        if self.end.is_over:
            raise _OutOfTime


class PatternEstimator(Estimator):
    """``read`` gives the values of the variables, counted from 0; ValueError: they are beyond what is known. ``lows``:
    what compiled code takes off the values that it reads."""

    def __init__(
        self, read: Callable[[bytes], Sequence[int]], distance: Distance, known: Known, lows: Sequence[int] = ()
    ) -> None:
        self.read = read
        self.distance = distance
        self.known = known
        self.lows = lows

    def steps(self, state: bytes) -> int:
        try:
            values = self.read(state)
        except ValueError:
            return 0
        return min(_steps(self.distance, values), UNREACHABLE)


def _steps(distance: Distance, values: Sequence[int]) -> int:
    match distance:
        case Fixed(steps):
            return steps
        case Lookup(variables, sizes, table):
            at, weight = 0, 1
            for variable, size in zip(variables, sizes, strict=True):
                if not 0 <= values[variable] < size:
                    return 0
                at += weight * values[variable]
                weight *= size
            return table[at]
        case Combined(how, parts):
            numbers = [_steps(part, values) for part in parts]
            return sum(numbers) if how == "sum" else max(numbers) if how == "max" else min(numbers)
