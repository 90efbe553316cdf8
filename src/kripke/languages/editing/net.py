"""A place/transition net in an editor: nodes by their identifiers in the file, each with what it is joined with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from kripke.languages.editing.document import Document, Symbol
from kripke.languages.editing.read_document import ReadDocument
from kripke.languages.editing.words import Word

_LISTED = 12  # neighbours of a node


@dataclass(slots=True)
class Joined:
    """What stands before and after a node, in words."""

    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)

    def text(self, head: str) -> str:
        lines = [head]
        if self.before:
            lines.append(f"from  {_listed(self.before)}")
        if self.after:
            lines.append(f"to    {_listed(self.after)}")
        return "\n".join(lines)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


def arc_text(name: str, weight: str) -> str:
    """A neighbour and what the arc to it carries."""
    return name if weight in ("", "1") else f"{name} ({weight})"


class NetDocument(ReadDocument[dict[tuple[str, str], Symbol]]):
    """Its symbols by what kind of thing each is, and its identifier."""

    icons: ClassVar[Mapping[str, str]] = {
        "place": "Variable",
        "transition": "Event",
        "sort": "Enum",
        "constant": "EnumMember",
    }

    def __init__(self, text: str, path: str, before: Document | None = None) -> None:
        super().__init__(text, path, before, {})

    def mentions(self, symbol: Symbol) -> Iterator[Word]:
        """A node has an identifier and a name."""
        return (word for word in self.words.all if word.kind == "name")

    def is_name(self, text: str) -> bool:
        return re.fullmatch(r"""[^\s"'<>=/&]+""", text) is not None

    def outline(self) -> list[Symbol]:
        return list(self._symbols.values())
