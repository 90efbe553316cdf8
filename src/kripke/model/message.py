"""A message between actors: what a statement sends or receives, for people."""

from __future__ import annotations

from typing import Literal, NamedTuple


class Message(NamedTuple):
    """``content`` are the values as text. ``keeps``: the message is looked at and stays where it is."""

    direction: Literal["send", "receive"]
    channel: str
    content: str
    keeps: bool = False
