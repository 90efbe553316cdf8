"""Terms with other terms in the place of their variables, simplified again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from kripke.deadline import current
from kripke.terms import build
from kripke.terms.term import Op, Symbol, Term, parts_first

_MADE: dict[Op, Callable[..., Term]] = {
    Op.NOT: build.negate,
    Op.AND: build.conjoin,
    Op.OR: build.disjoin,
    Op.ITE: build.ite,
    Op.EQUAL: build.equal,
    Op.LESS: build.less,
    Op.ADD: build.add,
    Op.MULTIPLY: build.multiply,
    Op.DIVIDE: build.divide,
    Op.REMAINDER: build.remainder,
    Op.SHIFT_LEFT: build.shift_left,
    Op.SHIFT_RIGHT: build.shift_right,
}


def remade(term: Term, parts: Iterable[Term]) -> Term:
    """The term with these parts instead of its own."""
    if term.op in (Op.CONSTANT, Op.VARIABLE):
        return term
    if term.op is Op.WRAP:
        assert isinstance(term.value, tuple)
        width, signed = term.value
        (inner,) = parts
        return build.wrap(inner, width, signed=signed)
    if term.op in (Op.BIT_AND, Op.BIT_OR, Op.BIT_XOR):
        return build.bitwise(term.op, *parts)
    return _MADE[term.op](*parts)


class Substitution:
    """Puts terms in the place of variables; what was done once is done no more."""

    def __init__(self, values: Mapping[Symbol, Term]) -> None:
        self._values = values
        self._known: dict[int, tuple[Term, Term]] = {}

    def __call__(self, root: Term) -> Term:
        deadline = current()
        for term in parts_first(root):
            if id(term) not in self._known:
                deadline()
                self._known[id(term)] = term, self._of(term)
        return self._known[id(root)][1]

    def _of(self, term: Term) -> Term:
        if term.op is Op.VARIABLE:
            assert isinstance(term.value, Symbol)
            return self._values.get(term.value, term)
        return remade(term, [self._known[id(part)][1] for part in term.args])
