import pytest

from kripke.logic.automaton import ALWAYS, Automaton, Cube, Edge
from kripke.logic.classification import Strength, classified
from kripke.logic.parser import parse
from kripke.logic.translation import buchi


@pytest.mark.parametrize(
    ("text", "strength", "kinds"),
    [
        ("false", Strength.EMPTY, "-"),
        ("[]p", Strength.SAFETY, "F"),
        ("p U q", Strength.TERMINAL, "FN"),
        ("![]p", Strength.TERMINAL, "FN"),
        ("![](p -> <>q)", Strength.WEAK, "FN"),
        ("[]<>p", Strength.STRONG, "P"),
        ("[](p -> <>q)", Strength.STRONG, "P"),
        ("X <>[]p", Strength.WEAK, "FN"),
        ("p && X[]q", Strength.SAFETY, "F-"),
    ],
)
def test_strength(text: str, strength: Strength, kinds: str) -> None:
    found = classified(buchi(parse(text)))
    assert found.strength is strength
    assert "".join(component.cycles.value for component in found.components) == kinds


def test_only_what_can_be_stayed_in_is_terminal() -> None:
    edges = [Edge(0, (ALWAYS,), 1, 0), Edge(1, (Cube(1, 0),), 1, 1), Edge(2, (ALWAYS,), 2, 1), Edge(1, (ALWAYS,), 2, 1)]
    found = classified(Automaton(["p"], 3, [0], edges, 1))
    assert [(component.states, component.terminal) for component in found.components] == [
        ((2,), True),
        ((1,), False),
        ((0,), False),
    ]
    assert found.component_of == (2, 1, 0)
    assert found.strength is Strength.SAFETY


def test_several_initial_states() -> None:
    edges = [Edge(0, (ALWAYS,), 0, 1), Edge(1, (ALWAYS,), 1, 0)]
    found = classified(Automaton(["p"], 2, [0, 1], edges, 1))
    assert found.strength is Strength.TERMINAL
    assert len(found.component_of) == 2
