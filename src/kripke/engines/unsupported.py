"""``Unsupported``: the way every refusal reaches the user."""

from __future__ import annotations


class Unsupported(Exception):
    """A request that makes no sense or that this version cannot serve; the message says which and what to do."""
