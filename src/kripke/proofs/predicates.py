"""Predicates that tell some states from others: disjunctions of conjunctions of ``name = value``.

So that a proof speaks of ``tr0 && tr1`` rather than of states 5 and 9. States that do not occur may go either way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

Cube = tuple[tuple[str, str | None], ...]  # names with values, None: the name does not exist there
Predicate = tuple[Cube, ...]  # none: false; one without literals: true

NUMBER = "(state)"
"""The name under which a state has its number, for states that look alike."""


class Describing:
    """States with their descriptions; a set of states is an integer, bit i for state i."""

    def __init__(self, descriptions: Sequence[Mapping[str, str]]) -> None:
        self.descriptions = descriptions
        self.where: dict[tuple[str, str | None], int] = {}
        names: dict[str, None] = {name: None for description in descriptions for name in description}
        for name in names:
            for number, description in enumerate(descriptions):
                key = (name, description.get(name))
                self.where[key] = self.where.get(key, 0) | 1 << number
        varying = [n for n in names if len({d.get(n) for d in descriptions}) > 1]
        # What is left out first: numbers, then variables, then control points.
        self.order = [NUMBER, *sorted(varying, key=lambda name: name.endswith("@"))]
        self.shown = {name: place for place, name in enumerate(names)}

    def _holds(self, name: str, value: str | None) -> int:
        return 1 << int(value or 0) if name == NUMBER else self.where[name, value]

    def cover(self, cube: Cube, among: int) -> int:
        """Those of the states for which the cube is true."""
        for name, value in cube:
            among &= self._holds(name, value)
        return among

    def predicate(self, on: int, off: int) -> Predicate:
        """True in the states of ``on``, false in those of ``off``; as short as single omissions make it."""
        if not off:
            return ((),) if on else ()
        names = self._needed(on, off)
        cubes: list[Cube] = []
        rest = on
        while rest:
            first = (rest & -rest).bit_length() - 1
            cube = self._widened(first, off, names)
            cubes.append(cube)
            rest &= ~self.cover(cube, rest)
        return tuple(self._without_superfluous(cubes, on))

    def _without_superfluous(self, cubes: list[Cube], on: int) -> Iterator[Cube]:
        """The cubes, each of them only if those kept before and those still to come leave something to it."""
        covers = [self.cover(cube, on) for cube in cubes]
        later = [0]
        for covered in reversed(covers):
            later.append(later[-1] | covered)
        kept = 0
        for place, (cube, covered) in enumerate(zip(cubes, covers, strict=True)):
            if covered & ~(kept | later[len(cubes) - 1 - place]):
                kept |= covered
                yield cube

    def _needed(self, on: int, off: int) -> list[str]:
        """Names that together tell the two sets apart, none of which can be left out."""
        names = list(self.order)
        sides = [[n for n in range(side.bit_length()) if side >> n & 1] for side in (on, off)]
        for name in self.order:
            fewer = [other for other in names if other != name]
            seen = {self._values(number, fewer) for number in sides[0]}
            if not any(self._values(number, fewer) in seen for number in sides[1]):
                names = fewer
        return names

    def _values(self, number: int, names: list[str]) -> tuple[str | None, ...]:
        description = self.descriptions[number]
        return tuple(str(number) if name == NUMBER else description.get(name) for name in names)

    def _widened(self, number: int, off: int, names: list[str]) -> Cube:
        """The state, without everything that is not needed to stay outside ``off``."""
        literals = dict(zip(names, self._values(number, names), strict=True))
        # after[i]: the states of ``off`` that the literals from i on allow
        after = [off]
        for name in reversed(names):
            after.append(after[-1] & self._holds(name, literals[name]))
        after.reverse()
        kept: list[str] = []
        allowed = off
        for place, name in enumerate(names):
            if allowed & after[place + 1]:
                kept.append(name)
                allowed &= self._holds(name, literals[name])
        kept.sort(key=lambda name: self.shown.get(name, -1))
        return tuple((name, literals[name]) for name in kept)
