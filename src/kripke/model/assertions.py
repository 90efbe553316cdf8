"""Assertions about processes: what a model can be asked to show by refinement.

A capability: a model that has ``assertions`` is checked by the refinement engine. Steps carry events, which are
numbers; 0 is the invisible event, 1 successful termination.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

from kripke.model.model import Model
from kripke.model.source import NOWHERE, Span
from kripke.model.trace import Step

TAU = 0
TICK = 1
#: of a network: the atom that is true of invisible steps
INVISIBLE = "invisible"

State = TypeVar("State", bound=Hashable)


class EventSystem(Protocol[State]):
    """A behaviour by its states."""

    def initial(self) -> State: ...

    def steps(self, state: State) -> Iterable[tuple[int, State]]: ...


class ModelledSystem(EventSystem[State], Protocol[State]):
    """One whose states can be shown: ``model`` has it as a model, ``encode`` a state as that model's bytes."""

    @property
    def model(self) -> Model: ...

    def encode(self, state: State) -> bytes: ...


@runtime_checkable
class Named(Protocol):
    """A process that is one of several in its script."""

    @property
    def origin(self) -> Mapping[str, Any]:
        """What a saved trace must remember to be about this process."""
        ...


@dataclass(frozen=True, slots=True)
class SpecificationTable:
    """A specification in normal form. ``after``: what follows each event at a node; ``demands``: the smallest sets of
    events one of which must be offered there (None: refusals do not count); at ``chaotic`` nodes all is allowed."""

    after: Sequence[Mapping[int, int]]
    demands: Sequence[Sequence[frozenset[int]]] | None
    chaotic: frozenset[int] = frozenset()


@runtime_checkable
class Networked(Protocol):
    """A process that may be a network, which can be compiled; what cannot be done is said in a sentence."""

    def initial(self) -> Any: ...

    def steps(self, state: Any) -> Iterable[tuple[int, Any]]: ...

    def smallest(self, table: SpecificationTable) -> SpecificationTable:
        """The same specification with as few nodes as can be, in which symmetry is seen."""
        ...

    def never_invisible(self) -> bool | str:
        """Has the network no invisible steps at all?"""
        ...

    def as_network(self, table: SpecificationTable | None) -> Model | str:
        """A model whose violations are what a specification forbids; without one, the process alone."""
        ...

    def event_of(self, model: Model, step: Step) -> int: ...

    def state_of(self, model: Model, state: bytes) -> Any: ...

    def permitted(self, model: Model, state: bytes) -> tuple[frozenset[int], tuple[frozenset[int], ...]]:
        """What the specification allows and demands in a state of the model."""
        ...


@dataclass(frozen=True, slots=True)
class Assertion:
    """``kind``: trace refinement, failures refinement, failures-divergences refinement, deadlock, divergence,
    determinism, has trace. ``semantics``: T, F, FD, V, VD, R or RD. What it is about is made when it is checked."""

    name: str
    text: str
    kind: str
    semantics: str
    negated: bool
    implementation: Callable[[], ModelledSystem[Any]]
    specification: Callable[[], EventSystem[Any]] | None = None
    trace: Callable[[], list[int]] | None = None
    span: Span = NOWHERE
    #: why it cannot be checked
    refused: str = ""
    #: it says itself what may change places, and is to be checked with that
    symmetric: bool = False
    #: it says that the process of the model itself has no deadlock, which any search of its states can tell
    about_states: bool = False
    #: it stands in no text: it is what is checked where nothing is asserted
    usual: bool = False


@runtime_checkable
class Assertions(Protocol):
    """A model with assertions in its text."""

    assertions: Sequence[Assertion]

    def event_name(self, event: int) -> str: ...

    def as_asked(self) -> Model:
        """The process itself, for formulas about its graph: compiled, where that can be."""
        ...
