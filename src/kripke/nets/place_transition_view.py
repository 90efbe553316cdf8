"""A model seen as a place/transition net: what engines for nets ask of it, as data.

A place/transition net is seen as it was read (``OwnView``). A high-level net is seen unfolded
(``high_level/unfolded_view.py``); what an engine finds in the view is a run of the model again, step by step.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, runtime_checkable

from kripke.model.capabilities.families import of_family
from kripke.model.model import Model, Transition
from kripke.nets.place_transition import PlaceTransitionNet
from kripke.nets.predicates import FALSE, TRUE, Predicate

if TYPE_CHECKING:
    from kripke.nets.model import NetModel

#: How a view says that a place holds so many tokens at most: by markings that are errors, or by places for what is
#: left, beside those that are errors in the other direction. The second keeps a net bounded.
Capacities = Literal["as predicates", "as places"]


class NotExpressible(Exception):
    """What a place/transition net cannot say."""


@of_family
@runtime_checkable
class HasPlaceTransitionView(Protocol):
    """The capability: the model's states are the markings of a place/transition net, its steps the firings."""

    def place_transition_view(self, pause: Callable[[], None], capacities: Capacities) -> PlaceTransitionView:
        """``pause`` is called now and then and may raise. NotExpressible where the net would not tell."""


@dataclass(frozen=True, slots=True)
class ErrorPredicate:
    """Something that no run may do. ``where`` it happens depends on the sort (``ErrorPredicates``)."""

    where: Predicate
    kind: str
    text: str
    statement: int = -1
    """Whose step it is; -1 where any may be."""


class ErrorPredicates(NamedTuple):
    """``forbidden``: markings that no step may lead to. ``ends``: markings that are an error and have no steps.
    ``failing``: markings in which one of the steps is an error; the others are as they are."""

    forbidden: tuple[ErrorPredicate, ...] = ()
    ends: tuple[ErrorPredicate, ...] = ()
    failing: tuple[ErrorPredicate, ...] = ()

    def __bool__(self) -> bool:
        return any(len(part) > 0 for part in self)


class PlaceTransitionView(ABC):
    """``model`` is what people see: traces and findings are of it. ``net`` is what is searched, ``seconds`` how long it
    took to make."""

    model: Model
    net: PlaceTransitionNet
    seconds: float = 0.0
    errors: ErrorPredicates = ErrorPredicates()

    @abstractmethod
    def predicate(self, atom: str) -> Predicate:
        """Where an atom of the model is true; NotExpressible where it cannot be asked of the net."""

    def fails(self, atom: str) -> Predicate:
        """Where it cannot be evaluated."""
        return FALSE

    @property
    def stuck(self) -> Predicate:
        """Where it is an error that no step is possible."""
        return TRUE

    @abstractmethod
    def step(self, state: bytes, transition: int) -> Transition | None:
        """The step of the model that a transition of the net is, or one that is an error instead."""


class OwnView(PlaceTransitionView):
    def __init__(self, model: NetModel) -> None:
        self.model = model
        self.net = model.net
        self._interpreter = model.interpreter
        self._predicates = model.predicates

    def predicate(self, atom: str) -> Predicate:
        return self._predicates[atom]

    def step(self, state: bytes, transition: int) -> Transition | None:
        return self._interpreter.step(state, transition)
