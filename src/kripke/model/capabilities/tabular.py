"""``Tabular``: many states decoded at once, as columns of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from kripke.model.columns import StateColumns
    from kripke.model.model import Model


@runtime_checkable
class Tabular(Protocol):
    def state_columns(self) -> StateColumns:
        """Where a model has no way of its own, ``described_columns.py`` asks for the words of every state."""


def columns_of(model: Model) -> StateColumns:
    """The columns of any model."""
    from kripke.model.described_columns import DescribedColumns

    known = model.capability(Tabular)
    return DescribedColumns(model) if known is None else known.state_columns()
