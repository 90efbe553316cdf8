"""What a saved trace looks like: the type of everything in the file. An edited file is refused where it is wrong.

A shape is a type, a tuple of shapes of which one must fit, a list with the shape of its members, or a dictionary with
the shapes of its members; a name that ends in ``?`` may be missing, and ``*`` stands for all other names.
"""

from __future__ import annotations

from typing import Any

NOTHING = type(None)
_TEXTS = [str]
_PART = {"actor": str, "text": str, "source": str, "file": str, "line": int, "*": object}
_STEP = {
    "statements": [_PART],
    "changes": {"*": [(str, NOTHING)]},
    "violations": _TEXTS,
    "state": (str, NOTHING),
    "*": object,
}
_MODEL = {
    "file": str,
    "language": str,
    "sha256?": (str, NOTHING),
    "defines?": {"*": str},
    "undefines?": _TEXTS,
    "include_paths?": _TEXTS,
    "invariants?": _TEXTS,
    "formulas?": _TEXTS,
    "claims?": _TEXTS,
    "conditions?": _TEXTS,
    "values?": (int, NOTHING),
    "events?": bool,
    "merge?": bool,
    "dead_variables?": str,
    "allow_c?": bool,
    "input?": (str, NOTHING),
    "plan?": {"*": object},
    "property?": (str, NOTHING),
    "sets?": (int, NOTHING),
    "fair?": (str, NOTHING),
    "level?": (int, NOTHING),
    "*": object,
}
TRACE = {
    "format": str,
    "version": int,
    "model": _MODEL,
    "initial": str,
    "loop_start": (int, NOTHING),
    "unclear?": bool,
    "steps": [_STEP],
    "*": object,
}


def misfit(value: Any, shape: Any, place: str = "") -> str | None:
    """Where a value does not have its shape, in words; None where it has."""
    match shape:
        case type():
            fits = isinstance(value, shape) and not (shape is int and isinstance(value, bool))
            return None if fits else f"{place or 'the file'} is {_said(value)}"
        case tuple():
            found = [misfit(value, one, place) for one in shape]
            return None if None in found else found[0]
        case list():
            if not isinstance(value, list):
                return f"{place} is {_said(value)}"
            members = (misfit(one, shape[0], f"{place}[{number}]") for number, one in enumerate(value))
            return next((found for found in members if found is not None), None)
        case _:
            return _misfit_in(value, shape, place)


def _misfit_in(value: Any, shape: dict[str, Any], place: str) -> str | None:
    if not isinstance(value, dict):
        return f"{place or 'the file'} is {_said(value)}"
    before = f"{place}." if place else ""
    for name, expected in shape.items():
        known = name.removesuffix("?")
        if name == "*" or (known not in value and known != name):
            continue
        if known not in value:
            return f"{before}{known} is missing in it"
        found = misfit(value[known], expected, f"{before}{known}")
        if found is not None:
            return found
    others = [name for name in value if name not in shape and f"{name}?" not in shape]
    expected = shape.get("*", object)
    return next((found for name in others if (found := misfit(value[name], expected, f"{before}{name}"))), None)


def _said(value: Any) -> str:
    match value:
        case None:
            return "nothing"
        case bool():
            return "a truth value"
        case int() | float():
            return f"the number {value}"
        case str():
            return f"the text {value[:20]!r}"
        case list():
            return "a list"
        case _:
            return "an object"
