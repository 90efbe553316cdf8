"""What expressions mean in an instance: names resolved, types checked, definitions put in, constants computed."""

from __future__ import annotations

from functools import reduce
from typing import Final

from kripke.languages.smv import syntax
from kripke.languages.smv.instances import Array, Defined, Instance, Passed
from kripke.languages.smv.types import Typing, is_set, shown
from kripke.languages.smv.words import WordOperations
from kripke.model.source import Diagnostic, ModelError, Sources, Span
from kripke.synchronous.arithmetic import Undefined, applied
from kripke.synchronous.expressions import (
    TRUE,
    Apply,
    Case,
    Choice,
    Constant,
    Element,
    Interval,
    Node,
    Read,
    gathered,
    negation,
    number,
)
from kripke.synchronous.system import SynchronousSystem
from kripke.synchronous.types import BOOLEAN, INTEGER, Boolean, Enumeration, Integer, Type, Word

TEMPORAL: Final = frozenset(
    {"X", "F", "G", "U", "V", "S", "T", "Y", "Z", "O", "H", "EX", "EF", "EG", "AX", "AF", "AG", "EU", "AU"}
)
_MOST_EXPANDED: Final = 4096
_COMPARISONS: Final = ("=", "!=", "<", ">", "<=", ">=")

#: what a name may stand for
Meaning = Node | Array | Instance


class Meanings:
    """Expressions of one file. ``constants`` are the names of values, of all enumerations together."""

    def __init__(self, system: SynchronousSystem, sources: Sources) -> None:
        self.system, self.sources = system, sources
        self.warnings: list[Diagnostic] = []
        self.constants: set[str] = set()
        self.typing = Typing(self.fault, self.warn)
        self.words = WordOperations(self)
        self._defined: dict[tuple[int, str, bool], Meaning] = {}
        self._open: list[tuple[int, str]] = []

    def fault(self, message: str, span: Span, hint: str | None = None) -> ModelError:
        return self.sources.error(message, span, hint)

    def warn(self, message: str, span: Span) -> None:
        warning = Diagnostic(message, span)
        if warning not in self.warnings:
            self.warnings.append(warning)

    # --- what is asked for --------------------------------------------------------------------------------------------

    def node(self, expression: syntax.Expression, where: Instance, later: bool = False) -> Node:
        """A value, or a set of values."""
        found = self.meaning(expression, where, later)
        if isinstance(found, Instance):
            raise self.fault(f"{found.prefix[:-1] or 'self'} is an instance, not a value", expression.span)
        if isinstance(found, Array):
            raise self.fault("this is a whole array: name one of its elements", expression.span)
        return found

    def value(self, expression: syntax.Expression, where: Instance, later: bool = False, what: str = "this") -> Node:
        return self.typing.single(self.node(expression, where, later), what)

    def truth(self, expression: syntax.Expression, where: Instance, later: bool = False, what: str = "this") -> Node:
        return self.typing.truth(self.node(expression, where, later), what)

    def constant(self, expression: syntax.Expression, where: Instance, what: str) -> int:
        """A number that is known now."""
        found = self.node(expression, where)
        if not isinstance(found, Constant) or not isinstance(found.type, Integer | Word):
            raise self.fault(f"{what} is to be a constant number", expression.span)
        return found.value

    # --- names --------------------------------------------------------------------------------------------------------

    def meaning(self, expression: syntax.Expression, where: Instance, later: bool) -> Meaning:
        match expression:
            case syntax.Identifier(span, text):
                return self._name(text, span, where, later)
            case syntax.Member(span, of, name):
                owner = self.meaning(of, where, later)
                if not isinstance(owner, Instance):
                    raise self.fault("only an instance of a module has parts with names", of.span)
                if name.text not in owner.meanings:
                    raise self._unknown(name.text, name.span, owner)
                return self._name(name.text, span, owner, later)
            case syntax.Index(span, of, at):
                return self._element(self.meaning(of, where, later), at, where, later, span)
            case syntax.ArrayOf(_, items):
                return Array(0, tuple(self.meaning(item, where, later) for item in items))
        return self._expression(expression, where, later)

    def _name(self, text: str, span: Span, where: Instance, later: bool) -> Meaning:
        if text == "self":
            return where
        meaning = where.meanings.get(text)
        match meaning:
            case int():
                return self.read(meaning, later, span)
            case Array():
                return self._read_array(meaning, later, span)
            case Instance():
                return meaning
            case Passed(expression, outside):
                return self._once(where, text, span, expression, outside, later)
            case Defined(_, expression):
                return self._once(where, text, span, expression, where, later)
        if text in self.constants:
            return Constant(0, Enumeration((text,)), span)
        raise self._unknown(text, span, where)

    def _once(
        self, where: Instance, text: str, span: Span, expression: syntax.Expression, outside: Instance, later: bool
    ) -> Meaning:
        """What a name stands for is made once."""
        key = id(where), text, later
        if key not in self._defined:
            mark = id(where), text
            if mark in self._open:
                raise self.fault(f"{where.prefix}{text} is defined by itself", span)
            self._open.append(mark)
            self._defined[key] = self.meaning(expression, outside, later)
            self._open.pop()
        return self._defined[key]

    def read(self, variable: int, later: bool, span: Span) -> Node:
        declared = self.system.variables[variable]
        if later and declared.kind == "input":
            hint = "an input is new in every step: a variable under VAR has a next value"
            raise self.fault(f"{declared.name} is an input, which has no next value", span, hint)
        return Read(variable, later and declared.kind != "frozen", declared.type, span)

    def _read_array(self, array: Array, later: bool, span: Span) -> Array:
        items: list[object] = []
        for item in array.items:
            assert isinstance(item, int | Array)
            inner = isinstance(item, Array)
            items.append(self._read_array(item, later, span) if inner else self.read(item, later, span))  # type: ignore[arg-type]
        return Array(array.low, tuple(items))

    def _unknown(self, text: str, span: Span, where: Instance) -> ModelError:
        from difflib import get_close_matches

        close = get_close_matches(text, [*where.meanings, *self.constants], n=1)
        hint = f"did you mean {close[0]}?" if close else None
        inside = f" in module {where.module.name.text}" if where.prefix else ""
        return self.fault(f"there is nothing called {text}{inside}", span, hint)

    # --- elements and bits --------------------------------------------------------------------------------------------

    def _element(self, of: Meaning, at: syntax.Expression, where: Instance, later: bool, span: Span) -> Meaning:
        if isinstance(of, Node) and isinstance(of.type, Word):
            place = self.constant(at, where, "the number of a bit")
            return self.words.bits(of, place, place, span)
        if not isinstance(of, Array):
            raise self.fault("this is no array", span)
        index = self.value(at, where, later, "an index")
        if not isinstance(index.type, Integer | Word):
            raise self.fault(f"an index is a number, and this is {shown(index.type)}", at.span)
        last = of.low + len(of.items) - 1
        if isinstance(index, Constant):
            if not of.low <= index.value <= last:
                raise self.fault(f"the array has elements {of.low} to {last}, not {index.value}", at.span)
            return of.items[index.value - of.low]  # type: ignore[return-value]
        return self._chosen(index, of, span)

    def _chosen(self, index: Node, of: Array, span: Span) -> Meaning:
        if isinstance(of.items[0], Array):
            inner = [item for item in of.items if isinstance(item, Array)]
            width = min(len(item.items) for item in inner)
            columns = (Array(of.low, tuple(item.items[place] for item in inner)) for place in range(width))
            return Array(inner[0].low, tuple(self._chosen(index, column, span) for column in columns))
        items = [item for item in of.items if isinstance(item, Node)]
        type_ = self.typing.joint([(item, item.type) for item in items], span)
        return Element(index, of.low, tuple(self.typing.converted(item, type_) for item in items), type_, span)

    # --- expressions --------------------------------------------------------------------------------------------------

    def _expression(self, expression: syntax.Expression, where: Instance, later: bool) -> Node:
        match expression:
            case syntax.Number(span, value):
                return number(value, span)
            case syntax.Truth(span, value):
                return Constant(int(value), BOOLEAN, span)
            case syntax.WordConstant(span, value, width, signed):
                return Constant(value, Word(width, signed), span)
            case syntax.Bits(span, of, high, low):
                word = self.value(of, where, later)
                ends = [self.constant(end, where, "the number of a bit") for end in (high, low)]
                return self.words.bits(word, ends[0], ends[1], span)
            case syntax.Case():
                return self._case(expression, where, later)
            case syntax.Set(span, items):
                return self._set([self.node(item, where, later) for item in items], span)
            case syntax.Interval(span, low, high):
                first, last = (self.constant(end, where, "the end of a range") for end in (low, high))
                if last < first:
                    raise self.fault(f"from {first} to {last} there is no number", span)
                return Choice((Interval(first, last),), INTEGER, span)
            case syntax.Bounded():
                raise self._temporal(expression.operator, expression.span)
            case syntax.Operation(span, operator, operands):
                return self._operation(span, operator, operands, where, later)
        raise self.fault("this cannot stand here", expression.span)

    def _temporal(self, operator: str, span: Span) -> ModelError:
        hint = "formulas stand behind LTLSPEC and CTLSPEC"
        return self.fault(f"{operator} is an operator of temporal logic, and this is an expression", span, hint)

    def _operation(
        self, span: Span, operator: str, operands: tuple[syntax.Expression, ...], where: Instance, later: bool
    ) -> Node:
        if operator in TEMPORAL:
            raise self._temporal(operator, span)
        if operator == "next":
            if later:
                raise self.fault("next inside of next: only the next state can be spoken of", span)
            return self.node(operands[0], where, True)
        if operator in ("in", "union"):
            left, right = (self.node(operand, where, later) for operand in operands)
            return self._union([left, right], span) if operator == "union" else self._member(left, right, span)
        if operator == "count":
            truths = [self.truth(each, where, later, "what is counted") for each in operands]
            return self.applied("+", [self.applied("as", [one], INTEGER, span) for one in truths], INTEGER, span)
        values = [self.value(each, where, later, f"an operand of {operator}") for each in _chain(operator, operands)]
        if operator in ("&", "|", "->", "<->", "xor", "xnor", "!"):
            if any(isinstance(one.type, Word) for one in values):
                if len(values) < 3:
                    return self.words.bitwise(operator, values, span)
                return reduce(lambda left, right: self.words.bitwise(operator, [left, right], span), values)
            return self.logic(operator, [self.typing.truth(one, f"an operand of {operator}") for one in values], span)
        if operator in _COMPARISONS:
            return self.compared(operator, values[0], values[1], span)
        if any(isinstance(one.type, Word) for one in values) or operator in self.words.functions:
            return self.words.operation(operator, values, span)
        return self._arithmetic(operator, values, span)

    def logic(self, operator: str, values: list[Node], span: Span) -> Node:
        match operator:
            case "!":
                return negation(values[0])
            case "&" | "|":
                return gathered("and" if operator == "&" else "or", values, span)
            case "->":
                return gathered("or", (negation(values[0]), values[1]), span)
            case "<->" | "xnor":
                return self.applied("iff", values, BOOLEAN, span)
        return negation(self.applied("iff", values, BOOLEAN, span))

    def compared(self, operator: str, left: Node, right: Node, span: Span) -> Node:
        type_ = self.typing.joint([(left, left.type), (right, right.type)], span)
        left, right = (self.typing.converted(one, type_) for one in (left, right))
        if operator in ("=", "!="):
            same = self.applied("iff" if isinstance(type_, Boolean) else "=", [left, right], BOOLEAN, span)
            return same if operator == "=" else negation(same)
        if not isinstance(type_, Integer | Word):
            raise self.fault(f"{operator} compares numbers and words, and this is {shown(type_)}", span)
        swapped = operator in (">", "<=")
        less = self.applied("<", [right, left] if swapped else [left, right], BOOLEAN, span)
        return less if operator in ("<", ">") else negation(less)

    def _arithmetic(self, operator: str, values: list[Node], span: Span) -> Node:
        for one in values:
            if not isinstance(one.type, Integer):
                hint = "toint(...) makes a number of a truth value" if isinstance(one.type, Boolean) else None
                raise self.fault(f"{operator} is for numbers and words, and this is {shown(one.type)}", one.span, hint)
        match operator:
            case "negative":
                return self.applied("-", [number(0), values[0]], INTEGER, span)
            case "abs":
                negative = self.applied("<", [values[0], number(0)], BOOLEAN, span)
                return self.either(negative, self.applied("-", [number(0), values[0]], INTEGER, span), values[0], span)
            case "max" | "min":
                less = self.applied("<", values, BOOLEAN, span)
                first, second = (values[1], values[0]) if operator == "max" else (values[0], values[1])
                return self.either(less, first, second, span)
            case "<<" | ">>":
                raise self.fault(f"{operator} shifts words, and this is a number", values[0].span)
            case "::":
                raise self.fault(":: joins words, and this is a number", values[0].span)
        return self.applied(operator, values, INTEGER, span)

    def either(self, condition: Node, then: Node, otherwise: Node, span: Span) -> Node:
        return Case(((condition, then), (TRUE, otherwise)), then.type, span)

    def applied(self, operator: str, operands: list[Node], type_: Type, span: Span) -> Node:
        """Of constants a constant."""
        if all(isinstance(one, Constant) for one in operands):
            values = [one.value for one in operands if isinstance(one, Constant)]
            try:
                found = applied(operator, values, type_)
            except Undefined:
                raise self.fault("this has no value", span, "it divides by zero, or shifts by less than 0") from None
            return number(found, span) if isinstance(type_, Integer) else Constant(found, type_, span)
        if operator == "iff" and any(isinstance(one, Constant) for one in operands):
            known, other = operands if isinstance(operands[0], Constant) else reversed(operands)
            assert isinstance(known, Constant)
            return other if known.value else negation(other)
        if operator == "+":
            flat = [part for one in operands for part in self._summands(one)]
            return Apply("+", tuple(flat), type_, span)
        return Apply(operator, tuple(operands), type_, span)

    def _summands(self, node: Node) -> tuple[Node, ...]:
        return node.operands if isinstance(node, Apply) and node.operator == "+" else (node,)

    # --- cases and sets -----------------------------------------------------------------------------------------------

    def _case(self, expression: syntax.Case, where: Instance, later: bool) -> Node:
        branches: list[tuple[Node, Node]] = []
        for condition, value in expression.branches:
            found = self.truth(condition, where, later, "the condition of a case")
            branches.append((found, self.node(value, where, later)))
        type_ = self.typing.joint([pair for _, value in branches for pair in self._leaves(value)], expression.span)
        converted = [(c, self.typing.converted(value, type_)) for c, value in branches]
        kept: list[tuple[Node, Node]] = []
        for branch in converted:
            first = branch[0]
            if isinstance(first, Constant) and not first.value:
                continue
            kept.append(branch)
            if isinstance(first, Constant):
                break
        if kept and isinstance(kept[0][0], Constant):
            return kept[0][1]
        return Case(tuple(kept), type_, expression.span)

    def _leaves(self, node: Node) -> list[tuple[Node, Type]]:
        """The single values of a set, with their types."""
        if isinstance(node, Case) and is_set(node):
            return [pair for _, value in node.branches for pair in self._leaves(value)]
        if isinstance(node, Choice):
            return [(item, item.type) if isinstance(item, Node) else (node, INTEGER) for item in node.items]
        return [(node, node.type)]

    def _set(self, nodes: list[Node], span: Span) -> Node:
        if any(isinstance(node, Case) and is_set(node) for node in nodes):
            raise self.fault("a case that leaves a choice cannot stand in a set", span, "join the sets with union")
        return self._union(nodes, span)

    def _union(self, nodes: list[Node], span: Span) -> Node:
        items: list[Node | Interval] = []
        for node in nodes:
            if isinstance(node, Choice):
                items += node.items
            elif isinstance(node, Case) and is_set(node):
                return self._union_of_case(nodes, node, span)
            else:
                items.append(node)
        named = any(isinstance(item, Node) and isinstance(item.type, Enumeration) for item in items)
        if named:
            items = [one for item in items for one in self._expanded(item, span)]
        pairs = [(item, item.type) if isinstance(item, Node) else (number(item.low, span), INTEGER) for item in items]
        type_ = self.typing.joint(pairs, span)
        converted = tuple(item if isinstance(item, Interval) else self.typing.converted(item, type_) for item in items)
        return Choice(converted, type_, span)

    def _union_of_case(self, nodes: list[Node], case: Case, span: Span) -> Node:
        """The union with every branch."""
        others = [node for node in nodes if node is not case]
        branches = [(condition, self._union([value, *others], span)) for condition, value in case.branches]
        type_ = self.typing.joint([pair for _, value in branches for pair in self._leaves(value)], span)
        return Case(tuple((c, self.typing.converted(value, type_)) for c, value in branches), type_, span)

    def _expanded(self, item: Node | Interval, span: Span) -> list[Node]:
        if isinstance(item, Node):
            return [item]
        if item.high - item.low >= _MOST_EXPANDED:
            raise self.fault("this range is too large to stand beside names", span)
        return [number(value, span) for value in range(item.low, item.high + 1)]

    def _member(self, left: Node, right: Node, span: Span) -> Node:
        """Is a value, or every one of several, in the set?"""
        if isinstance(left, Choice):
            singles = [one for item in left.items for one in self._expanded(item, span)]
            return gathered("and", [self._member(one, right, span) for one in singles], span)
        self.typing.single(left, "what is looked for")
        match right:
            case Choice():
                return gathered("or", [self._among(left, item, span) for item in right.items], span)
            case Case() if is_set(right):
                branches = tuple((c, self._member(left, value, span)) for c, value in right.branches)
                return Case(branches, BOOLEAN, span)
        return self.compared("=", left, right, span)

    def _among(self, left: Node, item: Node | Interval, span: Span) -> Node:
        if isinstance(item, Node):
            return self.compared("=", left, item, span)
        if not isinstance(left.type, Integer):
            return gathered("or", [self.compared("=", left, one, span) for one in self._expanded(item, span)], span)
        low = self.compared(">=", left, number(item.low, span), span)
        return gathered("and", (low, self.compared("<=", left, number(item.high, span), span)), span)


def _chain(operator: str, operands: tuple[syntax.Expression, ...]) -> tuple[syntax.Expression, ...]:
    """``a | b | c`` was read as ``(a | b) | c``: all of its operands, however many there are."""
    if operator not in ("&", "|"):
        return operands
    behind: list[syntax.Expression] = []
    while True:
        first, second = operands
        behind.append(second)
        if not isinstance(first, syntax.Operation) or first.operator != operator:
            return first, *reversed(behind)
        operands = first.operands
