"""``Messages``: what steps send and receive."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from kripke.model.message import Message
    from kripke.model.model import Model, Part


@runtime_checkable
class Messages(Protocol):
    def message(self, part: Part, state: bytes) -> Message | None:
        """What the statement, executed in a step from the state, sends or receives; None where it does neither."""


@runtime_checkable
class Meetings(Protocol):
    def meeting(self, parts: Sequence[Part]) -> tuple[str, str] | None:
        """What several processes do together in one step, as the channel and what it carries; None: nothing."""


def messages_of(model: Model) -> Callable[[Part, bytes], Message | None]:
    """``message`` of a model; of one that has no messages, nothing sends or receives."""
    known = model.capability(Messages)
    return (lambda part, state: None) if known is None else known.message
