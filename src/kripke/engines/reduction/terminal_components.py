"""Which states of a reduced graph must be expanded in full, so that no step is put off for ever.

What can be reached from a state by steps that were left out is not further away after a step that was chosen. So it is
found as long as, wherever the search goes, a state can be reached whose steps are all taken: every terminal component
of the reduced graph needs one (after A. Valmari, *Stop it, and be stubborn!*, ACM TECS 2017). As in
``native/reduction/terminal_components.h``, where it is said how they are seen from the path of a depth-first search.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class _Part:
    """A state of the path with all below it that is done. ``highest``: the least place of the path that is reached,
    ``has_all``: a state was expanded in full, ``owes``: there is one whose chosen steps all lead to the path."""

    highest: int
    has_all: bool
    owes: bool


class TerminalComponents:
    """Follows the path of a depth-first search."""

    def __init__(self) -> None:
        self._path: list[_Part] = []

    def enter(self, highest: int | None, *, takes_all: bool, trapped: bool) -> None:
        """``highest``: the least place of the path that a chosen step leads to; ``trapped``: they all lead there."""
        place = len(self._path)
        self._path.append(_Part(place if highest is None else highest, takes_all, trapped))

    def must_take_all(self) -> bool:
        """All below the last state is done: must it be expanded in full? It counts as such from now on."""
        last = self._path[-1]
        if not last.owes or last.has_all or last.highest < len(self._path) - 1:
            return False
        last.has_all = True
        return True

    def leave(self) -> None:
        below = self._path.pop()
        if self._path:
            last = self._path[-1]
            last.highest = min(last.highest, below.highest)
            last.has_all |= below.has_all
            last.owes |= below.owes
