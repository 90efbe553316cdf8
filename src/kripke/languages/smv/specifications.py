"""What is asked of a system: invariants, formulas of linear and of branching time, those of the text and others.

The largest parts of a formula that have no temporal operator are its atoms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from kripke.languages.smv import syntax
from kripke.languages.smv.elaboration import Elaboration
from kripke.languages.smv.expressions import ExpressionParser
from kripke.languages.smv.instances import Instance
from kripke.languages.smv.meaning import TEMPORAL
from kripke.logic import ctl
from kripke.logic import formula as linear
from kripke.logic.ctl import StateFormula
from kripke.logic.formula import Formula
from kripke.model.property import Invariant, StatedBranching, Temporal
from kripke.model.source import NOWHERE, ModelError
from kripke.synchronous.expressions import Node

_PAST: Final = frozenset({"Y", "Z", "O", "H", "S", "T"})
_FUTURE: Final = frozenset({"X", "F", "G", "U", "V"})
_BRANCHING: Final = frozenset({"EX", "EF", "EG", "AX", "AF", "AG", "EU", "AU"})
_LONGEST: Final = 1000  # moments of a bounded operator, which are written out


class Specifications:
    """``conditions``: the atoms, by their names."""

    def __init__(self, elaboration: Elaboration) -> None:
        self.elaboration = elaboration
        self.sources = elaboration.sources
        self.conditions: dict[str, Node] = {}
        self.invariants: list[Invariant] = []
        self.properties: list[Temporal] = []
        self.branching: list[StatedBranching] = []
        self._names: set[str] = set()
        self._lines: list[str] = []

    def of_the_file(self, text: str) -> None:
        self._lines = text.split("\n")
        for instance in self.elaboration.instances():
            for one in instance.module.specifications:
                self._stated(one, instance)

    def _stated(self, one: syntax.Specification, where: Instance) -> None:
        text = f"{where.prefix[:-1]}: {one.text}" if where.prefix else one.text
        name = f"{where.prefix}{one.name.text}" if one.name is not None else text
        if name in self._names:
            if one.name is not None:
                raise self.sources.error(f"there are two properties {name}", one.name.span)
            name = f"{name} (line {one.span.line})"
        self._names.add(name)
        match one.kind:
            case "INVARSPEC":
                atom = self._atom(one.expression, where)
                self.invariants.append(Invariant(name, atom, one.span))
            case "LTLSPEC":
                formula = self._linear(one.expression, where)
                self.properties.append(Temporal(name, "ltl", text, one.span, formula=formula))
            case _:
                self.branching.append(StatedBranching(name, text, self._branching(one.expression, where), one.span))

    # --- from outside -------------------------------------------------------------------------------------------------

    def _parsed(self, text: str, source: str) -> syntax.Expression:
        self.sources.add(source, text)
        self._lines = text.split("\n")
        return ExpressionParser(text, source, self.sources).whole()

    def condition(self, text: str, source: str) -> None:
        """An invariant or a condition of the command line, an atom by its text."""
        quoted = len(text) > 1 and text[0] == text[-1] == '"'
        expression = self._parsed(text[1:-1] if quoted else text, source)
        self.conditions[text] = self.elaboration.condition(expression, self.elaboration.main, "this")

    def formula(self, text: str, source: str) -> None:
        """Of linear time, in the words of SMV or in those of all languages (``[] <>``)."""
        if any(sign in text for sign in ("[]", "<>", "&&", "||", "==")):
            found = self._foreign(text, source)
        else:
            found = self._linear(self._parsed(text, source), self.elaboration.main)
        self.properties.append(Temporal(text, "ltl", text, NOWHERE, formula=found))

    def _foreign(self, text: str, source: str) -> Formula:
        from kripke.logic.parser import parse

        self.sources.add(source, text)

        def read_atom(whole: str, position: int) -> tuple[str, int]:
            parser = ExpressionParser(" " * position + _up_to_logic(whole, position), source, self.sources)
            expression = parser.comparison()
            end = parser.tokens[parser.index - 1].end
            atom = whole[position:end].strip()
            self.conditions[atom] = self.elaboration.condition(expression, self.elaboration.main, "this")
            return atom, end

        return parse(text, source, read_atom)

    # --- atoms --------------------------------------------------------------------------------------------------------

    def _atom(self, expression: syntax.Expression, where: Instance) -> str:
        written = self._written(expression)
        name = f"{where.prefix[:-1]}: {written}" if where.prefix else written
        self.conditions[name] = self.elaboration.condition(expression, where, "a property")
        return name

    def _written(self, expression: syntax.Expression) -> str:
        span = expression.span
        first, last = span.line - 1, span.end_line - 1
        if first == last:
            return " ".join(self._lines[first][span.column - 1 : span.end_column - 1].split())
        lines = [self._lines[first][span.column - 1 :], *self._lines[first + 1 : last]]
        lines.append(self._lines[last][: span.end_column - 1])
        return " ".join(" ".join(lines).split())

    def _is_temporal(self, expression: syntax.Expression) -> bool:
        waiting = [expression]
        while waiting:
            match waiting.pop():
                case syntax.Bounded():
                    return True
                case syntax.Operation(_, operator, operands):
                    if operator in TEMPORAL:
                        return True
                    waiting += operands
                case syntax.Case(_, branches):
                    waiting += (each for pair in branches for each in pair)
        return False

    def _refused(self, operator: str, expression: syntax.Expression, kind: str) -> ModelError:
        hint = "CTLSPEC is for branching time, LTLSPEC for linear time"
        return self.sources.error(f"{operator} does not belong into {kind}", expression.span, hint)

    # --- linear time --------------------------------------------------------------------------------------------------

    def _linear(self, expression: syntax.Expression, where: Instance) -> Formula:
        if not self._is_temporal(expression):
            return linear.atom(self._atom(expression, where))
        if isinstance(expression, syntax.Bounded):
            return self._bounded_linear(expression, where)
        if not isinstance(expression, syntax.Operation):
            raise self.sources.error("a case cannot have formulas in it", expression.span, "write it with -> and &")
        operator, operands = expression.operator, expression.operands
        if operator in _BRANCHING:
            raise self._refused(operator, expression, "LTLSPEC")
        if operator in _PAST:
            self._refuse_future(expression)
        parts = [self._linear(each, where) for each in operands]
        return self._combined(operator, parts, expression)

    def _combined(self, operator: str, parts: list[Formula], expression: syntax.Expression) -> Formula:
        match operator:
            case "!":
                return linear.negation(parts[0])
            case "&":
                return linear.conjunction(parts)
            case "|":
                return linear.disjunction(parts)
            case "->":
                return linear.MAKERS["->"](*parts)
            case "<->" | "xnor":
                return linear.MAKERS["<->"](*parts)
            case "xor":
                return linear.negation(linear.MAKERS["<->"](*parts))
            case "V":
                return linear.MAKERS["R"](*parts)
            case known if known in _PAST | _FUTURE:
                return linear.MAKERS[known](*parts)
        raise self.sources.error(f"{operator} cannot stand between formulas", expression.span, "write it with -> and &")

    def _refuse_future(self, expression: syntax.Operation | syntax.Bounded) -> None:
        for each in expression.operands:
            inner = self._first_future(each)
            if inner is not None:
                hint = "operators of the past may contain only operators of the past"
                raise self.sources.error(f"{inner} inside of {expression.operator} is not supported", each.span, hint)

    def _first_future(self, expression: syntax.Expression) -> str | None:
        if isinstance(expression, syntax.Bounded | syntax.Operation):
            if expression.operator in _FUTURE:
                return expression.operator
            return next(filter(None, map(self._first_future, expression.operands)), None)
        return None

    def _bounded_linear(self, one: syntax.Bounded, where: Instance) -> Formula:
        """``F [2, 4] p`` is ``X X (p | X (p | X p))``."""
        if one.operator not in ("F", "G", "O", "H"):
            raise self._refused(one.operator, one, "LTLSPEC")
        if one.operator in ("O", "H"):
            self._refuse_future(one)
        past = one.operator in ("O", "H")
        operand = self._linear(one.operands[0], where)
        some = one.operator in ("F", "O")
        step = linear.MAKERS["Y" if past and some else "Z" if past else "X"]
        if one.high is None:
            found = linear.MAKERS[one.operator](operand)
        else:
            self._limited(one.high, one)
            found = operand
            for _ in range(one.high - one.low):
                found = (
                    linear.disjunction([operand, step(found)]) if some else linear.conjunction([operand, step(found)])
                )
        for _ in range(one.low):
            found = step(found)
        return found

    def _limited(self, moments: int, one: syntax.Bounded) -> None:
        if moments > _LONGEST:
            raise self.sources.error(f"a bound of more than {_LONGEST:,} moments is not supported", one.span)

    # --- branching time -----------------------------------------------------------------------------------------------

    def _branching(self, expression: syntax.Expression, where: Instance) -> StateFormula:
        if not self._is_temporal(expression):
            return ctl.Atom(self._atom(expression, where))
        if isinstance(expression, syntax.Bounded):
            return self._bounded_branching(expression, where)
        if not isinstance(expression, syntax.Operation):
            raise self.sources.error("a case cannot have formulas in it", expression.span, "write it with -> and &")
        operator = expression.operator
        if operator in _PAST | _FUTURE:
            raise self._refused(operator, expression, "CTLSPEC")
        parts = [self._branching(each, where) for each in expression.operands]
        makers: dict[str, Callable[..., StateFormula]] = {
            "EX": ctl.ExistsNext, "EF": ctl.exists_finally, "EG": ctl.ExistsGlobally, "AX": ctl.always_next,
            "AF": ctl.always_finally, "AG": ctl.always_globally, "EU": ctl.ExistsUntil, "AU": ctl.always_until,
            "!": ctl.negation,
        }  # fmt: skip
        if operator in makers:
            return makers[operator](*parts)
        match operator:
            case "&":
                return ctl.And(tuple(parts))
            case "|":
                return ctl.Or(tuple(parts))
            case "->":
                return ctl.Or((ctl.negation(parts[0]), parts[1]))
            case "<->" | "xnor":
                return ctl.Same(parts[0], parts[1])
            case "xor":
                return ctl.negation(ctl.Same(parts[0], parts[1]))
        raise self.sources.error(f"{operator} cannot stand between formulas", expression.span, "write it with -> and &")

    def _bounded_branching(self, one: syntax.Bounded, where: Instance) -> StateFormula:
        """``EBF 1..2 p`` is ``EX (p | EX p)``; until within bounds likewise."""
        if one.operator not in ("EF", "AF", "EG", "AG", "EU", "AU") or one.high is None:
            raise self._refused(one.operator, one, "CTLSPEC")
        self._limited(one.high, one)
        step = ctl.ExistsNext if one.operator[0] == "E" else ctl.always_next
        parts = [self._branching(each, where) for each in one.operands]
        goal = parts[-1]
        found = goal
        for _ in range(one.high - one.low):
            match one.operator[1]:
                case "F":
                    found = ctl.Or((goal, step(found)))
                case "G":
                    found = ctl.And((goal, step(found)))
                case _:
                    found = ctl.Or((goal, ctl.And((parts[0], step(found)))))
        for _ in range(one.low):
            found = step(found) if one.operator[1] != "U" else ctl.And((parts[0], step(found)))
        return found


def _up_to_logic(text: str, position: int) -> str:
    """An atom ends before an operator of logic."""
    ends = [text.find(sign, position) for sign in ("&&", "||", "->", "<->")]
    return text[position : min((end for end in ends if end >= 0), default=len(text))].replace("==", " =")
