"""While an actor stays where it is: which steps of others may disturb what it is about to do.

The tables say which transitions disturb each other at some time. Much less can do so from here on, as long as the one
waits: who stands before a closed gate does not come to what is behind it. Of two actors and their views, the pairs of
views are followed that come about by steps of the other and of third ones, while the one stays. A step of the other is
*disturbing* if in one of these pairs it changes what the one can do, or if the order of the two matters. Steps that
disturb the one are not followed: they are all in the stubborn set around what the one is about to do, and the
argument for stubborn sets is about runs without members of the set. So the enabled transitions of an actor, with those
that are disturbing now, have all that its row of conflicts is there for.

``native/disturbances.cpp`` does the same.
"""

from __future__ import annotations

from kripke.model.dependencies import ViewMove, ViewTables

_Pair = tuple[int, int]


class Disturbances:
    """Of one model. Views are numbers, sets of transitions are bits, counted from the first transition of an actor."""

    def __init__(self, tables: ViewTables) -> None:
        self._actors = tables.actors
        self._effects = tables.effects
        self._numbers = [{text: number for number, text in enumerate(actor.texts)} for actor in tables.actors]
        self._places = [{at: actor.size + n for n, at in enumerate(actor.seen)} for actor in tables.actors]
        self._disturbing: dict[tuple[int, int, int, int], int] = {}
        self._found: dict[tuple[int, int, int, int], int] = {}
        self._changed: dict[tuple[int, int, int], int | None] = {}

    def views(self, state: bytes) -> list[int] | None:
        """The views that all have in a state; None where nothing is known of it."""
        found: list[int] = []
        for pid, actor in enumerate(self._actors):
            if actor.start >= len(state):  # it is gone, and those behind it
                break
            own = state[actor.start : actor.start + actor.size]
            view = self._numbers[pid].get(own + bytes(state[at] for at in actor.seen))
            if view is None or actor.moves[view] is None:
                return None
            if any(not actor.together[view][other] >> beside & 1 for other, beside in enumerate(found)):
                return None
            found.append(view)
        return found

    def of(self, one: int, view: int, other: int, beside: int) -> int:
        """The transitions of the other that may disturb the one before it moves."""
        key = one, view, other, beside
        if key not in self._found:
            found = 0
            seen, waiting = {(view, beside)}, [(view, beside)]
            while waiting:
                mine, theirs = waiting.pop()
                found |= self._disturbing_now(one, mine, other, theirs)
                fresh = self._following(one, mine, other, theirs) - seen
                seen |= fresh
                waiting += fresh
            self._found[key] = found
        return self._found[key]

    def _following(self, one: int, view: int, other: int, beside: int) -> set[_Pair]:
        """The pairs after a step of the other, or of a third, that does not disturb the one."""
        found: set[_Pair] = set()
        mine, theirs = self._actors[one].together[view], self._actors[other].together[beside]
        for pid in range(len(self._actors)):
            if pid == one:
                continue
            acting = 1 << beside if pid == other else mine[pid] & theirs[pid]
            for actor in (number for number in range(acting.bit_length()) if acting >> number & 1):
                disturbing = self._disturbing_now(one, view, pid, actor)
                for move in self._moves(pid, actor):
                    if move.target is None or disturbing >> move.transition & 1:
                        continue
                    after = self._after(one, view, move.effect)
                    then = move.target if pid == other else self._after(other, beside, move.effect)
                    if after is not None and then is not None and self._go_together(one, after, other, then):
                        found.add((after, then))
        return found

    def _go_together(self, one: int, view: int, other: int, beside: int) -> bool:
        return bool(self._actors[one].together[view][other] >> beside & 1)

    def _disturbing_now(self, one: int, view: int, other: int, beside: int) -> int:
        """The transitions of the other that are enabled in this pair and disturb the one."""
        key = one, view, other, beside
        if key not in self._disturbing:
            steps = _by_transition(self._moves(other, beside))
            self._disturbing[key] = sum(
                1 << transition
                for transition, moves in steps.items()
                if self._disturbs(one, view, other, beside, moves)
            )
        return self._disturbing[key]

    def _disturbs(self, one: int, view: int, other: int, beside: int, theirs: list[ViewMove]) -> bool:
        mine = _by_transition(self._moves(one, view))
        if len(theirs) != 1 or any(len(moves) != 1 for moves in mine.values()):
            return True
        step = theirs[0]
        if step.target is not None:
            after = self._after(one, view, step.effect)
            if after is None or _by_transition(self._moves(one, after)).keys() != mine.keys():
                return True
        return any(not self._accord(one, view, moves[0], other, beside, step) for moves in mine.values())

    def _accord(self, one: int, view: int, mine: ViewMove, other: int, beside: int, theirs: ViewMove) -> bool:
        """Both are enabled: does each leave the other enabled, with the same errors, and is the end the same?"""
        ends = []
        for actor, first, second_actor, second_view, second in (
            (one, mine, other, beside, theirs),
            (other, theirs, one, view, mine),
        ):
            if first.target is None:  # it goes wrong, and nothing follows
                continue
            between = self._after(second_actor, second_view, first.effect)
            then = [] if between is None else self._moves(second_actor, between)
            after = [move for move in then if move.transition == second.transition]
            if len(after) != 1 or not _is_like(after[0], second):
                return False
            if after[0].target is not None:
                end = self._after(actor, first.target, after[0].effect)
                if end is None:
                    return False
                ends.append({(actor, end), (second_actor, after[0].target)})
        return len(ends) < 2 or ends[0] == ends[1]

    def _moves(self, pid: int, view: int) -> tuple[ViewMove, ...]:
        return self._actors[pid].moves[view] or ()

    def _after(self, pid: int, view: int, effect: int) -> int | None:
        """The view after a step of another; None where it is none that the actor ever has."""
        key = pid, view, effect
        if key not in self._changed:
            text, places = bytearray(self._actors[pid].texts[view]), self._places[pid]
            for at, value in self._effects[effect]:
                if at in places:
                    text[places[at]] = value
            self._changed[key] = self._numbers[pid].get(bytes(text))
        return self._changed[key]


def _by_transition(moves: tuple[ViewMove, ...]) -> dict[int, list[ViewMove]]:
    found: dict[int, list[ViewMove]] = {}
    for move in moves:
        found.setdefault(move.transition, []).append(move)
    return found


def _is_like(one: ViewMove, other: ViewMove) -> bool:
    """Do both go wrong in the same way, or neither?"""
    return one.result == other.result and (one.target is None) == (other.target is None)
