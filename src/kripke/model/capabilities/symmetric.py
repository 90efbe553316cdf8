"""``Symmetric``: which parts of states may change places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from kripke.model.model import Model
    from kripke.model.permutation_symmetry import PermutationSymmetry
    from kripke.model.symmetry import Symmetry
    from kripke.model.value_symmetry import ValueSymmetry


@runtime_checkable
class Symmetric(Protocol):
    def symmetry(self, atoms: Sequence[int] = ()) -> Symmetry | ValueSymmetry | PermutationSymmetry | str:
        """What may change places without changing these atoms; a sentence where nothing may."""


def symmetry_of(model: Model, atoms: Sequence[int] = ()) -> Symmetry | ValueSymmetry | PermutationSymmetry | str:
    """The symmetry of any model; a sentence where it has none."""
    known = model.capability(Symmetric)
    return "this model does not know which of its parts are alike" if known is None else known.symmetry(atoms)
