"""The statements of a program, with their texts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kripke.model.model import Statement
from kripke.model.source import Sources, Span

_LONGEST_TEXT = 120


class StatementTable:
    """The statements of the program, with their texts."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self.statements: list[Statement] = []
        #: SPIN's number of the next element (see ``numbers.py``)
        self.next_number = 0
        #: where the inline that is being read is called, and where that call stands, and so on
        self.calls: tuple[Span, ...] = ()

    def add(self, span: Span, process: str, text: str | None = None) -> int:
        """A statement that is an element of SPIN's control structure; they are numbered as they are made."""
        self.statements.append(Statement(text or self.text_of(span), span, process, self.next_number, self.calls))
        self.next_number += 1
        return len(self.statements) - 1

    def add_unnumbered(self, span: Span, process: str, text: str | None = None) -> int:
        """A statement that SPIN has no element for."""
        self.statements.append(Statement(text or self.text_of(span), span, process, calls=self.calls))
        return len(self.statements) - 1

    @contextmanager
    def called_at(self, call: Span) -> Iterator[None]:
        """What is added meanwhile belongs to an inline that is called there."""
        before, self.calls = self.calls, (call, *self.calls)
        try:
            yield
        finally:
            self.calls = before

    def text_of(self, span: Span) -> str:
        """The source text of a span, on one line."""
        lines = []
        for number in range(span.line, min(span.end_line, span.line + 8) + 1):
            line = self._sources.line(span.file, number) or ""
            end = span.end_column - 1 if number == span.end_line else len(line)
            start = span.column - 1 if number == span.line else 0
            lines.append(line[start:end])
        text = " ".join(" ".join(lines).split())
        return text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 3] + "..."
