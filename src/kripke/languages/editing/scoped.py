"""A text whose names are declared somewhere around their use: the way to look one up that languages share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple

from kripke.languages.editing.document import Document, Range, Symbol
from kripke.languages.editing.read_document import ReadDocument
from kripke.languages.editing.words import Word


class Declared(NamedTuple):
    """A symbol, where its name is known (None: everywhere), and what it is a part of.

    ``rank`` orders what is known everywhere: global names, parts of open kinds, then all others, for remote references.
    """

    symbol: Symbol
    scope: Range | None
    owner: Symbol | None
    rank: int


class ScopedDocument(ReadDocument[list[Symbol]]):
    """Its symbols as they stand in the text, and in what it includes."""

    #: kinds of things whose parts are known everywhere, such as the constants of an enumeration
    open_kinds: ClassVar[tuple[str, ...]] = ()

    def __init__(self, text: str, path: str, before: Document | None = None) -> None:
        self._index: dict[str, list[Declared]] | None = None
        super().__init__(text, path, before, [])

    def outline(self) -> list[Symbol]:
        return [symbol for symbol in self._symbols if symbol.file == self.path]

    def symbol_at(self, line: int, character: int) -> Symbol | None:
        """What the name at a place means: the innermost thing of that name around it, else a global one."""
        word = self.name_at(line, character)
        return None if word is None else self.meant(word)

    def meant(self, word: Word) -> Symbol | None:
        for one in self.declared().get(word.text, ()):
            if one.symbol.name_range[:2] == (word.line, word.character) and one.symbol.file == self.path:
                return one.symbol
        return nearest(self.candidates(word), word.line, word.character)

    def candidates(self, word: Word) -> Sequence[Declared]:
        """What a name may mean, wherever it is known."""
        return self.declared().get(word.text, ())

    def declared(self) -> dict[str, list[Declared]]:
        """Everything that has a name, by its name."""
        if self._index is None:
            self._index = {}
            for one in self._everything():
                self._index.setdefault(one.symbol.name, []).append(one)
        return self._index

    def known_at(self, line: int, character: int) -> list[Symbol]:
        """The innermost thing of each name."""
        found: list[Symbol] = []
        for each in self.declared().values():
            here = [one for one in each if one.rank < 2 or (one.scope is not None and one.scope.holds(line, character))]
            symbol = nearest(here, line, character)
            if symbol is not None and symbol.kind not in self.unnamed_kinds:
                found.append(symbol)
        return found

    def _everything(self) -> Iterator[Declared]:
        for symbol in self._symbols:
            yield Declared(symbol, symbol.scope, None, 0)
            yield from self._below(symbol)

    def _below(self, owner: Symbol) -> Iterator[Declared]:
        for child in owner.children:
            if owner.kind in self.open_kinds:
                yield Declared(child, None, owner, 1)
            elif owner.file == self.path:
                yield Declared(child, child.scope or owner.range, owner, 2)
            else:
                yield Declared(child, None, owner, 2)
            yield from self._below(child)


def nearest(candidates: Sequence[Declared], line: int, character: int) -> Symbol | None:
    """The one with the innermost scope around a place; among those, the last that is declared before it."""
    around = [one for one in candidates if one.scope is not None and one.scope.holds(line, character)]
    if around:
        inner = max((one.scope.line, one.scope.character) for one in around if one.scope is not None)
        same = [one.symbol for one in around if one.scope is not None and one.scope[:2] == inner]
        before = [symbol for symbol in same if symbol.name_range[:2] <= (line, character)]
        return before[-1] if before else same[0]
    first = min(candidates, key=lambda one: one.rank, default=None)
    return None if first is None else first.symbol
