"""``Model``: what every language gives and every engine takes.

A state is a byte string in canonical form. The methods here are the reference semantics in pure Python; a model that
can also be compiled says so with ``emit_c``. Both forms use the same bytes for the same state and report the same
statements, so that what one finds the other can replay.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from kripke.model.columns import StateColumns
from kripke.model.explanation import Explanation, FalseAtom, Stuck
from kripke.model.message import Message
from kripke.model.property import Temporal
from kripke.model.source import Diagnostic, Span

if TYPE_CHECKING:
    from kripke.model.coverage import Branch, MessageType
    from kripke.model.dependencies import DependencyAnalysis
    from kripke.model.symmetry import Symmetry
    from kripke.model.value_symmetry import ValueSymmetry


@dataclass(frozen=True, slots=True)
class Statement:
    """What a person sees of a statement of the model: its text, its place, the process type it belongs to.

    ``number`` is the one by which the trails of the language's own tool name it; -1 where they do not.
    """

    text: str
    span: Span
    process: str
    number: int = -1


class Part(NamedTuple):
    """One executed statement: by which process, which statement, and the values sent, received or printed."""

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


class Event(NamedTuple):
    """Something that fairness is about: ``atom``, the number of an atom, is true where it could or should happen, and
    false after it did. In a run that is fair to it the atom is false again and again; where there is an atom ``able``,
    only if that is true again and again (strong fairness)."""

    name: str
    atom: int
    able: int | None = None


def no_pause() -> None:
    """Nothing to do on the way."""


class Model(ABC):
    """A transition system with names."""

    #: for messages: the file and the language it is written in
    file: str
    language: str
    #: statements, indexed by the labels of compiled models and by ``Part.statement``
    statements: Sequence[Statement]
    violation_kinds: Sequence[ViolationKind]
    #: names of the boolean functions of the state, in the order of ``atom_values``
    atoms: Sequence[str]
    #: names of boolean functions of a step, each with the statements it is true of (others: ``Transition.happened``);
    #: formulas of linear time use them
    step_atoms: Mapping[str, frozenset[int]] = MappingProxyType({})
    #: warnings of the language front end
    warnings: Sequence[Diagnostic]
    #: properties of runs that can be checked by name: those of the text, and those that labels in it stand for
    properties: Sequence[Temporal] = ()
    #: what fairness to events is about
    events: Sequence[Event] = ()
    #: formulas are about runs that are fair to events, whether that is asked for or not
    always_fair: bool = False
    #: a step is several steps of what was written, so that single ones cannot be asked about; the option to leave out
    joins_steps: str = ""
    #: what a deadlock is, in the words of the language
    deadlock_text: str = "no process can move, and not all have reached a valid end"
    #: why one thread only may compute its steps; empty: several may at once
    one_thread: str = ""
    #: there are never more processes than these
    most_processes: int = 255
    #: can a state without steps be an error?
    has_deadlocks: bool = True
    #: fairness is about processes
    has_processes: bool = True
    #: the value of a name that ``describe`` leaves out; None: such a name does not exist in the state
    unmentioned: str | None = None

    def remarks(self) -> Sequence[Diagnostic]:
        """Further warnings, of interest to who writes the model rather than to who checks it: what is never used."""
        return ()

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
        """Enough of the steps to follow a path: of every process some to every target and with every violation.

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

    @abstractmethod
    def describe(self, state: bytes) -> Mapping[str, str]:
        """The state for a person: names of variables, channels, control points, with values as text.

        The same keys in the same order for states of the same shape, so that two states can be compared. The key of a
        control point ends in ``@``.
        """

    @abstractmethod
    def actor_name(self, actor: int, state: bytes) -> str:
        """The name of a process in a state in which it exists: ``P:2``."""

    @abstractmethod
    def source_line(self, span: Span) -> str:
        """The text of the line a span starts in; empty where it is not known."""

    def explain_part(self, part: Part) -> str:
        """A statement with the values it sent or received, one line."""
        return self.statements[part.statement].text

    def explain(self, state: bytes, cause: Violation | FalseAtom | Stuck) -> Explanation | None:
        """Why a step from the state has the violation, an atom is false in it, or nothing can move; a capability."""
        return None

    def state_columns(self) -> StateColumns:
        """States as columns of a table; a model that can decode many states at once has its own way."""
        from kripke.model.described_columns import DescribedColumns

        return DescribedColumns(self)

    def marks(self, state: bytes) -> Mapping[str, str]:
        """For a picture of the model: by the key of a node, what stands there in a state (``diagram.py``)."""
        return {}

    def message(self, part: Part, state: bytes) -> Message | None:
        """What the statement, executed in a step from the state, sends or receives; None where it does neither."""
        return None

    def branches(self) -> Sequence[Branch]:
        """Where processes choose."""
        return ()

    def message_types(self) -> Sequence[MessageType]:
        """The sorts of messages, where they have names."""
        return ()

    def source_files(self) -> Mapping[str, Sequence[str]]:
        """The lines of every file the model was read from."""
        return {}

    def executed(self, statement: int) -> bool:
        """Was the statement executed on the way to a step, though it is no part of it?"""
        return False

    def forbids(self, statement: int) -> bool:
        """Does the statement say what must never be? That it is not executed is no lack of coverage."""
        return False

    def printed(self, part: Part) -> str | None:
        """What the statement prints, if it prints."""
        return None

    def emit_c(self, *, dependencies: bool = False) -> str | None:
        """The model as a C file against ``model.h``; None where there is no compiled form.

        ``dependencies``: with what partial-order reduction asks for, where the model has ``dependencies``.
        """
        return None

    def dependencies(self, atoms: Sequence[int] = ()) -> DependencyAnalysis | str:
        """Which steps depend on each other, for partial-order reduction; a sentence where that is not known.

        ``atoms``: the numbers of those that a property looks at.
        """
        return "this kind of model does not say which of its steps depend on each other"

    def symmetry(self, atoms: Sequence[int] = ()) -> Symmetry | ValueSymmetry | str:
        """Which parts of states may change places, without changing these atoms; a sentence where none may."""
        return "this model does not know which of its parts are alike"

    def facts(self) -> Mapping[str, object]:
        """What the model contains, for ``kripke info``: sizes, processes, channels, variables."""
        return {}
