"""A place/transition net in an editor: nodes by their identifiers in the file, each with what it is joined with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from kripke.editor.document import TOO_DEEP, Document, Problem, Symbol, problem_of
from kripke.model.source import ModelError

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


class NetDocument(ABC):
    """Where the text cannot be read at the moment, its last good form, that of ``before``, answers."""

    language: ClassVar[str]

    def __init__(self, text: str, path: str, before: Document | None = None) -> None:
        self.path = path
        self.lines = text.split("\n")
        self._problems: list[Problem] = []
        #: by what kind of thing it is and its identifier
        self._symbols: dict[tuple[str, str], Symbol] = before._symbols if isinstance(before, type(self)) else {}
        try:
            self._problems.extend(self._read(text))
        except ModelError as error:
            self._problems.append(problem_of(error, path))
        except RecursionError:
            self._problems.append(TOO_DEEP)

    @abstractmethod
    def _read(self, text: str) -> Iterator[Problem]:
        """Sets ``_symbols`` as soon as they are known; ModelError where the text cannot be read."""

    @abstractmethod
    def symbol_at(self, line: int, character: int) -> Symbol | None: ...

    def problems(self) -> list[Problem]:
        return self._problems

    def outline(self) -> list[Symbol]:
        return list(self._symbols.values())
