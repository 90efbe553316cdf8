"""``Encodable``: the transition relation as terms, for symbolic engines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable


class SymbolicVariable(NamedTuple):
    """A variable of the encoding: its name, and how many values it has, from 0; None: any integer."""

    name: str
    size: int | None


class Encoding(NamedTuple):
    """A transition system as terms over its variables, and over these after a step.

    ``transitions`` are the disjuncts of the transition relation, in the order of ``Model.statements`` where there is
    one for each; ``atoms`` and ``deadlocked`` are about one state.
    """

    variables: Sequence[SymbolicVariable]
    initial: Any
    transitions: Sequence[Any]
    atoms: Sequence[Any]
    deadlocked: Any


@runtime_checkable
class Encodable(Protocol):
    def encode(self) -> Encoding | str:
        """The encoding; a sentence where the model has something that terms cannot say."""

    def encoded_values(self, state: bytes) -> tuple[int, ...]:
        """The values of the variables in a state."""

    def decoded_state(self, values: Sequence[int]) -> bytes:
        """The state in which the variables have these values."""
