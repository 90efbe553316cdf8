"""Symmetry by permutations of the parts of a state: a state is a row of numbers, and a permutation moves and renumbers
them.

Two ways to name the permutations. ``permutations`` lists a whole group. ``exchanges`` are *rows* of positions that may
change places at will, each row as a whole; for these sorting the rows finds the representative, however large the
group is.
"""

from __future__ import annotations

from dataclasses import dataclass

UNCHANGED = -1


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
