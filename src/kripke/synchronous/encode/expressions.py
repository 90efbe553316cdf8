"""Expressions as terms: a value, and under which condition there is none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kripke.synchronous.expressions import Apply, Case, Choice, Constant, Element, Interval, Node, Read, Renumber
from kripke.synchronous.types import Boolean, Word
from kripke.terms.build import (
    FALSE,
    TRUE,
    ZERO,
    add,
    all_of,
    any_of,
    at_most,
    between,
    bitwise,
    boolean,
    conjoin,
    constant,
    disjoin,
    divide,
    equal,
    ite,
    less,
    multiply,
    negate,
    number,
    remainder,
    subtract,
    wrap,
)
from kripke.terms.term import Op, Term


class Lowered(NamedTuple):
    """A truth value is false where it ``fails``; another value is any one there."""

    value: Term
    fails: Term


_BITWISE = {"&": Op.BIT_AND, "|": Op.BIT_OR, "^": Op.BIT_XOR}


class Lowering:
    """Over terms for the variables, now and later."""

    def __init__(self, now: Sequence[Term], later: Sequence[Term]) -> None:
        self.now, self.later = now, later
        self._known: dict[int, tuple[Node, Lowered]] = {}

    def of(self, node: Node) -> Lowered:
        known = self._known.get(id(node))
        if known is None:
            known = self._known[id(node)] = node, self._made(node)
        return known[1]

    def _made(self, node: Node) -> Lowered:
        match node:
            case Constant():
                value = boolean(bool(node.value)) if isinstance(node.type, Boolean) else constant(node.value)
                return Lowered(value, FALSE)
            case Read():
                return Lowered((self.later if node.later else self.now)[node.variable], FALSE)
            case Apply(operator="and" | "or"):
                return self._gathered(node)
            case Apply():
                return self._applied(node)
            case Case():
                return self._case(node)
            case Element():
                return self._element(node)
            case Renumber():
                inner = self.of(node.operand)
                if node.numbers == tuple(range(len(node.numbers))):
                    return inner
                value = constant(node.numbers[-1])
                for old in range(len(node.numbers) - 2, -1, -1):
                    value = ite(equal(inner.value, constant(old)), constant(node.numbers[old]), value)
                return Lowered(value, inner.fails)
        raise TypeError(node)

    def _gathered(self, node: Apply) -> Lowered:
        parts = [self.of(operand) for operand in node.operands]
        values = [part.value for part in parts]
        some = any_of(part.fails for part in parts)
        if node.operator == "and":
            possible = all_of(disjoin(part.value, part.fails) for part in parts) if some is not FALSE else FALSE
            return Lowered(all_of(values), conjoin(some, possible))
        return Lowered(any_of(values), conjoin(some, negate(any_of(values))))

    def _applied(self, node: Apply) -> Lowered:
        parts = [self.of(operand) for operand in node.operands]
        fails = any_of(part.fails for part in parts)
        values = [part.value for part in parts]
        value, more = self._operation(node, values)
        fails = disjoin(fails, more)
        return Lowered(conjoin(value, negate(fails)) if value.boolean else value, fails)

    def _operation(self, node: Apply, values: list[Term]) -> tuple[Term, Term]:
        """The value, and where this operator has none."""
        match node.operator:
            case "not":
                return negate(values[0]), FALSE
            case "iff" | "=":
                return equal(values[0], values[1]), FALSE
            case "<":
                return less(values[0], values[1]), FALSE
            case "+":
                return add(*values), FALSE
            case "-":
                return subtract(values[0], values[1]), FALSE
            case "*":
                return multiply(values[0], values[1]), FALSE
            case "/":
                return divide(values[0], values[1]), equal(values[1], ZERO)
            case "mod":
                return remainder(values[0], values[1]), equal(values[1], ZERO)
            case "&" | "|" | "^":
                return bitwise(_BITWISE[node.operator], values[0], values[1]), FALSE
            case "<<" | ">>":
                return self._shift(node, values[0], values[1]), less(values[1], ZERO)
            case "wrap":
                assert isinstance(node.type, Word)
                return wrap(values[0], node.type.width, signed=node.type.signed), FALSE
            case "as":
                truth = values[0].boolean and not isinstance(node.type, Boolean)
                return number(values[0]) if truth else values[0], FALSE
        raise TypeError(node.operator)

    def _shift(self, node: Apply, value: Term, count: Term) -> Term:
        """The count tells the cases apart; from the number of bits on, all of them are gone."""
        type_ = node.operands[0].type
        assert isinstance(type_, Word)
        left = node.operator == "<<"
        most = type_.width if count.high is None else min(type_.width, max(count.high, 0))
        result = self._moved(value, most, left=left, width=type_.width)
        for places in range(most - 1, -1, -1):
            moved = self._moved(value, places, left=left, width=type_.width)
            result = ite(at_most(count, constant(places)), moved, result)
        return result

    def _moved(self, value: Term, places: int, *, left: bool, width: int) -> Term:
        if left:
            return multiply(value, constant(1 << places)) if places < width else ZERO
        if value.low is not None and value.low >= 0:
            return divide(value, constant(1 << places))
        below = subtract(constant(-1), value)  # not negative where the value is
        rounded = subtract(constant(-1), divide(_not_negative(below), constant(1 << places)))
        return ite(less(value, ZERO), rounded, divide(_not_negative(value), constant(1 << places)))

    def _case(self, node: Case) -> Lowered:
        value, fails = self._last(node), TRUE
        for condition, behind in reversed(node.branches):
            truth, then = self.of(condition), self.of(behind)
            value = ite(truth.value, then.value, value)
            fails = disjoin(truth.fails, ite(truth.value, then.fails, fails))
        return Lowered(conjoin(value, negate(fails)) if value.boolean else value, fails)

    def _last(self, node: Case) -> Term:
        """What stands where no condition is true, and nothing is asked."""
        last = self.of(node.branches[-1][1]).value
        return FALSE if last.boolean else last

    def _element(self, node: Element) -> Lowered:
        index, items = self.of(node.index), [self.of(item) for item in node.items]
        value, failing = items[-1].value, items[-1].fails
        for place in range(len(items) - 2, -1, -1):
            here = equal(index.value, constant(node.low + place))
            value = ite(here, items[place].value, value)
            failing = ite(here, items[place].fails, failing)
        outside = negate(between(node.low, index.value, node.low + len(items) - 1))
        fails = disjoin(index.fails, outside, failing)
        return Lowered(conjoin(value, negate(fails)) if value.boolean else value, fails)

    # --- what is assigned ---------------------------------------------------------------------------------------------

    def member(self, target: Term, node: Node) -> Lowered:
        """Is the target one of the values?"""
        match node:
            case Choice():
                found, fails = FALSE, FALSE
                for item in node.items:
                    if isinstance(item, Interval):
                        found = disjoin(found, between(item.low, target, item.high))
                    else:
                        inner = self.of(item)
                        found = disjoin(found, equal(target, inner.value))
                        fails = disjoin(fails, inner.fails)
                return Lowered(conjoin(found, negate(fails)), fails)
            case Case():
                found, fails = FALSE, TRUE
                for condition, behind in reversed(node.branches):
                    truth, then = self.of(condition), self.member(target, behind)
                    found = ite(truth.value, then.value, found)
                    fails = disjoin(truth.fails, ite(truth.value, then.fails, fails))
                return Lowered(conjoin(found, negate(fails)), fails)
        inner = self.of(node)
        return Lowered(conjoin(equal(target, inner.value), negate(inner.fails)), inner.fails)

    def outside(self, node: Node, domain: range | tuple[int, ...]) -> Term:
        """Is one of the values, where all are defined, outside of a domain?"""
        match node:
            case Choice():
                return any_of(
                    boolean(item.low not in domain or item.high not in domain)
                    if isinstance(item, Interval)
                    else self.outside(item, domain)
                    for item in node.items
                )
            case Case():
                found = FALSE
                for condition, behind in reversed(node.branches):
                    found = ite(self.of(condition).value, self.outside(behind, domain), found)
                return found
        value = self.of(node).value
        return FALSE if value.boolean else negate(in_domain(value, domain))


def in_domain(value: Term, domain: range | tuple[int, ...]) -> Term:
    if isinstance(domain, range):
        return between(domain[0], value, domain[-1])
    return any_of(equal(value, constant(one)) for one in domain)


def _not_negative(value: Term) -> Term:
    """The value where it is not negative, 0 elsewhere: its bounds show it."""
    from kripke.terms.term import make

    if value.low is not None and value.low >= 0:
        return value
    chosen = ite(less(value, ZERO), ZERO, value)
    return make(chosen.op, chosen.args, chosen.value, False, 0, chosen.high)
