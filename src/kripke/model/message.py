"""A message between actors: what a statement sends or receives, for people."""

from __future__ import annotations

from typing import Literal, NamedTuple


class Message(NamedTuple):
    """``medium`` is what it goes through, a channel say; ``content`` are the values as text. ``keeps``: the message is
    looked at and stays where it is."""

    direction: Literal["send", "receive"]
    medium: str
    content: str
    keeps: bool = False
