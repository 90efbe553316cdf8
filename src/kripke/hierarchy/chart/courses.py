"""Where transitions lead: what the histories keep may decide it.

``domains`` and ``entries`` list every case, with the contents of the histories that decide between them, by running the
algorithm of ``interpreter.py`` on each content.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import TypeVar

from kripke.hierarchy.chart.interpreter import Entry, Run
from kripke.hierarchy.chart.session import Session
from kripke.hierarchy.chart.structure import Chart, Transition

MOST_CASES = 400

#: of histories that decide: the states they keep, None where they keep none yet
Kept = Mapping[int, tuple[int, ...] | None]
_T = TypeVar("_T")


class TooManyCases(Exception):
    """A transition leads to too many different places. ``history`` decides between them."""

    def __init__(self, history: int) -> None:
        super().__init__(history)
        self.history = history


@dataclass(frozen=True, slots=True)
class EntryCase:
    """What is entered, in document order; where a default is taken; what histories execute by default, by the state
    they belong to."""

    states: tuple[int, ...]
    by_default: frozenset[int]
    defaults: Mapping[int, Transition]


class _Consulted(Exception):
    def __init__(self, history: int) -> None:
        self.history = history


class _Assumed(dict[int, tuple[int, ...]]):
    """Contents of histories; what is not assumed yet cannot be asked for."""

    def __init__(self, chart: Chart, kept: Kept) -> None:
        super().__init__({history: states for history, states in kept.items() if states is not None})
        self._chart, self._known = chart, kept

    def __contains__(self, history: object) -> bool:
        assert isinstance(history, int)
        if history not in self._known and self._chart.states[history].kind != "choice":
            raise _Consulted(history)
        return super().__contains__(history)

    def get(self, history: int, default: object = None) -> tuple[int, ...] | None:  # type: ignore[override]
        return super().get(history) if history in self else None


def domains(chart: Chart, transition: Transition) -> list[tuple[Kept, int | None]]:
    """The innermost state that it does not leave (None: it leaves nothing)."""
    return _cases(chart, lambda run: run.domain(transition))


def entries(chart: Chart, transition: Transition) -> list[tuple[Kept, EntryCase]]:
    def entered(run: Run) -> EntryCase:
        entry = Entry(run)
        entry.add(transition)
        return EntryCase(tuple(sorted(entry.states)), frozenset(entry.by_default), dict(entry.defaults))

    return _cases(chart, entered)


def _cases(chart: Chart, compute: Callable[[Run], _T]) -> list[tuple[Kept, _T]]:
    found: list[tuple[Kept, _T]] = []
    pending: list[Kept] = [{}]
    while pending:
        kept = pending.pop()
        session = Session()
        session.history = _Assumed(chart, kept)
        try:
            found.append((kept, compute(Run(chart, session))))
        except _Consulted as missing:
            pending.append({**kept, missing.history: None})
            for states in _keepable(chart, missing.history):
                if len(pending) + len(found) >= MOST_CASES:
                    raise TooManyCases(missing.history) from None
                pending.append({**kept, missing.history: states})
    return found


def _keepable(chart: Chart, history: int) -> Iterator[tuple[int, ...]]:
    """What a history may keep."""
    state = chart.states[history]
    inner = tuple(child for child in chart.states[state.parent].children if not chart.is_history(child))
    if state.kind == "deep":
        for found in _configurations(chart, state.parent):
            yield tuple(sorted(found))
    elif chart.compound(state.parent):
        yield from ((child,) for child in inner)
    else:
        yield inner


def _configurations(chart: Chart, number: int) -> Iterator[tuple[int, ...]]:
    """The innermost states that can be active together inside a state."""
    if chart.atomic(number):
        yield (number,)
        return
    inner = [child for child in chart.states[number].children if not chart.is_history(child)]
    if chart.states[number].kind == "parallel":
        for parts in product(*(tuple(_configurations(chart, child)) for child in inner)):
            yield tuple(state for part in parts for state in part)
    else:
        for child in inner:
            yield from _configurations(chart, child)
