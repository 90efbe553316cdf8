"""Explicit-state search by the native engine.

A compiled model (a shared library that keeps to `native/model/model.h`) is opened with `open_model` and searched with
`search`. The engine knows states as byte strings only; what they mean is the caller's business.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace

from kripke._native import Model, Pairs
from kripke._native import search as _search
from kripke.engines.explicit.search import ErrorPath, Expansions, Outcome, Progress, SearchRequest, Sweep
from kripke.engines.explicit.stores import Loss
from kripke.memory import default_limit
from kripke.model.dependencies import DependencyAnalysis
from kripke.model.permutation_symmetry import UNCHANGED, Permutation, PermutationSymmetry, Ranking
from kripke.model.symmetry import Symmetry
from kripke.model.value_symmetry import Shape, ValueSymmetry

__all__ = ["Model", "open_model", "search"]


def open_model(path: str | os.PathLike[str]) -> Model:
    """Open a compiled model; `RuntimeError` says what is wrong with it."""
    return Model(os.path.abspath(os.fspath(path)))


_Tables = tuple[list[bytes], list[list[bytes]], bytes, list[int], bytes]
_Rows = tuple[list[bytes], list[list[bytes]]]


_Advice = tuple[Callable[[bytes], _Tables], Callable[[bytes, int], _Rows], Callable[[], Pairs | None]]


def _advice(analysis: DependencyAnalysis) -> _Advice:
    """Tables of a state's configuration, rows of transitions at hand, and pairs of views, as the engine reads them."""
    sizes: dict[Hashable, int] = {}

    def tables(state: bytes) -> _Tables:
        found = analysis.tables(state)
        size = sizes[analysis.configuration(state)] = (len(found.conflicts) + 63) // 64 * 8
        rows = _written(zip(found.conflicts, found.enabling, strict=True), size)
        visible, unseen = (one.to_bytes(size, "little") for one in (found.visible, found.unseen))
        return *rows, visible, list(found.first), unseen

    def at_hand(state: bytes, transition: int) -> _Rows:
        return _written(analysis.at_hand(state, transition), sizes[analysis.configuration(state)])

    def pairs() -> Pairs | None:
        found = analysis.pairs()
        return found if isinstance(found, Pairs) else None

    return tables, at_hand, pairs


def _written(rows: Iterable[tuple[int, tuple[int, ...]]], size: int) -> _Rows:
    conflicts, enabling = [], []
    for conflicting, sets in rows:
        conflicts.append(conflicting.to_bytes(size, "little"))
        enabling.append([one.to_bytes(size, "little") for one in sets])
    return conflicts, enabling


#: families (first value, parts, keys), sites; as the engine reads them
_Shape = tuple[list[tuple[int, list[tuple[list[int], int]], list[tuple[list[int], int, bool, bool]]]], list[list[int]]]


#: families (values, cells, turn), shapes (kind, count, family, length, parts), places (capacity, shape)
_Values = tuple[
    list[tuple[int, list[list[int]], int]],
    list[tuple[int, int, int, int, list[int]]],
    list[tuple[list[tuple[int, int]], int]],
]
_KINDS = ("plain", "value", "struct", "array", "union", "buffer")


def _values(symmetry: ValueSymmetry) -> _Values:
    numbers: dict[Shape, int] = {}
    shapes = []

    def number(shape: Shape) -> int:
        if shape not in numbers:
            parts = [number(part) for part in shape.parts]
            shapes.append((_KINDS.index(shape.kind), shape.count, shape.family, shape.length, parts))
            numbers[shape] = len(numbers)
        return numbers[shape]

    families = [(family.count, [list(cell) for cell in family.cells], family.turn) for family in symmetry.families]
    places = [(list(place.capacity or ()), number(place.shape)) for place in symmetry.containers]
    return families, shapes, places


#: components (offset, size), tables, permutations (sources, tables), exchanges (rows, tables), order; of the ranking,
#: if there is one: counts, images, keys
_Permutations = tuple[
    list[tuple[int, int]],
    list[list[int]],
    list[tuple[list[int], list[int]]],
    list[tuple[list[list[int]], list[list[int]], list[list[int]]]],
    list[int],
    list[int],
    list[list[int]],
    list[list[int]],
]


def _permutations(symmetry: PermutationSymmetry) -> _Permutations:
    count = len(symmetry.components)
    ranking = symmetry.ranking or Ranking((), (), ())
    identity = Permutation(tuple(range(count)), (UNCHANGED,) * count)
    return (
        [(part.offset, part.size) for part in symmetry.components],
        [list(table) for table in symmetry.tables],
        [(list(one.sources), list(one.tables)) for one in (identity, *symmetry.permutations)],
        [
            ([list(row) for row in one.rows], [list(row) for row in one.common], [list(row) for row in one.own])
            for one in symmetry.exchanges
        ],
        list(symmetry.order),
        list(ranking.counts),
        [list(image) for image in ranking.images],
        [[key for keys in own for key in keys] for own in ranking.keys],
    )


def _shape(symmetry: Symmetry | ValueSymmetry | PermutationSymmetry) -> _Shape | _Values | _Permutations:
    if isinstance(symmetry, ValueSymmetry):
        return _values(symmetry)
    if isinstance(symmetry, PermutationSymmetry):
        return _permutations(symmetry)
    families = [
        (
            family.first,
            [(list(part.offsets), part.size) for part in family.parts],
            [(list(key.offsets), key.size, key.signed, key.reference) for key in family.keys],
        )
        for family in symmetry.families
    ]
    sites = [[s.offset, s.size, s.length_at, s.length_bytes, s.stride, s.most] for s in symmetry.sites]
    return families, sites


def search(
    model: Model, request: SearchRequest | None = None, watch: Callable[[Progress], object] | None = None
) -> Outcome:
    """Search the state space of `model`.

    `watch` is called about ten times a second, and asks for a checkpoint where it returns something true; what it
    raises stops the search and is raised here. Ctrl-C ends the search with a partial outcome of reason "interrupted"
    and raises nothing. `RuntimeError`: the file to go on from is not good.
    """
    request = request or SearchRequest()
    if not request.memory:
        request = replace(request, memory=default_limit())
    figures, errors, loss, sweep, expansions = _search(
        model,
        request,
        advice=None if request.dependencies is None else _advice(request.dependencies),
        symmetry=None if request.symmetry is None else _shape(request.symmetry),
        progress=None if watch is None else lambda *figures: watch(Progress(*figures)),
    )
    return Outcome(
        **figures,
        error_paths=tuple(ErrorPath(*error) for error in errors),
        loss=None if request.store.exact else Loss(*loss),
        sweep=Sweep(*sweep) if request.order == "sweep" else None,
        expansions=None if request.guidance is None else Expansions(*expansions),
    )
