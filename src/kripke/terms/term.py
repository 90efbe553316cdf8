"""``Term``: an expression over variables, kept once for every form it has.

Arithmetic is that of the integers; where a language wraps around, it says so (``Op.WRAP``). Every term knows bounds of
its value, so that an engine can tell how many bits it takes, and so that what cannot happen is simplified away when a
term is made (``build.py``). Two terms of the same form are the same object.
"""

from __future__ import annotations

from enum import Enum
from typing import Final
from weakref import WeakValueDictionary

from kripke.terms.sort import Sort


class Op(Enum):
    """``ITE`` has a condition and two branches of one sort; division truncates towards zero and, like the remainder,
    is 0 where the divisor is 0; ``WRAP`` keeps the lowest bits, sign-extended where ``value`` is (bits, True);
    ``SHIFT_LEFT`` keeps 32 bits and sign-extends them, both shifts use the lowest five bits of their count."""

    CONSTANT = "constant"
    VARIABLE = "variable"
    NOT = "not"
    AND = "and"
    OR = "or"
    ITE = "ite"
    EQUAL = "="
    LESS = "<"
    ADD = "+"
    MULTIPLY = "*"
    DIVIDE = "/"
    REMAINDER = "%"
    BIT_AND = "&"
    BIT_OR = "|"
    BIT_XOR = "^"
    SHIFT_LEFT = "<<"
    SHIFT_RIGHT = ">>"
    WRAP = "wrap"


class Symbol:
    """A variable: its name, for people, and its sort. Two variables of one name are two variables."""

    __slots__ = ("name", "sort")

    def __init__(self, name: str, sort: Sort) -> None:
        self.name: Final = name
        self.sort: Final = sort

    def __repr__(self) -> str:
        return self.name


#: of a constant its value, of a variable its symbol, of a wrap its bits and whether they are signed
Payload = int | bool | Symbol | tuple[int, bool] | None


class Term:
    """Made by the functions of ``build.py``. ``low`` and ``high`` are bounds (None: none), of truth values 0 and 1."""

    __slots__ = ("__weakref__", "args", "boolean", "high", "low", "op", "value")

    op: Op
    args: tuple[Term, ...]
    value: Payload
    boolean: bool
    low: int | None
    high: int | None

    def __repr__(self) -> str:
        from kripke.terms.notation import written

        return written(self)


_Key = tuple[Op, tuple[int, ...], Payload, bool, int | None, int | None]
_terms: WeakValueDictionary[_Key, Term] = WeakValueDictionary()


def make(op: Op, args: tuple[Term, ...], value: Payload, boolean: bool, low: int | None, high: int | None) -> Term:
    """The term of this form."""
    key = (op, tuple(map(id, args)), value, boolean, low, high)
    known = _terms.get(key)
    if known is not None:
        return known
    term = Term()
    term.op, term.args, term.value = op, args, value
    term.boolean, term.low, term.high = boolean, low, high
    _terms[key] = term
    return term


def parts_first(*roots: Term) -> list[Term]:
    """Every term that occurs in these, each once, after its own parts."""
    order: list[Term] = []
    seen: set[int] = set()
    stack: list[tuple[Term, bool]] = [(root, False) for root in reversed(roots)]
    while stack:
        term, done = stack.pop()
        if done:
            order.append(term)
        elif id(term) not in seen:
            seen.add(id(term))
            stack.append((term, True))
            stack.extend((part, False) for part in term.args if id(part) not in seen)
    return order


def symbols_of(*roots: Term) -> set[Symbol]:
    """The variables that occur in these terms."""
    return {term.value for term in parts_first(*roots) if isinstance(term.value, Symbol)}
