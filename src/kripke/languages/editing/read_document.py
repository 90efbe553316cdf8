"""A text that is read while it is being written: where that fails at the moment, its last good form answers."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import ClassVar, Generic, TypeVar

from kripke.languages.editing.document import TOO_DEEP, Document, Lens, Problem, Symbol, problem_of
from kripke.languages.editing.edits import Fix
from kripke.languages.editing.words import Word, Words, scan
from kripke.model.highlighting import Highlighting
from kripke.model.source import ModelError

SymbolsT = TypeVar("SymbolsT")


class ReadDocument(ABC, Generic[SymbolsT]):
    """Its symbols, however a language keeps them; before the first good form those of ``nothing``."""

    language: ClassVar[str]
    icons: ClassVar[Mapping[str, str]]
    snippets: ClassVar[Mapping[str, str]] = {}
    #: kinds of symbols that can be checked or run on their own
    lenses: ClassVar[Mapping[str, Lens]] = {}
    #: kinds of symbols whose names cannot be changed, and why
    fixed_kinds: ClassVar[Mapping[str, str]] = {}
    #: kinds of symbols that nobody can name
    unnamed_kinds: ClassVar[tuple[str, ...]] = ()

    def __init__(self, text: str, path: str, before: Document | None, nothing: SymbolsT) -> None:
        self.path = path
        self.text = text
        self.lines = text.split("\n")
        self._problems: list[Problem] = []
        self._symbols: SymbolsT = before._symbols if isinstance(before, type(self)) else nothing
        #: what the text means, in the form of its family; None where that is not known
        self.meaning: object = None
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
    def outline(self) -> list[Symbol]: ...

    @abstractmethod
    def symbol_at(self, line: int, character: int) -> Symbol | None: ...

    def problems(self) -> list[Problem]:
        return self._problems

    @cached_property
    def highlighting(self) -> Highlighting:
        from kripke.languages.registry import LANGUAGES

        known = LANGUAGES[self.language].highlighting
        return Highlighting() if known is None else known()

    @cached_property
    def words(self) -> Words:
        return Words(list(self._scan()))

    def _scan(self) -> Iterator[Word]:
        return scan(self.text, self.highlighting)

    def name_at(self, line: int, character: int) -> Word | None:
        """The name at a place: no keyword, and not a word of a comment."""
        word = self.words.at(line, character)
        return word if word is not None and word.kind == "name" else None

    def known_at(self, line: int, character: int) -> list[Symbol]:
        """What can be named at a place."""
        return self.outline()

    def words_at(self, line: int, character: int) -> list[str]:
        """Keywords that can stand at a place."""
        return sorted({*self.highlighting.keywords, *self.highlighting.types})

    def mentions(self, symbol: Symbol) -> Iterator[Word]:
        """The words that may mean a symbol: here a thing is always called by its name."""
        return self.words.names(symbol.name)

    def is_name(self, text: str) -> bool:
        known = self.highlighting
        return re.fullmatch(known.word, text) is not None and text not in known.keywords and text not in known.types

    def fixed(self, symbol: Symbol) -> str | None:
        """Why the name of a symbol cannot be changed; None where it can."""
        if symbol.kind in self.unnamed_kinds:
            return f"this {symbol.kind} has no name"
        return self.fixed_kinds.get(symbol.kind)

    def fixes(self) -> list[Fix]:
        return []

    def formatted(self, indent: str) -> str | None:
        """The text in good form, with this for one level; None where the language has no form, or the text no sense."""
        return None
