"""What is asked of a chart: conditions on its configuration and its variables, and formulas over them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from kripke.hierarchy.chart.structure import Chart, Script
from kripke.hierarchy.script.evaluation import CHANGING, parts, unknown_call
from kripke.hierarchy.script.parser import ParseError, parse, prefix
from kripke.hierarchy.script.syntax import Assign, Call, Expression, Literal, Name
from kripke.model.source import NOWHERE, Sources, Span

if TYPE_CHECKING:
    from kripke.model.property import Temporal


class Asked:
    """Every condition becomes an atom with its text as its name. ``In(s)`` needs no quotes."""

    def __init__(self, chart: Chart, sources: Sources) -> None:
        self.chart = chart
        self.sources = sources
        self.conditions: dict[str, Script] = {}
        self.properties: list[Temporal] = []
        #: of the chart itself: with their statements
        self.invariants: list[tuple[str, Script, Span]] = []
        for name, text, span in chart.invariants:
            self.invariants.append((f"{name}: {text}", self.read(text, f"<invariant {name}>"), span))
        for name, text, span in chart.formulas:
            self.formula(name, text, f"<ltl {name}>", span)

    def condition(self, text: str, source: str) -> None:
        self.conditions[text] = self.read(text, source)

    def read(self, text: str, source: str) -> Script:
        self.sources.add(source, text)
        quoted = len(text) > 1 and text[0] == text[-1] == '"'
        try:
            tree = parse(text[1:-1] if quoted else text)
        except ParseError as error:
            self.fail(error.message, source, text, error.at)
        return self.checked(tree, text, source)

    def formula(self, name: str, text: str, source: str, span: Span = NOWHERE) -> None:
        from kripke.logic.parser import parse as parse_formula
        from kripke.model.property import Temporal

        self.sources.add(source, text)

        def read_atom(whole: str, position: int) -> tuple[str, int] | None:
            if whole[position] == '"':
                return None
            try:
                tree, end = prefix(whole, position)
            except ParseError as error:
                self.fail(error.message, source, whole, error.at)
            atom = whole[position:end]
            self.conditions[atom] = self.checked(tree, whole, source)
            return atom, end

        formula = parse_formula(text, source, read_atom)
        for atom in formula.atoms():
            if str(atom) not in self.conditions:
                self.condition(str(atom), source)
        self.properties.append(Temporal(name, "ltl", text, span, formula=formula))

    def fail(self, message: str, source: str, text: str, at: int) -> NoReturn:
        line = text.count("\n", 0, at) + 1
        column = at - (text.rfind("\n", 0, at) + 1) + 1
        raise self.sources.error(message, Span(source, line, column, line, column + 1))

    def checked(self, tree: Expression, text: str, source: str) -> Script:
        if (unknown := unknown_call(tree)) is not None:
            self.fail(unknown[0], source, text, unknown[1])
        known = {variable.name for variable in self.chart.variables}
        for part in parts(tree):
            match part:
                case Assign(at):
                    self.fail("a condition changes nothing", source, text, at)
                case Call(at, Expression(), name, _) if name in CHANGING:
                    self.fail("a condition changes nothing", source, text, at)
                case Call(at, None, "In", (argument,)):
                    id_ = argument.name if isinstance(argument, Name) else None
                    id_ = str(argument.value) if isinstance(argument, Literal) else id_
                    if id_ is not None and id_ not in self.chart.by_id:
                        self.fail(f"there is no state {id_}", source, text, at)
        tree = _quoted(tree)
        for part in parts(tree):
            if isinstance(part, Name) and part.name not in known and part.name not in ("Array", "Object", "Math"):
                self.fail(f"there is no variable {part.name}", source, text, part.at)
        return Script(text, tree, "", NOWHERE)


def _quoted(tree: Expression) -> Expression:
    """``In(s)`` as ``In('s')``."""
    from dataclasses import fields, replace

    if isinstance(tree, Call) and tree.object is None and tree.name == "In" and len(tree.arguments) == 1:
        argument = tree.arguments[0]
        return replace(tree, arguments=(Literal(argument.at, argument.name),)) if isinstance(argument, Name) else tree
    changed: dict[str, Any] = {}
    for field in fields(tree):
        value = getattr(tree, field.name)
        if isinstance(value, Expression):
            changed[field.name] = _quoted(value)
        elif isinstance(value, tuple) and value and all(isinstance(item, Expression) for item in value):
            changed[field.name] = tuple(_quoted(item) for item in value)
    return replace(tree, **changed) if changed else tree
