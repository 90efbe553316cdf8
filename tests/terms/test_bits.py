"""Terms as bits have the value of the terms."""

from random import Random

import pytest

from kripke.terms.bits import Blaster, Unbounded, bits_of, value_of, variable_bits
from kripke.terms.build import add, constant, divide, equal, multiply, remainder, shift_left, shift_right, variable
from kripke.terms.evaluation import evaluate
from kripke.terms.sort import BOOLEAN, INTEGER, bits, integers
from kripke.terms.term import Symbol
from tests.terms.test_terms import B, X, Y, random_number, random_truth


class Truths:
    """The algebra of Python's own."""

    true, false = True, False

    def conj(self, a, b):
        return a and b

    def disj(self, a, b):
        return a or b

    def neg(self, a):
        return not a

    def xor(self, a, b):
        return a != b

    def ite(self, condition, then, otherwise):
        return then if condition else otherwise


def blasted(term, values):
    blaster = Blaster(Truths(), lambda symbol: bits_of(symbol.sort, values[symbol]))
    if term.boolean:
        return int(blaster.truth(term))
    sort = integers(term.low, term.high)
    return value_of(sort, blaster.stored(term, sort))


@pytest.mark.parametrize("seed", range(15))
def test_bits_have_the_value_of_the_term(seed):
    choose = Random(1000 + seed)
    for _ in range(60):
        values = {X: choose.randint(-3, 6), Y: choose.randint(0, 7), B: choose.randint(0, 1)}
        for term, meant in (random_number(choose, values, 3), random_truth(choose, values, 3)):
            if term.low > -(1 << 80) and term.high < 1 << 80:
                assert blasted(term, values) == meant, term


def test_words_of_32_bits():
    a, b = (Symbol(name, bits(32, signed=True)) for name in "ab")
    choose = Random(5)
    ends = [0, 1, -1, 2**31 - 1, -(2**31), 255, 65536]
    for _ in range(60):
        values = {s: choose.choice([*ends, choose.randint(-(2**31), 2**31 - 1)]) for s in (a, b)}
        for made in (add, multiply, divide, remainder, shift_left, shift_right, equal):
            term = made(variable(a), variable(b))
            assert blasted(term, values) == evaluate(term, values), (made, values)


def test_what_has_no_bounds_has_no_bits():
    n = Symbol("n", INTEGER)
    with pytest.raises(Unbounded, match=r"an integer without bounds \(n \+ 1\)"):
        Blaster(Truths(), lambda symbol: [True]).truth(equal(add(variable(n), constant(1)), constant(4)))


def test_variables_have_as_many_bits_as_they_need():
    sorts = [BOOLEAN, integers(0, 0), integers(0, 4), bits(8), bits(16, signed=True), integers(-1, 0)]
    assert [variable_bits(sort) for sort in sorts] == [1, 1, 3, 8, 16, 1]
