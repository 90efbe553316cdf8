"""What is asked of a program on the command line: conditions on its global variables, and formulas over such."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kripke.languages.lf.expressions import Expressions
from kripke.languages.lf.lexer import tokenize
from kripke.languages.lf.parser import parse_expression

if TYPE_CHECKING:
    from kripke.actions.program import Expression
    from kripke.languages.lf.scopes import Scope
    from kripke.model.property import Temporal
    from kripke.model.source import Sources

# A comparison inside a formula: everything up to what belongs to the formula again.
_COMPARISON = re.compile(
    r"""\s*(?P<left>[A-Za-z_][\w.]*(?:\[[^\]]*\][\w.]*)*)\s*(?P<relation><=|>=|=(?!>)|\#|<(?!>|->|=>)|>)\s*
        (?P<right>-?[0-9][0-9A-F]*[HX]?\b|'[^']'|[A-Za-z_][\w.]*(?:\[[^\]]*\][\w.]*)*)""",
    re.VERBOSE,
)
_NAME = re.compile(r"\s*(?P<name>[A-Za-z_][\w.]*(?:\[[^\]]*\][\w.]*)*)")
_OPERATORS = frozenset(["U", "V", "R", "W", "M", "P", "X", "F", "G", "true", "false", "TRUE", "FALSE"])


class Questions:
    """Every condition becomes an atom, by the text it was written as."""

    def __init__(self, scope: Scope, sources: Sources) -> None:
        self._scope = scope
        self._sources = sources
        self.atoms: dict[str, Expression] = {}

    def condition(self, text: str, source: str) -> None:
        if text not in self.atoms:
            syntax = parse_expression(tokenize(source, text, self._sources), self._sources)
            self.atoms[text] = Expressions(self._scope, 0, self._sources).condition(syntax)

    def formula(self, text: str, source: str) -> Temporal:
        from kripke.logic.parser import parse
        from kripke.model.property import Temporal

        found: list[str] = []

        def read(whole: str, position: int) -> tuple[str, int] | None:
            match = _COMPARISON.match(whole, position)
            if match is not None:
                name = " ".join((match["left"], match["relation"], match["right"]))
            else:
                match = _NAME.match(whole, position)
                if match is None or match["name"] in _OPERATORS or not self._knows(match["name"]):
                    return None
                name = match["name"]
            found.append(name)
            return name, match.end()

        formula = parse(text, source, read)
        for atom in sorted({str(atom) for atom in formula.atoms()}):
            self.condition(atom, source)
        return Temporal(text, "ltl", text, formula=formula)

    def _knows(self, name: str) -> bool:
        return self._scope.find(re.split(r"[.\[]", name)[0]) is not None


def asked(
    scope: Scope,
    sources: Sources,
    invariants: Sequence[str],
    conditions: Sequence[str],
    formulas: Sequence[str],
) -> tuple[dict[str, Expression], list[Temporal]]:
    """Atoms by name, and the properties."""
    questions = Questions(scope, sources)
    for number, text in enumerate(invariants, start=1):
        questions.condition(text, f"<invariant {number}>")
    for text in conditions:
        questions.condition(text, "<condition>")
    properties = [questions.formula(text, f"<formula {number}>") for number, text in enumerate(formulas, start=1)]
    return questions.atoms, properties
