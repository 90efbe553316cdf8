"""What is asked of a net on the command line: invariants and formulas of linear time, in Maria's own syntax."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kripke.languages.maria.lexer import tokenize
from kripke.languages.maria.parser import parse_expression
from kripke.languages.maria.resolution import Context
from kripke.languages.maria.scopes import Scope
from kripke.languages.maria.syntax import Syntax
from kripke.nets.high_level.net import Condition

if TYPE_CHECKING:
    from kripke.languages.maria.flattening import Flattening
    from kripke.logic.formula import Formula
    from kripke.model.property import Temporal

_TEMPORAL = {"always": "G", "eventually": "F", "next": "X", "until": "U", "release": "R"}
_IMPLICATIONS = {"=>": "->", "<=>": "<->"}


def asked(
    flattening: Flattening, scope: Scope, invariants: Sequence[str], formulas: Sequence[str]
) -> tuple[list[Condition], list[Temporal]]:
    """Every invariant, and every part of a formula without temporal operators, becomes a condition."""
    reader = _Reader(flattening, scope)
    for number, text in enumerate(invariants, start=1):
        reader.condition(reader.parsed(text, f"<invariant {number}>"), text)
    properties = [reader.formula(text, f"<formula {number}>") for number, text in enumerate(formulas, start=1)]
    return list(reader.conditions.values()), properties


class _Reader:
    def __init__(self, flattening: Flattening, scope: Scope) -> None:
        self.flattening = flattening
        self.scope = scope
        self.conditions: dict[str, Condition] = {}

    def parsed(self, text: str, source: str) -> Syntax:
        sources = self.flattening.sources
        return parse_expression(tokenize(source, text, sources, set()), sources)

    def condition(self, syntax: Syntax, name: str) -> None:
        if name in self.scope.propositions and syntax.kind == "name":
            return
        if name not in self.conditions:
            term = self.flattening.resolver.condition(syntax, Context(self.scope, places="place"))
            self.conditions[name] = Condition(name, term, syntax.span)

    def formula(self, text: str, source: str) -> Temporal:
        from kripke.model.property import Temporal

        return Temporal(text, "ltl", text, formula=self._made(self.parsed(text, source), text))

    def _made(self, syntax: Syntax, text: str) -> Formula:
        from kripke.logic.formula import FALSE, MAKERS, TRUE, atom, conjunction, disjunction

        if syntax.kind == "list" and len(syntax.operands) == 1:
            return self._made(syntax.operands[0], text)
        if syntax.kind in ("true", "false"):
            return TRUE if syntax.kind == "true" else FALSE
        if syntax.kind in _TEMPORAL:
            return MAKERS[_TEMPORAL[syntax.kind]](*(self._made(part, text) for part in syntax.operands))
        if _temporal(syntax):
            parts = [self._made(part, text) for part in syntax.operands]
            if syntax.kind == "unary" and syntax.name == "!":
                return MAKERS["not"](*parts)
            if syntax.kind == "binary" and syntax.name in ("&&", "||"):
                return (conjunction if syntax.name == "&&" else disjunction)(parts)
            if syntax.kind == "binary" and syntax.name in _IMPLICATIONS:
                return MAKERS[_IMPLICATIONS[syntax.name]](*parts)
            if syntax.kind == "binary" and syntax.name == "^^":
                return MAKERS["not"](MAKERS["<->"](*parts))
            raise self.flattening.sources.error("a temporal operator cannot stand inside this", syntax.span)
        name = _written(syntax, text)
        self.condition(syntax, name)
        return atom(name)


def _temporal(syntax: Syntax) -> bool:
    return syntax.kind in _TEMPORAL or any(_temporal(part) for part in syntax.operands)


def _written(syntax: Syntax, text: str) -> str:
    """The text of an expression; it stands on one line of the command."""
    span = syntax.span
    if span.line != span.end_line:
        return text
    return text.split("\n")[span.line - 1][span.column - 1 : span.end_column - 1]
