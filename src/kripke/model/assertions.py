"""Assertions about processes: what a model can be asked to show by refinement.

A capability: a model that has ``assertions`` is checked by the refinement engine. Steps carry events, which are
numbers; 0 is the invisible event, 1 successful termination.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

from kripke.model.model import Model
from kripke.model.source import NOWHERE, Span

TAU = 0
TICK = 1

State = TypeVar("State", bound=Hashable)


class EventSystem(Protocol[State]):
    """A process by its states."""

    def initial(self) -> State: ...

    def steps(self, state: State) -> Iterable[tuple[int, State]]: ...


class Process(EventSystem[State], Protocol[State]):
    """A process whose states can be shown: ``model`` has it as a model, ``encode`` a state as that model's bytes."""

    @property
    def model(self) -> Model: ...

    def encode(self, state: State) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Assertion:
    """``kind``: trace refinement, failures refinement, failures-divergences refinement, deadlock, divergence,
    determinism, has trace. ``semantics``: T, F or FD. What it is about is made when it is checked."""

    name: str
    text: str
    kind: str
    semantics: str
    negated: bool
    implementation: Callable[[], Process[Any]]
    specification: Callable[[], EventSystem[Any]] | None = None
    trace: Callable[[], list[int]] | None = None
    span: Span = NOWHERE
    #: why it cannot be checked
    refused: str = ""


@runtime_checkable
class Assertions(Protocol):
    """A model with assertions in its text."""

    assertions: Sequence[Assertion]

    def event_name(self, event: int) -> str: ...
