"""Walking through operations and expressions."""

from __future__ import annotations

from collections.abc import Iterator

from kripke.process.expressions import IntType
from kripke.process.rewrite import parts_of


def nodes_of(node: object) -> Iterator[object]:
    """An operation or expression and everything inside it, outer parts first; declarations are not entered."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if isinstance(current, tuple):
            waiting.extend(reversed(current))
            continue
        names = parts_of(type(current))
        if names is not None and not isinstance(current, IntType):
            yield current
            waiting.extend([getattr(current, name) for name in reversed(names)])
