"""A document of a language whose front end reads files: checked as it was last saved."""

from __future__ import annotations

from kripke.editor.document import Problem, Range, Symbol, problem_of, range_of
from kripke.languages.registry import LoadRequest, load_model
from kripke.model.source import ModelError


class SavedDocument:
    """Problems only."""

    def __init__(self, path: str) -> None:
        self._problems: list[Problem] = []
        try:
            model = load_model(LoadRequest(path))
        except ModelError as error:
            self._problems.append(problem_of(error, path))
        except RecursionError:
            self._problems.append(Problem(Range(0, 0, 0, 1), "this is nested too deeply to be read", "error"))
        else:
            for warning in (*model.warnings, *model.remarks()):
                self._problems.append(Problem(range_of(warning.span, path), warning.message, "warning"))

    def problems(self) -> list[Problem]:
        return self._problems

    def outline(self) -> list[Symbol]:
        return []

    def symbol_at(self, line: int, character: int) -> Symbol | None:
        return None
