"""Expressions, checked: names resolved, types agreed, permissions kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from kripke.hierarchy.terms import (
    WIDEST,
    Binary,
    Choice,
    Element,
    NoValue,
    Number,
    Term,
    Unary,
    Variable,
    arithmetic_type,
    evaluator,
    number,
)
from kripke.hierarchy.types import BOOL, LARGEST, SMALLEST, Type, same_kind
from kripke.languages.modes.syntax import Expression, TypeText
from kripke.model.source import ModelError, Sources


@dataclass(frozen=True, slots=True)
class Seen:
    """A variable as a scope shows it. ``local``: of the mode itself, not of whoever uses it. With a ``length``: an
    array, whose elements have the numbers from ``number`` on."""

    number: int
    type: Type
    read: bool
    write: bool
    local: bool
    length: int | None = None


@dataclass(slots=True)
class Scope:
    """Names and what they stand for. ``refusal``: why a readable variable is not to be read here, or nothing."""

    sources: Sources
    constants: Mapping[str, Number]
    enumerations: Mapping[str, Type]
    variables: Mapping[str, Seen] = field(default_factory=dict)
    refusal: Callable[[Seen], str] = lambda seen: ""
    inside: Callable[[Expression], Term] | None = None

    def error(self, message: str, where: Expression | TypeText, hint: str | None = None) -> ModelError:
        return self.sources.error(message, where.span, hint)

    def type(self, text: TypeText) -> Type:
        if text.low is not None and text.high is not None:
            low, high = self.constant(text.low), self.constant(text.high)
            if not low <= high:
                raise self.error(f"the range {low}..{high} is empty", text)
            if low < SMALLEST or high > LARGEST:
                raise self.error(f"a range lies within {SMALLEST:,}..{LARGEST:,}", text)
            return Type(low, high)
        if text.name == "bool":
            return BOOL
        if text.name not in self.enumerations:
            raise self.error(f"there is no type {text.name}", text, "types are bool, LOW..HIGH and enumerations")
        return self.enumerations[text.name]

    def constant(self, expression: Expression) -> int:
        term = self.integer(expression)
        return self.value(term, expression)

    def value(self, term: Term, expression: Expression) -> int:
        from kripke.hierarchy.terms import variables

        if next(variables(term), None) is not None:
            raise self.error("a constant value is needed here", expression)
        try:
            return evaluator(term)((), ())
        except NoValue:
            raise self.error("division by zero", expression) from None

    def condition(self, expression: Expression) -> Term:
        term = self.term(expression)
        if not term.type.is_bool:
            raise self.error("a condition is needed here, which is true or false", expression)
        return term

    def integer(self, expression: Expression) -> Term:
        term = self.term(expression)
        if not term.type.is_integer:
            raise self.error(f"a number is needed here, not {term.type}", expression)
        return term

    def term(self, expression: Expression) -> Term:
        operands = expression.operands
        match expression.kind:
            case "number":
                value = int(expression.text) if len(expression.text) < 20 else WIDEST + 1
                if value > LARGEST:
                    raise self.error(f"numbers go up to {LARGEST:,}", expression)
                return number(value)
            case "name":
                return self.named(expression)
            case "element":
                return self.element(expression)
            case "list":
                raise self.error("a list is for the start values of an array", expression)
            case "inside":
                if self.inside is None:
                    hint = "transitions see variables only: let a mode write what others are to know"
                    raise self.error("in(...) is for properties", expression, hint)
                return self.inside(expression)
            case "not":
                return Unary(BOOL, "!", self.condition(operands[0]))
            case "minus":
                inner = self.integer(operands[0])
                return Unary(Type(-inner.type.high, -inner.type.low), "-", inner)
            case "&&" | "||" | "=>":
                return Binary(BOOL, expression.kind, self.condition(operands[0]), self.condition(operands[1]))
            case "choice":
                condition = self.condition(operands[0])
                then, otherwise = self.term(operands[1]), self.term(operands[2])
                self.alike(then, otherwise, expression)
                low, high = min(then.type.low, otherwise.type.low), max(then.type.high, otherwise.type.high)
                joined = Type(low, high) if then.type.is_integer else then.type
                return Choice(joined, condition, then, otherwise)
            case "==" | "!=":
                left, right = self.term(operands[0]), self.term(operands[1])
                self.alike(left, right, expression)
                return Binary(BOOL, expression.kind, left, right)
            case "<" | "<=" | ">" | ">=":
                return Binary(BOOL, expression.kind, self.integer(operands[0]), self.integer(operands[1]))
            case operator:
                left, right = self.integer(operands[0]), self.integer(operands[1])
                type_ = arithmetic_type(operator, left.type, right.type)
                if type_ is None:
                    raise self.error("the value of this may need more than 62 bits", expression)
                return Binary(type_, operator, left, right)

    def alike(self, left: Term, right: Term, expression: Expression) -> None:
        if not same_kind(left.type, right.type):
            raise self.error(f"{left.type} and {right.type} do not go together", expression)

    def readable(self, seen: Seen, expression: Expression) -> None:
        name = expression.text
        if not seen.read:
            raise self.error(f"{name} is declared to be written, not read", expression, f"declare: read write {name}")
        if refusal := self.refusal(seen):
            raise self.error(f"{name} {refusal}", expression)

    def element(self, expression: Expression) -> Term:
        seen = self.variables.get(expression.text)
        if seen is None or seen.length is None:
            raise self.error(f"there is no array {expression.text} here", expression)
        self.readable(seen, expression)
        index = self.index(seen, expression.operands[0])
        if isinstance(index, Number):
            return Variable(seen.type, seen.number + index.value, f"{expression.text}[{index.value}]")
        return Element(seen.type, seen.number, seen.length, index, expression.text)

    def index(self, seen: Seen, expression: Expression) -> Term:
        """One that may be good; a constant one is a ``Number``."""
        assert seen.length is not None
        index = self.integer(expression)
        if index.type.high < 0 or index.type.low >= seen.length:
            raise self.error(f"the array has the elements 0 to {seen.length - 1}", expression)
        return number(index.type.low) if index.type.low == index.type.high else index

    def named(self, expression: Expression) -> Term:
        name = expression.text
        if name in ("true", "false"):
            return Number(BOOL, int(name == "true"))
        seen = self.variables.get(name)
        if seen is not None:
            if seen.length is not None:
                raise self.error(f"{name} is an array", expression, f"write {name}[0] for its first element")
            self.readable(seen, expression)
            return Variable(seen.type, seen.number, name)
        if name in self.constants:
            return self.constants[name]
        for type_ in self.enumerations.values():
            if name in type_.names:
                return Number(type_, type_.names.index(name))
        from difflib import get_close_matches

        known = [*self.variables, *self.constants, *(n for t in self.enumerations.values() for n in t.names)]
        close = get_close_matches(name, known, n=1)
        hint = f"did you mean {close[0]}?" if close else "declare it: read, write or local"
        raise self.error(f"{name} is not declared here", expression, hint)
