"""One state for all that differ by a permutation of their parts (N. Moffat, M. Goldsmith, B. Roscoe, *A representative
function approach to symmetry exploitation for CSP refinement checking*, ICFEM 2008).

``sort`` is the paper's sortRep: rows that may change places are sorted. ``canonical`` is its genRep: the least image
under all permutations of the group, or under those that put the values in the order of their keys, where there is a
ranking. ``native/symmetry/permutation_representative.cpp`` and ``ranked_representative.cpp`` do the same.
"""

from __future__ import annotations

from collections.abc import Callable

from kripke.model.permutation_symmetry import UNCHANGED, Permutation, PermutationSymmetry

Row = tuple[int, ...]
Move = Callable[[Row], Row]


def representative_of(symmetry: PermutationSymmetry, method: str, state: bytes) -> bytes:
    row = symmetry.row(state)
    return symmetry.written(to_representative(symmetry, method, row)(row), state)


def to_representative(symmetry: PermutationSymmetry, method: str, row: Row) -> Move:
    """The permutation that leads from a row to its representative."""
    return _sorting(symmetry, row) if method == "sort" else _least(symmetry, row)


def _least(symmetry: PermutationSymmetry, row: Row) -> Move:
    def key(image: Row) -> Row:
        return tuple(image[position] for position in symmetry.order)

    count = len(row)
    identity = Permutation(tuple(range(count)), (UNCHANGED,) * count)
    candidates = [identity, *symmetry.permutations]
    ranking = symmetry.ranking
    if ranking is not None:
        sums = ranking.sums(row)
        pairs = zip(candidates, ranking.images, strict=True)
        candidates = [permutation for permutation, image in pairs if ranking.in_order(sums, image)]
    found = min(candidates, key=lambda permutation: key(symmetry.image(permutation, row)))
    return lambda other: symmetry.image(found, other)


def _sorting(symmetry: PermutationSymmetry, row: Row) -> Move:
    orders: list[list[int]] = []
    for exchange in symmetry.exchanges:
        keys = [
            tuple(symmetry.renumbered(table, row[position]) for position, table in zip(rows, tables, strict=True))
            for rows, tables in zip(exchange.rows, exchange.common, strict=True)
        ]
        orders.append(sorted(range(len(keys)), key=keys.__getitem__))

    def move(other: Row) -> Row:
        result = list(other)
        for exchange, order in zip(symmetry.exchanges, orders, strict=True):
            for to, source in enumerate(order):
                for column, position in enumerate(exchange.rows[to]):
                    common = symmetry.renumbered(exchange.common[source][column], other[exchange.rows[source][column]])
                    result[position] = symmetry.renumbered(exchange.own[to][column], common)
        return tuple(result)

    return move
