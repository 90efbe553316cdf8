"""``Encodable``: the steps of a model as guarded commands in terms, for symbolic engines (``terms/system.py``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from kripke.terms.system import TransitionSystem


@dataclass(frozen=True, slots=True)
class Encoding:
    """A model in terms. ``values`` are those of the variables in a state, in their order (ValueError: the encoding has
    no room for that state); ``state`` is the stable state in which they have these values."""

    system: TransitionSystem
    values: Callable[[bytes], tuple[int, ...]]
    state: Callable[[Sequence[int]], bytes]


@runtime_checkable
class WithIntegers(Protocol):
    """A model whose integers can be taken as those of mathematics."""

    def encode_integers(self) -> Encoding | str:
        """As ``Encodable.encode``; variables of the widest type have no bounds, and sums do not wrap around."""


@runtime_checkable
class Encodable(Protocol):
    def encode(self, room: int = 1) -> Encoding | str:
        """The model in terms; a sentence where it has something that terms cannot say, with its place.

        Where nobody knows how much there will be of something (processes that are created again and again, tokens on a
        place), the more ``room``, the more is encoded; beyond it are the ``limits`` of the system. Who meets one
        may try again with twice as much.
        """
