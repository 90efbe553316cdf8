"""One state for all that differ only by which values of a family are which; states are multisets of values.

Values are told apart by what they are in, and by the colours of what else is in these, as far as that goes
(colour refinement). ``sort`` gives them new numbers in the order of the colours that result, and leaves those with
the same colour in their order: several states may stand for one class. ``canonical`` goes on: of values with the same
colour each is set apart in turn, and the least state is taken; *twins*, whose exchange leaves the state as it is, need
no choice, and what an automorphism leads to is not searched again (B. D. McKay, *Practical graph isomorphism*,
Congressus Numerantium 30, 1981; T. Junttila, *On the symmetry reduction method for Petri nets and similar formalisms*,
2003). Of values that may be turned only, every turn is tried.

Colours are ordered by 64-bit numbers that do not depend on which state of a class they are made from. Where two are
equal by accident, more choices are left to try. ``native/symmetry/value_representative.cpp`` does the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import product
from typing import Any

from kripke.engines.symmetry.symmetric import Method
from kripke.model.value_symmetry import Contents, Shape, ValueSymmetry

_WORD = (1 << 64) - 1

#: of every container, its multiset: how many with the minus sign, number; sorted
Multisets = tuple[tuple[tuple[int, int], ...], ...]
Colours = list[int]


def mix(number: int, more: int) -> int:
    number = (number ^ (more * 0x9E3779B97F4A7C15)) & _WORD
    number ^= number >> 32
    number = (number * 0xD6E8FEB86659FD93) & _WORD
    return number ^ (number >> 32)


class ValueRepresentative:
    def __init__(self, symmetry: ValueSymmetry, method: Method, pause: Callable[[], None] = lambda: None) -> None:
        self._symmetry = symmetry
        self._pause = pause
        self._canonical = method == "canonical"
        #: the number of the first value of each family among all values
        self._starts: list[int] = []
        self._given: Colours = []
        #: values that may be exchanged, numbered through all families
        self._cells: list[list[int]] = []
        for family in symmetry.families:
            start = len(self._given)
            self._starts.append(start)
            self._given += range(start, start + family.count)
            for cell in family.cells:
                self._cells.append([start + value for value in cell])
                for value in self._cells[-1]:
                    self._given[value] = self._cells[-1][0]
        turns = [range(0, family.count, family.turn) if family.turn else (0,) for family in symmetry.families]
        self._turns = list(product(*turns))
        self.of = lru_cache(maxsize=100_000)(self._of)

    def _of(self, state: bytes) -> bytes:
        contents = self._symmetry.decode(state)
        given: Multisets = tuple(_sorted((-count, number) for number, count in held.items()) for held in contents)
        found = min(self._exchanged(self._turned(given, turn)) for turn in self._turns)
        result: Contents = [{number: -count for count, number in held} for held in found]
        return self._symmetry.encode(result)

    def _turned(self, multisets: Multisets, turn: Sequence[int]) -> Multisets:
        if not any(turn):
            return multisets
        to = []
        for family, by in zip(self._symmetry.families, turn, strict=True):
            to += [(value + by) % family.count for value in range(family.count)]
        return self._renamed(multisets, to)

    def _exchanged(self, multisets: Multisets) -> Multisets:
        if not self._cells:
            return multisets
        colours = self._refine(_ranks(self._given), multisets)
        if not self._canonical:
            return self._leaf(multisets, colours)
        return self._least(multisets, colours, self._twins(multisets, colours))[0]

    # --- permutations -------------------------------------------------------------------------------------------------

    def _renamed(self, multisets: Multisets, to: Sequence[int]) -> Multisets:
        """``to``: the new position in its family of every value."""
        return tuple(
            held if place.shape.plain else _sorted((count, self._number(place.shape, n, to)) for count, n in held)
            for place, held in zip(self._symmetry.containers, multisets, strict=True)
        )

    def _number(self, shape: Shape, number: int, to: Sequence[int]) -> int:
        match shape.kind:
            case "plain":
                return number
            case "value":
                return to[self._starts[shape.family] + number]
            case "union":
                tag, rest = _alternative(shape, number)
                return number - rest + self._number(shape.parts[tag], rest, to)
        items, first = _items(shape, number)
        renamed = [self._number(part, digit, to) for part, digit in items]
        if shape.kind == "array" and shape.family >= 0:
            moved = renamed.copy()
            for index, digit in enumerate(renamed):
                moved[to[self._starts[shape.family] + index]] = digit
            renamed = moved
        result = 0
        for (part, _), digit in zip(reversed(items), reversed(renamed), strict=True):
            result = result * part.count + digit
        return first + result

    def _leaf(self, multisets: Multisets, colours: Colours) -> Multisets:
        """The state in which the values of each cell are in the order of their colours."""
        to = [value - start for start, family in self._each() for value in range(start, start + family)]
        for cell in self._cells:
            for value, place in zip(sorted(cell, key=lambda one: (colours[one], one)), cell, strict=True):
                to[value] = place - self._start_of(place)
        return self._renamed(multisets, to)

    def _each(self) -> list[tuple[int, int]]:
        return [(start, family.count) for start, family in zip(self._starts, self._symmetry.families, strict=True)]

    def _start_of(self, value: int) -> int:
        return max(start for start in self._starts if start <= value)

    # --- colours ------------------------------------------------------------------------------------------------------

    def _refine(self, colours: Colours, multisets: Multisets) -> Colours:
        """Tell values apart by what they are in, until that tells no more apart."""
        while True:
            self._pause()
            seen = [0] * len(colours)
            for at, (place, held) in enumerate(zip(self._symmetry.containers, multisets, strict=True)):
                if place.shape.plain:
                    continue
                for count, number in held:
                    whole = mix(mix(at + 1, -count), self._hash(place.shape, number, colours))
                    self._spread(place.shape, number, whole, colours, seen)
            finer = _ranks([(colour, around & _WORD) for colour, around in zip(colours, seen, strict=True)])
            if max(finer) == max(colours):
                return finer
            colours = finer

    def _hash(self, shape: Shape, number: int, colours: Colours) -> int:
        """What a value is, where the values of families are their colours."""
        match shape.kind:
            case "plain":
                return mix(1, number)
            case "value":
                return mix(2, colours[self._starts[shape.family] + number])
            case "union":
                tag, rest = _alternative(shape, number)
                return mix(mix(5, tag), self._hash(shape.parts[tag], rest, colours))
        items, _ = _items(shape, number)
        if shape.kind == "array" and shape.family >= 0:
            start = self._starts[shape.family]
            total = 0
            for index, (part, digit) in enumerate(items):
                total += mix(mix(4, colours[start + index]), self._hash(part, digit, colours))
            return mix(6, total & _WORD)
        found = mix(3, len(items))
        for part, digit in items:
            found = mix(found, self._hash(part, digit, colours))
        return found

    def _spread(self, shape: Shape, number: int, path: int, colours: Colours, seen: list[int]) -> None:
        """Tell every value that a token is made of where in it it is."""
        match shape.kind:
            case "plain":
                return
            case "value":
                seen[self._starts[shape.family] + number] += mix(path, 7)
                return
            case "union":
                tag, rest = _alternative(shape, number)
                self._spread(shape.parts[tag], rest, mix(path, tag + 1), colours, seen)
                return
        by_family = shape.kind == "array" and shape.family >= 0
        for index, (part, digit) in enumerate(_items(shape, number)[0]):
            step = index + 1
            if by_family:
                value = self._starts[shape.family] + index
                seen[value] += mix(mix(path, 8), self._hash(part, digit, colours))
                step = colours[value] + 1
            self._spread(part, digit, mix(path, step), colours, seen)

    # --- the canonical one --------------------------------------------------------------------------------------------

    def _twins(self, multisets: Multisets, colours: Colours) -> list[int]:
        """For every value the first one that it can be exchanged with, the state staying as it is."""
        first = list(range(len(colours)))
        unchanged = [value - start for start, count in self._each() for value in range(start, start + count)]
        for cell in self._cells:
            leaders: list[int] = []
            for value in cell:
                for leader in leaders:
                    if colours[leader] == colours[value]:
                        to = unchanged.copy()
                        to[leader], to[value] = to[value], to[leader]
                        if self._renamed(multisets, to) == multisets:
                            first[value] = leader
                            break
                else:
                    leaders.append(value)
        return first

    def _least(self, multisets: Multisets, colours: Colours, twins: list[int]) -> tuple[Multisets, set[Multisets]]:
        """The least state by the orders that agree with the colours, and those that were looked at."""
        open_classes = _first_open(colours, twins)
        if not open_classes:
            found = self._leaf(multisets, colours)
            return found, {found}
        best, leaves = None, set[Multisets]()
        for chosen in open_classes:
            apart = self._refine(_set_apart(colours, twins, chosen), multisets)
            if leaves and self._first_leaf(multisets, apart, twins) in leaves:
                continue  # an automorphism leads from what was looked at to this
            least, more = self._least(multisets, apart, twins)
            leaves |= more
            best = least if best is None else min(best, least)
        assert best is not None
        return best, leaves

    def _first_leaf(self, multisets: Multisets, colours: Colours, twins: list[int]) -> Multisets:
        while open_classes := _first_open(colours, twins):
            colours = self._refine(_set_apart(colours, twins, open_classes[0]), multisets)
        return self._leaf(multisets, colours)


def _first_open(colours: Colours, twins: list[int]) -> list[int]:
    """The classes of twins of the first colour that several have; twins always have one colour."""
    classes: dict[int, list[int]] = {}
    for value, colour in enumerate(colours):
        if twins[value] == value:
            classes.setdefault(colour, []).append(value)
    return next((classes[colour] for colour in sorted(classes) if len(classes[colour]) > 1), [])


def _set_apart(colours: Colours, twins: list[int], chosen: int) -> Colours:
    """The chosen twins come before their like."""
    among = colours[chosen]
    return _ranks([2 * colour + (colour == among and twins[value] != chosen) for value, colour in enumerate(colours)])


def _ranks(values: Sequence[int] | Sequence[tuple[int, int]]) -> Colours:
    """Equal numbers for equal values, in their order."""
    ranked = {value: rank for rank, value in enumerate(sorted(set[Any](values)))}
    return [ranked[value] for value in values]


def _sorted(multisets: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    return tuple(sorted(multisets))


def _alternative(shape: Shape, number: int) -> tuple[int, int]:
    """Which part of a union, and its number."""
    for tag, part in enumerate(shape.parts):
        if number < part.count:
            return tag, number
        number -= part.count
    raise ValueError(number)


def _items(shape: Shape, number: int) -> tuple[list[tuple[Shape, int]], int]:
    """What a struct, array or buffer consists of; and the number of the first one of its length."""
    parts, first = shape.parts, 0
    if shape.kind == "array":
        parts = shape.parts * shape.length
    elif shape.kind == "buffer":
        length, room = 0, 1
        while number - first >= room:
            first += room
            room *= shape.parts[0].count
            length += 1
        parts = shape.parts * length
    items, rest = [], number - first
    for part in parts:
        rest, digit = divmod(rest, part.count)
        items.append((part, digit))
    return items, first
