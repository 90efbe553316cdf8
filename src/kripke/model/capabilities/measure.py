"""``Measure``: how far a state has come. The sweep-line method forgets the states that lie behind."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class Measure(Protocol):
    def progress_of(self, state: bytes) -> int | None:
        """Any number, the same whenever it is asked; None where this model has no measure."""
