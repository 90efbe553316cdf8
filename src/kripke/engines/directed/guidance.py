"""How a directed search chooses the next state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kripke.model.capabilities.estimate import Estimator

Ties = Literal["lifo", "fifo"]
TIES: tuple[Ties, ...] = ("lifo", "fifo")

#: Of the weight, so that it may have three digits behind the point.
SCALE = 1000


@dataclass(frozen=True, slots=True)
class Guidance:
    """The open state with the least ``behind`` * (steps to it) + ``ahead`` * (steps from it, estimated) comes next; of
    several the one that was met last (``newest``) or first.

    ``estimators``: of a model one; of a product as many as are needed, ``of_observer`` has the number of the one for
    each state of the observer (-1: none). None at all: how many can move is the estimate where ``active``, else 0.
    """

    behind: int = 1
    ahead: int = 1
    newest: bool = True
    active: bool = False
    estimators: tuple[Estimator, ...] = ()
    of_observer: tuple[int, ...] = ()
    components: tuple[int, ...] = ()
    kinds: tuple[int, ...] = ()

    @property
    def is_blind(self) -> bool:
        """Does no estimate say whether a state may be a goal?"""
        return not self.estimators and not self.active
