"""What a step wrote, as text."""

from __future__ import annotations

import reprlib
from collections import deque
from types import CellType
from typing import TYPE_CHECKING, Any

from kripke.testing.operation import ACCESS, Operation

if TYPE_CHECKING:
    from kripke.testing.run import Run


def value_written(run: Run, operation: Operation) -> str:
    """The value at the place that the operation wrote; nothing where it cannot be shown."""
    if not operation.writes or operation.kind != ACCESS:
        return ""
    identity, key = operation.writes[0]
    target = run.target(identity)
    if target is None:
        return ""
    alone, run.alone = run.alone, True  # what is done to show a value is no step
    try:
        if isinstance(key, str) and key in getattr(target, "__dict__", ()):
            return _short(target.__dict__[key])
        if isinstance(key, tuple) and type(target) is dict and key[1] in target:
            return _short(target[key[1]])
        if isinstance(target, CellType):
            return _short(target.cell_contents)
        if type(target) in (list, set, deque, dict):
            return _short(target)
    except Exception:  # a value that cannot be shown is not shown
        return ""
    finally:
        run.alone = alone
    return ""


def _short(value: Any) -> str:
    """Only values of built-in types: showing others would run code of the program."""
    plain = (int, float, str, bytes, bool, type(None), list, tuple, dict, set, frozenset, deque)
    text = _SHORT.repr(value) if type(value) in plain else type(value).__name__
    return text


_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 40
