"""A text that is read while it is being written: where that fails at the moment, its last good form answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import ClassVar, Generic, TypeVar

from kripke.languages.editing.document import TOO_DEEP, Document, Problem, Symbol, problem_of
from kripke.model.source import ModelError

SymbolsT = TypeVar("SymbolsT")


class ReadDocument(ABC, Generic[SymbolsT]):
    """Its symbols, however a language keeps them; before the first good form those of ``nothing``."""

    language: ClassVar[str]
    icons: ClassVar[Mapping[str, str]]

    def __init__(self, text: str, path: str, before: Document | None, nothing: SymbolsT) -> None:
        self.path = path
        self.lines = text.split("\n")
        self._problems: list[Problem] = []
        self._symbols: SymbolsT = before._symbols if isinstance(before, type(self)) else nothing
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
