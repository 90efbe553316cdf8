"""Places in a model's text, and errors and warnings that point at them.

Every front end reports through these types, so that a user sees the same form everywhere:
`file:line:column: error: message`, the line itself, a caret under the place, and a hint where there is one.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kripke.text import visible

_WIDEST = 120  # longer source lines are cut around the column
_TAB = 8


@dataclass(frozen=True, slots=True)
class Span:
    """From the first character to just after the last one; lines and columns count from 1."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    @property
    def in_file(self) -> bool:
        """False for :data:`NOWHERE` and for the text of an option, whose "file" is a word in angle brackets."""
        return self.line > 0 and not self.file.startswith("<")

    def to(self, end: Span) -> Span:
        """From the start of this span to the end of another one; just this one if the other does not end after it."""
        if end.file != self.file or (end.end_line, end.end_column) < (self.end_line, self.end_column):
            return self
        return Span(self.file, self.line, self.column, end.end_line, end.end_column)


NOWHERE = Span("", 0, 0, 0, 0)
"""The place of something no text stands for."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A warning: worth telling, no reason to stop. ``category`` names its class, if it has one."""

    message: str
    span: Span
    hint: str | None = None
    category: str | None = None

    def __str__(self) -> str:
        return visible(f"{self.span}: warning: {self.message}" + (f" [{self.category}]" if self.category else ""))


class ModelError(Exception):
    """Something is wrong in the text of a model. `source_line` is the text of the span's first line, `details` what
    another program said about it, line by line."""

    def __init__(
        self,
        message: str,
        span: Span | None = None,
        hint: str | None = None,
        source_line: str | None = None,
        details: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.hint = hint
        self.source_line = source_line
        self.details = details

    def __reduce__(self) -> tuple[type[ModelError], tuple[str, Span | None, str | None, str | None, str]]:
        return (type(self), (self.message, self.span, self.hint, self.source_line, self.details))

    def __str__(self) -> str:
        return self.render()

    def render(self) -> str:
        """The whole report: place and message, the line with a caret under the place, the hint."""
        place = f"{self.span}: " if self.span is not None and self.span.line else ""
        lines = [visible(f"{place}error: {self.message}")]
        lines += [visible(line, keep="\t") for line in self.details.splitlines()]
        if self.span is not None and self.source_line is not None:
            lines += _underlined(self.source_line, self.span)
        if self.hint:
            lines.append(visible(f"hint: {self.hint}"))
        return "\n".join(lines)


def _underlined(line: str, span: Span) -> list[str]:
    start = min(max(span.column - 1, 0), len(line))
    stop = span.end_column - 1 if span.end_line == span.line else len(line)
    stop = min(max(stop, start + 1), max(len(line), start + 1))
    # Columns count characters: widen tabs only now, for the eye.
    before, marked, after = (visible(part, keep="\t") for part in (line[:start], line[start:stop], line[stop:]))
    before = before.expandtabs(_TAB)
    marked = (before + marked).expandtabs(_TAB)[len(before) :].rstrip()
    shown = (before + marked + after).expandtabs(_TAB).rstrip()
    left, width = len(before), max(len(marked), 1)
    if len(shown) > _WIDEST:
        first = max(0, min(left - _WIDEST // 3, len(shown) - _WIDEST))
        last = first + _WIDEST
        cut = ("..." if first else "") + shown[first:last] + ("..." if last < len(shown) else "")
        left = left - first + (3 if first else 0)
        width = min(width, max(len(cut) - left, 1))
        shown = cut
    return ["  " + shown, "  " + " " * left + "^" + "~" * (width - 1)]


def _lies_in(path: str, folder: str) -> bool:
    """Links are followed."""
    folder = os.path.realpath(folder or ".")
    return os.path.realpath(path).startswith(os.path.join(folder, ""))


class _Region(NamedTuple):
    """Lines of a real text from `start` on (from 0), known as `first_line` and on."""

    first_line: int
    lines: list[str]
    start: int


class Sources:
    """The text of every file a model was read from, by name; `#line` gives a piece of it another name and number.

    Models are untrusted: where there is an ``include_root``, they include nothing that lies outside of it. Errors
    in included files that lie outside the folder of the model, and of those that a user has named, do not show the
    line."""

    def __init__(self, include_root: str | None = None) -> None:
        self.include_root = include_root
        self._regions: dict[str, list[_Region]] = {}
        self._concealed: set[str] = set()

    def admit(self, path: str, at: Span, folders: Sequence[str] = ()) -> None:
        """A file is about to be included; ModelError where it may not be. ``folders``: named by the user."""
        if self.include_root is not None and not _lies_in(path, self.include_root):
            message = f"cannot include '{path}': it lies outside of {self.include_root}"
            raise self.error(message, at, "--include-root says which folder included files lie in")
        model = next(iter(self._regions), "")
        if self.include_root is None and not any(_lies_in(path, f) for f in (os.path.dirname(model), *folders)):
            self._concealed.add(path)

    def add(self, file: str, text: str) -> None:
        lines = text.split("\n")
        self._regions.setdefault(file, []).append(_Region(1, lines, 0))

    def add_alias(self, file: str, first_line: int, text_lines: list[str], start: int) -> None:
        """From the real line `start` (from 0) to the end of the text, lines are known as `file:first_line` and on."""
        self._regions.setdefault(file, []).append(_Region(first_line, text_lines, start))

    def texts(self) -> dict[str, list[str]]:
        """The lines of every file that was read as a whole."""
        return {
            file: region.lines
            for file, regions in self._regions.items()
            for region in regions
            if region.start == 0 and region.first_line == 1
        }

    def line(self, file: str, line: int) -> str | None:
        for region in reversed(self._regions.get(file, ())):
            index = region.start + line - region.first_line
            if region.start <= index < len(region.lines):
                return region.lines[index]
        return None

    def error(self, message: str, span: Span | None = None, hint: str | None = None) -> ModelError:
        """A ModelError that carries the line it points at, unless that is not to be shown."""
        shown = span is not None and span.file not in self._concealed
        line = self.line(span.file, span.line) if span is not None and shown else None
        return ModelError(message, span, hint, line)
