"""Permutations of rows of numbers: composed, closed to a group, and seen to be exchanges of rows."""

from __future__ import annotations

from collections.abc import Sequence

from kripke.model.permutation_symmetry import UNCHANGED, Exchange, Permutation

MOST_PERMUTATIONS = 50_000


class Tables:
    """Renumberings, each kept once. ``UNCHANGED`` is the identity."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, ...]] = []
        self._numbers: dict[tuple[int, ...], int] = {}
        self._products: dict[tuple[int, int], int] = {}

    def number(self, row: Sequence[int]) -> int:
        row = tuple(row)
        if all(at == to for at, to in enumerate(row)):
            return UNCHANGED
        known = self._numbers.get(row)
        if known is None:
            known = self._numbers[row] = len(self.rows)
            self.rows.append(row)
        return known

    def product(self, first: int, then: int) -> int:
        if first == UNCHANGED or then == UNCHANGED:
            return then if first == UNCHANGED else first
        key = (first, then)
        known = self._products.get(key)
        if known is None:
            second = self.rows[then]
            known = self._products[key] = self.number([second[to] for to in self.rows[first]])
        return known

    def inverse(self, table: int) -> int:
        if table == UNCHANGED:
            return UNCHANGED
        row = [0] * len(self.rows[table])
        for at, to in enumerate(self.rows[table]):
            row[to] = at
        return self.number(row)


def product(tables: Tables, first: Permutation, then: Permutation) -> Permutation:
    """One after the other."""
    return Permutation(
        tuple(first.sources[source] for source in then.sources),
        tuple(
            tables.product(first.tables[source], table) for source, table in zip(then.sources, then.tables, strict=True)
        ),
    )


def closed(tables: Tables, generators: Sequence[Permutation], most: int = MOST_PERMUTATIONS) -> list[Permutation]:
    """All products of the generators, the identity first; empty where there are more than ``most``."""
    count = len(generators[0].sources) if generators else 0
    identity = Permutation(tuple(range(count)), (UNCHANGED,) * count)
    found, known = [identity], {identity}
    for one in found:
        for generator in generators:
            following = product(tables, one, generator)
            if following not in known:
                if len(found) >= most:
                    return []
                known.add(following)
                found.append(following)
    return found


class NoExchange(Exception):
    """Why permutations are not exchanges of rows."""


def exchange(tables: Tables, swap: Permutation, turn: Permutation, count: int) -> Exchange:
    """The rows that change places by ``swap``, of the first two of ``count`` values, and ``turn``, of all of them.

    A swap must exchange whole parts and leave all else as it is, down to the numbers of states: then every order of the
    rows is reached, and sorting finds the same one from all of them.
    """
    pairs = []
    for position, source in enumerate(swap.sources):
        if source == position:
            if swap.tables[position] != UNCHANGED:
                raise NoExchange("an exchange of two values changes the states of a part that stays where it is")
        elif swap.sources[source] != position:
            raise NoExchange("an exchange of two values moves more than pairs of parts")
        elif tables.product(swap.tables[position], swap.tables[source]) != UNCHANGED:
            raise NoExchange("an exchange of two values, done twice, does not lead back")
        elif position < source:
            pairs.append((position, source))
    if not pairs:
        raise NoExchange("an exchange of two values changes nothing")
    columns = [_column(tables, swap, turn, count, pair) for pair in pairs]
    moved = {position for column, _ in columns for position in column}
    for position, source in enumerate(turn.sources):
        if position not in moved and (source != position or turn.tables[position] != UNCHANGED):
            raise NoExchange("a turn of all values changes a part that no exchange of two moves")
    rows = tuple(tuple(column[number] for column, _ in columns) for number in range(count))
    common = tuple(tuple(ranks[number] for _, ranks in columns) for number in range(count))
    own = tuple(tuple(tables.inverse(table) for table in row) for row in common)
    if len({position for row in rows for position in row}) != sum(map(len, rows)):
        raise NoExchange("a part belongs to several values")
    return Exchange(rows, common, own)


def _column(
    tables: Tables, swap: Permutation, turn: Permutation, count: int, pair: tuple[int, int]
) -> tuple[list[int], list[int]]:
    """The parts that one part becomes by turning, and the tables by which they become comparable with it."""
    following = {source: position for position, source in enumerate(turn.sources)}
    first, second = pair if following[pair[0]] == pair[1] else (pair[1], pair[0])
    if following[first] != second:
        raise NoExchange("a turn of all values does not lead from a part to the one it is exchanged with")
    column, ranks = [first], [UNCHANGED]
    for _ in range(count - 1):
        to = following[column[-1]]
        ranks.append(tables.product(tables.inverse(turn.tables[to]), ranks[-1]))
        column.append(to)
    if len(set(column)) != count or following[column[-1]] != first:
        raise NoExchange("a turn of all values does not lead through as many parts as there are values")
    back = tables.product(tables.inverse(turn.tables[first]), ranks[-1])
    if back != UNCHANGED or tables.inverse(swap.tables[second]) != ranks[1]:
        raise NoExchange("the states of like parts do not correspond in the same way for all exchanges")
    return column, ranks
