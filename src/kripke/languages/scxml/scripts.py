"""Expressions in attributes: parsed, or with the fault that a chart will find when it comes to them."""

from __future__ import annotations

from kripke.hierarchy.chart.structure import Script
from kripke.hierarchy.script.evaluation import unknown_call
from kripke.hierarchy.script.parser import ParseError, SyntaxFault, Unsupported, parse
from kripke.hierarchy.script.syntax import Member, Name
from kripke.model.source import Diagnostic, Sources, Span


class Scripts:
    """``warnings`` has a word about each fault."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.variables: set[str] = set()
        self.warnings: list[Diagnostic] = []

    def read(self, text: str, span: Span) -> Script:
        try:
            tree = parse(text)
        except Unsupported as error:
            raise self.sources.error(error.message, _at(span, error)) from None
        except SyntaxFault as error:
            self.warnings.append(
                Diagnostic(f"{error.message}: error.execution when the chart comes here", _at(span, error))
            )
            return Script(text, None, error.message, span)
        if (unknown := unknown_call(tree, self.variables)) is not None:
            message, at = unknown
            raise self.sources.error(message, _at(span, ParseError(message, at)))
        return Script(text, tree, "", span)

    def location(self, text: str, span: Span) -> Script:
        """What can be assigned to."""
        script = self.read(text, span)
        if script.tree is not None and not isinstance(script.tree, (Name, Member)):
            return Script(text, None, "this cannot be assigned to", span)
        return script


def _at(span: Span, error: ParseError) -> Span:
    if span.line != span.end_line:
        return span
    return Span(span.file, span.line, span.column + error.at, span.line, span.column + error.at + 1)
