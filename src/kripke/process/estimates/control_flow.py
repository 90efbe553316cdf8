"""Local distance tables: how many steps a process needs at least from one place of its control flow to others."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection

from kripke.model.capabilities.estimate import UNREACHABLE
from kripke.process.program import ProcessType


def distances_to(
    process: ProcessType, targets: Collection[int], *, within_step: bool = False, begins_again: bool = False
) -> tuple[int, ...]:
    """By location: the fewest steps to one of the targets, ``UNREACHABLE`` where control never gets there.

    An edge is a step. One after which the process keeps control is part of a step that others may belong to: it counts
    as none, but to stand anywhere else takes one. ``within_step``: it is enough to come there in the middle of a step.
    ``begins_again``: another process of this type may take the place of one that has ended.
    """
    before: list[list[tuple[int, int]]] = [[] for _ in process.locations]
    for number, location in enumerate(process.locations):
        for edge in location.edges:
            cost = 0 if edge.atomic else 1
            if not edge.terminates:
                before[edge.target].append((number, cost))
            elif begins_again:
                before[process.entry].append((number, cost))
    found = [UNREACHABLE] * len(process.locations)
    waiting: deque[tuple[int, int]] = deque()
    for target in targets:
        found[target] = 0
        waiting.append((target, 0))
    while waiting:
        place, steps = waiting.popleft()
        if steps > found[place]:
            continue
        for source, cost in before[place]:
            if steps + cost < found[source]:
                found[source] = steps + cost
                # Steps that cost nothing go to the front: so places leave the queue in the order of their distance.
                (waiting.append if cost else waiting.appendleft)((source, steps + cost))
    least = 0 if within_step else 1
    return tuple(0 if number in targets else max(least, steps) for number, steps in enumerate(found))
