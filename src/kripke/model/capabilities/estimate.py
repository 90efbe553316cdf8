"""``Estimate``: how far a state is from a goal. Directed searches take the most promising state first."""

from __future__ import annotations

from typing import Literal, Protocol, runtime_checkable

#: What is looked for: a state without steps, a violation of any kind, an atom that is false (by its number).
Goal = Literal["deadlock", "violation"] | int


@runtime_checkable
class Estimate(Protocol):
    def estimate(self, state: bytes, goal: Goal) -> int | None:
        """A number of steps; None: the goal cannot be reached from here."""

    def is_admissible(self, goal: Goal) -> bool:
        """Is the estimate never more than the steps that are needed? Then what A* finds first is shortest."""
