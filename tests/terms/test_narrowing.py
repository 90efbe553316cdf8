"""Narrow sorts: bounds that hold in every run, and nothing else changes."""

import pytest

import kripke
from kripke.terms.build import add, conjoin, constant, equal, less, variable
from kripke.terms.narrowing import narrowed
from kripke.terms.sort import bits, integers
from kripke.terms.system import Command, TransitionSystem, valued
from kripke.terms.term import Symbol
from tests.support.encoded_steps import assert_encoded
from tests.support.random_nets import model_of, random_net
from tests.support.shared_programs import meeting_program, shared_program


@pytest.mark.parametrize("written", [shared_program, meeting_program])
def test_random_programs_keep_their_steps(written, tmp_path):
    for seed in range(20, 30):
        path = tmp_path / "m.pml"
        path.write_text(written(seed))
        assert assert_encoded(kripke.load(path).model, most_states=40, change=narrowed)[0] > 0


def test_random_nets_keep_their_steps():
    for seed in range(60):
        assert assert_encoded(model_of(random_net(seed)), most_states=30, room=4, change=narrowed)[0] > 0


def test_a_counter_has_the_bounds_that_its_guard_keeps():
    x, y = Symbol("x", bits(8)), Symbol("y", bits(8))
    count = Command(less(variable(x), constant(5)), {x: add(variable(x), constant(1))})
    system = TransitionSystem([x, y], valued([x, y], [(0, 7)]), [count])
    assert [str(symbol.sort) for symbol in narrowed(system).variables] == ["0..5", "7..7"]


def test_what_a_test_has_shown_is_known_some_steps_later():
    """The test and the increment are two commands: the program counter keeps them apart."""
    pc, x = Symbol("pc", bits(1)), Symbol("x", bits(8))
    here = variable(pc)
    test = Command(conjoin(equal(here, constant(0)), less(variable(x), constant(3))), {pc: constant(1)})
    count = Command(equal(here, constant(1)), {pc: constant(0), x: add(variable(x), constant(1))})
    system = TransitionSystem([pc, x], valued([pc, x], [(0, 0)]), [test, count])
    assert [str(symbol.sort) for symbol in narrowed(system).variables] == ["0..1", "0..3"]


def test_bounds_stop_where_a_guard_compares():
    """A counter that grows for longer than the analysis follows it, up to the constant it is compared with."""
    count = Symbol("count", integers(-(1 << 31), (1 << 31) - 1))
    after = add(variable(count), constant(1))
    system = TransitionSystem(
        [count],
        equal(variable(count), constant(0)),
        [Command(less(after, constant(1_000)), {count: after})],
    )
    (narrow,) = narrowed(system).variables
    assert (narrow.sort.low, narrow.sort.high) == (0, 999)
