"""Stubborn sets: a part of the enabled steps of a state that is enough to find every deadlock and every violation.

A stubborn set T of a state holds with an enabled transition everything that does not accord with it, and with a
disabled one a set of transitions of which one must happen before it can be enabled (A. Valmari, *Stubborn sets for
reduced state space generation*, 1989; guards as in A. Laarman, E. Pater, J. van de Pol, M. Weber, *Guard-based
partial-order reduction*, SPIN 2013). It is enough to take the enabled transitions in T: whatever the others do
first, those of T can still come first.

Properties of states need more: the transitions taken must not change an atom (or all are taken). So that no process is
put off for ever around a cycle, the search takes all steps of a state whose reduced steps lead nowhere new.
"""

from __future__ import annotations

from collections.abc import Hashable

from kripke.model.dependencies import Dependencies, DependencyAnalysis
from kripke.model.model import Transition

#: configurations whose tables are kept; a model with more is searched without reduction in the others
MOST_CONFIGURATIONS = 256


class Reduction:
    """Chooses the steps of states, with the reference semantics of the model."""

    def __init__(self, analysis: DependencyAnalysis) -> None:
        self._analysis = analysis
        self._tables: dict[Hashable, Dependencies] = {}

    def steps(self, state: bytes) -> tuple[list[Transition], list[Transition]]:
        """The steps to take from a state, and those that may be left out."""
        steps = self._analysis.steps(state)
        chosen = enabled = sum(1 << transition for transition, _ in steps)
        tables = self._tables_of(state) if len(steps) > 1 else None
        if tables is not None:
            chosen = self._choose(state, tables, [transition for transition, _ in steps], enabled)
        taken, left = list[Transition](), list[Transition]()
        for transition, outcomes in steps:
            (taken if chosen >> transition & 1 else left).extend(outcomes)
        return taken, left

    def _tables_of(self, state: bytes) -> Dependencies | None:
        key = self._analysis.configuration(state)
        tables = self._tables.get(key)
        if tables is None and len(self._tables) < MOST_CONFIGURATIONS:
            tables = self._tables[key] = self._analysis.tables(state)
        return tables

    def _choose(self, state: bytes, tables: Dependencies, seeds: list[int], enabled: int) -> int:
        """The enabled part of the stubborn set with the fewest enabled transitions."""
        best, fewest = enabled, enabled.bit_count()
        choices: dict[int, tuple[int, ...]] = {}
        for seed in seeds:
            found = self._close(state, tables, seed, enabled, choices) & enabled
            count = found.bit_count()
            if count < fewest and not found & tables.visible:
                best, fewest = found, count
                if count == 1:
                    break
        return best

    def _close(
        self, state: bytes, tables: Dependencies, seed: int, enabled: int, choices: dict[int, tuple[int, ...]]
    ) -> int:
        """The least stubborn set around a seed, as far as choosing greedily finds it."""
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
            if not enabled & ~(stubborn | waiting):
                return enabled
        return stubborn


def _cheapest(sets: tuple[int, ...], present: int, enabled: int) -> int:
    """The set that adds the fewest enabled transitions; of these, the fewest at all; of these, the first."""
    return min(sets, key=lambda one: ((one & enabled & ~present).bit_count(), (one & ~present).bit_count()))
