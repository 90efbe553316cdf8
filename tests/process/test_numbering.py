"""States as numbers: every state has its own, it can be got back, and the running hash is that of the whole."""

import random

import pytest

from kripke.languages.promela import load
from kripke.process.numbering import MODULUS, Numbering, RunningHash
from tests.support.agreement import explore
from tests.support.creation_programs import creation_program
from tests.support.shared_programs import meeting_program, shared_program

TYPES = """
T DEFINITIONS ::= BEGIN
Small ::= INTEGER (8..15)
Odd ::= INTEGER (5 | 7 | 11 | 13)
Pair ::= SEQUENCE { a INTEGER (5..7), b INTEGER (3..7) OPTIONAL }
END
"""
MODEL = """
import types from "t.asn1"
Small s; Odd o; chan q = [2] of { Pair, Odd };
proctype P(Odd k) { o = k; q?_,_,_,o }
active proctype A() {
  Pair p;
  do
  :: s < 11 -> s++
  :: s > 8 -> s--
  :: o == 7 -> o = 11; p.b = 6
  :: q!p,o
  :: q?p,o
  :: o == 5 -> o = 7; run P(13)
  od
}
"""


def check_all(model, most=1500):
    numbering = Numbering(model.interpreter)
    states = list(explore(model.interpreter, most))
    numbers = [numbering.number(state) for state in states]
    assert len(set(numbers)) == len(states)
    assert [numbering.state(number) for number in numbers] == states
    assert all(number < numbering.shape(state).count for number, state in zip(numbers, states, strict=True))
    random.Random(1).shuffle(states)
    running = RunningHash(numbering)
    for state in states:
        assert running.next(state) == numbering.number(state) % MODULUS
    return numbering, states


@pytest.mark.parametrize("make", [shared_program, meeting_program, creation_program])
@pytest.mark.parametrize("seed", [3, 11])
def test_states_of_random_programs(tmp_path, make, seed):
    path = tmp_path / "m.pml"
    path.write_text(make(seed))
    check_all(load(str(path)), 300)


def test_ranges_make_numbers_short(tmp_path):
    (tmp_path / "t.asn1").write_text(TYPES)
    (tmp_path / "m.pml").write_text(MODEL)
    model = load(str(tmp_path / "m.pml"))
    numbering, states = check_all(model)
    digits = {digit.base for state in states for digit in numbering.shape(state).digits}
    # 8..15; four numbers; 5..7, and with "empty" one more; 3..7; present or not; control points and "none"
    assert digits == {8, 4, 3, 3 + 1, 5, 2, numbering.points + 1}
    longest = max(states, key=len)
    assert numbering.shape(longest).bits <= 8 * len(longest) * 0.6
