"""Which steps of a model depend on each other: what partial-order reduction asks of a model.

A model that can say this numbers its *transitions*: things that may happen, each of which has at most one way to be
enabled at a time and may have several outcomes (a guarded statement, a transition of a net). Numbers and
tables belong to a *configuration*, a part of the state that seldom changes (which components exist, and what decides
where their accesses go). A set of transitions is an integer with bit i for transition i.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass

from kripke.model.model import Transition
from kripke.model.views import PairsOfViews


@dataclass(frozen=True, slots=True)
class DependencyTables:
    """The tables of one configuration.

    ``conflicts[t]``: every transition u such that, in some state where both are enabled, one disables the other or
    the order of the two matters. ``enabling[t][c]``: where condition c of t is false, t cannot become enabled before
    one of these has happened. ``neighbours[t]``: t and the others at its location, if there are locations. ``visible``:
    what may change the truth of an atom that a property asks for.

    Where there are views: ``first`` has the first transition of every actor, whose others follow it; ``unseen`` those
    that are no moves of views.
    """

    conflicts: tuple[int, ...]
    enabling: tuple[tuple[int, ...], ...]
    neighbours: tuple[int, ...]
    visible: int = 0
    first: tuple[int, ...] = ()
    unseen: int = 0


class DependencyAnalysis(ABC):
    """The dependencies of one model with respect to the atoms of a property."""

    #: nothing is asked but deadlocks, and nothing else can go wrong: steps may be put off for ever around a cycle
    deadlocks_only: bool = False
    #: transitions belong to locations: few are at hand, and many states are alike in what is
    has_locations: bool = False

    @abstractmethod
    def configuration(self, state: bytes) -> Hashable:
        """Equal for states with the same tables."""

    @abstractmethod
    def tables(self, state: bytes) -> DependencyTables:
        """The tables of a state's configuration."""

    def selector(self, state: bytes, transition: int) -> int:
        """A number for what a state tells beyond its configuration about the transitions at the location of this one,
        which is at hand; 0: nothing."""
        return 0

    def at_hand(self, state: bytes, transition: int) -> list[tuple[int, tuple[int, ...]]]:
        """Where there is a selector: ``conflicts`` and ``enabling`` of the transitions at the same location, in order.

        They count while these are at hand; elsewhere, and in the sets of others, a transition is what the tables say.
        """
        raise NotImplementedError

    def pairs(self) -> PairsOfViews | None:
        """Which views go together; None where that is not known. To be asked for when there are tables."""
        return None

    @abstractmethod
    def steps(self, state: bytes) -> list[tuple[int, list[Transition]]]:
        """The enabled transitions in the order of ``Model.successors``, each with its outcomes.

        One may come several times, each time with some of its outcomes. Empty where the steps of a state cannot be told
        apart; such a state is expanded with all of them.
        """

    def seeds(self, enabled: list[int]) -> list[int]:
        """The order in which sets around enabled transitions are looked for."""
        return enabled

    @abstractmethod
    def lacking(self, state: bytes, transition: int) -> int:
        """The conditions of a transition that are false in a state: bit c for condition c."""
