"""``Ranged``: which values the scalars of a state can have. States are numbered by it (``--store numbers``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from kripke.model.value_ranges import ValueRanges


@runtime_checkable
class Ranged(Protocol):
    def value_ranges(self) -> ValueRanges:
        """Of all its states. A value outside of them makes a state longer, not wrong."""
