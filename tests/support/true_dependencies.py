"""What the tables of partial-order reduction claim, held against every state: for tests of the analysis itself.

Two steps that are said to accord do so wherever both are enabled, and a condition that is false stays false in every
step that is not said to make it true. Verdicts of reduced searches would tell of a wrong claim only by luck.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from kripke.model.dependencies import DependencyAnalysis, DependencyTables
from kripke.model.model import Model, Transition


class Claims:
    """The claims about the states of one model."""

    def __init__(self, model: Model, analysis: DependencyAnalysis) -> None:
        self._model = model
        self._analysis = analysis
        self._tables: dict[Hashable, DependencyTables] = {}
        self._rows: dict[Hashable, list[tuple[int, tuple[int, ...]]]] = {}
        self._steps: dict[bytes, dict[int, list[Transition]]] = {}

    def wrong(self, most_states: int) -> Iterator[str]:
        """Claims that are wrong in one of the first states."""
        seen = set(self._model.initial())
        waiting = list(seen)
        for state in waiting:
            steps = self._at(state)
            yield from self._wrong_accords(state, steps)
            yield from self._wrong_enabling(state, steps)
            fresh = {s.target for outcomes in steps.values() for s in outcomes if s.target is not None} - seen
            if len(seen) + len(fresh) <= most_states:
                seen |= fresh
                waiting += sorted(fresh)

    def _at(self, state: bytes) -> dict[int, list[Transition]]:
        if state not in self._steps:
            self._steps[state] = dict(self._analysis.steps(state))
        return self._steps[state]

    def _row(self, state: bytes, transition: int) -> tuple[int, tuple[int, ...]]:
        """Of a transition at hand."""
        tables = self._table(state)
        selector = self._analysis.selector(state, transition)
        if not selector:
            return tables.conflicts[transition], tables.enabling[transition]
        beside = tables.neighbours[transition]
        first = (beside & -beside).bit_length() - 1
        key = self._analysis.configuration(state), first, selector
        if key not in self._rows:
            self._rows[key] = self._analysis.at_hand(state, first)
        return self._rows[key][transition - first]

    def _table(self, state: bytes) -> DependencyTables:
        key = self._analysis.configuration(state)
        if key not in self._tables:
            self._tables[key] = self._analysis.tables(state)
        return self._tables[key]

    def _wrong_accords(self, state: bytes, steps: dict[int, list[Transition]]) -> Iterator[str]:
        for one in steps:
            conflicts = self._row(state, one)[0]
            for other in steps:
                if other == one or conflicts >> other & 1:
                    continue
                both = f"{self._text(steps, one)} and {self._text(steps, other)}"
                if not (self._keeps(steps, one, other) and self._keeps(steps, other, one)):
                    yield f"{both} disturb each other in {state.hex()}"
                elif self._after(steps, one, other) != self._after(steps, other, one):
                    yield f"the order of {both} matters in {state.hex()}"

    def _keeps(self, steps: dict[int, list[Transition]], one: int, other: int) -> bool:
        """Is the other enabled after the one as before, and as wrong?"""
        before = {step.violations for step in steps[other]}
        return all(
            before == {then.violations for then in self._at(step.target).get(other, [])}
            for step in steps[one]
            if step.target is not None
        )

    def _after(self, steps: dict[int, list[Transition]], one: int, other: int) -> set[bytes | None]:
        reached = {step.target for step in steps[one] if step.target is not None}
        return {then.target for state in reached for then in self._at(state)[other] if then.target is not None}

    def _wrong_enabling(self, state: bytes, steps: dict[int, list[Transition]]) -> Iterator[str]:
        tables = self._table(state)
        for transition in range(len(tables.conflicts)):
            if transition in steps:
                continue
            lacking = self._analysis.lacking(state, transition)
            sets = tables.enabling[transition] if lacking & 1 else self._row(state, transition)[1]
            for condition in (c for c in range(len(sets)) if lacking >> c & 1):
                for other, outcomes in steps.items():
                    if sets[condition] >> other & 1:
                        continue
                    if any(step.target is not None and transition in self._at(step.target) for step in outcomes):
                        yield f"{self._text(steps, other)} enables transition {transition} in {state.hex()}"

    def _text(self, steps: dict[int, list[Transition]], transition: int) -> str:
        parts = steps[transition][0].parts
        return f"'{self._model.explain_part(parts[0])}'" if parts else str(transition)
