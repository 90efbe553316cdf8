"""Views: what those who act see of a state, and which views two of them may have at the same time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

#: A step from one view: its transition, counted from the first of its actor; the view after it, None where it fails and
#: nothing follows; a number for what it does to what others see, 0 for nothing; the same number for steps with the same
#: errors.
ViewMove = tuple[int, int | None, int, int]


class PairsOfViews(Protocol):
    """What those who act see of a state, where their steps depend on that and on nothing else, and which of these
    *views* two of them may have at the same time. Actors and views are numbers."""

    def actors(self) -> int: ...

    def start(self, actor: int, /) -> int:
        """Where what belongs to an actor begins in a state; shorter states are without it."""

    def find(self, actor: int, state: bytes, /) -> int | None:
        """The view that an actor has in a state; None: one that it never has."""

    def is_settled(self, actor: int, view: int, /) -> bool:
        """Is it known what may happen from here on?"""

    def moves(self, actor: int, view: int, /) -> Sequence[ViewMove]: ...

    def after(self, actor: int, view: int, effect: int, /) -> int | None:
        """The view after a step of another; None: one that the actor never has."""

    def touches(self, actor: int, view: int, other: int, /) -> bool:
        """Does a step that an actor has in a view change what another sees?"""

    def beside(self, actor: int, view: int, other: int, /) -> int:
        """The views that another may have at the same time, as bits."""

    def meetings(self, actor: int, view: int, other: int, beside: int, /) -> Sequence[tuple[int, int, int]]:
        """Steps that two make together, whose transitions are no moves: the views of both after it, and its effect."""

    def meeting_acts(self, actor: int, view: int, /) -> Sequence[tuple[int, int]]:
        """The effects, if any, of steps that an actor makes together with others, each with that other; those of every
        two are told of one of them."""

    def accord(self, actor: int, transition: int, other: int, other_transition: int, /) -> bool:
        """Wherever both are enabled: does each leave the other enabled, with the same errors, and is the end the
        same?"""

    def exclude(self, actor: int, transition: int, other_transition: int, /) -> bool:
        """Are two transitions of one actor never enabled together?"""


def accord(pairs: PairsOfViews, one: tuple[int, int, ViewMove], other: tuple[int, int, ViewMove]) -> bool:
    """Of two actors with views and moves that are enabled: does each leave the other enabled, with the same errors, and
    is the end the same?"""
    ends = []
    for (actor, _, first), (second_actor, view, second) in ((one, other), (other, one)):
        if first[1] is None:  # it goes wrong, and nothing follows
            continue
        between = pairs.after(second_actor, view, first[2])
        after = [] if between is None else by_transition(pairs.moves(second_actor, between)).get(second[0], [])
        if len(after) != 1 or after[0][3] != second[3] or (after[0][1] is None) != (second[1] is None):
            return False
        _, target, effect, _ = after[0]
        if target is not None:
            end = pairs.after(actor, first[1], effect)
            if end is None:
                return False
            ends.append({(actor, end), (second_actor, target)})
    return len(ends) < 2 or ends[0] == ends[1]


def by_transition(moves: Sequence[ViewMove]) -> dict[int, list[ViewMove]]:
    """The moves of a view."""
    found: dict[int, list[ViewMove]] = {}
    for move in moves:
        found.setdefault(move[0], []).append(move)
    return found
