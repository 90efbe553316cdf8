"""What is asked of a system of modes: invariants and formulas, those of the text and those of the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kripke.hierarchy.modes import Condition, ModeSystem
from kripke.hierarchy.tree import Tree
from kripke.languages.modes.checking import Checker, Conditions
from kripke.languages.modes.parser import Parser
from kripke.model.source import NOWHERE, Span

if TYPE_CHECKING:
    from kripke.model.property import Temporal

_COMPARISON = 4  # the strength of operators that make conditions of values


class Asked:
    """Every condition becomes an atom with its text as its name."""

    def __init__(self, checker: Checker, system: ModeSystem, tree: Tree) -> None:
        self.checker = checker
        self.system = system
        self.reader = Conditions(checker, system, tree)
        self.conditions: dict[str, Condition] = {}
        self.properties: list[Temporal] = []

    def of_the_file(self) -> None:
        for asked in self.checker.file.properties:
            if asked.expression is not None:
                name = f"{asked.name.text}: {asked.text}"
                self.system.invariants.append(self.reader.condition(name, asked.expression, asked.span))
            else:
                self.formula(asked.name.text, asked.text, f"<ltl {asked.name.text}>", asked.span)

    def condition(self, text: str, source: str) -> None:
        self.checker.sources.add(source, text)
        quoted = len(text) > 1 and text[0] == text[-1] == '"'
        parser = Parser(text[1:-1] if quoted else text, source, self.checker.sources)
        expression = parser.expression()
        if parser.token.kind != "end":
            raise parser.error(f"expected the end of the condition, found {parser.shown()}")
        self.conditions[text] = self.reader.condition(text, expression, NOWHERE)

    def formula(self, name: str, text: str, source: str, span: Span = NOWHERE) -> None:
        from kripke.logic.parser import parse
        from kripke.model.property import Temporal

        self.checker.sources.add(source, text)

        def read_atom(whole: str, position: int) -> tuple[str, int]:
            parser = Parser(whole, source, self.checker.sources, position, partial=True)
            expression = parser.binary(_COMPARISON)
            end = parser.tokens[parser.index - 1].end
            atom = whole[position:end]
            self.conditions[atom] = self.reader.condition(atom, expression, NOWHERE)
            return atom, end

        self.properties.append(Temporal(name, "ltl", text, span, formula=parse(text, source, read_atom)))
