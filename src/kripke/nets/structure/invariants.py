"""Invariants of a net from its arcs alone: weighted sums of tokens no firing changes, and firings that change nothing.

A *place invariant* gives places weights such that the weighted sum of the tokens is the same in every reachable
marking; with weights above zero it bounds every place it contains. A *transition invariant* says how often to fire
each transition to come back to the same marking. The minimal ones are found by elimination, one transition (place)
after the other: J. Martinez, M. Silva, A simple and fast algorithm to obtain all invariants of a generalised Petri net,
1982. There can be exponentially many; beyond a limit there is no answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd

from kripke.deadline import current
from kripke.nets.place_transition import PlaceTransitionNet

MOST_ROWS = 3000
MOST_UNKNOWNS = 30_000  # places, or transitions: with more of them nothing is tried
LONGEST = 3.0  # seconds

Invariant = dict[int, int]


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
    work: list[tuple[Invariant, dict[int, int]]] = [({number: 1}, dict(row)) for number, row in enumerate(rows)]
    most = max(most, 2 * len(work))
    end = current().within(LONGEST)
    while True:
        if end.is_over:
            return None
        signs: dict[int, list[int]] = {}
        for _, rest in work:
            for column, value in rest.items():
                signs.setdefault(column, [0, 0])[value > 0] += 1
        if not signs:
            return [solution for solution, _ in work]
        column = min(signs, key=lambda c: (signs[c][0] * signs[c][1] - sum(signs[c]), c))
        below = [row for row in work if row[1].get(column, 0) < 0]
        above = [row for row in work if row[1].get(column, 0) > 0]
        kept = [row for row in work if column not in row[1]]
        if len(kept) + len(below) * len(above) > most:
            return None
        made = [_combined(a, b, column) for a in below for b in above]
        work = _minimal(kept + made) if made else kept


def _combined(
    below: tuple[Invariant, dict[int, int]], above: tuple[Invariant, dict[int, int]], column: int
) -> tuple[Invariant, dict[int, int]]:
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


def _minimal(rows: list[tuple[Invariant, dict[int, int]]]) -> list[tuple[Invariant, dict[int, int]]]:
    """Those whose places contain no other's."""
    kept: list[tuple[Invariant, dict[int, int]]] = []
    supports: list[frozenset[int]] = []
    for row in sorted(rows, key=lambda row: (len(row[0]), sorted(row[0].items()))):
        support = frozenset(row[0])
        if not any(other <= support for other in supports):
            kept.append(row)
            supports.append(support)
    return kept
