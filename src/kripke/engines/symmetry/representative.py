"""One state for all that differ by a symmetry only.

``references`` and ``sort`` sort the instances of every family after each step (F. Derepas, P. Gastin, *Model checking
systems of replicated processes with SPIN*, SPIN 2001): by the references they hold, or by all their data in the order
of declaration. An exchange of two instances changes the references to them, and so the order of others: the result
need not be sorted, and several states may stand for one class. That is sound, for any member of the class does.
``canonical`` finds one and the same member whatever it starts from: instances are told apart by their data and by what
refers to what as far as that goes, then every choice that is left is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from kripke.engines.symmetry.symmetric import Method
from kripke.model.permutation_symmetry import PermutationSymmetry
from kripke.model.symmetry import Family, Key, Site, Symmetry
from kripke.model.value_symmetry import ValueSymmetry

Representative = Callable[[bytes], bytes]


def representative(
    symmetry: Symmetry | ValueSymmetry | PermutationSymmetry, method: Method, pause: Callable[[], None] = lambda: None
) -> Representative:
    """The function that is applied to every state. Choosing may take long: ``pause`` is called now and then and may
    raise."""
    if isinstance(symmetry, ValueSymmetry):
        from kripke.engines.symmetry.value_representative import ValueRepresentative

        return ValueRepresentative(symmetry, method, pause).of
    if isinstance(symmetry, PermutationSymmetry):
        from kripke.engines.symmetry.permutation_representative import representative_of

        return lambda state: representative_of(symmetry, method, state)
    if method == "canonical":
        return _of_whole(symmetry, lru_cache(maxsize=100_000)(_Canonical(symmetry, pause).of))
    return _of_whole(symmetry, _Sorting(symmetry, references_only=method == "references").of)


def _of_whole(symmetry: Symmetry, found: Representative) -> Representative:
    """A state before all instances are there stands for itself."""
    whole = max(max(part.offsets) + part.size for family in symmetry.families for part in family.parts)
    return lambda state: found(state) if len(state) >= whole else state


# --- permutations -----------------------------------------------------------------------------------------------------


def places(site: Site, state: bytes | bytearray) -> Iterator[int]:
    """Where the references of a site are in a state."""
    count = site.most
    if site.length_bytes:
        count = int.from_bytes(state[site.length_at : site.length_at + site.length_bytes], "little")
    for number in range(count):
        yield site.offset + number * site.stride


def permute(symmetry: Symmetry, state: bytes, moves: tuple[tuple[int, ...], ...]) -> bytes:
    """The state in which instance i of family f is at position ``moves[f][i]``, and references say so."""
    result = bytearray(state)
    for family, move in zip(symmetry.families, moves, strict=True):
        for part in family.parts:
            for i, to in enumerate(move):
                at, target = part.offsets[i], part.offsets[to]
                result[target : target + part.size] = state[at : at + part.size]
    for site in symmetry.sites:
        for at in places(site, result):
            value = int.from_bytes(result[at : at + site.size], "little")
            for family, move in zip(symmetry.families, moves, strict=True):
                if family.first <= value < family.first + family.count:
                    renamed = family.first + move[value - family.first]
                    result[at : at + site.size] = renamed.to_bytes(site.size, "little")
                    break
    return bytes(result)


def exchange(symmetry: Symmetry, state: bytes, number: int, one: int, other: int) -> bytes:
    """Two instances of a family change places."""
    moves = [list(range(family.count)) for family in symmetry.families]
    moves[number][one], moves[number][other] = other, one
    return permute(symmetry, state, tuple(tuple(move) for move in moves))


# --- sorting ----------------------------------------------------------------------------------------------------------


class _Sorting:
    def __init__(self, symmetry: Symmetry, *, references_only: bool) -> None:
        self._symmetry = symmetry
        self._keys = [
            tuple(key for key in family.keys if key.reference or not references_only) for family in symmetry.families
        ]

    def of(self, state: bytes) -> bytes:
        for number, family in enumerate(self._symmetry.families):
            for position in range(family.count - 1):
                rest = range(position, family.count)
                least = min(rest, key=lambda i: self._rank(state, number, i))
                if least != position:
                    state = exchange(self._symmetry, state, number, position, least)
        return state

    def _rank(self, state: bytes, number: int, instance: int) -> tuple[int, ...]:
        return tuple(self._value(state, key, instance) for key in self._keys[number])

    def _value(self, state: bytes, key: Key, instance: int) -> int:
        at = key.offsets[instance]
        value = int.from_bytes(state[at : at + key.size], "little", signed=key.signed)
        if not key.reference:
            return value
        for family in self._symmetry.families:
            if family.first <= value < family.first + family.count:
                return value - family.first + 1
        return 0


# --- the canonical one ------------------------------------------------------------------------------------------------

#: a reference from an instance (-1: from elsewhere), at a place that is the same for all of a family, to an instance
_Arrow = tuple[int, int, int]


class _Canonical:
    """Instances are numbered through all families; a colour is a rank that does not depend on the numbers."""

    def __init__(self, symmetry: Symmetry, pause: Callable[[], None]) -> None:
        self._symmetry = symmetry
        self._pause = pause
        self._starts: list[int] = []
        self._family_of: list[int] = []
        for number, family in enumerate(symmetry.families):
            self._starts.append(len(self._family_of))
            self._family_of += [number] * family.count
        self._owners = [self._owner(site) for site in symmetry.sites]

    def _owner(self, site: Site) -> tuple[int, int]:
        """The instance in whose data a site is, and its place there; -1 and its offset where it is in nobody's."""
        for number, family in enumerate(self._symmetry.families):
            for which, part in enumerate(family.parts):
                for i, start in enumerate(part.offsets):
                    if start <= site.offset < start + part.size:
                        return self._starts[number] + i, (which << 32) + site.offset - start
        return -1, site.offset

    def of(self, state: bytes) -> bytes:
        masked, arrows = self._arrows(state)
        colours = _ranks([self._data(masked, instance) for instance in range(len(self._family_of))])
        return self._least(state, colours, arrows)[0]

    def _arrows(self, state: bytes) -> tuple[bytes, list[_Arrow]]:
        """The references to instances, and the state without them."""
        masked, arrows = bytearray(state), []
        for site, (owner, place) in zip(self._symmetry.sites, self._owners, strict=True):
            for at in places(site, state):
                value = int.from_bytes(state[at : at + site.size], "little")
                for number, family in enumerate(self._symmetry.families):
                    if family.first <= value < family.first + family.count:
                        target = self._starts[number] + value - family.first
                        arrows.append((owner, place + at - site.offset, target))
                        masked[at : at + site.size] = family.first.to_bytes(site.size, "little")
        return bytes(masked), arrows

    def _data(self, masked: bytes, instance: int) -> tuple[int, bytes]:
        number = self._family_of[instance]
        family: Family = self._symmetry.families[number]
        i = instance - self._starts[number]
        return number, b"".join(masked[part.offsets[i] : part.offsets[i] + part.size] for part in family.parts)

    def _refine(self, colours: list[int], arrows: list[_Arrow]) -> list[int]:
        """Tell instances apart by the colours of those they refer to, and of those that refer to them."""
        while True:
            self._pause()
            seen: list[list[tuple[int, int, int]]] = [[] for _ in colours]
            for owner, place, target in arrows:
                if owner >= 0:
                    seen[owner].append((0, place, colours[target]))
                seen[target].append((1, place, colours[owner] if owner >= 0 else -1))
            finer = _ranks([(colour, tuple(sorted(around))) for colour, around in zip(colours, seen, strict=True)])
            if finer == colours:
                return colours
            colours = finer

    def _least(self, state: bytes, colours: list[int], arrows: list[_Arrow]) -> tuple[bytes, set[bytes]]:
        """The least state by the orders that agree with the colours, and those that were looked at."""
        colours = self._refine(colours, arrows)
        cells: dict[int, list[int]] = {}
        for instance, colour in enumerate(colours):
            cells.setdefault(colour, []).append(instance)
        open_cell = next((cells[colour] for colour in sorted(cells) if len(cells[colour]) > 1), None)
        if open_cell is None:
            found = permute(self._symmetry, state, self._moves(colours))
            return found, {found}
        best, leaves = None, set[bytes]()
        for chosen in open_cell:
            # What is chosen comes before its like.
            apart = [2 * colour + (colour == colours[chosen] and i != chosen) for i, colour in enumerate(colours)]
            if leaves and self._first_leaf(state, apart, arrows) in leaves:
                continue  # an automorphism leads from what was looked at to this
            least, more = self._least(state, apart, arrows)
            leaves |= more
            best = least if best is None else min(best, least)
        assert best is not None
        return best, leaves

    def _first_leaf(self, state: bytes, colours: list[int], arrows: list[_Arrow]) -> bytes:
        while True:
            colours = self._refine(colours, arrows)
            shared = [colour for colour in colours if colours.count(colour) > 1]
            if not shared:
                return permute(self._symmetry, state, self._moves(colours))
            chosen = colours.index(min(shared))
            colours = [2 * c + (c == colours[chosen] and i != chosen) for i, c in enumerate(colours)]

    def _moves(self, colours: list[int]) -> tuple[tuple[int, ...], ...]:
        moves = []
        for start, family in zip(self._starts, self._symmetry.families, strict=True):
            order = sorted(range(family.count), key=lambda i: colours[start + i])
            move = [0] * family.count
            for position, i in enumerate(order):
                move[i] = position
            moves.append(tuple(move))
        return tuple(moves)


def _ranks(values: Sequence[tuple[int, object]]) -> list[int]:
    """Equal numbers for equal values, in their order."""
    ranked = {value: rank for rank, value in enumerate(sorted(set(values)))}
    return [ranked[value] for value in values]
