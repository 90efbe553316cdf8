"""The statements of a program, with their texts."""

from __future__ import annotations

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

    def add(self, span: Span, process: str, text: str | None = None) -> int:
        """A statement that is an element of SPIN's control structure; they are numbered as they are made."""
        self.statements.append(Statement(text or self.text_of(span), span, process, self.next_number))
        self.next_number += 1
        return len(self.statements) - 1

    def add_unnumbered(self, span: Span, process: str, text: str | None = None) -> int:
        """A statement that SPIN has no element for."""
        self.statements.append(Statement(text or self.text_of(span), span, process))
        return len(self.statements) - 1

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
