"""Expressions of machines as terms of the symbolic engines (``kripke/terms``).

Where an expression has no value, ``failures`` say under which condition, and what goes wrong first.
"""

from __future__ import annotations

from collections.abc import Callable

from kripke.hierarchy import terms as source
from kripke.terms.build import (
    FALSE,
    TRUE,
    add,
    at_most,
    boolean,
    choose,
    conjoin,
    constant,
    disjoin,
    divide,
    equal,
    implies,
    ite,
    less,
    multiply,
    negate,
    number,
    remainder,
    subtract,
    true_of,
)
from kripke.terms.term import Term


class Lowering:
    """``read`` gives the value of a variable in scope, ``inside`` whether control is somewhere."""

    def __init__(self, read: Callable[[int], Term], inside: Callable[[source.Inside], Term]) -> None:
        self._read, self._inside = read, inside
        self.failures: list[tuple[Term, int]] = []
        self.failed = FALSE
        self._given = TRUE

    def truth(self, term: source.Term) -> Term:
        found = self.value(term)
        return found if found.boolean else true_of(found)

    def number(self, term: source.Term) -> Term:
        found = self.value(term)
        return number(found) if found.boolean else found

    def fail(self, condition: Term, code: int) -> None:
        """What is evaluated now has no value where the condition holds."""
        here = conjoin(self._given, condition, negate(self.failed))
        if here is not FALSE:
            self.failures.append((here, code))
            self.failed = disjoin(self.failed, here)

    def value(self, term: source.Term) -> Term:
        match term:
            case source.Number(type_, value):
                return boolean(bool(value)) if type_.is_bool else constant(value)
            case source.Variable(_, place, _):
                return self._read(place)
            case source.Element(_, first, length, index, _):
                at = self.number(index)
                self.fail(negate(_within(at, length)), source.INDEX)
                return choose(at, [self._read(first + offset) for offset in range(length)])
            case source.Inside():
                return self._inside(term)
            case source.Unary(_, "-", operand):
                return multiply(constant(-1), self.number(operand))
            case source.Unary(_, _, operand):
                return negate(self.truth(operand))
            case source.Choice(_, condition, then, otherwise):
                test = self.truth(condition)
                one, other = self._only_if(test, then), self._only_if(negate(test), otherwise)
                if one.boolean != other.boolean:
                    one, other = (number(part) if part.boolean else part for part in (one, other))
                return ite(test, one, other)
            case source.Binary(_, operator, left, right):
                return self._binary(operator, left, right)
        raise TypeError(term)

    def _only_if(self, condition: Term, term: source.Term) -> Term:
        """What is evaluated there fails only where the condition holds."""
        before, self._given = self._given, conjoin(self._given, condition)
        found = self.value(term)
        self._given = before
        return found

    def _binary(self, operator: str, left: source.Term, right: source.Term) -> Term:
        if operator in ("&&", "||", "=>"):
            one = self.truth(left)
            other = self._only_if(negate(one) if operator == "||" else one, right)
            other = other if other.boolean else true_of(other)
            if operator == "=>":
                return implies(one, other)
            return conjoin(one, other) if operator == "&&" else disjoin(one, other)
        if operator in ("==", "!="):
            one, other = self.value(left), self.value(right)
            if one.boolean != other.boolean:
                one, other = (number(part) if part.boolean else part for part in (one, other))
            return equal(one, other) if operator == "==" else negate(equal(one, other))
        a, b = self.number(left), self.number(right)
        match operator:
            case "+":
                return add(a, b)
            case "-":
                return subtract(a, b)
            case "*":
                return multiply(a, b)
            case "<":
                return less(a, b)
            case "<=":
                return at_most(a, b)
            case ">":
                return less(b, a)
            case ">=":
                return at_most(b, a)
        self.fail(equal(b, constant(0)), source.DIVISION)
        return divide(a, b) if operator == "/" else remainder(a, b)


def _within(index: Term, length: int) -> Term:
    return conjoin(at_most(constant(0), index), less(index, constant(length)))
