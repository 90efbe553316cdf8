"""``Explains``: why something is wrong in a state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from kripke.model.explanation import Explanation, FalseAtom, Stuck
    from kripke.model.model import Model, Violation


@runtime_checkable
class Explains(Protocol):
    def explain(self, state: bytes, cause: Violation | FalseAtom | Stuck) -> Explanation | None:
        """Why a step from the state has the violation, an atom is false in it, or nothing can move."""


def explanation_of(model: Model, state: bytes, cause: Violation | FalseAtom | Stuck) -> Explanation | None:
    """What a model that can explain says."""
    known = model.capability(Explains)
    return None if known is None else known.explain(state, cause)
