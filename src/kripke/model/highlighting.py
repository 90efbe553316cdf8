"""How the text of a model is coloured where it is shown."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Highlighting:
    """Words with a meaning, names of types, how comments look, what strings stand between."""

    keywords: Collection[str] = ()
    types: Collection[str] = ()
    #: what begins a comment to the end of the line
    line_comments: tuple[str, ...] = ("//",)
    #: what begins and ends another
    block_comment: tuple[str, str] | None = ("/*", "*/")
    #: do such comments stand inside one another?
    nested: bool = False
    quotes: str = '"'
    #: how names and keywords look: a regular expression
    word: str = r"[A-Za-z_]\w*"
    #: what begins a directive at the start of a line
    directives: str = ""
    #: is it XML? Keywords are names of elements then, types those of attributes.
    markup: bool = False

    def to_json(self) -> dict[str, Any]:
        return {
            "keywords": sorted(set(self.keywords) - set(self.types)),
            "types": sorted(self.types),
            "line": list(self.line_comments),
            "block": None if self.block_comment is None else list(self.block_comment),
            "nested": self.nested,
            "quotes": list(self.quotes),
        }
