"""Which limits of places the order of steps may decide about: capacities, sizes of states, implicit places.

A step that breaks a limit is an error, and whether it does may depend on what came before it. Most limits are never
broken whatever the order, and the state equation often shows it (``structure/state_equation.py``), of whole places or
of sorts of tokens. Steps that touch what is left depend on each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kripke.deadline import current
from kripke.nets.high_level.classes import Bounds, Unit, Units
from kripke.nets.high_level.evaluation import EvaluationError, evaluator
from kripke.nets.high_level.marking import LONGEST
from kripke.nets.high_level.net import HighLevelNet
from kripke.nets.high_level.terms import Term, mentions_places
from kripke.nets.place_transition import Place, PlaceTransitionNet, Transition, arcs
from kripke.nets.structure.state_equation import most_tokens

_SECONDS = 3.0  # for all questions to the state equation
_MOST_SORTS = 500  # of which the state equation is asked
_FEW_AT_ONCE = 4  # so few more tokens by one step that a place gets too many of them only after a very long time
_BITS_OF_NUMBERS = 68  # of a place, in a state


def rivals(units: Units) -> list[set[int]]:
    """Sets of units each of which may decide whether another of the same set breaks a limit."""
    net = units.net
    unproven = _Limits(units).unproven()
    found = [{n for n, unit in enumerate(units.units) if _changes(unit, places)} for places in unproven]
    for number in net.implicit_order:
        if not _always_holds(units, number):
            support = _support(net, number)
            found.append({n for n, unit in enumerate(units.units) if _touches(units, unit, support)})
    return [one for one in found if one]


def breaks_constants(units: Units) -> bool:
    """May a constant place change? That is an error of the step alone."""
    constant = {number for number, place in enumerate(units.net.places) if place.constant}
    return any(_touches(units, unit, constant) for unit in units.units)


def _changes(unit: Unit, places: set[int]) -> bool:
    """Is the number of tokens on one of these places another after it?"""
    return any(place in places for _, totals in unit.changes for place, _ in totals)


def _touches(units: Units, unit: Unit, places: set[int]) -> bool:
    return any(units.sorts[sort][0] in places for sort in unit.taking | unit.bringing)


class _Limits:
    def __init__(self, units: Units) -> None:
        self.units = units
        self.net = units.net
        self.end = current().within(_SECONDS)
        self.initial = [0] * len(self.net.places)
        for sort, count in units.initial.items():
            self.initial[units.sorts[sort][0]] += count
        self.lowest, self.highest = [0] * len(self.net.places), [0] * len(self.net.places)
        self.free = [False] * len(self.net.places)  # changes by any number
        for unit in units.units:
            for _, totals in unit.changes:
                for place, (low, high) in totals:
                    self.free[place] |= low is None or high is None
                    self.lowest[place] = min(self.lowest[place], low or 0)
                    self.highest[place] = max(self.highest[place], high or 0)
        places = {change[1] for unit in units.units for change in unit.changes}
        self.by_place = _net(self.initial, places)
        self.by_sort: PlaceTransitionNet | None = None
        if len(units.sorts) <= _MOST_SORTS:
            initial = [units.initial.get(sort, 0) for sort in range(len(units.sorts))]
            self.by_sort = _net(initial, {change[0] for unit in units.units for change in unit.changes})

    def unproven(self) -> list[set[int]]:
        """Places whose capacities may be broken, each for itself; and those that together may make a state too long."""
        found: list[set[int]] = []
        long, bits = set(), 0
        for number, place in enumerate(self.net.places):
            if place.constant:
                continue
            low, high = 0, None
            if place.capacity is not None:
                low, high = next((a, b) for a, b in place.capacity if a <= self.initial[number] <= b)
            most = self._most(number, high)
            kept = high is None or (most is not None and most <= high)
            if (low > 0 and (self.lowest[number] < 0 or self.free[number])) or not kept:
                found.append({number})
            if high is None and most is None:
                if self.free[number] or self.highest[number] > _FEW_AT_ONCE:
                    found.append({number})
                long.add(number)
            distinct = min(place.type.count, most if most is not None else high if high is not None else 1 << 32)
            bits += _BITS_OF_NUMBERS + distinct * (32 + place.type.bits) if place.stored else 0
        if bits > 8 * LONGEST:
            found.append(long or set(range(len(self.net.places))))
        return found

    def _most(self, number: int, wanted: int | None) -> int | None:
        """The most tokens on a place, as far as known; what is more than wanted need not be exact."""
        if not self.free[number] and not self.highest[number]:
            return self.initial[number]
        most = self._asked(self.by_place, [number])
        if most is not None and (wanted is None or most <= wanted):
            return most
        if self.by_sort is None:
            return most
        sorts = [sort for sort in self.units.of_key[number].values() if sort < len(self.by_sort.places)]
        finer = self._asked(self.by_sort, sorts)
        return finer if most is None else most if finer is None else min(most, finer)

    def _asked(self, net: PlaceTransitionNet, places: Sequence[int]) -> int | None:
        return None if self.end.is_over else most_tokens(net, places, self.end.limit()).tokens


def _net(initial: Sequence[int], changes: Iterable[tuple[tuple[int, Bounds], ...]]) -> PlaceTransitionNet:
    """A net in which at least as many tokens can be reached."""
    transitions = []
    for change in sorted({tuple((key, high) for key, (_, high) in one) for one in changes}, key=repr):
        taken = {key: -high for key, high in change if high is not None and high < 0}
        made = {key: high for key, high in change if high is not None and high > 0}
        transitions.append(Transition("", arcs(taken), arcs(made)))
        transitions += [Transition("", (), arcs({key: 1})) for key, high in change if high is None]
    return PlaceTransitionNet("", tuple(Place("", count) for count in initial), tuple(transitions))


# --- implicit places --------------------------------------------------------------------------------------------------


def _support(net: HighLevelNet, number: int) -> set[int]:
    """An implicit place and all that it is computed from."""
    found, waiting = {number}, [number]
    while waiting:
        place = waiting.pop()
        if net.places[place].implicit:
            more = mentions_places(net.places[place].contents) - found
            found |= more
            waiting += more
    return found


def _always_holds(units: Units, number: int) -> bool:
    """Does every step keep an implicit place what it is said to be? Of two forms that can be shown: what is left of a
    fixed set by other places, and a token that is there while another place is empty."""
    contents = units.net.places[number].contents
    match contents.operator:
        case "minus":
            others = _sum_of_places(contents.operands[1])
            fixed = not contents.operands[0].slots and not mentions_places(contents.operands[0])
            return others is not None and fixed and _complementary(units, number, contents.operands[0], others)
        case "tokens":
            place = _emptiness(contents.operands[0])
            return place is not None and _excluding(units, number, place, contents.operands[1])
    return False


def _sum_of_places(term: Term) -> list[int] | None:
    if term.operator == "place":
        return [term.detail]
    if term.operator not in ("sum", "union"):
        return None
    parts = [_sum_of_places(operand) for operand in term.operands]
    return [place for part in parts for place in part or ()] if all(part is not None for part in parts) else None


def _complementary(units: Units, number: int, whole: Term, others: Sequence[int]) -> bool:
    """Is the sum of tokens that of the whole, for each value, in the beginning and after every step?

    Then what is on the place is what the others leave of the whole, since it is not less than nothing.
    """
    places = [number, *others]
    if not all(units.sortings[place].exact for place in places):
        return False
    try:
        wanted = evaluator(whole)([None] * units.net.slots, [])
    except EvaluationError:
        return False
    at_first = {(value,): -count for value, count in wanted.items()}
    for sort, count in units.initial.items():
        place, key = units.sorts[sort]
        if place in places:
            at_first[key] = at_first.get(key, 0) + count * places.count(place)
    if any(at_first.values()):
        return False
    for unit in units.units:
        for sorts, _ in unit.changes:
            sums: dict[object, int] = {}
            for sort, (low, high) in sorts:
                place, key = units.sorts[sort]
                if place in places:
                    if low is None or low != high:
                        return False
                    sums[key] = sums.get(key, 0) + low * places.count(place)
            if any(sums.values()):
                return False
    return True


def _emptiness(term: Term) -> int | None:
    """The place of which the term says that it is empty."""
    while term.operator == "cast":
        term = term.operands[0]
    if term.operator != "equals":
        return None
    for place, empty in (term.operands, reversed(term.operands)):
        if place.operator == "place" and empty.operator == "empty":
            found: int = place.detail
            return found
    return None


def _excluding(units: Units, number: int, other: int, token: Term) -> bool:
    """Are there always one token on both places together?"""
    if not units.sortings[number].exact:
        return False
    try:
        value = evaluator(token)([], [])
    except (EvaluationError, IndexError):
        return False
    sort = units.sort_of(number, value)
    if sort is None:
        return False
    counts: Mapping[int, int] = units.initial
    if sum(counts.get(one, 0) for one in (sort, *units.of_key[other].values())) != 1:
        return False
    for unit in units.units:
        for sorts, totals in unit.changes:
            change = {key: bounds for key, bounds in sorts if units.sorts[key][0] == number}
            if change.keys() - {sort}:
                return False
            one, two = change.get(sort, (0, 0)), dict(totals).get(other, (0, 0))
            if None in one or None in two or one[0] != one[1] or two[0] != two[1] or (one[0] or 0) + (two[0] or 0):
                return False
    return True
