"""Predicates on the markings of a 1-safe net as disjunctions of cubes: some places marked, some not."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import NamedTuple

from kripke.nets.place_transition import PlaceTransitionNet
from kripke.nets.predicates import And, AtLeastZero, Constant, Fireable, Not, Or, Predicate, negation

MOST_PLACES = 12  # of one sum
MOST_CUBES = 4096


class TooManyCubes(Exception):
    """A predicate that is too large to be said in cubes; the message is for the user."""


class Cube(NamedTuple):
    marked: frozenset[int]
    unmarked: frozenset[int]

    def and_(self, other: Cube) -> Cube | None:
        """Both; None where they contradict each other."""
        both = Cube(self.marked | other.marked, self.unmarked | other.unmarked)
        return None if both.marked & both.unmarked else both


EVERYTHING = Cube(frozenset(), frozenset())


def cubes_of(predicate: Predicate, net: PlaceTransitionNet, wanted: bool = True) -> list[Cube]:
    """The cubes of a predicate, or of its negation."""
    match predicate:
        case Constant(value):
            return [EVERYTHING] if value == wanted else []
        case AtLeastZero(terms, _):
            compared = predicate if wanted else negation(predicate)
            assert isinstance(compared, AtLeastZero)
            if len(terms) > MOST_PLACES:
                raise TooManyCubes(f"a sum of more than {MOST_PLACES} places cannot be asked of a prefix")
            return list(_of_sum(compared))
        case Fireable(transitions):
            presets = [frozenset(arc.place for arc in net.transitions[t].preset) for t in transitions]
            if wanted:
                return [Cube(preset, frozenset()) for preset in presets]
            return _all_of([[Cube(frozenset(), frozenset({p})) for p in sorted(preset)] for preset in presets])
        case Not(operand):
            return cubes_of(operand, net, not wanted)
        case And(operands) | Or(operands):
            parts = [cubes_of(operand, net, wanted) for operand in operands]
            if isinstance(predicate, And) == wanted:
                return _all_of(parts)
            return _few(dict.fromkeys(cube for part in parts for cube in part))
        case _:
            raise TypeError(predicate)


def _of_sum(predicate: AtLeastZero) -> Iterable[Cube]:
    """Place by place: as soon as the rest cannot change the answer, it is left out."""
    terms = sorted(predicate.terms, key=lambda term: -abs(term[1]))

    def visit(at: int, total: int, cube: Cube) -> Iterable[Cube]:
        rest = terms[at:]
        if total + sum(min(factor, 0) for _, factor in rest) >= 0:
            yield cube
        elif total + sum(max(factor, 0) for _, factor in rest) >= 0:
            place, factor = rest[0]
            yield from visit(at + 1, total + factor, Cube(cube.marked | {place}, cube.unmarked))
            yield from visit(at + 1, total, Cube(cube.marked, cube.unmarked | {place}))

    return visit(0, predicate.constant, EVERYTHING)


def _all_of(parts: list[list[Cube]]) -> list[Cube]:
    found: list[Cube] = [EVERYTHING]
    for part in sorted(parts, key=len):
        joined = (one.and_(other) for one, other in product(found, part))
        found = _few(dict.fromkeys(cube for cube in joined if cube is not None))
    return found


def _few(cubes: Iterable[Cube]) -> list[Cube]:
    """Without those that another one implies."""
    found: list[Cube] = []
    for cube in sorted(cubes, key=lambda cube: len(cube.marked) + len(cube.unmarked)):
        if not any(other.marked <= cube.marked and other.unmarked <= cube.unmarked for other in found):
            found.append(cube)
            if len(found) > MOST_CUBES:
                raise TooManyCubes("this condition has too many cases to be asked of a prefix")
    return found
