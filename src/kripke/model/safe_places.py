"""Places of actors whose steps alone are enough of a state: partial-order reduction that is settled before the search.

An actor at a *safe* place has steps that nobody else can disturb, enable or disable, and that no property sees. Where
such an actor has a step, a search takes the steps of this one actor and no others. Places are chosen so that no cycle
of the state space goes through safe places only (R. Kurshan, V. Levin, M. Minea, D. Peled, H. Yenigün, *Static partial
order reduction*, TACAS 1998). So nothing is put off for ever, whatever the order of the search, and the choice needs no
memory of what was searched: it goes with every search and every store, and costs less than the steps it leaves out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

#: actors with larger numbers are never at a safe place
MOST_ACTORS = 64
#: different conditions under which places are safe
MOST_KINDS = 255


class LengthTest(NamedTuple):
    """Is the number of ``size`` bytes at ``offset`` of a state, its lowest byte first, from ``least`` to ``most``?"""

    offset: int
    size: int
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class SafePlaces:
    """``kinds[actor * places + place]``: 0 for a place that is not safe; else 1 + the number of the tests, in
    ``tests``, that must all be true of a state for the place to be safe in it."""

    actors: int
    places: int
    kinds: bytes
    tests: tuple[tuple[LengthTest, ...], ...]

    def holds(self, actor: int, place: int, state: bytes) -> bool:
        """Is an actor safe at this place in this state?"""
        kind = self.kinds[actor * self.places + place] if actor < self.actors else 0
        return kind > 0 and all(
            test.offset + test.size <= len(state)
            and test.least <= int.from_bytes(state[test.offset : test.offset + test.size], "little") <= test.most
            for test in self.tests[kind - 1]
        )

    @property
    def count(self) -> int:
        """How many places are safe."""
        return len(self.kinds) - self.kinds.count(0)

    def to_native(self) -> tuple[int, int, bytes, list[list[int]], list[int]]:
        """As native/bindings/plan_binding.cpp reads it: tests one behind the other, and where each kind's begin."""
        first = [0]
        for one in self.tests:
            first.append(first[-1] + len(one))
        return self.actors, self.places, self.kinds, [list(test) for one in self.tests for test in one], first
