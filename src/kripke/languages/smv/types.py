"""Values of different types brought together: what can be compared, chosen between, and assigned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from kripke.model.source import ModelError, Span
from kripke.synchronous.expressions import Case, Choice, Constant, Interval, Node, Renumber
from kripke.synchronous.types import BOOLEAN, INTEGER, Boolean, Enumeration, Integer, Type, Word

Fault = Callable[[str, Span, str | None], ModelError]
Warn = Callable[[str, Span], None]

_SOME_VALUES: Final = 8


def shown(type_: Type) -> str:
    """For a message."""
    match type_:
        case Boolean():
            return "a truth value"
        case Integer():
            return "a number"
        case Word():
            return f"{'an' if not type_.signed else 'a'} {type_}"
        case Enumeration(values):
            names = ", ".join(map(str, values[:_SOME_VALUES])) + (", ..." if len(values) > _SOME_VALUES else "")
            return f"one of {{{names}}}" if len(values) > 1 else names
    return str(type_)


def is_set(node: Node) -> bool:
    """Does it leave a choice?"""
    return isinstance(node, Choice) or (isinstance(node, Case) and any(is_set(value) for _, value in node.branches))


@dataclass(frozen=True, slots=True)
class Typing:
    fault: Fault
    warn: Warn

    def truth(self, node: Node, what: str) -> Node:
        """As a truth value; 0 and 1 are ones in old files."""
        if is_set(node):
            raise self.fault(f"{what} is a single value, not a set", node.span, "ask for membership with in")
        if isinstance(node.type, Boolean):
            return node
        if isinstance(node, Constant) and isinstance(node.type, Integer) and node.value in (0, 1):
            self.warn(f"{node.value} is a number, taken for {'TRUE' if node.value else 'FALSE'} here", node.span)
            return Constant(node.value, BOOLEAN, node.span)
        hint = "bool(...) makes a truth value of a number or a word" if isinstance(node.type, Integer | Word) else None
        raise self.fault(f"{what} is to be a truth value, and this is {shown(node.type)}", node.span, hint)

    def single(self, node: Node, what: str) -> Node:
        if is_set(node):
            raise self.fault(f"{what} is a single value, not a set", node.span, "ask for membership with in")
        return node

    def joint(self, types: list[tuple[Node, Type]], span: Span) -> Type:
        """A type that has the values of all."""
        kinds = {self._kind(type_) for _, type_ in types}
        if "truth" in kinds and kinds <= {"truth", "number"}:
            return BOOLEAN
        if kinds == {"number"}:
            return INTEGER
        if kinds <= {"number", "name"}:
            values: dict[int | str, None] = {}
            for node, type_ in types:
                values.update(dict.fromkeys(self._values(node, type_)))
            return Enumeration(tuple(values))
        first = types[0][1]
        for node, type_ in types:
            if type_ != first:
                raise self.fault(
                    f"{shown(first)} and {shown(type_)} do not go together", node.span, _hint(first, type_)
                )
        return first

    def _kind(self, type_: Type) -> str:
        match type_:
            case Boolean():
                return "truth"
            case Integer():
                return "number"
            case Enumeration():
                return "name"
        return str(type_)

    def _values(self, node: Node, type_: Type) -> tuple[int | str, ...]:
        if isinstance(type_, Enumeration):
            return type_.values
        if isinstance(node, Constant):
            return (node.value,)
        raise self.fault(
            "numbers that are not constants do not go together with names", node.span, "tell the cases apart with case"
        )

    def converted(self, node: Node, type_: Type) -> Node:
        """As a value of a joint type."""
        match node:
            case Case() if is_set(node):
                branches = tuple((condition, self.converted(value, type_)) for condition, value in node.branches)
                return Case(branches, type_, node.span)
            case Choice():
                return Choice(
                    tuple(item if isinstance(item, Interval) else self.converted(item, type_) for item in node.items),
                    type_,
                    node.span,
                )
        if isinstance(type_, Boolean):
            return self.truth(node, "this")
        if isinstance(type_, Enumeration) and node.type != type_:
            if isinstance(node.type, Integer):
                assert isinstance(node, Constant)
                return Constant(type_.numbers[node.value], type_, node.span)
            assert isinstance(node.type, Enumeration)
            outside = len(type_.values)
            numbers = tuple(type_.numbers.get(value, outside) for value in node.type.values)
            if isinstance(node, Constant):
                return Constant(numbers[node.value], type_, node.span)
            return Renumber(node, numbers, type_, node.span)
        return node

    def assignable(self, node: Node, name: str, type_: Type) -> Node:
        """As a value of a variable. What may lie outside is found where it happens, a constant now."""
        match node:
            case Case():
                branches = tuple((c, self.assignable(value, name, type_)) for c, value in node.branches)
                return Case(branches, type_, node.span)
            case Choice():
                items: list[Node | Interval] = []
                for item in node.items:
                    if isinstance(item, Interval):
                        items.append(self._interval(item, node.span, name, type_))
                    else:
                        items.append(self.assignable(item, name, type_))
                return Choice(tuple(items), type_, node.span)
        match type_:
            case Boolean():
                return self.truth(node, f"what {name} becomes")
            case Word():
                if node.type != type_:
                    hint = _hint(type_, node.type)
                    raise self.fault(f"{name} is {shown(type_)}, and this is {shown(node.type)}", node.span, hint)
            case Integer():
                if not isinstance(node.type, Integer):
                    hint = "toint(...) makes a number of it" if isinstance(node.type, Word | Boolean) else None
                    raise self.fault(f"{name} is a number, and this is {shown(node.type)}", node.span, hint)
                if isinstance(node, Constant) and node.value not in type_.domain:
                    raise self._outside(node, name, type_)
            case Enumeration(values):
                if not isinstance(node.type, Enumeration) and not (
                    isinstance(node.type, Integer) and isinstance(node, Constant)
                ):
                    raise self.fault(f"{name} is {shown(type_)}, and this is {shown(node.type)}", node.span, None)
                if isinstance(node.type, Integer):
                    assert isinstance(node, Constant)
                    if node.value not in values:
                        raise self._outside(node, name, type_)
                    return Constant(type_.numbers[node.value], type_, node.span)
                assert isinstance(node.type, Enumeration)
                if not set(node.type.values) & set(values):
                    raise self._outside(node, name, type_)
                return self.converted(node, type_)
        return node

    def _interval(self, item: Interval, span: Span, name: str, type_: Type) -> Interval:
        if not isinstance(type_, Integer):
            raise self.fault(f"{name} is {shown(type_)}, and these are numbers", span, None)
        for end in (item.low, item.high):
            if end not in type_.domain:
                raise self._outside(Constant(end, INTEGER, span), name, type_)
        return item

    def _outside(self, node: Node, name: str, type_: Type) -> ModelError:
        value = node.type.text(node.value) if isinstance(node, Constant) else "this"
        return self.fault(f"{name} cannot become {value}: its type is {type_}", node.span, None)


def _hint(first: Type, other: Type) -> str | None:
    if isinstance(first, Word) and isinstance(other, Word):
        if first.width != other.width:
            return "extend(...) and resize(...) change the number of bits"
        return "signed(...) and unsigned(...) change how the bits are read"
    if isinstance(first, Word) or isinstance(other, Word):
        return "toint(...) makes a number of a word, uwconst(n, bits) a word of a number"
    return None
