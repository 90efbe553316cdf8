"""What a document can be asked, whatever its language: places in it count lines and characters from 0."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from kripke.model.source import ModelError, Span

if TYPE_CHECKING:
    from kripke.languages.editing.edits import Fix
    from kripke.languages.editing.words import Word, Words

Severity = Literal["error", "warning", "hint"]
#: what a click on a symbol starts: a check of what bears its name, of safety, which it is a part of, or a run
Lens = Literal["check", "check safety", "simulate"]


class Range(NamedTuple):
    """From a character to just after another; lines and characters count from 0."""

    line: int
    character: int
    end_line: int
    end_character: int

    def holds(self, line: int, character: int) -> bool:
        return (self.line, self.character) <= (line, character) <= (self.end_line, self.end_character)


@dataclass(frozen=True, slots=True)
class Problem:
    range: Range
    message: str
    severity: Severity


@dataclass(frozen=True, slots=True)
class Symbol:
    """Something with a name: ``range`` is all of it, ``name_range`` its name, ``file`` where it stands.

    ``kind`` is what people call it ("process", "variable", ...), ``text`` its declaration, or what it is joined with.
    ``scope``: where its name is known; None: in all of what it is a part of. ``type``: the name of its type.
    ``parameters``: what is passed to it, each as it is written; None: it is not called.
    """

    name: str
    kind: str
    file: str
    range: Range
    name_range: Range
    text: str
    children: tuple[Symbol, ...] = field(default=())
    scope: Range | None = None
    type: str = ""
    parameters: tuple[str, ...] | None = None


class Document(Protocol):
    """A text, read as well as it can be."""

    path: str

    @property
    def language(self) -> str: ...
    @property
    def icons(self) -> Mapping[str, str]:
        """For kinds of symbols, what an editor shows beside them: names of ``SymbolKind`` of the protocol."""

    @property
    def lenses(self) -> Mapping[str, Lens]:
        """For kinds of symbols, what can be started at them."""

    @property
    def snippets(self) -> Mapping[str, str]:
        """Whole statements by their first word, with ``$1``, ``$2`` where something is to be filled in."""

    @property
    def meaning(self) -> object:
        """What the text means, in the form of its family; None where that is not known."""

    @property
    def words(self) -> Words: ...

    def problems(self) -> list[Problem]: ...
    def outline(self) -> list[Symbol]: ...
    def name_at(self, line: int, character: int) -> Word | None: ...
    def symbol_at(self, line: int, character: int) -> Symbol | None: ...

    def known_at(self, line: int, character: int) -> list[Symbol]:
        """What can be named at a place."""

    def words_at(self, line: int, character: int) -> list[str]:
        """Keywords that can stand at a place."""

    def mentions(self, symbol: Symbol) -> Iterator[Word]:
        """The words that may mean a symbol."""

    def is_name(self, text: str) -> bool:
        """Can something in the text be called like this?"""

    def fixed(self, symbol: Symbol) -> str | None:
        """Why the name of a symbol cannot be changed; None where it can."""

    def fixes(self) -> list[Fix]: ...

    def formatted(self, indent: str) -> str | None:
        """The text in good form; None where there is none."""


def range_of(span: Span | None, file: str) -> Range:
    """The range of a span; of one in another file, the first line."""
    if span is None or span.file != file or not span.line:
        return Range(0, 0, 0, 1)
    return Range(span.line - 1, span.column - 1, span.end_line - 1, max(span.end_column - 1, 0))


def problem_of(error: ModelError, file: str) -> Problem:
    """An error of a model, in words: place where it is in another file, message, hint."""
    elsewhere = f"{error.span}: " if error.span is not None and error.span.line and error.span.file != file else ""
    hint = f"\n{error.hint}" if error.hint else ""
    return Problem(range_of(error.span, file), f"{elsewhere}{error.message}{hint}", "error")


TOO_DEEP = Problem(Range(0, 0, 0, 1), "this is nested too deeply to be read", "error")


class Texts:
    """The lines of the files a document consists of, and where names stand in them."""

    def __init__(self, lines: Mapping[str, Sequence[str]]) -> None:
        self._lines = lines

    def __contains__(self, file: str) -> bool:
        return file in self._lines

    def line(self, file: str, number: int) -> str:
        """A line, counted from 0; nothing where there is none."""
        lines = self._lines.get(file, ())
        return lines[number] if 0 <= number < len(lines) else ""

    def name_range(self, name: str, span: Span) -> Range:
        """Where the name stands in the text of the span."""
        whole = range_of(span, span.file)
        for number in range(whole.line, whole.end_line + 1):
            start = _find_word(name, self.line(span.file, number), whole.character if number == whole.line else 0)
            if start >= 0:
                return Range(number, start, number, start + len(name))
        return Range(whole.line, whole.character, whole.line, whole.character)


def _find_word(name: str, line: str, start: int) -> int:
    """Where a word stands in a line; -1 where it does not. (A regular expression for every name takes longer.)"""
    at = line.find(name, start)
    while at >= 0:
        end = at + len(name)
        if not (at and _is_part(line[at - 1])) and not (end < len(line) and _is_part(line[end])):
            return at
        at = line.find(name, at + 1)
    return -1


def _is_part(character: str) -> bool:
    return character.isalnum() or character == "_"
