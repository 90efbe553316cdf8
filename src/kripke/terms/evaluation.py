"""The value of terms, given those of their variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kripke.terms.build import truncated_quotient, truncated_remainder, wrapped
from kripke.terms.term import Op, Symbol, Term, parts_first


def _wrapped_shift(a: int, count: int) -> int:
    return wrapped(a << (count & 31), 32, signed=True)


_BINARY: dict[Op, Callable[[int, int], int]] = {
    Op.EQUAL: lambda a, b: a == b,
    Op.LESS: lambda a, b: a < b,
    Op.MULTIPLY: lambda a, b: a * b,
    Op.DIVIDE: truncated_quotient,
    Op.REMAINDER: truncated_remainder,
    Op.BIT_AND: lambda a, b: a & b,
    Op.BIT_OR: lambda a, b: a | b,
    Op.BIT_XOR: lambda a, b: a ^ b,
    Op.SHIFT_LEFT: _wrapped_shift,
    Op.SHIFT_RIGHT: lambda a, b: a >> (b & 31),
}


class Evaluation:
    """Several terms at once. Truth values are 0 and 1; a variable without a value is an error."""

    def __init__(self, roots: Sequence[Term]) -> None:
        order = parts_first(*roots)
        places = {id(term): place for place, term in enumerate(order)}
        self._program = [(term, [places[id(part)] for part in term.args]) for term in order]
        self._roots = [places[id(root)] for root in roots]

    def __call__(self, values: Mapping[Symbol, int]) -> list[int]:
        found: list[int] = []
        for term, parts in self._program:
            found.append(_value(term, [found[place] for place in parts], values))
        return [found[place] for place in self._roots]


def evaluate(term: Term, values: Mapping[Symbol, int]) -> int:
    return Evaluation([term])(values)[0]


def _value(term: Term, parts: list[int], values: Mapping[Symbol, int]) -> int:
    match term.op:
        case Op.CONSTANT:
            assert isinstance(term.value, int)
            return int(term.value)
        case Op.VARIABLE:
            assert isinstance(term.value, Symbol)
            return int(values[term.value])
        case Op.NOT:
            return int(not parts[0])
        case Op.AND:
            return int(all(parts))
        case Op.OR:
            return int(any(parts))
        case Op.ITE:
            return parts[1] if parts[0] else parts[2]
        case Op.ADD:
            return sum(parts)
        case Op.WRAP:
            assert isinstance(term.value, tuple)
            return wrapped(parts[0], *term.value)
        case op:
            return int(_BINARY[op](parts[0], parts[1]))
