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

from collections.abc import Hashable, Iterator

from kripke.model.dependencies import Dependencies, DependencyAnalysis
from kripke.model.model import Transition

#: configurations whose tables are kept; a model with more is searched without reduction in the others
MOST_CONFIGURATIONS = 256
#: sets of a state that are tried
MOST_SETS = 32


class Reduction:
    """Chooses the steps of states, with the reference semantics of the model."""

    def __init__(self, analysis: DependencyAnalysis) -> None:
        self._analysis = analysis
        self.deadlocks_only = analysis.deadlocks_only
        self._tables: dict[Hashable, Dependencies] = {}

    def choices(self, state: bytes) -> Iterator[list[Transition]]:
        """Sets of steps each of which is enough, the best first, all steps last. One empty list: nothing is known."""
        steps = self._analysis.steps(state)
        tables = self._tables_of(state) if len(steps) > 1 else None
        if tables is not None:
            for chosen in self._sets(state, tables, [transition for transition, _ in steps]):
                yield [step for transition, outcomes in steps if chosen >> transition & 1 for step in outcomes]
        yield [step for _, outcomes in steps for step in outcomes]

    def _tables_of(self, state: bytes) -> Dependencies | None:
        key = self._analysis.configuration(state)
        tables = self._tables.get(key)
        if tables is None and len(self._tables) < MOST_CONFIGURATIONS:
            tables = self._tables[key] = self._analysis.tables(state)
        return tables

    def _sets(self, state: bytes, tables: Dependencies, seeds: list[int]) -> Iterator[int]:
        """The enabled parts of stubborn sets. Those that ask for nothing beyond one location come first: what they
        take would have to be taken some time anyway. Then by the number of enabled transitions."""
        enabled = sum(1 << seed for seed in seeds)
        choices: dict[int, tuple[int, ...]] = {}
        found: dict[int, int] = {}
        hopeless = 0  # seeds around which a set takes everything
        for seed in seeds:
            stubborn = self._close(state, tables, seed, enabled, choices, hopeless)
            part = stubborn & enabled
            if part == enabled:
                hopeless |= 1 << seed
            if part != enabled and not part & tables.visible and part not in found:
                local = not stubborn & ~tables.neighbours[seed]
                if local:
                    yield part
                found[part] = 0 if local else part.bit_count()
        others = sorted((part for part in found if found[part]), key=lambda part: found[part])
        local_sets = sum(1 for part in found if not found[part])
        yield from others[: max(0, MOST_SETS - local_sets)]

    def _close(
        self,
        state: bytes,
        tables: Dependencies,
        seed: int,
        enabled: int,
        choices: dict[int, tuple[int, ...]],
        hopeless: int,
    ) -> int:
        """The least stubborn set around a seed, as far as choosing greedily finds it.

        All that is enabled where it comes to that, or to a transition that is hopeless.
        """
        stubborn, waiting = 0, 1 << seed
        while waiting:
            bit = waiting & -waiting
            transition = bit.bit_length() - 1
            stubborn |= bit
            if enabled & bit:
                needed = tables.conflicts[transition]
            else:
                if transition not in choices:
                    lacking = self._analysis.lacking(state, transition)
                    sets = tables.enabling[transition]
                    choices[transition] = tuple(sets[c] for c in range(len(sets)) if lacking >> c & 1)
                if not choices[transition]:
                    return enabled
                needed = _cheapest(choices[transition], stubborn | waiting, enabled)
            waiting = (waiting | needed) & ~stubborn
            if not enabled & ~(stubborn | waiting) or waiting & hopeless:
                return enabled
        return stubborn


def _cheapest(sets: tuple[int, ...], present: int, enabled: int) -> int:
    """The set that adds the fewest enabled transitions; of these, the fewest at all; of these, the first."""
    return min(sets, key=lambda one: ((one & enabled & ~present).bit_count(), (one & ~present).bit_count()))
