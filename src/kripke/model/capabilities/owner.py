"""``Owner``: which part of a state decides who keeps it, for a search on several machines."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class Owner(Protocol):
    def owner_key(self, state: bytes) -> bytes:
        """States with the same key have the same owner. A key that few steps change keeps successors at home."""
