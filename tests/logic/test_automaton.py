import pytest

from kripke.logic.automaton import ALWAYS, Automaton, Cube, Edge

P, NOT_P = Cube(1, 0), Cube(0, 1)


def infinitely_often_p() -> Automaton:
    return Automaton(["p"], 1, [0], [Edge(0, (P,), 0, 1), Edge(0, (NOT_P,), 0, 0)], 1)


def test_cubes() -> None:
    cube = Cube(0b001, 0b100)
    assert [letter for letter in range(8) if cube.allows(letter)] == [1, 3]
    assert list(cube.literals()) == [(0, True), (2, False)]
    assert ALWAYS.allows(0) and ALWAYS.allows(5)


def test_successors_follow_the_letter() -> None:
    automaton = infinitely_often_p()
    assert list(automaton.successors(0, 0)) == [(0, 0)]
    assert list(automaton.successors(0, 1)) == [(0, 1)]


def test_edges_are_grouped_by_source() -> None:
    edges = [Edge(1, (ALWAYS,), 0, 0), Edge(0, (P,), 1, 1), Edge(1, (P,), 1, 0)]
    automaton = Automaton(["p"], 2, [0], edges, 1, state_based=True)
    assert [edge.target for edge in automaton.edges_from(1)] == [0, 1]
    assert [automaton.marks_of_state(state) for state in range(2)] == [1, 0]


def test_marks_on_edges_are_not_marks_of_states() -> None:
    with pytest.raises(ValueError, match="marks on edges"):
        infinitely_often_p().marks_of_state(0)


@pytest.mark.parametrize(
    ("edge", "message"),
    [
        (Edge(2, (P,), 0, 0), "does not start"),
        (Edge(0, (P,), 2, 0), "does not end"),
        (Edge(0, (), 0, 0), "no proper guard"),
        (Edge(0, (Cube(2, 0),), 0, 0), "no proper guard"),
        (Edge(0, (P,), 0, 2), "acceptance sets"),
    ],
)
def test_invariants_are_checked(edge: Edge, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Automaton(["p"], 2, [0], [edge], 1)


def test_state_based_marks_must_agree() -> None:
    with pytest.raises(ValueError, match="differ in their marks"):
        Automaton(["p"], 1, [0], [Edge(0, (P,), 0, 1), Edge(0, (NOT_P,), 0, 0)], 1, state_based=True)
