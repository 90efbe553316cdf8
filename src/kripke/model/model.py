"""``Model``: what every language gives and every engine takes.

A state is a byte string in canonical form. The methods here are the reference semantics in pure Python; a model that
can also be compiled has the capability ``Compilable``. Both forms use the same bytes for the same state and report the
same statements, so that what one finds the other can replay. What a model may know beyond its steps are capabilities
(``capabilities/``); what it says to people is in ``words.py``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from kripke.model.property import Invariant, StatedBranching, Temporal
from kripke.model.source import Span
from kripke.model.words import Words

Capability = TypeVar("Capability")


@dataclass(frozen=True, slots=True)
class Statement:
    """What a person sees of a statement of the model: its text, its place, the sort of component it belongs to.

    ``number`` is the one by which the trails of the language's own tool name it; -1 where they do not. ``calls``: where
    the text that it belongs to is called, the nearest call first.
    """

    text: str
    span: Span
    component: str
    number: int = -1
    calls: tuple[Span, ...] = ()


class Part(NamedTuple):
    """One executed statement: by which actor, which statement, and the values sent, received or printed."""

    actor: int
    statement: int
    values: tuple[int, ...] = ()


class Violation(NamedTuple):
    """Something a step broke. ``code`` indexes ``Model.violation_kinds``, ``statement`` ``Model.statements``."""

    code: int
    statement: int


class Transition(NamedTuple):
    """A step: the statements it runs, the state it leads to (None: a violation ended it), what it broke.

    Bit i of ``happened``: the model's i-th atom of steps is true of it, whatever its statements.
    """

    parts: tuple[Part, ...]
    target: bytes | None
    violations: tuple[Violation, ...] = ()
    happened: int = 0


@dataclass(frozen=True, slots=True)
class ViolationKind:
    """A class of run-time violations: ``name`` for programs ("assertion", "index", ...), ``text`` for people."""

    name: str
    text: str


class FairnessConstraint(NamedTuple):
    """What fairness to an event asks for: ``atom``, the number of an atom, is true where the event could or should
    happen, and false after it did. In a fair run the atom is false again and again; where there is an atom ``able``,
    only if that is true again and again (strong fairness)."""

    name: str
    atom: int
    able: int | None = None


def no_pause() -> None:
    """Nothing to do on the way."""


class Model(Words):
    """A transition system with names."""

    #: statements, indexed by the labels of compiled models and by ``Part.statement``
    statements: Sequence[Statement]
    violation_kinds: Sequence[ViolationKind]
    #: names of the boolean functions of the state, in the order of ``atom_values``
    atoms: Sequence[str]
    #: names of boolean functions of a step, each with the statements it is true of (others: ``Transition.happened``);
    #: formulas of linear time use them
    step_atoms: Mapping[str, frozenset[int]] = MappingProxyType({})
    #: properties of runs that can be checked by name: those of the text, and those that labels in it stand for
    properties: Sequence[Temporal] = ()
    #: what the text says of all states, each checked by itself, and its formulas of branching time
    stated_invariants: Sequence[Invariant] = ()
    branching_properties: Sequence[StatedBranching] = ()
    #: what fairness to events is about
    fairness_constraints: Sequence[FairnessConstraint] = ()
    #: formulas are about runs that are fair to events, whether that is asked for or not
    always_fair: bool = False
    #: a step is several steps of what was written, so that single ones cannot be asked about; the option to leave out
    merged_steps: str = ""
    #: why one thread only may compute its steps; empty: several may at once
    one_thread: str = ""
    #: can a state without steps be an error?
    has_deadlocks: bool = True
    #: steps are made by actors, to which runs can be fair
    has_actors: bool = True
    #: why runs cannot be asked to be fair; empty: they can
    no_fairness: str = ""
    #: there are never more actors than these; None: nobody knows
    most_actors: int | None = None

    @property
    @abstractmethod
    def max_state_bytes(self) -> int:
        """No state is longer."""

    @abstractmethod
    def initial(self) -> list[bytes]:
        """The initial states."""

    def initial_violations(self) -> list[Transition]:
        """What is broken in the start values themselves, as steps without a target."""
        return []

    @abstractmethod
    def successors(self, state: bytes) -> list[Transition]:
        """Every step from a state, in the order a depth-first search tries them."""

    def each_successor(self, state: bytes) -> Iterator[Transition]:
        """The same, each made when it is asked for where that matters: a state can have very many steps."""
        return iter(self.successors(state))

    def distinct_successors(self, state: bytes, pause: Callable[[], None] = no_pause) -> Iterator[Transition]:
        """Enough of the steps to follow a path: of every actor some to every target and with every violation.

        ``pause`` is called now and then on the way to the next step; what it raises ends the search for it.
        """
        return iter(self.successors(state))

    @abstractmethod
    def valid_end(self, state: bytes) -> bool:
        """May the model rest in this state for ever?"""

    @abstractmethod
    def atom_values(self, state: bytes) -> tuple[bool, ...]:
        """The truth of every atom."""

    def failed_atoms(self, state: bytes) -> int:
        """A bit for each atom that cannot be evaluated in this state (an index out of range); its value is false."""
        return 0

    def executed(self, statement: int) -> bool:
        """Was the statement executed on the way to a step, though it is no part of it?"""
        return False

    def forbids(self, statement: int) -> bool:
        """Does the statement say what must never be? That it is not executed is no lack of coverage."""
        return False

    def forgotten(self, parts: Sequence[Part]) -> frozenset[str]:
        """Names (as in ``describe``) of variables that a step sets to some fixed value only because nobody will read
        them again: no effect of its statements."""
        return frozenset()

    def explain_part(self, part: Part) -> str:
        return self.statements[part.statement].text

    def capability(self, kind: type[Capability]) -> Capability | None:
        """What this model knows of that kind (``capabilities/``); None: nothing."""
        return self if isinstance(self, kind) else None
