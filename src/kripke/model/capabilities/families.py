"""Capabilities of one family alone, such as nets: its package declares them, and nobody here need know it."""

from __future__ import annotations

from typing import TypeVar

#: About the very steps and states of a model, as ``OF_BEHAVIOUR`` (catalogue.py); those that were imported so far.
OF_FAMILIES: set[type] = set()

Kind = TypeVar("Kind", bound=type)


def of_family(kind: Kind) -> Kind:
    """Before the protocol: a wrapper loses this capability unless it says that it keeps it."""
    OF_FAMILIES.add(kind)
    return kind
