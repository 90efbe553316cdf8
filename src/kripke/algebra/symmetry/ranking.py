"""What a row of numbers is to the values that may change places, in numbers that change places with them.

Sorting values by an invariant before images are compared is what canonical labellings of graphs do (B. McKay,
*Practical graph isomorphism*, 1981). Here it saves the paper's genRep from trying every permutation.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial, prod

from kripke.algebra.symmetry.group import Tables, closed
from kripke.model.permutation_symmetry import KEYS, UNCHANGED, Permutation, Ranking

MOST_VALUES = 16
#: triples of a position, a number there and a value: a table of them is made
MOST_TRIPLES = 400_000


def with_values(permutation: Permutation, moved: Sequence[int]) -> Permutation:
    """``permutation`` that moves values, too, as positions behind its own; ``moved``: where each goes."""
    count = len(permutation.sources)
    sources = [0] * len(moved)
    for value, to in enumerate(moved):
        sources[to] = count + value
    return Permutation((*permutation.sources, *sources), (*permutation.tables, *(UNCHANGED,) * len(moved)))


def value_moves(counts: Sequence[int], which: int, generators: int) -> list[list[int]]:
    """Where all values go by the generators of one of the sets: an exchange of its first two, a turn."""
    first, count = sum(counts[:which]), counts[which]
    every = list(range(sum(counts)))
    swap, turn = every.copy(), every.copy()
    swap[first], swap[first + 1] = first + 1, first
    for at in range(count):
        turn[first + at] = first + (at + 1) % count
    return [swap, turn][:generators]


def ranked(
    tables: Tables, generators: Sequence[Permutation], counts: Sequence[int], sizes: Sequence[int]
) -> tuple[list[Permutation], Ranking] | None:
    """The group and its ranking, of generators with values; None where it is not that of all permutations of the
    values, or too large. ``sizes``: how many numbers there are at each position."""
    values, positions = sum(counts), len(sizes)
    if values > MOST_VALUES or sum(sizes) * values > MOST_TRIPLES:
        return None
    # Where one permutation of the values changes a row in several ways, there are more.
    group = closed(tables, generators)
    if len(group) != prod(map(factorial, counts)):
        return None
    images = []
    for one in group:
        image = [0] * values
        for to, source in enumerate(one.sources[positions:]):
            image[source - positions] = to
        images.append(tuple(image))
    keys = _keys(tables, generators, values, sizes)
    return [Permutation(one.sources[:positions], one.tables[:positions]) for one in group], Ranking(
        tuple(counts), tuple(images), keys
    )


def _keys(
    tables: Tables, generators: Sequence[Permutation], values: int, sizes: Sequence[int]
) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """The same number for every triple (position, number, value) of an orbit: orbits by joining."""
    first = [0]
    for size in sizes:
        first.append(first[-1] + size * values)
    leader = list(range(first[-1]))

    def found(triple: int) -> int:
        while leader[triple] != triple:
            leader[triple] = leader[leader[triple]]
            triple = leader[triple]
        return triple

    for one in generators:
        value_sources = [source - len(sizes) for source in one.sources[len(sizes) :]]
        for position, size in enumerate(sizes):
            source, table = one.sources[position], one.tables[position]
            row = range(size) if table == UNCHANGED else tables.rows[table]
            for number in range(size):
                before, after = first[source] + number * values, first[position] + row[number] * values
                for value, came_from in enumerate(value_sources):
                    one_leader, other = found(before + came_from), found(after + value)
                    if one_leader != other:
                        leader[max(one_leader, other)] = min(one_leader, other)
    return tuple(
        tuple(
            tuple(_mixed(found(at + value)) for value in range(values))
            for at in range(first[position], first[position + 1], values)
        )
        for position in range(len(sizes))
    )


def _mixed(number: int) -> int:
    """A number that looks like any other, so that different sums of them differ mostly."""
    number = (number + 1) * 0x9E3779B97F4A7C15 % (1 << 64)
    number = (number ^ number >> 32) * 0xD6E8FEB86659FD93 % (1 << 64)
    return (number ^ number >> 32) % KEYS
