"""Symmetry by permutations of the parts of a state: a state is a row of numbers, and a permutation moves and renumbers
them.

Two ways to name the permutations. ``permutations`` lists a whole group. ``exchanges`` are *rows* of positions that may
change places at will, each row as a whole; for these sorting the rows finds the representative, however large the
group is.

Where the group is that of all permutations of some values, a ``Ranking`` says in numbers what a row is to each value.
Sorting the values by these numbers leaves few permutations, mostly one, of which the least image is to be found.
"""

from __future__ import annotations

from dataclasses import dataclass

UNCHANGED = -1
#: sums of keys are taken modulo this
KEYS = 1 << 32


@dataclass(frozen=True, slots=True)
class Component:
    """Where a number of the row is in a state: ``size`` bytes at ``offset``, little-endian."""

    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class Permutation:
    """Position p of the image has what position ``sources[p]`` had, renumbered by the table ``tables[p]``."""

    sources: tuple[int, ...]
    tables: tuple[int, ...]

    def is_identity(self) -> bool:
        return self.sources == tuple(range(len(self.sources))) and all(table == UNCHANGED for table in self.tables)


@dataclass(frozen=True, slots=True)
class Exchange:
    """``rows`` of positions, all as long, that may change places. Numbers at position ``rows[i][k]`` become comparable
    with those at ``rows[0][k]`` by the table ``common[i][k]``, and come back by ``own[i][k]``."""

    rows: tuple[tuple[int, ...], ...]
    common: tuple[tuple[int, ...], ...]
    own: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Sets of values, numbered through; the group has one permutation for all ways to permute each set in itself.

    ``images``: where each value goes, by the identity and then by each permutation. ``keys[p][s]``: a number for every
    value; what the number s at position p is to it. A permutation that takes (p, s, value) to another such triple finds
    the same key there, so the sums over a row move with the values.
    """

    counts: tuple[int, ...]
    images: tuple[tuple[int, ...], ...]
    keys: tuple[tuple[tuple[int, ...], ...], ...]

    def sums(self, row: tuple[int, ...]) -> list[int]:
        found = [0] * sum(self.counts)
        for position, number in enumerate(row):
            for value, key in enumerate(self.keys[position][number]):
                found[value] = (found[value] + key) % KEYS
        return found

    def in_order(self, sums: list[int], image: tuple[int, ...]) -> bool:
        """Are the values of each set in the order of their sums, when each has gone to its image?"""
        placed = [0] * len(sums)
        for value, to in enumerate(image):
            placed[to] = sums[value]
        first = 0
        for count in self.counts:
            if any(placed[at] > placed[at + 1] for at in range(first, first + count - 1)):
                return False
            first += count
        return True


@dataclass(frozen=True)
class PermutationSymmetry:
    """``permutations`` are all of a group but the identity; none where only ``exchanges`` are known. ``order``: the
    positions by which images are compared, those that tell most first."""

    components: tuple[Component, ...]
    tables: tuple[tuple[int, ...], ...]
    permutations: tuple[Permutation, ...]
    exchanges: tuple[Exchange, ...]
    order: tuple[int, ...]
    methods: tuple[str, ...]
    usual: str
    #: what is said where another method is asked for
    other_methods: str = ""
    #: what was chosen, and why not something better
    left_out: tuple[str, ...] = ()
    ranking: Ranking | None = None

    def row(self, state: bytes) -> tuple[int, ...]:
        return tuple(int.from_bytes(state[part.offset : part.offset + part.size], "little") for part in self.components)

    def written(self, row: tuple[int, ...], state: bytes) -> bytes:
        """The state with this row in it."""
        result = bytearray(state)
        for part, number in zip(self.components, row, strict=True):
            result[part.offset : part.offset + part.size] = number.to_bytes(part.size, "little")
        return bytes(result)

    def renumbered(self, table: int, number: int) -> int:
        return number if table == UNCHANGED else self.tables[table][number]

    def image(self, permutation: Permutation, row: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(
            self.renumbered(table, row[source])
            for source, table in zip(permutation.sources, permutation.tables, strict=True)
        )
