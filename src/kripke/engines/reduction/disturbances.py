"""While an actor stays where it is: which steps of others may disturb what it is about to do.

The tables say which transitions disturb each other at some time. Much less can do so from here on, as long as the one
waits: who stands before a closed gate does not come to what is behind it. Of two actors and their views, the pairs of
views are followed that come about by steps of the other and of third ones, while the one stays. A step of the other is
*disturbing* if in one of these pairs it changes what the one can do, or if the order of the two matters. Steps that
disturb the one are not followed: they are all in the stubborn set around what the one is about to do, and the
argument for stubborn sets is about runs without members of the set. So the enabled transitions of an actor, with those
that are disturbing now, have all that its row of conflicts is there for. Steps of two together are no moves of views:
whether they conflict with others the rows say, and they are followed; where one changes what the one can do, nothing
is known.

``native/reduction/disturbances.cpp`` does the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from kripke.model.views import PairsOfViews, ViewMove, accord, by_transition

_Pair = tuple[int, int]

#: views of others that are looked at, in all
_MOST_LOOKS = 300_000


class Disturbances:
    """Of one model. Sets of transitions are bits, counted from the first transition of an actor."""

    def __init__(self, pairs: PairsOfViews) -> None:
        self._pairs = pairs
        self._disturbing: dict[tuple[int, int, int, int], int] = {}
        self._found: dict[tuple[int, int, int, int], int | None] = {}
        self._looks = _MOST_LOOKS

    def views(self, state: bytes) -> list[int] | None:
        """The views that all have in a state; None where nothing is known of it."""
        found: list[int] = []
        for pid in range(self._pairs.actors()):
            if self._pairs.start(pid) >= len(state):  # it is gone, and those behind it
                break
            view = self._pairs.find(pid, state)
            if view is None or not self._pairs.is_settled(pid, view):
                return None
            if not all(self._go_together(pid, view, other, beside) for other, beside in enumerate(found)):
                return None
            found.append(view)
        return found

    def of(self, one: int, view: int, other: int, beside: int) -> int | None:
        """The transitions of the other that may disturb the one before it moves; None where that is not known."""
        key = one, view, other, beside
        if key not in self._found:
            found: int | None = 0
            seen, waiting = {(view, beside)}, [(view, beside)]
            while waiting and found is not None:
                mine, theirs = waiting.pop()
                found |= self._disturbing_now(one, mine, other, theirs)
                following = self._following(one, mine, other, theirs)
                if following is None:
                    found = None
                    break
                waiting += following - seen
                seen |= following
            self._found[key] = found
        return self._found[key]

    def _following(self, one: int, view: int, other: int, beside: int) -> set[_Pair] | None:
        """The pairs after a step of the other, or of a third, that does not disturb the one; None where a meeting
        does, or where it would take too long."""
        found: set[_Pair] = set()
        for pid in range(self._pairs.actors()):
            if pid == one:
                continue
            acting = 1 << beside
            if pid != other:
                acting = self._pairs.beside(one, view, pid) & self._pairs.beside(other, beside, pid)
            self._looks -= acting.bit_count()
            if self._looks <= 0:
                return None
            for actor in (number for number in range(acting.bit_length()) if acting >> number & 1):
                if not self._pairs.is_settled(pid, actor):
                    continue
                for effect, target in self._steps(one, view, other, beside, pid, actor):
                    after = self._pairs.after(one, view, effect)
                    then = self._pairs.after(other, beside, effect) if target is None else target
                    if after is not None and then is not None and self._go_together(one, after, other, then):
                        found.add((after, then))
                for effect, target in self._meetings(one, other, beside, pid, actor):
                    after = self._pairs.after(one, view, effect)
                    then = self._pairs.after(other, beside, effect) if target is None else target
                    if after is None or then is None or not self._go_together(one, after, other, then):
                        continue
                    if not self._has_same_transitions(one, view, after):
                        return None
                    found.add((after, then))
        return found

    def _steps(
        self, one: int, view: int, other: int, beside: int, pid: int, actor: int
    ) -> Iterator[tuple[int, int | None]]:
        """Effects of steps that do not disturb the one, and the view of the other after it, if it is its own."""
        disturbing = self._disturbing_now(one, view, pid, actor)
        for transition, target, effect, _ in self._pairs.moves(pid, actor):
            if target is not None and not disturbing >> transition & 1:
                yield effect, target if pid == other else None

    def _meetings(self, one: int, other: int, beside: int, pid: int, actor: int) -> Iterator[tuple[int, int | None]]:
        """The same of meetings without the one: with the other, and of somebody else."""
        if pid == other:
            return
        for theirs, _, effect in self._pairs.meetings(other, beside, pid, actor):
            yield effect, theirs
        for effect, partner in self._pairs.meeting_acts(pid, actor):
            if partner not in (one, other):
                yield effect, None

    def _go_together(self, one: int, view: int, other: int, beside: int) -> bool:
        return bool(self._pairs.beside(one, view, other) >> beside & 1)

    def _disturbing_now(self, one: int, view: int, other: int, beside: int) -> int:
        """The transitions of the other that are enabled in this pair and disturb the one."""
        if not self._pairs.touches(one, view, other) and not self._pairs.touches(other, beside, one):
            return 0
        key = one, view, other, beside
        if key not in self._disturbing:
            steps = by_transition(self._pairs.moves(other, beside))
            self._disturbing[key] = sum(
                1 << transition
                for transition, moves in steps.items()
                if self._disturbs(one, view, other, beside, moves)
            )
        return self._disturbing[key]

    def _has_same_transitions(self, pid: int, view: int, after: int) -> bool:
        mine, then = (by_transition(self._pairs.moves(pid, one)) for one in (view, after))
        return mine.keys() == then.keys()

    def _disturbs(self, one: int, view: int, other: int, beside: int, theirs: list[ViewMove]) -> bool:
        mine = by_transition(self._pairs.moves(one, view))
        if len(theirs) != 1 or any(len(moves) != 1 for moves in mine.values()):
            return True
        _, target, effect, _ = theirs[0]
        if target is not None:
            after = self._pairs.after(one, view, effect)
            if after is None or not self._has_same_transitions(one, view, after):
                return True
        return not all(
            accord(self._pairs, (one, view, moves[0]), (other, beside, theirs[0])) for moves in mine.values()
        )
