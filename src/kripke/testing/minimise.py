"""The same failure with fewer switches between tasks: what a person can follow."""

from __future__ import annotations

from collections.abc import Callable

from kripke.testing.exploration import choices_of
from kripke.testing.run import Run

Choices = tuple[tuple[int, int], ...]
MOST_TRIALS = 400


def with_fewer_switches(choices: Choices, fails: Callable[[Choices], Run | None]) -> Run | None:
    """A failing run to which no exchange of neighbouring blocks of steps brings an improvement; None where not even
    the first one fails again."""
    best = fails(choices)
    if best is None:
        return None
    trials = 0
    improved = True
    while improved and trials < MOST_TRIALS:
        improved = False
        blocks = _blocks(choices_of(best))
        for number in range(len(blocks) - 1):
            moved = [*blocks[:number], blocks[number + 1], blocks[number], *blocks[number + 2 :]]
            if len(_blocks(tuple(choice for block in moved for choice in block))) >= len(blocks):
                continue
            trials += 1
            run = fails(tuple(choice for block in moved for choice in block))
            if run is not None and len(_blocks(choices_of(run))) < len(blocks):
                best = run
                improved = True
                break
    return best


def _blocks(choices: Choices) -> list[list[tuple[int, int]]]:
    """Steps of one task in a row."""
    blocks: list[list[tuple[int, int]]] = []
    for choice in choices:
        if blocks and blocks[-1][0][0] == choice[0]:
            blocks[-1].append(choice)
        else:
            blocks.append([choice])
    return blocks
