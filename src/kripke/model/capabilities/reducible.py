"""``Reducible``: a model that leaves out steps by itself, for partial-order reduction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from kripke.model.model import Model


@runtime_checkable
class Reducible(Protocol):
    def reduced(self, atoms: Sequence[int] = ()) -> Model | str:
        """The same model with enough of its steps for a property that looks at these atoms; a sentence where all are
        needed. Every cycle of its states has a state with all steps, so any search may be used."""


def reduced_model(model: Model, atoms: Sequence[int] = ()) -> Model | str | None:
    """Of any model; None where it does not reduce by itself."""
    known = model.capability(Reducible)
    return None if known is None else known.reduced(atoms)
