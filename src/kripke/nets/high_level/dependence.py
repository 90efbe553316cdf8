"""Which instances of a high-level net depend on each other, for partial-order reduction.

The transitions of the tables are the units of ``classes.py``: instances that take tokens of the same sorts. Firing adds
and takes tokens, so the order of two instances matters only where one takes what the other needs, or where a limit of a
place may be broken (``limits.py``). Where a sort has several tokens, an instance of a unit that is enabled may itself
be disabled: then the unit depends on all that bring tokens of the sort.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING

from kripke.model.dependencies import DependencyAnalysis, DependencyTables
from kripke.model.model import Transition
from kripke.nets.dependence import MOST_CONDITIONS, condition_number
from kripke.nets.high_level.classes import TooMany, Units, find_units
from kripke.nets.high_level.interpreter import Firing, Instance, Interpreter, Search
from kripke.nets.high_level.limits import breaks_constants, rivals
from kripke.nets.high_level.net import HighLevelNet
from kripke.nets.high_level.terms import Term
from kripke.nets.high_level.visibility import Visibility

if TYPE_CHECKING:
    from kripke.nets.high_level.model import HighLevelModel


def units_of(net: HighLevelNet, interpreter: Interpreter) -> Units | str:
    """The units of a net; a sentence where there are none."""
    if any(transition.priority for transition in net.transitions):
        return "the net has priorities, by which every step depends on every other"
    try:
        return find_units(net, interpreter)
    except TooMany:
        return "the net has too many transitions to find out which of them depend on each other"


def conditions(units: Units, number: int) -> list[tuple[int, int]]:
    """What a unit needs of places that change, sorts and numbers of tokens, in the order of its conditions, which count
    from 1. Condition 0: anything else."""
    places = units.net.places
    needs = units.units[number].needs
    return [(sort, needs[sort]) for sort in sorted(needs) if not places[units.sorts[sort][0]].constant]


class HighLevelDependencies(DependencyAnalysis):
    """``asked``: the conditions that a property looks at."""

    def __init__(self, model: HighLevelModel, units: Units, asked: Sequence[Term]) -> None:
        self._model = model
        self._net = model.net
        self._units = units
        self._conditions = [conditions(units, number) for number in range(len(units.units))]
        self._watched = [*asked, *(condition.term for condition in self._net.rejects)]
        self._rivals = rivals(units)
        may_fail = any(unit.may_fail for unit in units.units) or bool(self._rivals) or breaks_constants(units)
        self.deadlocks_only = not self._watched and not may_fail
        interpreter = model.interpreter
        self._firing = [
            _Recording(interpreter, number, transition, interpreter.plans[number])
            for number, transition in enumerate(self._net.transitions)
        ]
        self._last: tuple[bytes, dict[int, int]] = (b"", {})

    def configuration(self, state: bytes) -> Hashable:
        return ()

    def tables(self, state: bytes) -> DependencyTables:
        units, size = self._units.units, len(self._units.sorts)
        needing, taking, bringing = ([0] * size for _ in range(3))
        for number, unit in enumerate(units):
            for sorts, table in ((unit.needs.keys() | unit.watched, needing), (unit.taking, taking)):
                for sort in sorts:
                    table[sort] |= 1 << number
            for sort in unit.bringing:
                bringing[sort] |= 1 << number
        conflicts, enabling = [], []
        for number, unit in enumerate(units):
            others = [taking[sort] for sort in unit.needs.keys() | unit.watched]
            others += [needing[sort] for sort in unit.taking]
            others += [bringing[sort] for sort in unit.loose | unit.watched]
            conflicts.append(_union(others))
            sets = [0] * (1 + min(len(self._conditions[number]), MOST_CONDITIONS))
            sets[0] = _union(bringing[sort] for sort in unit.loose | unit.watched)
            for position, (sort, _) in enumerate(self._conditions[number]):
                sets[condition_number(position)] |= bringing[sort]
            enabling.append(tuple(sets))
        for one in self._rivals:
            together = _union(1 << number for number in one)
            for number in one:
                conflicts[number] |= together
        own = tuple(1 << number for number in range(len(units)))
        conflicts = [found & ~mine for found, mine in zip(conflicts, own, strict=True)]
        visibility = Visibility(self._units, self._watched)
        visible = _union(1 << number for number, unit in enumerate(units) if visibility.of(unit))
        return DependencyTables(tuple(conflicts), tuple(enabling), own, visible)

    def seeds(self, enabled: Sequence[int]) -> list[int]:
        return sorted(enabled)

    def steps(self, state: bytes) -> list[tuple[int, list[Transition]]]:
        marking = self._model.interpreter.marking(state)
        if self._net.rejects and self._model.interpreter.rejected(marking) is not None:
            return []
        found = []
        for number, firing in enumerate(self._firing):
            for instance in firing.instances(marking):
                unit = None if instance.error is not None else self._unit(number, firing.taken)
                if unit is None:
                    return []  # errors are looked at with all that is beside them
                found.append((unit, [self._model.step(instance)]))
        return found

    def _unit(self, transition: int, taken: Sequence[dict[object, int]]) -> int | None:
        sorts = set()
        for place, tokens in enumerate(taken):
            for value in tokens:
                sort = self._units.sort_of(place, value)
                if sort is None:
                    return None
                sorts.add(sort)
        return self._units.number(transition, frozenset(sorts))

    def lacking(self, state: bytes, transition: int) -> int:
        if self._last[0] != state:
            self._last = (state, self._counts(state))
        counts = self._last[1]
        found = 0
        for position, (sort, least) in enumerate(self._conditions[transition]):
            if counts.get(sort, 0) < least:
                found |= 1 << condition_number(position)
        return found or 1

    def _counts(self, state: bytes) -> dict[int, int]:
        """The tokens of each sort."""
        counts: dict[int, int] = {}
        marking = self._model.interpreter.marking(state)
        for place, tokens in enumerate(marking):
            for value, count in tokens.items():
                sort = self._units.sort_of(place, value)
                if sort is not None:
                    counts[sort] = counts.get(sort, 0) + count
        return counts


class _Recording(Firing):
    """Remembers what the last instance takes."""

    taken: list[dict[object, int]]

    def _instance(self, search: Search, target: bytes | None, error: str | None = None) -> Instance:
        self.taken = search.taken
        return super()._instance(search, target, error)


def _union(sets: Iterable[int]) -> int:
    found = 0
    for one in sets:
        found |= one
    return found
