"""Replace parts of operations and expressions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from kripke.process.program import Channel, ProcessType, Variable

T = TypeVar("T")

_parts: dict[type, tuple[str, ...] | None] = {
    Variable: None, Channel: None, ProcessType: None, int: None, str: None, bool: None,
}  # fmt: skip


def parts_of(class_: type) -> tuple[str, ...] | None:
    """The names of the fields of a class of nodes; None for what has no parts: values, declarations."""
    if class_ not in _parts:
        _parts[class_] = tuple(f.name for f in fields(class_)) if is_dataclass(class_) else None
    return _parts[class_]


def mentions(node: object, variables: set[Variable]) -> bool:
    """Does one of the variables occur in a node?"""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tuple):
            waiting.extend(node)
            continue
        for name in parts_of(type(node)) or ():
            part = getattr(node, name)
            if type(part) is Variable:
                if part in variables:
                    return True
            elif part is not None:
                waiting.append(part)
    return False


def rewrite(node: T, change: Callable[[object], object]) -> T:
    """The node with ``change`` applied to every part, inner parts first. Declarations are left alone."""
    result: Any = node
    if isinstance(node, tuple):
        result = tuple([rewrite(item, change) for item in node])
        if all(new is old for new, old in zip(result, node, strict=True)):
            result = node
        return change(result)  # type: ignore[return-value]
    names = parts_of(type(node))
    if names is None:
        return node
    changed: dict[str, Any] = {}
    for name in names:
        part = getattr(node, name)
        new = rewrite(part, change)
        if new is not part:
            changed[name] = new
    if changed:
        result = replace(node, **changed)  # type: ignore[type-var]
    return change(result)  # type: ignore[return-value]
