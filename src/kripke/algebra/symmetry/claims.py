"""What a user claims: permutations of events under which a process stays the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kripke.algebra.events import TICK


class EventPermutation:
    """A permutation of events by their numbers, asked once per event. Invisible ones and termination stay."""

    def __init__(self, words: str, of: Callable[[int], int]) -> None:
        self.words = words
        self._of = of
        self._known: dict[int, int] = {}

    def __call__(self, event: int) -> int:
        if event <= TICK:
            return event
        known = self._known.get(event)
        if known is None:
            known = self._known[event] = self._of(event)
        return known


@dataclass(frozen=True, slots=True)
class Claim:
    """``generators`` of a group. ``all_of``: these two, an exchange of the first two values and a turn of all,
    generate every permutation of so many values; 0: nothing is known of the group."""

    words: str
    generators: tuple[EventPermutation, ...]
    all_of: int = 0
