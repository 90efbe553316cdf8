"""What an observer makes of a run of its model: the same run as one of the product, where it is a forbidden one."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from kripke.model.observer import ObserverEdge
from kripke.model.product import Product

_MOST_PLACES = 20_000  # states of the run times states of the observer


class Watched(NamedTuple):
    """The states of a run of the product; ``loop_start`` None: an alarm is raised in the last one."""

    path: tuple[bytes, ...]
    loop_start: int | None


class _Place(NamedTuple):
    """A position in the run of the model, and the state of the observer."""

    position: int
    watching: int


class Watching:
    """Runs the observer along states of the model; what it sees in a state is remembered."""

    def __init__(self, product: Product) -> None:
        self.product = product
        self._moves: dict[tuple[bytes, int], list[ObserverEdge] | None] = {}

    def alarmed(self, states: Sequence[bytes], alarm: int) -> Watched | None:
        """The run to the alarm, raised in the last of the states and not before."""
        last = len(states) - 1
        came = self._reached(states, None)
        for place in came:
            if place.position == last:
                moves = self._moves_at(states[last], place.watching)
                if moves is not None and any(edge.alarm == alarm for edge in moves):
                    return Watched(self._joined(states, _way(came, place)), None)
        return None

    def accepted(self, states: Sequence[bytes], loop_start: int) -> Watched | None:
        """The run with an accepted loop, where after the last state comes that at ``loop_start`` again."""
        if len(states) * len(self.product.observer.edges) > _MOST_PLACES:
            return None
        came = self._reached(states, loop_start)
        for place in came:
            if place.position >= loop_start:
                loop = self._loop(states, loop_start, place)
                if loop is not None:
                    stem = _way(came, place)
                    return Watched(self._joined(states, [*stem, *loop]), len(stem) - 1)
        return None

    def _reached(self, states: Sequence[bytes], loop_start: int | None) -> dict[_Place, _Place | None]:
        """Where observer and model come together, each place with the one before it, nearest first."""
        came: dict[_Place, _Place | None] = {_Place(0, state): None for state in self.product.observer.initial}
        waiting = deque(came)
        while waiting:
            place = waiting.popleft()
            after = _after(place.position, len(states), loop_start)
            if after is None:
                continue
            for edge in self._moves_at(states[place.position], place.watching) or ():
                following = _Place(after, edge.target)
                if edge.alarm < 0 and following not in came:
                    came[following] = place
                    waiting.append(following)
        return came

    def _loop(self, states: Sequence[bytes], loop_start: int, start: _Place) -> list[_Place] | None:
        """The shortest way from a place back to it that has every mark."""
        whole = (1 << self.product.observer.sets) - 1
        first = (start, 0)
        came: dict[tuple[_Place, int], tuple[_Place, int] | None] = {first: None}
        waiting = deque([first])
        while waiting:
            at = waiting.popleft()
            place, marks = at
            after = _after(place.position, len(states), loop_start)
            assert after is not None
            for edge in self._moves_at(states[place.position], place.watching) or ():
                if edge.alarm >= 0:
                    continue
                following = (_Place(after, edge.target), (marks | edge.marks) & whole)
                if following == (start, whole):
                    way = [start]
                    while (before := came[at]) is not None:
                        way.append(at[0])
                        at = before
                    return way[::-1]
                if following not in came:
                    came[following] = at
                    waiting.append(following)
        return None

    def _moves_at(self, state: bytes, watching: int) -> list[ObserverEdge] | None:
        """The edges taken in a state of the model; None where one of them cannot be judged."""
        key = (state, watching)
        if key not in self._moves:
            base, observer = self.product.base, self.product.observer
            letter = sum(1 << number for number, value in enumerate(base.atom_values(state)) if value)
            failed = base.failed_atoms(state)
            idle = observer.idle_marks(letter)
            truths = [(edge, edge.judge(letter, failed)) for edge in observer.edges[watching]]
            taken = [edge._replace(marks=edge.marks | idle) for edge, truth in truths if truth]
            self._moves[key] = None if any(truth is None for _, truth in truths) else taken
        return self._moves[key]

    def _joined(self, states: Sequence[bytes], way: Sequence[_Place]) -> tuple[bytes, ...]:
        return tuple(self.product.join(states[place.position], place.watching) for place in way)


def _after(position: int, count: int, loop_start: int | None) -> int | None:
    return position + 1 if position + 1 < count else loop_start


def _way(came: dict[_Place, _Place | None], place: _Place) -> list[_Place]:
    way = [place]
    while (before := came[way[-1]]) is not None:
        way.append(before)
    return way[::-1]
