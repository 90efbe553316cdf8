"""Stubborn sets: a part of the enabled steps of a state that is enough to find every deadlock and every violation.

A stubborn set T of a state holds with an enabled transition everything that does not accord with it, and with a
disabled one a set of transitions of which one must happen before it can be enabled (A. Valmari, *Stubborn sets for
reduced state space generation*, 1989; guards as in A. Laarman, E. Pater, J. van de Pol, M. Weber, *Guard-based
partial-order reduction*, SPIN 2013). It is enough to take the enabled transitions in T: whatever the others do
first, those of T can still come first.

Properties of states need more: the transitions taken must not change an atom (or all are taken). So that no process is
put off for ever around a cycle, the search tries another set, at last all steps, where those of a set lead nowhere new.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterator

from kripke.engines.reduction.disturbances import Disturbances
from kripke.model.dependencies import DependencyAnalysis, DependencyTables
from kripke.model.model import Transition

#: configurations whose tables are kept; a model with more is searched without reduction in the others
MOST_CONFIGURATIONS = 256
#: locations, with what states tell about them, of one configuration of which more is known than the tables say
MOST_SELECTORS = 1 << 14
#: sets of a state that are tried
MOST_SETS = 32
#: with more transitions than these in the tables, or enabled ones, sets are found greedily
MOST_TRANSITIONS = 4096
MOST_SEEDS = 64


#: what conflicts with a transition, and for each of its conditions, what may make it true
Row = tuple[int, tuple[int, ...]]


class Reduction:
    """Chooses the steps of states, with the reference semantics of the model."""

    def __init__(self, analysis: DependencyAnalysis) -> None:
        self._analysis = analysis
        self.deadlocks_only = analysis.deadlocks_only
        self._tables: dict[Hashable, DependencyTables] = {}
        self._known: dict[Hashable, dict[tuple[int, int], list[Row]]] = {}
        self._disturbances: Disturbances | None = None

    def choices(self, state: bytes) -> Iterator[list[Transition]]:
        """Sets of steps each of which is enough, the best first, all steps last. One empty list: nothing is known."""
        steps = self._analysis.steps(state)
        at_hand = self._at_hand(state) if len(steps) > 1 else None
        if at_hand is not None:
            for chosen in self._sets(state, at_hand, self._seeds(steps)):
                yield [step for transition, outcomes in steps if chosen >> transition & 1 for step in outcomes]
        yield [step for _, outcomes in steps for step in outcomes]

    def parts(self, state: bytes) -> tuple[list[Transition], list[Transition]]:
        """The steps of the best set, and those that it leaves out. Two empty lists: nothing is known."""
        steps = self._analysis.steps(state)
        at_hand = self._at_hand(state) if len(steps) > 1 else None
        chosen = -1
        if at_hand is not None:
            chosen = next(self._sets(state, at_hand, self._seeds(steps)), -1)
        parts: tuple[list[Transition], list[Transition]] = [], []
        for transition, outcomes in steps:
            parts[not chosen >> transition & 1].extend(outcomes)
        return parts

    def _seeds(self, steps: list[tuple[int, list[Transition]]]) -> list[int]:
        return self._analysis.seeds(list(dict.fromkeys(transition for transition, _ in steps)))

    def _at_hand(self, state: bytes) -> _AtHand | None:
        key = self._analysis.configuration(state)
        tables = self._tables.get(key)
        if tables is None:
            if len(self._tables) >= MOST_CONFIGURATIONS:
                return None
            tables = self._tables[key] = self._analysis.tables(state)
            pairs = self._analysis.pairs() if self._disturbances is None else None
            if pairs is not None:
                self._disturbances = Disturbances(pairs)
        return _AtHand(self._analysis, state, tables, self._known.setdefault(key, {}), self._disturbances)

    def _sets(self, state: bytes, at_hand: _AtHand, seeds: list[int]) -> Iterator[int]:
        """The enabled parts of stubborn sets. Those that ask for nothing beyond one location come first: what they
        take would have to be taken some time anyway. Then by the number of enabled transitions."""
        at_hand.enabled = sum(1 << seed for seed in seeds)
        found: list[int] = []
        for seed in seeds:
            part = at_hand.alone(seed)
            if part and part != at_hand.enabled and not part & at_hand.tables.visible and part not in found:
                yield part
                found.append(part)
        others: list[int] = []
        few = len(seeds) <= MOST_SEEDS and len(at_hand.tables.conflicts) <= MOST_TRANSITIONS
        search = at_hand.least if self._analysis.has_locations and few else at_hand.small
        for seed in seeds:
            part = search(seed)
            if part and part not in found and part not in others:
                others.append(part)
        yield from sorted(others, key=int.bit_count)[: max(0, MOST_SETS - len(found))]


class _AtHand:
    """What is known of the transitions of one state, and the stubborn sets of the state."""

    def __init__(
        self,
        analysis: DependencyAnalysis,
        state: bytes,
        tables: DependencyTables,
        known: dict[tuple[int, int], list[Row]],
        disturbances: Disturbances | None,
    ) -> None:
        self._analysis = analysis
        self._state = state
        self.tables = tables
        self._known = known
        self.enabled = 0
        self._choices: dict[int, tuple[int, ...]] = {}
        self._hopeless = 0  # seeds around which a set takes everything
        self._disturbances = disturbances
        self._views = disturbances.views(state) if disturbances is not None and tables.first else None
        self._disturbing: dict[int, int | None] = {}

    def alone(self, seed: int) -> int:
        """The enabled transitions at the location of a seed if they, with the others there, are stubborn at any time;
        else 0."""
        here = self.tables.neighbours[seed]
        stubborn, waiting = 0, 1 << seed
        while waiting:
            bit = waiting & -waiting
            stubborn |= bit
            transition = bit.bit_length() - 1
            sets = self._choices_of(transition)
            if self.enabled & bit:  # what may disturb it from here on is another matter, and no better to begin with
                sets = sets[:1]
            inside = [needed for needed in sets if not needed & ~here]
            if not inside:
                return 0
            waiting = (waiting | min(inside, key=int.bit_count)) & ~stubborn
        return stubborn & self.enabled

    def small(self, seed: int) -> int:
        """The enabled part of a stubborn set around a seed as choosing greedily finds it; 0 where it is visible, or all
        of them, or has a transition around which that was so."""
        stubborn, waiting = 0, 1 << seed
        while waiting:
            bit = waiting & -waiting
            transition = bit.bit_length() - 1
            stubborn |= bit
            sets = self._choices_of(transition)
            needed = _cheapest(sets, stubborn | waiting, self.enabled) if sets else self.enabled
            waiting = (waiting | needed) & ~stubborn
            if not self.enabled & ~(stubborn | waiting) or waiting & self._hopeless:
                self._hopeless |= 1 << seed
                return 0
        part = stubborn & self.enabled
        return 0 if part & self.tables.visible else part

    def least(self, seed: int) -> int:
        """The enabled part of a stubborn set with a seed and nothing visible from which no enabled transition can be
        left out; 0 where there is none but all of them.

        Transitions are left out one by one, those that change an atom first, each with all that cannot stay without
        it (the deletion algorithm of A. Valmari, *State space generation*, 1988).
        """
        gone, visible = 0, self.enabled & self.tables.visible
        for candidates in (visible, self.enabled & ~visible):
            for transition in _downwards(candidates & ~(1 << seed)):
                if not gone >> transition & 1:
                    gone = self._without(transition, seed, gone)
        part = self.enabled & ~gone
        return 0 if part == self.enabled or part & visible else part

    def _without(self, transition: int, seed: int, gone: int) -> int:
        """What is gone with one more transition; the same as before if the seed could not stay."""
        everything = (1 << len(self.tables.conflicts)) - 1
        after = gone | 1 << transition
        changed = True
        while changed:
            changed = False
            for other in _downwards(everything & ~after):
                if all(one & after for one in self._choices_of(other)):
                    if other == seed:
                        return gone
                    after |= 1 << other
                    changed = True
        return after

    def _choices_of(self, transition: int) -> tuple[int, ...]:
        """Sets of which a stubborn set with a transition must have one as a whole."""
        if transition not in self._choices:
            if self.enabled >> transition & 1:
                self._choices[transition] = self._conflicts(transition)
            else:
                lacking = self._analysis.lacking(self._state, transition)
                sets = self.tables.enabling[transition] if lacking & 1 else self._row(transition)[1]
                self._choices[transition] = tuple(sets[c] for c in range(len(sets)) if lacking >> c & 1)
        return self._choices[transition]

    def _conflicts(self, transition: int) -> tuple[int, ...]:
        """Of an enabled transition: all that conflicts with it, and, where views tell that, all that can disturb its
        actor from here on."""
        row, here = self._row(transition)[0], self.tables.neighbours[transition]
        if self._views is None or here & self.tables.unseen:
            return (row,)
        if here not in self._disturbing:
            self._disturbing[here] = self._find_disturbing(transition, self._views)
        disturbing = self._disturbing[here]
        if disturbing is None:
            return (row,)
        # At any time: what the state tells counts only together with who could change it.
        unseen = self.tables.conflicts[transition] & self.tables.unseen
        return row, (disturbing | unseen) & ~(1 << transition)

    def _find_disturbing(self, transition: int, views: list[int]) -> int | None:
        """What is enabled at the location of a transition, and what may disturb that; None where it is not known."""
        assert self._disturbances is not None
        first = self.tables.first
        one = bisect_right(first, transition) - 1
        found = self.enabled & self.tables.neighbours[transition]
        for other in range(len(views)):
            if other != one:
                disturbing = self._disturbances.of(one, views[one], other, views[other])
                if disturbing is None:
                    return None
                found |= disturbing << first[other]
        return found

    def _row(self, transition: int) -> Row:
        """Of a transition whose process is at its location."""
        neighbours = self.tables.neighbours[transition]
        first = (neighbours & -neighbours).bit_length() - 1
        selector = self._analysis.selector(self._state, transition)
        if selector == 0:
            return self.tables.conflicts[transition], self.tables.enabling[transition]
        rows = self._known.get((first, selector))
        if rows is None:
            if len(self._known) >= MOST_SELECTORS:
                return self.tables.conflicts[transition], self.tables.enabling[transition]
            rows = self._known[first, selector] = self._analysis.at_hand(self._state, first)
        return rows[transition - first]


def _cheapest(sets: tuple[int, ...], present: int, enabled: int) -> int:
    """The set that adds the fewest enabled transitions; of these, the fewest at all; of these, the first."""
    return min(sets, key=lambda one: ((one & enabled & ~present).bit_count(), (one & ~present).bit_count()))


def _downwards(mask: int) -> Iterator[int]:
    """The numbers of the bits that are set, the highest first."""
    while mask:
        number = mask.bit_length() - 1
        yield number
        mask ^= 1 << number
