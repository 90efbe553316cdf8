"""Opening compiled models, and asking them one state at a time."""

import pytest

from kripke.engines.explicit.native import Model, open_model, search
from kripke.engines.explicit.search import SearchRequest


def test_attributes(build):
    model = build("grid", SIDE=4, DIMENSIONS=2)
    assert (model.name, model.max_state_bytes, model.label_count) == ("grid", 4, 4)
    assert (model.atom_count, model.violation_count) == (2, 0)


def test_one_state_at_a_time(build, open_graph, graph_type):
    model = build("grid", SIDE=4, DIMENSIONS=2)
    assert model.initial() == [bytes(4)]
    steps = [(b"\1\0\0\0", 0), (b"\3\0\0\0", 1), (b"\0\0\1\0", 2), (b"\0\0\3\0", 3)]
    assert model.successors(bytes(4)) == (steps, [])
    assert model.atoms(bytes(4)) == [True, True]
    assert model.atoms(b"\2\0\2\0") == [False, True]
    assert not model.valid_end(bytes(4))

    graph = graph_type({0: [(1, 2)]}, reports={0: [(3, 4)]}, ends=[1], initial=(0, 1))
    model = open_graph(graph)
    assert model.initial() == [graph.encode(0), graph.encode(1)]
    assert model.successors(graph.encode(0)) == ([(graph.encode(1), 2)], [(3, 4)])
    assert model.valid_end(graph.encode(1)) and not model.valid_end(graph.encode(0))


def test_a_state_that_is_too_long(build):
    with pytest.raises(ValueError, match="a state of 7 bytes, but no state of this model has more than 6"):
        build("grid").successors(bytes(7))


def test_no_such_file():
    with pytest.raises(RuntimeError, match=r"cannot load the compiled model.*nowhere\.so"):
        open_model("nowhere.so")


@pytest.mark.parametrize(
    ("define", "message"),
    [
        ("NO_ENTRY", "is not a compiled model: it has no function kripke_model_entry"),
        ("WRONG_ABI", "was compiled for version 99 of the model interface, this engine has version"),
        ("INCOMPLETE", "is no proper model: a part that model.h asks for is missing"),
    ],
)
def test_libraries_that_are_refused(compile_model, define, message):
    with pytest.raises(RuntimeError, match=message):
        open_model(compile_model("broken", **{define: 1}))


def test_no_model_at_null():
    with pytest.raises(RuntimeError, match="no model there"):
        Model(0)


def test_unknown_atoms_and_orders(build):
    with pytest.raises(ValueError, match="there is no atom 2: the model has 2"):
        search(build("grid"), SearchRequest(invariants=(2,)))
    with pytest.raises(ValueError, match="unknown search order 'sideways'"):
        search(build("grid"), SearchRequest(order="sideways"))
