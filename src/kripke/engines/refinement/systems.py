"""Divergence of processes: ways to go on for ever unseen."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from kripke.deadline import current
from kripke.model.assertions import TAU, TICK, EventSystem

__all__ = ["TAU", "TICK", "Divergence", "EventSystem"]


class Divergence:
    """Which states can go on for ever with invisible steps alone; asked once per state.

    A depth-first search along invisible steps: a state on the present path that is met again closes a cycle, and
    everything on the path diverges; what is left without meeting one does not.
    """

    def __init__(self, system: EventSystem[Any]) -> None:
        self._system = system
        self._known: dict[Hashable, bool] = {}
        self._deadline = current()

    def diverges(self, start: Any) -> bool:
        known = self._known
        if start in known:
            return known[start]
        path: list[Any] = [start]
        on_path: dict[Hashable, int] = {start: 0}
        pending = [self._invisible(start)]
        while path:
            if pending[-1]:
                target = pending[-1].pop()
                if target in on_path or known.get(target, False):
                    for state in path:
                        known[state] = True
                    return True
                if target not in known:
                    on_path[target] = len(path)
                    path.append(target)
                    pending.append(self._invisible(target))
                continue
            done = path.pop()
            pending.pop()
            del on_path[done]
            known[done] = False
        return False

    def _invisible(self, state: Any) -> list[Any]:
        self._deadline()
        return [target for event, target in self._system.steps(state) if event == TAU]

    def loop(self, start: Any) -> tuple[list[Any], int]:
        """A way of invisible steps from a divergent state round a cycle; where the cycle starts."""
        path, seen = [start], {start: 0}
        while True:
            # Every divergent state has a divergent successor; following them closes a cycle.
            following = next(t for t in self._invisible(path[-1]) if t in seen or self.diverges(t))
            if following in seen:
                path.append(following)
                return path, seen[following]
            seen[following] = len(path)
            path.append(following)
