"""Invariants of a net from its arcs alone: weighted sums of tokens no firing changes, and firings that change nothing.

A *place invariant* gives places weights such that the weighted sum of the tokens is the same in every reachable
marking; with weights above zero it bounds every place it contains. A *transition invariant* says how often to fire
each transition to come back to the same marking. The minimal ones are found by elimination, one transition (place)
after the other: J. Martinez, M. Silva, A simple and fast algorithm to obtain all invariants of a generalised Petri net,
1982. There can be exponentially many; beyond a limit there is no answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import heappop, heappush
from math import gcd

from kripke.deadline import current
from kripke.nets.place_transition import PlaceTransitionNet

MOST_ROWS = 3000
MOST_UNKNOWNS = 30_000  # places, or transitions: with more of them nothing is tried
LONGEST = 3.0  # seconds

Invariant = dict[int, int]

#: a solution so far, and what the rows add up to in it
_Row = tuple[Invariant, dict[int, int]]


def place_invariants(net: PlaceTransitionNet, most: int = MOST_ROWS) -> list[Invariant] | None:
    """The minimal ones with weights above zero, or None where there are too many on the way."""
    if len(net.places) > MOST_UNKNOWNS:
        return None
    rows: list[dict[int, int]] = [{} for _ in net.places]
    for number, transition in enumerate(net.transitions):
        for place, change in transition.changes:
            rows[place][number] = change
    return _minimal_solutions(rows, most)


def transition_invariants(net: PlaceTransitionNet, most: int = MOST_ROWS) -> list[Invariant] | None:
    """The minimal ones: numbers of firings that together change nothing."""
    if len(net.transitions) > MOST_UNKNOWNS:
        return None
    return _minimal_solutions([dict(transition.changes) for transition in net.transitions], most)


def bounds(net: PlaceTransitionNet, invariants: Sequence[Invariant]) -> dict[int, int]:
    """The most tokens the invariants allow on each place they contain."""
    initial = net.initial
    found: dict[int, int] = {}
    for invariant in invariants:
        total = weighted(invariant, initial)
        for place, weight in invariant.items():
            found[place] = min(found.get(place, total // weight), total // weight)
    return found


def bound_of_sum(net: PlaceTransitionNet, invariants: Sequence[Invariant], places: Sequence[int]) -> int | None:
    """The most tokens all of these places together can hold; None where the invariants do not tell.

    Either one invariant contains all of them, or each is bounded by itself.
    """
    initial = net.initial
    wanted = set(places)
    answers = [
        weighted(invariant, initial) // min(invariant[place] for place in wanted)
        for invariant in invariants
        if wanted and wanted <= invariant.keys()
    ]
    single = bounds(net, invariants)
    if wanted <= single.keys():
        answers.append(sum(single[place] for place in wanted))
    return min(answers, default=None)


def weighted(invariant: Mapping[int, int], tokens: Sequence[int]) -> int:
    return sum(weight * tokens[place] for place, weight in invariant.items())


def _minimal_solutions(rows: Sequence[dict[int, int]], most: int) -> list[Invariant] | None:
    """Minimal y >= 0, y != 0 with y * rows = 0."""
    elimination = _Elimination(rows)
    most = max(most, 2 * len(rows))
    end = current().within(LONGEST)
    while (column := elimination.cheapest()) is not None:
        if end.is_over or elimination.rows_without(column) > most:
            return None
        elimination.eliminate(column)
    return elimination.solutions()


class _Elimination:
    """Rows, of which more and more columns vanish. What is known of a column or a key is looked up, not counted again:
    a column is about a few rows of many."""

    def __init__(self, rows: Sequence[dict[int, int]]) -> None:
        self._rows: dict[int, _Row] = {}
        self._supports: dict[int, frozenset[int]] = {}
        self._with_key: dict[int, set[int]] = {}
        self._below: dict[int, set[int]] = {}
        self._above: dict[int, set[int]] = {}
        self._costs: list[tuple[int, int]] = []  # a heap; what does not hold any more is passed over
        self._made = 0
        for number, row in enumerate(rows):
            self._add(({number: 1}, dict(row)))
        self._weigh({column for row in rows for column in row})

    def cheapest(self) -> int | None:
        """The column that adds the fewest rows; None: all have vanished."""
        while self._costs:
            cost, column = self._costs[0]
            if cost == self._cost(column):
                return column
            heappop(self._costs)
        return None

    def rows_without(self, column: int) -> int:
        """How many rows there would be, if none were left out."""
        below, above = len(self._below.get(column, ())), len(self._above.get(column, ()))
        return len(self._rows) - below - above + below * above

    def eliminate(self, column: int) -> None:
        below = [self._rows[number] for number in sorted(self._below.get(column, ()))]
        above = [self._rows[number] for number in sorted(self._above.get(column, ()))]
        gone = [*self._below.get(column, ()), *self._above.get(column, ())]
        touched = {other for number in gone for other in self._rows[number][1]}
        for number in gone:
            self._remove(number)
        for row in sorted((_combined(a, b, column) for a in below for b in above), key=_size):
            support = frozenset(row[0])
            if not self._contains_another(support):
                for number in self._containing(support):
                    touched |= self._rows[number][1].keys()
                    self._remove(number)
                touched |= row[1].keys()
                self._add(row)
        self._weigh(touched)

    def solutions(self) -> list[Invariant]:
        return [solution for solution, _ in sorted(self._rows.values(), key=_size)]

    def _cost(self, column: int) -> int | None:
        below, above = len(self._below.get(column, ())), len(self._above.get(column, ()))
        return below * above - below - above if below or above else None

    def _weigh(self, columns: Iterable[int]) -> None:
        for column in columns:
            cost = self._cost(column)
            if cost is not None:
                heappush(self._costs, (cost, column))

    def _contains_another(self, support: frozenset[int]) -> bool:
        near = {number for key in support for number in self._with_key.get(key, ())}
        return any(self._supports[number] <= support for number in near)

    def _containing(self, support: frozenset[int]) -> set[int]:
        return set.intersection(*(self._with_key.get(key, set()) for key in support))

    def _add(self, row: _Row) -> None:
        number, self._made = self._made, self._made + 1
        self._rows[number], self._supports[number] = row, frozenset(row[0])
        for key in row[0]:
            self._with_key.setdefault(key, set()).add(number)
        for column, value in row[1].items():
            (self._above if value > 0 else self._below).setdefault(column, set()).add(number)

    def _remove(self, number: int) -> None:
        solution, rest = self._rows.pop(number)
        del self._supports[number]
        for key in solution:
            self._with_key[key].remove(number)
        for column, value in rest.items():
            (self._above if value > 0 else self._below)[column].remove(number)


def _size(row: _Row) -> tuple[int, list[tuple[int, int]]]:
    return len(row[0]), sorted(row[0].items())


def _combined(below: _Row, above: _Row, column: int) -> _Row:
    """The sum of multiples of two rows in which a column vanishes."""
    times_below, times_above = above[1][column], -below[1][column]
    solution, rest = (
        {key: times_below * a.get(key, 0) + times_above * b.get(key, 0) for key in a.keys() | b.keys()}
        for a, b in zip(below, above, strict=True)
    )
    rest = {key: value for key, value in rest.items() if value}
    divisor = gcd(*solution.values(), *rest.values())
    return (
        {key: value // divisor for key, value in solution.items()},
        {key: value // divisor for key, value in rest.items()},
    )
