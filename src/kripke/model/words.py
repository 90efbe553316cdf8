"""``Words``: what a model says to people."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kripke.model.source import Diagnostic, Span

if TYPE_CHECKING:
    from kripke.model.model import Part


class Words(ABC):
    """The half of a ``Model`` that reports, tables and pages ask."""

    #: for messages: the file and the language it is written in
    file: str
    language: str
    #: warnings of the language front end
    warnings: Sequence[Diagnostic]
    #: what a deadlock is, in the words of the language
    deadlock_text: str = "no process can move, and not all have reached a valid end"
    #: those who act, in the words of the language
    actors_text: str = "processes"
    #: what was done to the model to make its state space smaller, where somebody asked for it
    reductions: Sequence[str] = ()
    #: the value of a name that ``describe`` leaves out; None: such a name does not exist in the state
    omitted_value: str | None = None

    def remarks(self) -> Sequence[Diagnostic]:
        """Further warnings, of interest to who writes the model rather than to who checks it: what is never used."""
        return ()

    @abstractmethod
    def describe(self, state: bytes) -> Mapping[str, str]:
        """The state for a person: names of variables and control points, with values as text.

        The same keys in the same order for states of the same shape, so that two states can be compared. The key of a
        control point ends in ``@``.
        """

    @abstractmethod
    def actor_name(self, actor: int, state: bytes) -> str:
        """The name of an actor in a state in which it exists: ``P:2``."""

    @abstractmethod
    def source_line(self, span: Span) -> str:
        """The text of the line a span starts in; empty where it is not known."""

    def source_files(self) -> Mapping[str, Sequence[str]]:
        """The lines of every file the model was read from."""
        return {}

    @abstractmethod
    def explain_part(self, part: Part) -> str:
        """A statement with the values it sent or received, one line."""

    def printed(self, part: Part) -> str | None:
        """What the statement prints, if it prints."""
        return None

    def facts(self) -> Mapping[str, object]:
        """What the model contains, for ``kripke info``: sizes, components, variables."""
        return {}
