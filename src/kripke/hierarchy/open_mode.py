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
from kripke.model.model import Model, Transition
from kripke.model.source import ModelError

MOST_VALUATIONS = 20_000
_FIRST_EVENT = 2  # behind the invisible one and termination


class TraceModel(ModeModel):
    """What traces are taken of. ``seen``: the globals that a trace shows."""

    deadlock_text = "the mode has no answer"
    assertions: Sequence[Assertion] = ()

    def __init__(self, *arguments: Any, seen: Sequence[int], events: Events) -> None:
        super().__init__(*arguments)
        self.seen, self.pairs = tuple(seen), events
        self._variables = tuple(self.system.globals[place] for place in self.seen)

    def as_asked(self) -> Model:
        raise ModelError(f"{self.file} is about refinement: formulas do not go with it")

    def emit_c(self, *, dependencies: bool = False) -> str | None:
        return None

    def dependencies(self, atoms: Sequence[int] = ()) -> str:
        return "traces are compared as they are"

    def event_name(self, event: int) -> str:
        return self.pairs.names[event - _FIRST_EVENT]

    def successors(self, state: bytes) -> list[Transition]:
        return [transition for _, transition in self.answers(state)]

    def answers(self, state: bytes) -> Iterator[tuple[int, Transition]]:
        """What can follow, with the event of it."""
        raise NotImplementedError

    def macro_answers(self, actor: int, values: list[int], who: str) -> Iterator[tuple[int, Transition]]:
        """Those of one top-level mode. ``who`` is part of the event."""
        root = self.tree.roots[actor]
        before = tuple(values[place] for place in self.seen)
        started = values[self.tree.nodes[root].position] == ABSENT
        for outcome in self.macro_steps.answers(root, values):
            top = self.system.tops[actor]
            if outcome.values is None:
                raise ModelError(f"{top.name}: {KINDS[outcome.violation].text}", top.span)
            after = tuple(outcome.values[place] for place in self.seen)
            yield self.pairs.number(who, self._variables, before, after), self._step(actor, outcome, started)

    def valid_end(self, state: bytes) -> bool:
        return True


class OpenMode(TraceModel):
    """A system of one mode, whose environment sets what is seen."""

    def __init__(self, *arguments: Any, seen: Sequence[int], events: Events) -> None:
        super().__init__(*arguments, seen=seen, events=events)
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

    def answers(self, state: bytes) -> Iterator[tuple[int, Transition]]:
        """To each valuation."""
        for valuation in self.valuations:
            values = self.tree.decode(state)
            for place, value in zip(self.seen, valuation, strict=True):
                values[place] = value
            yield from self.macro_answers(0, values, "")


class ClosedModes(TraceModel):
    """Modes that run together, and nobody else: an event also says which of them moves, by its place.

    With that the assume-guarantee rule is sound: if A | D refines C | D and C | B refines C | D, then A | B refines
    C | D. Take a shortest trace of A | B that is none of C | D, and let its last step be one of A. All before it is a
    trace of C | D, so D can make the steps of B in it; what D does depends on its own variables and on those that a
    trace shows. So the whole is a trace of A | D, and by the first premise one of C | D.
    """

    def answers(self, state: bytes) -> Iterator[tuple[int, Transition]]:
        values = self.tree.decode(state)
        for actor in range(len(self.tree.roots)):
            yield from self.macro_answers(actor, values, f"{actor + 1}: ")


class Events:
    """Events by number, shared by all modes of a file: values of some variables before and after a macro step."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._numbers: dict[tuple[str, tuple[Local, ...], tuple[int, ...], tuple[int, ...]], int] = {}

    def number(self, who: str, variables: tuple[Local, ...], before: tuple[int, ...], after: tuple[int, ...]) -> int:
        key = (who, variables, before, after)
        if key not in self._numbers:
            self._numbers[key] = len(self.names) + _FIRST_EVENT
            self.names.append(f"({who}{_shown(variables, before)} -> {_shown(variables, after)})")
        return self._numbers[key]


def _shown(variables: tuple[Local, ...], values: tuple[int, ...]) -> str:
    return ", ".join(f"{v.name}={v.type.text(value)}" for v, value in zip(variables, values, strict=True))


class TraceProcess:
    """The same as a process with events; a state is one of the model."""

    def __init__(self, model: TraceModel) -> None:
        self.model = model

    def initial(self) -> bytes:
        return self.model.initial()[0]

    def steps(self, state: bytes) -> Iterator[tuple[int, bytes]]:
        for event, transition in self.model.answers(state):
            assert transition.target is not None
            yield event, transition.target

    def encode(self, state: bytes) -> bytes:
        return state
