"""Changes of a text that an editor offers, and what they make of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kripke.languages.editing.document import Range


class Edit(NamedTuple):
    """What stands in the range becomes the text."""

    range: Range
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A mistake at a place, and edits that mend it. ``sure``: it is what was meant, as far as anyone can tell."""

    title: str
    range: Range
    edits: tuple[Edit, ...]
    sure: bool = True


def edited(text: str, edits: Sequence[Edit]) -> str:
    """The text with all edits made. They do not overlap."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    parts: list[str] = []
    at = 0
    for edit in sorted(edits):
        start = starts[edit.range.line] + edit.range.character
        parts += [text[at:start], edit.text]
        at = starts[edit.range.end_line] + edit.range.end_character
    parts.append(text[at:])
    return "".join(parts)
