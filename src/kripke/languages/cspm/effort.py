"""How much is evaluated before something comes of it.

A script can ask for what never ends: an endless sequence, 2^40 calls, the pairs of two large sets. Evaluation counts
calls and drawn values as steps. Every ``SLICE`` of them it asks the deadline and the memory that is left; after
``most`` of them without a new process it gives up, with the place where it was. The number does not depend on the
machine: what is evaluated on one is evaluated on all.
"""

from __future__ import annotations

from kripke import memory
from kripke.deadline import current
from kripke.languages.cspm.values import Wrong

MOST_STEPS = 10_000_000  # some ten seconds
CALL = 4  # a call takes about so many times as long as drawing a value
SLICE = 1 << 14


class Effort:
    """Whoever does a step takes it from ``left`` and, below zero, calls ``pause``."""

    __slots__ = ("_slices", "left", "most")

    def __init__(self, most: int = MOST_STEPS) -> None:
        """``most``: 0 for no limit."""
        self.most = most
        self.left = SLICE
        self._slices = 0

    def begin(self) -> None:
        """Something came of it: count from here."""
        self._slices = 0

    def pause(self) -> None:
        self.left = SLICE
        self._slices += 1
        ask()
        if self.most and self._slices * SLICE > self.most:
            self._slices = 0  # who catches this may go on with something else
            raise Wrong(
                f"evaluating this took more than {self.most:,} steps",
                "if it ends at all, allow more with --evaluation-limit STEPS (0: no limit)",
            )


def ask() -> None:
    """The deadline and the memory that is left."""
    current()()
    memory.ask()
