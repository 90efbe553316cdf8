"""A transition system in terms: variables, initial states, guarded commands, and what is asked about states.

A *state* gives every variable a value. A *command* is possible where its guard is true; it gives some variables new
values, all at once, and leaves the others alone. A command may have *choices*: variables of its own that have any
values of their sorts for which the guard is true.

STABLE STATES. What the model calls one step may be several commands, such as the statements of an atomic sequence.
The states in between are not states of the model: ``stable`` is false in them. A step of the model leads from a stable
state to the next stable one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kripke.terms.build import FALSE, TRUE, all_of, any_of, equal, literal, variable
from kripke.terms.term import Symbol, Term


class Command(NamedTuple):
    """``actor`` and ``statement`` say who does what in the model (-1: nobody, nothing), ``partner`` who takes part."""

    guard: Term
    updates: Mapping[Symbol, Term]
    actor: int = -1
    statement: int = -1
    choices: tuple[Symbol, ...] = ()
    partner: int = -1


class Breach(NamedTuple):
    """Where the condition is true, a step breaks something: a number of ``Model.violation_kinds`` and a statement."""

    condition: Term
    code: int
    statement: int


class Limit(NamedTuple):
    """Where the condition is true, the encoding ends and the model may go on: nothing is known. ``text`` is why."""

    condition: Term
    text: str


@dataclass(frozen=True)
class TransitionSystem:
    """``atoms`` and ``failed_atoms`` are those of the model: the truth of each, and where it cannot be evaluated.

    ``resting``: the model has no step here. ``valid_end``: it may rest here for ever. All of it is about states.
    """

    variables: Sequence[Symbol]
    initial: Term
    commands: Sequence[Command]
    atoms: Sequence[Term] = ()
    failed_atoms: Sequence[Term] = ()
    resting: Term = FALSE
    valid_end: Term = FALSE
    stable: Term = TRUE
    breaches: Sequence[Breach] = ()
    limits: Sequence[Limit] = ()
    #: why ``resting`` is not known; empty: it is
    unclear_ends: str = ""


def valued(variables: Sequence[Symbol], states: Sequence[Sequence[int]]) -> Term:
    """The variables have the values of one of these states."""
    return any_of(
        all_of(equal(variable(one), literal(one.sort, value)) for one, value in zip(variables, state, strict=True))
        for state in states
    )
