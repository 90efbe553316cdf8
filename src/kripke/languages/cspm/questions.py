"""What is asked of a process on the command line: formulas about events.

In a formula of linear time an atom is an event, a channel (any of its events) or a set of events, written as in the
script: ``[] (send.1 -> <> receive)``, ``<> {| left, right |}``. It is true of a step that does one of these events.
``can(E)`` is true of a state in which one of them can happen; formulas of branching time and invariants speak of
these. ``tau`` and ``tick`` are the invisible event and termination.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from kripke.algebra.events import TAU, TICK
from kripke.algebra.model import Asked
from kripke.languages.cspm.sets import Closure, Values
from kripke.languages.cspm.values import Dot, Maker, Wrong, force, kind_of, missing, show
from kripke.model.source import ModelError

if TYPE_CHECKING:
    from kripke.languages.cspm.program import Program
    from kripke.model.property import Temporal

_EVENT = re.compile(r"[A-Za-z_]\w*'*(?:::[A-Za-z_]\w*'*)*(?:\.(?:-?\w+'*|\([^()]*\)))*")
_CAN = re.compile(r"can\s*\(")
_WORDS = {"tau": TAU, "tick": TICK}


def asked_of(
    program: Program, formulas: Sequence[str], conditions: Sequence[str], invariants: Sequence[str]
) -> Asked | None:
    """None where nothing is asked."""
    if not (formulas or conditions or invariants):
        return None
    reader = _Reader(program)
    properties = [reader.formula(text, number) for number, text in enumerate(formulas, start=1)]
    for text in (*conditions, *invariants):
        reader.state(text)
    return Asked(reader.steps, reader.states, tuple(properties))


class _Reader:
    def __init__(self, program: Program) -> None:
        self._program = program
        self.steps: dict[str, Callable[[int], bool]] = {}
        self.states: dict[str, Callable[[int], bool]] = {}

    def formula(self, text: str, number: int) -> Temporal:
        from kripke.logic.parser import parse
        from kripke.model.property import Temporal

        made = parse(text, f"<formula {number}>", self._atom)
        for name in map(str, made.atoms()):
            if name not in self.states and name not in self.steps:  # in quotes
                self._add(name)
        return Temporal(text, "ltl", text, formula=made)

    def _atom(self, text: str, at: int) -> tuple[str, int] | None:
        if _CAN.match(text, at) or text[at] == "{":
            end = _balanced(text, at)
        else:
            found = _EVENT.match(text, at)
            if found is None:
                return None
            end = found.end()
        name = text[at:end]
        self._add(name)
        return name, end

    def _add(self, name: str) -> None:
        if _CAN.match(name):
            self.state(name)
        else:
            self.steps[name] = self._events(name)

    def state(self, text: str) -> None:
        opening = _CAN.match(text.strip())
        if opening is None or not text.rstrip().endswith(")"):
            raise ModelError(
                f"{text} is no condition on the states of a process", hint="can(E): one of the events E can happen"
            )
        self.states[text] = self._events(text.strip()[opening.end() : -1])

    def _events(self, text: str) -> Callable[[int], bool]:
        text = text.strip()
        if text in _WORDS and self._program.scope.find(text) is None:
            number = _WORDS[text]
            return lambda event: event == number
        try:
            value = force(self._program.evaluate_text(text))
            if isinstance(value, Maker | Dot):
                if missing(value):
                    value = Closure((value,))
                else:
                    chosen = self._program.world.events.number(value)
                    return lambda event: event == chosen
            if isinstance(value, Values):
                return self._program.event_set(value).has
        except Wrong as error:
            raise ModelError(f"{text}: {error.message}", hint=error.hint) from None
        raise ModelError(f"{text}: {show(value)} is {kind_of(value)}, but events are needed here")


def _balanced(text: str, at: int) -> int:
    """Behind the bracket that closes the first one."""
    depth = 0
    for place in range(at, len(text)):
        if text[place] in "({":
            depth += 1
        elif text[place] in ")}":
            depth -= 1
            if depth == 0:
                return place + 1
    return len(text)
