"""Terms: the typed expressions of high-level nets.

A term is an operator, a type, operands and a detail that some operators have. Multi-set terms have the type of their
tokens and ``multi``. Operators on values:

    const(v) var(slot)                                 undefined fatal
    + - * / % & ^ | << >> neg ~                        on numbers: INT or UNSIGNED, checked; "neg" is INT
    succ pred                                          in the type of the operand, wrapping
    == < not and or if(condition, then, else)          "if" has as many branches as the condition's type has values,
                                                       that of the greatest first
    cast                                               into the term's type, checked
    tuple component(i) replace(i)                      structs and arrays with a known position
    item(array, index) put(array, index, value) rotate(array, number): detail +1 left, -1 right
    inject(tag) is(tag) select(tag)                    unions
    buffer write(buffer, item, at) peek(buffer, at) remove(buffer, number, at) used free

and on multi-sets of tokens:

    empty tokens(multiplicity, value) sum place(number) union intersect minus multiif(like if)
    filter(slot; set, condition) map(slot; set, value) mapeach((count slot, slot); set, set) taken(place)
    subset equals cardinality max min                  with a value
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kripke.model.source import NOWHERE, Span
from kripke.nets.high_level.types import BOOL, Type, Value


class Term:
    """A node; immutable by convention. Equal terms are not shared."""

    slots: frozenset[int]
    __slots__ = ("detail", "multi", "operands", "operator", "size", "slots", "span", "type")

    def __init__(
        self,
        operator: str,
        type_: Type,
        operands: tuple[Term, ...] = (),
        detail: Any = None,
        *,
        multi: bool = False,
        span: Span = NOWHERE,
    ) -> None:
        self.operator = operator
        self.type = type_
        self.operands = operands
        self.detail = detail
        self.multi = multi
        self.span = span
        slots = frozenset[int]()
        #: nodes of the whole term
        self.size = 1
        for operand in operands:
            self.size += operand.size
            if operand.slots:
                slots = slots | operand.slots
        if operator == "var":
            slots = slots | {detail}
        elif operator in ("filter", "map"):
            slots = slots - {detail}
        elif operator == "mapeach":
            slots = slots - set(detail)
        #: the variables that occur free
        self.slots = slots

    def __repr__(self) -> str:
        inner = ", ".join(map(repr, self.operands))
        return f"{self.operator}[{self.detail}]({inner})" if self.detail is not None else f"{self.operator}({inner})"

    def walk(self) -> Iterator[Term]:
        yield self
        for operand in self.operands:
            yield from operand.walk()


def constant(type_: Type, value: Value, span: Span = NOWHERE) -> Term:
    return Term("const", type_, (), value, span=span)


TRUE = constant(BOOL, 1)
FALSE = constant(BOOL, 0)


def negated(term: Term) -> Term:
    if term.operator == "const":
        return FALSE if term.detail else TRUE
    if term.operator == "not":
        return term.operands[0]
    return Term("not", BOOL, (term,), span=term.span)


def mentions_places(term: Term) -> set[int]:
    return {node.detail for node in term.walk() if node.operator == "place"}
