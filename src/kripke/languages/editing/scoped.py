"""A text whose names are declared somewhere around their use: the way to look one up that languages share."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from kripke.languages.editing.document import Document, Symbol, word_at
from kripke.languages.editing.read_document import ReadDocument

_WORD = re.compile(r"[A-Za-z_]\w*")


class ScopedDocument(ReadDocument[list[Symbol]]):
    """Its symbols as they stand in the text, and in what it includes."""

    #: kinds of things whose parts are known everywhere, such as the constants of an enumeration
    open_kinds: ClassVar[tuple[str, ...]] = ()

    def __init__(self, text: str, path: str, before: Document | None = None) -> None:
        super().__init__(text, path, before, [])

    def outline(self) -> list[Symbol]:
        return [symbol for symbol in self._symbols if symbol.file == self.path]

    def symbol_at(self, line: int, character: int) -> Symbol | None:
        """What the word at a place means: the innermost thing of that name around it, else a global one."""
        word = word_at(self.lines[line], character, _WORD) if 0 <= line < len(self.lines) else None
        if word is None:
            return None
        return self._inside(self._symbols, word, line, character) or self._global(word)

    def _inside(
        self, symbols: list[Symbol] | tuple[Symbol, ...], word: str, line: int, character: int
    ) -> Symbol | None:
        for symbol in symbols:
            if symbol.file != self.path or not symbol.range.holds(line, character):
                continue
            deeper = self._inside(symbol.children, word, line, character)
            if deeper is not None:
                return deeper
            found = [child for child in symbol.children if child.name == word]
            if found:
                before = [child for child in found if (child.range.line, child.range.character) <= (line, character)]
                return (before or found)[-1 if before else 0]
        return None

    def _global(self, word: str) -> Symbol | None:
        return next((symbol for symbol in self._everything() if symbol.name == word), None)

    def _everything(self) -> Iterator[Symbol]:
        """Global names first, then those of open kinds, then names inside others, for remote references."""
        yield from self._symbols
        for symbol in self._symbols:
            if symbol.kind in self.open_kinds:
                yield from symbol.children
        for symbol in self._symbols:
            yield from _below(symbol)


def _below(symbol: Symbol) -> Iterator[Symbol]:
    for child in symbol.children:
        yield child
        yield from _below(child)
