"""``Coverage``: what a model that passes has shown. What was executed, what never changes, what holds for no reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from kripke.model.model import Statement
from kripke.model.source import Span
from kripke.model.trace import Trace


class Branch(NamedTuple):
    """A place where an actor chooses: the statements its options begin with, by number."""

    span: Span
    component: str
    options: tuple[int, ...]


class MessageType(NamedTuple):
    """A sort of message: the numbers of the statements that send it and receive it, and of those that perhaps do."""

    name: str
    senders: tuple[int, ...]
    receivers: tuple[int, ...]
    perhaps_senders: tuple[int, ...] = ()
    perhaps_receivers: tuple[int, ...] = ()


class Use(NamedTuple):
    """A sort of message, and whether it was ever sent and received; None: nobody knows."""

    name: str
    sent: bool | None
    received: bool | None


class Option(NamedTuple):
    """One option of a branch."""

    span: Span
    statement: Statement
    taken: bool


class Vacuity(NamedTuple):
    """A property that holds without need of one of its ``part``s; ``text`` says why that is suspicious."""

    property: str
    part: str
    text: str


@dataclass(frozen=True, slots=True)
class Coverage:
    """``reason``: why not everything was looked at; empty: everything was. ``executions`` are transitions by the
    statement that ends them; ``samples`` runs that together execute every statement that can be executed."""

    states: int
    transitions: int
    reason: str
    statements: tuple[Statement, ...]
    executed: tuple[bool, ...]
    executions: tuple[int, ...]
    options: tuple[Option, ...]
    messages: tuple[Use, ...]
    unchanging: tuple[tuple[str, str], ...]
    constant_atoms: tuple[tuple[str, bool], ...]
    atom_count: int
    vacuous: tuple[Vacuity, ...]
    samples: tuple[Trace, ...]
    #: numbers of statements that say what must never be
    forbidden: frozenset[int] = frozenset()

    @property
    def complete(self) -> bool:
        return not self.reason

    def to_json(self) -> dict[str, Any]:
        return {
            "states": self.states,
            "transitions": self.transitions,
            "complete": self.complete,
            "reason": self.reason,
            "statements": [
                {**_place(statement), "executed": executed, "transitions": count}
                for number, (statement, executed, count) in enumerate(
                    zip(self.statements, self.executed, self.executions, strict=True)
                )
                if number not in self.forbidden
            ],
            "branches": [{**_place(option.statement), "taken": option.taken} for option in self.options],
            "messages": [use._asdict() for use in self.messages],
            "unchanging": dict(self.unchanging),
            "constant_atoms": dict(self.constant_atoms),
            "vacuous": [vacuity._asdict() for vacuity in self.vacuous],
            "samples": [trace.to_json() for trace in self.samples],
        }


def _place(statement: Statement) -> dict[str, Any]:
    span = statement.span
    return {"text": statement.text, "process": statement.component, "file": span.file, "line": span.line}
