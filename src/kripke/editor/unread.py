"""A document of a language that has no reader for editors yet: checked as it was last saved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import ClassVar

from kripke.languages.editing.document import Problem, Symbol, range_of
from kripke.languages.editing.read_document import ReadDocument
from kripke.languages.registry import language_of_ending, load_model
from kripke.languages.request import LoadRequest
from kripke.model.highlighting import Highlighting


class UnreadDocument(ReadDocument[list[Symbol]]):
    """Problems, and the words of its language."""

    language = ""
    icons: ClassVar[Mapping[str, str]] = {}

    def __init__(self, text: str, path: str) -> None:
        super().__init__(text, path, None, [])

    def _read(self, text: str) -> Iterator[Problem]:
        model = load_model(LoadRequest(self.path))
        for warning in (*model.warnings, *model.remarks()):
            yield Problem(range_of(warning.span, self.path), warning.message, "warning")

    def outline(self) -> list[Symbol]:
        return []

    def symbol_at(self, line: int, character: int) -> Symbol | None:
        return None

    @cached_property
    def highlighting(self) -> Highlighting:
        language = language_of_ending(self.path)
        return Highlighting() if language is None or language.highlighting is None else language.highlighting()
