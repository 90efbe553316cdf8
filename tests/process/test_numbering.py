"""States as numbers: every state has its own, it can be got back, and the running hash is that of the whole. The native
engine makes the same numbers, in groups of 64 bits."""

import random

import pytest

from kripke._native import Numbers
from kripke.languages.promela import load
from kripke.process.numbering import MODULUS, Numbering, RunningHash
from kripke.process.ranges import value_ranges
from tests.support.agreement import explore
from tests.support.creation_programs import creation_program
from tests.support.shared_programs import meeting_program, shared_program

TYPES = """
T DEFINITIONS ::= BEGIN
Small ::= INTEGER (8..15)
Odd ::= INTEGER (5 | 7 | 11 | 13)
Low ::= INTEGER (-3..2)
Pair ::= SEQUENCE { a INTEGER (5..7), b INTEGER (3..7) OPTIONAL }
END
"""
MODEL = """
import types from "t.asn1"
Small s; Odd o; Low l; short wide; int widest; chan q = [2] of { Pair, Odd };
proctype P(Odd k) { o = k; q?_,_,_,o }
active proctype A() {
  Pair p;
  do
  :: s < 11 -> s++
  :: s > 8 -> s--
  :: o == 7 -> o = 11; p.b = 6
  :: l > -3 -> l--
  :: wide + widest == 0 -> wide = -300; widest = -70000
  :: q!p,o
  :: q?p,o
  :: o == 5 -> o = 7; run P(13)
  od
}
"""


def check_all(model, most=1500):
    numbering = Numbering(model.interpreter)
    states = list(explore(model.interpreter, most))
    shapes = [numbering.shape(state) for state in states]
    numbers = [numbering.number(state) for state in states]
    assert len({(id(shape), number) for shape, number in zip(shapes, numbers, strict=True)}) == len(states)
    assert [numbering.state(*one) for one in zip(shapes, numbers, strict=True)] == states
    assert all(number < shape.count for number, shape in zip(numbers, shapes, strict=True))
    check_native(model, numbering, states)
    random.Random(1).shuffle(states)
    running = RunningHash(numbering)
    for state in states:
        assert running.next(state) == numbering.number(state) % MODULUS
    return numbering, states


def check_native(model, numbering, states):
    native = Numbers(value_ranges(model.program).to_native())
    for state in states:
        number, weight = 0, 1
        for group, last in native.groups(state):
            number += weight * group
            weight *= last + 1
        assert (number, weight) == (numbering.number(state), numbering.shape(state).count)
    check_words(native, states)


def check_words(native, states):
    words = [native.words(state) for state in states]
    assert len(set(map(tuple, words))) == len(states)
    assert [native.state(one) for one in words] == states
    rng = random.Random(2)
    for state, whole in zip(states, words, strict=True):
        assert native.next(rng.choice(words), state) == whole


@pytest.mark.parametrize("make", [shared_program, meeting_program, creation_program])
@pytest.mark.parametrize("seed", [3, 11])
def test_states_of_random_programs(tmp_path, make, seed):
    path = tmp_path / "m.pml"
    path.write_text(make(seed))
    check_all(load(str(path)), 300)


def asn1_model(tmp_path):
    (tmp_path / "t.asn1").write_text(TYPES)
    (tmp_path / "m.pml").write_text(MODEL)
    return load(str(tmp_path / "m.pml"))


def test_ranges_make_numbers_short(tmp_path):
    model = asn1_model(tmp_path)
    numbering, states = check_all(model)
    digits = {digit.base for state in states for digit in numbering.shape(state).digits if not digit.control}
    # 8..15; four numbers; -3..2; short and int; 5..7, and with "empty" one more; 3..7; present or not
    assert digits == {8, 4, 6, 2**16, 2**32, 3, 3 + 1, 5, 2}
    longest = max(states, key=len)
    assert numbering.shape(longest).bits <= 8 * len(longest) * 0.6


@pytest.mark.parametrize("suffix", [1, 2, 9])
def test_bytes_behind_a_state_that_are_not_its_own(tmp_path, suffix):
    model = asn1_model(tmp_path)
    states = [
        state + number.to_bytes(suffix, "little")
        for number, state in enumerate(explore(model.interpreter, 200))
        if number < 256
    ]
    check_words(Numbers(value_ranges(model.program).to_native(), suffix), states)


def test_a_value_that_the_model_did_not_tell_of(tmp_path):
    model = asn1_model(tmp_path)
    native = Numbers(value_ranges(model.program).to_native())
    good = list(explore(model.interpreter, 50))
    offset = next(variable.offset for variable in model.program.variables if variable.name == "s")
    queue = model.program.channels[0].offset
    bad = []
    for state in good[:20]:
        strange, overfull, unclean, cut = bytearray(state), bytearray(state), bytearray(state), state[:-1]
        strange[offset] = 3
        overfull[queue] = 77
        unclean[queue : queue + 2] = 0, 9
        bad += [bytes(strange), bytes(overfull), bytes(unclean), cut, cut + b"\xff" * 8]
    assert all(native.groups(state) == [] for state in bad)
    check_words(native, list(dict.fromkeys(good + bad)))
