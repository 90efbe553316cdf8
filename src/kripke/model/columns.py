"""States as columns of a table: what a model offers so that millions of states become a file at once.

A batch of states is a matrix of bytes, one state to a row. ``StateColumns`` learns in a first pass which columns there
are (components come and go) and gives in a second one their values, all rows of a batch at a time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

Kind = Literal["bool", "uint8", "int16", "uint16", "int32", "text"]


class States(NamedTuple):
    """So many states: ``rows`` has a line of bytes for each, filled up with 0; ``lengths`` says how many count."""

    rows: Array
    lengths: Array


class Column(NamedTuple):
    """A column of the states table: its name as in ``Model.describe``, and what its values are."""

    name: str
    kind: Kind


class Values(NamedTuple):
    """The values of one column. ``texts``: what the values are numbers of. ``missing``: where there is no value."""

    data: Array
    missing: Array | None = None
    texts: Sequence[str] | None = None


class StateColumns(ABC):
    """Makes columns of states."""

    @abstractmethod
    def learn(self, states: States) -> None:
        """See which columns these states have."""

    @abstractmethod
    def columns(self) -> list[Column]:
        """All columns of the states seen so far, in the order a person would look for them."""

    @abstractmethod
    def values(self, states: States) -> list[Values]:
        """The values of every column of ``columns``, in their order."""
