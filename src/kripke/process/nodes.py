"""Walking through operations and expressions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from kripke.process.expressions import IntType
from kripke.process.program import Channel, ProcessType, Variable


def nodes_of(node: object) -> Iterator[object]:
    """An operation or expression and everything inside it; declarations are not entered."""
    if isinstance(node, tuple):
        for item in node:
            yield from nodes_of(item)
    elif is_dataclass(node) and not isinstance(node, (Variable, Channel, ProcessType, IntType, type)):
        yield node
        for part in fields(node):
            yield from nodes_of(getattr(node, part.name))
