"""``Dependencies``: which steps depend on each other, for partial-order reduction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from kripke.model.dependencies import DependencyAnalysis
    from kripke.model.model import Model


@runtime_checkable
class Dependencies(Protocol):
    def dependencies(self, atoms: Sequence[int] = ()) -> DependencyAnalysis | str:
        """The analysis with respect to these atoms, which a property looks at; a sentence where there is none."""


def dependencies_of(model: Model, atoms: Sequence[int] = ()) -> DependencyAnalysis | str:
    """The analysis of any model; a sentence where it has none."""
    known = model.capability(Dependencies)
    if known is None:
        return "this kind of model does not say which of its steps depend on each other"
    return known.dependencies(atoms)
