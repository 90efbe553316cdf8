"""Expressions of a synchronous system: flat, typed, over variables now and in the next state.

An expression may have no value (a division by zero, an index outside of an array, a ``Case`` none of whose conditions
is true). ``and`` and ``or`` have one wherever one operand decides; everything else needs all its operands, a ``Case``
the conditions up to the first true one and the value behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kripke.model.source import NOWHERE, Span
from kripke.synchronous.types import BOOLEAN, Integer, Type


class Node:
    """``type`` is that of its values, ``span`` where it stands."""

    __slots__ = ("span", "type")

    type: Type
    span: Span

    def __init__(self, type_: Type, span: Span = NOWHERE) -> None:
        self.type, self.span = type_, span

    def parts(self) -> Iterable[Node]:
        return ()


class Constant(Node):
    __slots__ = ("value",)

    def __init__(self, value: int, type_: Type, span: Span = NOWHERE) -> None:
        super().__init__(type_, span)
        self.value = value


class Read(Node):
    """A variable by its number, now or in the next state."""

    __slots__ = ("later", "variable")

    def __init__(self, variable: int, later: bool, type_: Type, span: Span = NOWHERE) -> None:
        super().__init__(type_, span)
        self.variable, self.later = variable, later


class Apply(Node):
    """``operator``: ``not and or iff = < + - * / mod & | ^ << >> wrap as``.

    Numbers are integers without bounds; ``wrap`` keeps the bits of its type, which is that of a word; ``as`` is the
    value itself with another type. Division truncates towards zero, and the remainder has the sign of the dividend.
    A shift takes the value as it is, and has no value for a negative count.
    """

    __slots__ = ("operands", "operator")

    def __init__(self, operator: str, operands: tuple[Node, ...], type_: Type, span: Span = NOWHERE) -> None:
        super().__init__(type_, span)
        self.operator, self.operands = operator, operands

    def parts(self) -> Iterable[Node]:
        return self.operands


class Case(Node):
    """The value behind the first true condition."""

    __slots__ = ("branches",)

    def __init__(self, branches: tuple[tuple[Node, Node], ...], type_: Type, span: Span = NOWHERE) -> None:
        super().__init__(type_, span)
        self.branches = branches

    def parts(self) -> Iterable[Node]:
        for condition, value in self.branches:
            yield condition
            yield value


class Element(Node):
    """Of these, the one with a number, the first of which is ``low``."""

    __slots__ = ("index", "items", "low")

    def __init__(self, index: Node, low: int, items: tuple[Node, ...], type_: Type, span: Span = NOWHERE) -> None:
        super().__init__(type_, span)
        self.index, self.low, self.items = index, low, items

    def parts(self) -> Iterable[Node]:
        yield self.index
        yield from self.items


class Renumber(Node):
    """A value of an enumeration as one of another: ``numbers`` has the new number of each."""

    __slots__ = ("numbers", "operand")

    def __init__(self, operand: Node, numbers: tuple[int, ...], type_: Type, span: Span = NOWHERE) -> None:
        super().__init__(type_, span)
        self.operand, self.numbers = operand, numbers

    def parts(self) -> Iterable[Node]:
        return (self.operand,)


@dataclass(frozen=True, slots=True)
class Interval:
    """Constants from ``low`` to ``high``."""

    low: int
    high: int


class Choice(Node):
    """Any one of these values; only where something is assigned, and in the branches of a ``Case`` there."""

    __slots__ = ("items",)

    def __init__(self, items: tuple[Node | Interval, ...], type_: Type, span: Span = NOWHERE) -> None:
        super().__init__(type_, span)
        self.items = items

    def parts(self) -> Iterable[Node]:
        return (item for item in self.items if isinstance(item, Node))


TRUE = Constant(1, BOOLEAN)
FALSE = Constant(0, BOOLEAN)


def number(value: int, span: Span = NOWHERE) -> Constant:
    return Constant(value, Integer(range(value, value + 1)), span)


def negation(node: Node) -> Node:
    if isinstance(node, Constant):
        return FALSE if node.value else TRUE
    if isinstance(node, Apply) and node.operator == "not":
        return node.operands[0]
    return Apply("not", (node,), BOOLEAN, node.span)


def gathered(operator: str, nodes: Iterable[Node], span: Span = NOWHERE) -> Node:
    """``and`` or ``or`` of these, flat, without constants that decide nothing."""
    neutral = 1 if operator == "and" else 0
    found: list[Node] = []
    for node in nodes:
        if isinstance(node, Constant):
            if node.value != neutral:
                return node
        elif isinstance(node, Apply) and node.operator == operator:
            found += node.operands
        else:
            found.append(node)
    if not found:
        return TRUE if neutral else FALSE
    return found[0] if len(found) == 1 else Apply(operator, tuple(found), BOOLEAN, span)


def conjuncts(node: Node) -> tuple[Node, ...]:
    return node.operands if isinstance(node, Apply) and node.operator == "and" else (node,)


def every(*roots: Node) -> Iterator[Node]:
    """Each part of these, once."""
    seen: set[int] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield node
            stack.extend(node.parts())


def reads(*roots: Node) -> set[tuple[int, bool]]:
    """The variables that occur, each now or later."""
    return {(node.variable, node.later) for node in every(*roots) if isinstance(node, Read)}
