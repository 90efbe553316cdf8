"""Terms: what is simplified while they are made has the value it had; bounds hold; equal forms are one object."""

import operator
from random import Random

import pytest

from kripke.terms import build
from kripke.terms.build import FALSE, TRUE, constant, equal, ite, less, negate, variable
from kripke.terms.evaluation import evaluate
from kripke.terms.sort import BOOLEAN, bits, enumeration, integers
from kripke.terms.term import Op, Symbol, symbols_of

X = Symbol("x", integers(-3, 6))
Y = Symbol("y", bits(3))
B = Symbol("b", BOOLEAN)

_NUMBERS = [
    (build.add, operator.add),
    (build.subtract, operator.sub),
    (build.multiply, operator.mul),
    (build.divide, build.truncated_quotient),
    (build.remainder, build.truncated_remainder),
    (lambda a, b: build.bitwise(Op.BIT_AND, a, b), operator.and_),
    (lambda a, b: build.bitwise(Op.BIT_OR, a, b), operator.or_),
    (lambda a, b: build.bitwise(Op.BIT_XOR, a, b), operator.xor),
    (build.shift_right, lambda a, b: a >> (b & 31)),
    (build.shift_left, lambda a, b: build.wrapped(a << (b & 31), 32, True)),
]
_TRUTHS = [(build.conjoin, min), (build.disjoin, max), (build.implies, lambda a, b: int(not a or b))]


def random_number(choose: Random, values, depth: int):
    """A term, and what its value must be."""
    if not depth or choose.random() < 0.2:
        symbol = choose.choice([X, Y])
        fixed = choose.randint(-4, 9)
        return choose.choice([(variable(symbol), values[symbol]), (constant(fixed), fixed)])
    kind = choose.random()
    (a, x), (b, y) = (random_number(choose, values, depth - 1) for _ in range(2))
    if kind < 0.7:
        made, meant = choose.choice(_NUMBERS)
        return made(a, b), meant(x, y)
    if kind < 0.8:
        width, signed = choose.randint(1, 6), choose.random() < 0.5
        return build.wrap(a, width, signed=signed), build.wrapped(x, width, signed)
    test, truth = random_truth(choose, values, depth - 1)
    return (build.number(test), truth) if kind < 0.85 else (ite(test, a, b), x if truth else y)


def random_truth(choose: Random, values, depth: int):
    if not depth or choose.random() < 0.1:
        return (variable(B), values[B]) if choose.random() < 0.8 else choose.choice([(TRUE, 1), (FALSE, 0)])
    kind = choose.random()
    if kind < 0.5:
        (a, x), (b, y) = (random_number(choose, values, depth - 1) for _ in range(2))
        made, meant = choose.choice([(equal, operator.eq), (less, operator.lt), (build.at_most, operator.le)])
        return made(a, b), int(meant(x, y))
    (a, x), (b, y) = (random_truth(choose, values, depth - 1) for _ in range(2))
    if kind < 0.9:
        made, meant = choose.choice(_TRUTHS)
        return made(a, b), int(meant(x, y))
    return (negate(a), 1 - x) if kind < 0.95 else (equal(a, b), int(x == y))


@pytest.mark.parametrize("seed", range(20))
def test_simplified_terms_keep_their_value(seed):
    choose = Random(seed)
    for _ in range(150):
        values = {X: choose.randint(-3, 6), Y: choose.randint(0, 7), B: choose.randint(0, 1)}
        for term, meant in (random_number(choose, values, 4), random_truth(choose, values, 4)):
            assert evaluate(term, values) == meant, term
            assert term.low <= meant <= term.high, term


def test_one_form_is_one_object():
    x = variable(X)
    assert equal(x, constant(3)) is equal(constant(3), x)
    assert build.conjoin(equal(x, constant(3)), equal(x, constant(4))) is FALSE
    assert equal(x, constant(7)) is FALSE
    assert less(x, constant(7)) is TRUE
    assert equal(build.number(variable(B)), build.ONE) is variable(B)
    assert symbols_of(build.add(x, variable(Y))) == {X, Y}


def test_terms_and_sorts_are_written():
    assert str(enumeration(("idle", "busy"))) == "{idle, busy}"
    assert [str(sort) for sort in (integers(0, 3), integers(None, 3), BOOLEAN)] == ["0..3", "..3", "boolean"]
    assert repr(build.conjoin(variable(B), negate(equal(variable(X), constant(2))))) == "b and (x != 2)"
