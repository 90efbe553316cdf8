"""Variables along runs, as series of values: what a plot draws."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kripke.engines.plan import Unsupported
from kripke.model.trace import Trace
from kripke.numbers import counted

_NUMBER = re.compile(r"-?[0-9]+\Z")
_TRUTH = {"false": 0, "true": 1}
#: more words than these are no axis any more
_MOST_WORDS = 24


@dataclass(frozen=True, slots=True)
class Series:
    """One variable. ``runs`` has, for every run, its value in every state; None where it does not exist.

    ``words``: what the values are numbers of, where they are no numbers themselves.
    """

    name: str
    runs: tuple[tuple[int | None, ...], ...]
    words: tuple[str, ...] = ()

    def word(self, value: int) -> str:
        return self.words[value] if self.words else str(value)


def series_of(traces: Sequence[Trace], names: Sequence[str]) -> list[Series]:
    """The series of the variables with these names; the name of an array stands for all its elements."""
    described = [_described(trace) for trace in traces]
    omitted = traces[0].model.omitted_value if traces else None
    known = dict.fromkeys(name for run in described for state in run for name in state)
    found: list[Series] = []
    for name in dict.fromkeys(one for wanted in names for one in _meant(wanted, list(known))):
        texts = [[state.get(name, omitted) for state in run] for run in described]
        found.append(_series(name, texts))
    return found


def _described(trace: Trace) -> list[Mapping[str, str]]:
    states = [trace.initial, *(step.state for step in trace.steps if step.state is not None)]
    return [trace.model.describe(state) for state in states]


def _meant(name: str, known: Sequence[str]) -> list[str]:
    if name in known:
        return [name]
    elements = [one for one in known if one.startswith(name) and one[len(name) : len(name) + 1] in ("[", ".")]
    if elements:
        return elements
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.4) or list(known)[:8]
    shown = ", ".join(near) if near else "none"
    raise Unsupported(f"--plot: no state of the runs has a variable {name}; some that there are: {shown}")


def _series(name: str, texts: Sequence[Sequence[str | None]]) -> Series:
    different = dict.fromkeys(text for run in texts for text in run if text is not None)
    if all(_NUMBER.match(text) for text in different):
        return Series(name, tuple(tuple(None if text is None else int(text) for text in run) for run in texts))
    if set(different) <= set(_TRUTH):
        numbers, words = dict(_TRUTH), tuple(_TRUTH)
    elif len(different) > _MOST_WORDS:
        raise Unsupported(
            f"--plot: {name} is no number, and it takes {counted(len(different), 'value')}: a plot has room for "
            f"{_MOST_WORDS} words at most"
        )
    else:
        words = tuple(sorted(different))
        numbers = {word: number for number, word in enumerate(words)}
    return Series(name, tuple(tuple(None if text is None else numbers[text] for text in run) for run in texts), words)
