"""A mode alone, open to its environment: what refinement between modes compares.

The denotation of a mode is the set of its traces (section 2 of Alur, Grosu, McDougall, "Semantics"): the environment
gives the global variables any values, the mode answers with a macro step, and so on. One mode refines another if every
trace of it is one of the other. An event is a pair of what the environment gave and what the mode gave back; a macro
step that changes nothing is one here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from kripke.hierarchy.mode_model import KINDS, ModeModel
from kripke.hierarchy.modes import ABSENT, Local
from kripke.model.assertions import Assertion
from kripke.model.model import Transition
from kripke.model.source import ModelError

MOST_VALUATIONS = 20_000
_FIRST_EVENT = 2  # behind the invisible one and termination


class OpenMode(ModeModel):
    """A system of one mode. ``seen``: the globals that the environment sets and a trace shows."""

    deadlock_text = "the mode has no answer"
    assertions: Sequence[Assertion] = ()

    def __init__(self, *arguments: Any, seen: Sequence[int], events: Events) -> None:
        super().__init__(*arguments)
        self.seen, self.pairs = tuple(seen), events
        self._variables = tuple(self.system.globals[place] for place in self.seen)
        types = [variable.type for variable in self._variables]
        size = 1
        for type_ in types:
            size *= type_.high - type_.low + 1
        if size > MOST_VALUATIONS:
            raise ModelError(
                f"the environment of {self.system.tops[0].name} chooses among {size:,} values, more than "
                f"{MOST_VALUATIONS:,}",
                self.system.tops[0].span,
            )
        self.valuations = list(product(*(range(type_.low, type_.high + 1) for type_ in types)))

    def emit_c(self, *, dependencies: bool = False) -> str | None:
        return None

    def event_name(self, event: int) -> str:
        return self.pairs.names[event - _FIRST_EVENT]

    def successors(self, state: bytes) -> list[Transition]:
        return [transition for _, transition in self.answers(state)]

    def answers(self, state: bytes) -> Iterator[tuple[int, Transition]]:
        """What the mode can answer, to each valuation, with the event of it."""
        root = self.tree.roots[0]
        for valuation in self.valuations:
            values = self.tree.decode(state)
            for place, value in zip(self.seen, valuation, strict=True):
                values[place] = value
            before = tuple(values[place] for place in self.seen)
            started = values[self.tree.nodes[root].position] == ABSENT
            for outcome in self.macro_steps.answers(root, values):
                if outcome.values is None:
                    raise ModelError(f"{self.system.tops[0].name}: {KINDS[outcome.violation].text}",
                                     self.system.tops[0].span)  # fmt: skip
                after = tuple(outcome.values[place] for place in self.seen)
                yield self.pairs.number(self._variables, before, after), self._step(0, outcome, started)

    def valid_end(self, state: bytes) -> bool:
        return True


class Events:
    """Events by number, shared by all modes of a file: values of some variables before and after a macro step."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._numbers: dict[tuple[tuple[Local, ...], tuple[int, ...], tuple[int, ...]], int] = {}

    def number(self, variables: tuple[Local, ...], before: tuple[int, ...], after: tuple[int, ...]) -> int:
        key = (variables, before, after)
        if key not in self._numbers:
            self._numbers[key] = len(self.names) + _FIRST_EVENT
            self.names.append(f"({_shown(variables, before)} -> {_shown(variables, after)})")
        return self._numbers[key]


def _shown(variables: tuple[Local, ...], values: tuple[int, ...]) -> str:
    return ", ".join(f"{v.name}={v.type.text(value)}" for v, value in zip(variables, values, strict=True))


class OpenProcess:
    """The same as a process with events; a state is one of the model."""

    def __init__(self, model: OpenMode) -> None:
        self.model = model

    def initial(self) -> bytes:
        return self.model.initial()[0]

    def steps(self, state: bytes) -> Iterator[tuple[int, bytes]]:
        for event, transition in self.model.answers(state):
            assert transition.target is not None
            yield event, transition.target

    def encode(self, state: bytes) -> bytes:
        return state
