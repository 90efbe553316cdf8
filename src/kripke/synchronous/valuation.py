"""Values of expressions where not all variables have one yet: what is known, what is not, and what has no value."""

from __future__ import annotations

from typing import Final

from kripke.synchronous.arithmetic import Undefined, applied
from kripke.synchronous.expressions import Apply, Case, Choice, Constant, Element, Interval, Node, Read, Renumber


class _Mark:
    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


#: depends on a variable that has no value yet
OPEN: Final = _Mark("OPEN")
#: has no value, whatever the variables that are left
NONE: Final = _Mark("NONE")

Value = int | _Mark


class Valuation:
    """Values of variables now and later; None: not known yet. What is known of expressions is remembered."""

    __slots__ = ("_known", "_open", "later", "now")

    def __init__(self, now: list[int | None], later: list[int | None]) -> None:
        self.now, self.later = now, later
        self._known: dict[int, Value] = {}
        self._open: set[int] = set()

    def copy(self) -> Valuation:
        """To try something that may prove wrong."""
        other = Valuation(self.now[:], self.later[:])
        other._known = self._known.copy()
        return other

    def get(self, variable: int, later: bool) -> int | None:
        return (self.later if later else self.now)[variable]

    def set(self, variable: int, later: bool, value: int) -> None:
        (self.later if later else self.now)[variable] = value
        self._open.clear()

    def of(self, node: Node) -> Value:
        match node:
            case Constant():
                return node.value
            case Read():
                value = (self.later if node.later else self.now)[node.variable]
                return OPEN if value is None else value
        key = id(node)
        if key in self._known:
            return self._known[key]
        if key in self._open:
            return OPEN
        found = self._computed(node)
        if found is OPEN:
            self._open.add(key)
        else:
            self._known[key] = found
        return found

    def _computed(self, node: Node) -> Value:
        match node:
            case Apply():
                return self._gathered(node) if node.operator in ("and", "or") else self._applied(node)
            case Case():
                for condition, value in node.branches:
                    truth = self.of(condition)
                    if not isinstance(truth, int):
                        return truth
                    if truth:
                        return self.of(value)
                return NONE
            case Element():
                index = self.of(node.index)
                if not isinstance(index, int):
                    return index
                inside = 0 <= index - node.low < len(node.items)
                return self.of(node.items[index - node.low]) if inside else NONE
            case Renumber():
                old = self.of(node.operand)
                return node.numbers[old] if isinstance(old, int) else old
        raise TypeError(node)

    def _gathered(self, node: Apply) -> Value:
        """An operand that decides does so whatever the others are."""
        deciding = 0 if node.operator == "and" else 1
        found: Value = 1 - deciding
        for operand in node.operands:
            value = self.of(operand)
            if value == deciding:
                return deciding
            if value is OPEN or (value is NONE and found is not OPEN):
                found = value
        return found

    def _applied(self, node: Apply) -> Value:
        values: list[int] = []
        result: Value | None = None
        for operand in node.operands:
            value = self.of(operand)
            if isinstance(value, int):
                values.append(value)
            elif value is NONE or result is None:
                result = value if result is not NONE else NONE
        if result is not None:
            return result
        try:
            return applied(node.operator, values, node.type)
        except Undefined:
            return NONE

    def choices(self, node: Node) -> list[int] | _Mark:
        """The values of what is assigned, each once; OPEN or NONE where one of them is."""
        match node:
            case Choice():
                found: dict[int, None] = {}
                result: _Mark | None = None
                for item in node.items:
                    if isinstance(item, Interval):
                        found.update(dict.fromkeys(range(item.low, item.high + 1)))
                        continue
                    value = self.of(item)
                    if isinstance(value, int):
                        found[value] = None
                    elif result is not NONE:
                        result = value
                return list(found) if result is None else result
            case Case():
                for condition, value_node in node.branches:
                    truth = self.of(condition)
                    if not isinstance(truth, int):
                        return truth
                    if truth:
                        return self.choices(value_node)
                return NONE
        value = self.of(node)
        return [value] if isinstance(value, int) else value
