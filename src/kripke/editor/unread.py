"""A document of a language that has no reader for editors yet: checked as it was last saved."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from kripke.languages.editing.document import TOO_DEEP, Problem, Symbol, problem_of, range_of
from kripke.languages.registry import load_model
from kripke.languages.request import LoadRequest
from kripke.model.source import ModelError


class UnreadDocument:
    """Problems only."""

    language = ""
    icons: Mapping[str, str] = MappingProxyType({})

    def __init__(self, path: str) -> None:
        self._problems: list[Problem] = []
        try:
            model = load_model(LoadRequest(path))
        except ModelError as error:
            self._problems.append(problem_of(error, path))
        except RecursionError:
            self._problems.append(TOO_DEEP)
        else:
            for warning in (*model.warnings, *model.remarks()):
                self._problems.append(Problem(range_of(warning.span, path), warning.message, "warning"))

    def problems(self) -> list[Problem]:
        return self._problems

    def outline(self) -> list[Symbol]:
        return []

    def symbol_at(self, line: int, character: int) -> Symbol | None:
        return None
