"""Replace parts of operations and expressions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from kripke.process.program import Channel, ProcessType, Variable

T = TypeVar("T")


def rewrite(node: T, change: Callable[[object], object]) -> T:
    """The node with ``change`` applied to every part, inner parts first. Declarations are left alone."""
    result: Any = node
    if isinstance(node, tuple):
        result = tuple(rewrite(item, change) for item in node)
    elif is_dataclass(node) and not isinstance(node, (type, Variable, Channel, ProcessType)):
        parts = {f.name: getattr(node, f.name) for f in fields(node)}
        changed = {name: rewrite(part, change) for name, part in parts.items()}
        if any(changed[name] is not part for name, part in parts.items()):
            result = replace(node, **changed)
    else:
        return node
    return change(result)  # type: ignore[return-value]
