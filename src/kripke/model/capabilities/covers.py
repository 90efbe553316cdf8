"""``Covers``: one state stands for all that another does. Zones of clocks and coverability of nets are about this."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class Covers(Protocol):
    """A preorder on states that the steps respect: what a covered state can do, the one that covers it can do too."""

    def shape(self, state: bytes) -> bytes:
        """What two states must have in common for one to cover the other: they are looked for only among these."""

    def covers(self, state: bytes, other_state: bytes) -> bool:
        """Does the first state cover the other, of the same shape?"""
