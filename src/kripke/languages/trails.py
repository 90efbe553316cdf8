"""Trails: runs in files of another tool that reads the same language, written and followed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from kripke.languages.request import LoadRequest
    from kripke.model.model import Model
    from kripke.model.trace import Step, Trace


class Unwritable(Exception):
    """What the other tool cannot be told, and why."""


@dataclass(frozen=True, slots=True)
class Followed:
    """How far a trail could be followed; ``deviation`` says in words where it could not."""

    trace: Trace
    deviation: str | None = None
    enabled: tuple[Step, ...] = ()


class Trail(Protocol):
    """A trail that was read from a file."""

    def fitting(self, request: LoadRequest) -> LoadRequest:
        """How the model must be loaded for its steps to be those of the trail."""

    def followed(self, model: Model) -> Followed: ...


class Trails(Protocol):
    """What a language knows of them."""

    def refuse(self, request: LoadRequest) -> None:
        """ModelError, where no run of this model could be written."""

    def written(self, trace: Trace, request: LoadRequest) -> str:
        """The run of a check; ``Unwritable`` says what is in the way."""

    def read(self, file: str) -> Trail:
        """TraceFileError where the file is no trail."""
