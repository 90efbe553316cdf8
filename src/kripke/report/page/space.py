"""The states near the start and near the run, for a reader of a report to walk through: exploration on demand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any

from kripke.engines.explicit.exploration import label_of
from kripke.model.model import Model
from kripke.model.product import Product
from kripke.model.trace import Trace, differences

_MOST_STATES = 1_500
_MOST_STEPS = 20_000
_SECONDS = 0.7


def space_data(model: Model, traces: Sequence[Trace]) -> dict[str, Any]:
    """States with what changed since the one they were found from, and their steps, as far as the limits go.

    ``at`` gives of every trace the numbers of its states, -1 where one is not among them.
    """
    base = model.base if isinstance(model, Product) else model
    return _Space(base).data([_states(trace) for trace in traces])


def _states(trace: Trace) -> list[bytes]:
    states = [trace.initial, *(step.state if step.state is not None else step.before for step in trace.steps)]
    model = trace.model
    return [model.split(state)[0] for state in states] if isinstance(model, Product) else states


class _Space:
    def __init__(self, model: Model) -> None:
        self.model = model
        self.texts: dict[str, int] = {}
        self.numbers: dict[bytes, int] = {}
        self.states: list[bytes] = []
        self.found_from: list[int] = []
        self.shown: list[Mapping[str, str]] = []
        self.until = perf_counter() + _SECONDS
        self.steps: dict[int, list[list[int]]] = {}
        self.count = 0

    def data(self, runs: Sequence[Sequence[bytes]]) -> dict[str, Any]:
        for state in self.model.initial():
            self.number(state, -1)
        start = len(self.states)
        for run in runs:
            self.follow(run[: _MOST_STATES // 2])
        at = 0
        while at < len(self.states) and perf_counter() < self.until and self.count < _MOST_STEPS:
            self.expand(at)
            at += 1
        return {
            "start": list(range(start)),
            "at": [[self.numbers.get(state, -1) for state in run] for run in runs],
            "states": [self.described(number) for number in range(len(self.states))],
            "steps": [self.steps.get(number) for number in range(len(self.states))],
            "texts": list(self.texts),
        }

    def number(self, state: bytes, found_from: int) -> int:
        known = self.numbers.get(state)
        if known is None:
            if len(self.states) >= _MOST_STATES or (self.states and perf_counter() > self.until):
                return -1
            known = self.numbers[state] = len(self.states)
            self.states.append(state)
            self.found_from.append(found_from)
            self.shown.append(self.model.describe(state))
        return known

    def follow(self, run: Sequence[bytes]) -> None:
        before = -1
        for state in run:
            if state:
                before = self.number(state, before)
                if before < 0:
                    return

    def expand(self, at: int) -> None:
        """Each step: its words, where it leads (-1: not among these states; -2: nowhere), what it breaks."""
        state, steps = self.states[at], []
        for transition in self.model.each_successor(state):
            broken = "; ".join(self.model.violation_kinds[code].text for code, _ in transition.violations)
            target = -2 if transition.target is None else self.number(transition.target, at)
            steps.append([self.text(label_of(self.model, state, transition)), target, self.text(broken)])
            self.count += 1
            if self.count >= _MOST_STEPS:
                return  # not all of them: as if it were not expanded
        self.steps[at] = steps

    def described(self, number: int) -> list[Any]:
        """The number of another state, and what is different from it: a name, and a value or -1."""
        other = self.found_from[number]
        changes = differences(self.shown[other] if other >= 0 else {}, self.shown[number], self.model.omitted_value)
        return [other, [[self.text(name), -1 if new is None else self.text(new)] for name, _, new in changes]]

    def text(self, text: str) -> int:
        return self.texts.setdefault(text, len(self.texts))
