"""``Pictured``: where a state is in a picture of the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from kripke.model.model import Model


@runtime_checkable
class Pictured(Protocol):
    def marks(self, state: bytes) -> Mapping[str, str]:
        """By the key of a node of the picture, what stands there in a state."""


def marks_of(model: Model, state: bytes) -> Mapping[str, str]:
    """The marks of a model that has a picture; else none."""
    known = model.capability(Pictured)
    return {} if known is None else known.marks(state)
