"""``Inspectable``: what coverage asks of a model beside its statements: choices, and sorts of messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from kripke.model.coverage import Branch, MessageType


@runtime_checkable
class Inspectable(Protocol):
    def branches(self) -> Sequence[Branch]:
        """Where an actor chooses."""

    def message_types(self) -> Sequence[MessageType]:
        """The sorts of messages, where they have names."""
