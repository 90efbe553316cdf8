"""What can be started from within a text: checks of its properties, runs of its processes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kripke.languages.editing.document import Document, Range

CHECK = "kripke.check"
SIMULATE = "kripke.simulate"


class Started(NamedTuple):
    """``property``: what to check alone; None: everything."""

    range: Range
    title: str
    command: str
    property: str | None = None


def lenses(document: Document) -> Iterator[Started]:
    """First those of the whole text, in its first line."""
    if not document.outline():
        return
    top = Range(0, 0, 0, 0)
    yield Started(top, "check all", CHECK)
    yield Started(top, "simulate", SIMULATE)
    for symbol in document.outline():
        match document.lenses.get(symbol.kind):
            case "check":
                yield Started(symbol.name_range, f"check {_short(symbol.name)}", CHECK, symbol.name)
            case "check safety":
                yield Started(symbol.name_range, "check safety", CHECK, "safety")
            case "simulate":
                yield Started(symbol.name_range, "simulate", SIMULATE)
            case _:
                pass


def _short(name: str) -> str:
    return name if len(name) <= 40 else name[:37] + "..."
