"""Nets in terms: the same steps as the interpreter's, marking by marking; where there is no room, a place is named."""

import pytest

import kripke
from kripke.nets.place_transition import Place, PlaceTransitionNet, Transition, arcs
from tests.support.encoded_steps import EncodedSteps, assert_encoded
from tests.support.random_nets import model_of, random_net, random_predicate


@pytest.mark.parametrize(("room", "least"), [(1, 100), (4, 1000)])
def test_random_nets_have_the_steps_of_the_interpreter(room, least):
    compared = ended = 0
    for seed in range(120):
        net = random_net(seed)
        model = model_of(net, {f"a{n}": random_predicate(net, seed * 7 + n) for n in range(2)})
        states, limits = assert_encoded(model, most_states=40, room=room)
        compared, ended = compared + states, ended + limits
    assert compared > least
    assert ended > 0


def test_a_place_without_bound_is_named_where_there_is_no_room():
    net = PlaceTransitionNet("grows", (Place("a", 1), Place("b", 0)), (Transition("t", (), arcs({1: 2})),))
    model = model_of(net)
    encoding = model.encode()
    steps = EncodedSteps(encoding.system).steps((1, 0))
    assert steps == (set(), set(), {"the place b gets more than 1 token"})
    assert EncodedSteps(model.encode(2).system).steps((1, 0)) == ({(1, 2)}, set(), set())


def test_place_invariants_bound_places():
    move = Transition("move", arcs({0: 1}), arcs({1: 1}))
    net = PlaceTransitionNet("moves", (Place("a", 5), Place("b", 0)), (move,))
    encoding = model_of(net).encode()
    assert [str(variable.sort) for variable in encoding.system.variables] == ["0..5", "0..5"]
    assert not encoding.system.limits


def test_high_level_nets_are_encoded_unfolded(tmp_path):
    from tests.support.high_level_nets import process_text, random_text

    compared = 0
    for seed in range(16):
        for written in (random_text, process_text):
            path = tmp_path / "m.pn"
            path.write_text(written(seed))
            try:
                model = kripke.load(path).model
            except kripke.ModelError:
                continue  # the text has an error
            if not model.initial_violations():
                compared += assert_encoded(model, 60, room=3)[0] >= 0
    assert compared > 10
