"""State spaces as files."""

from __future__ import annotations

from kripke.engines.explicit.exploration import explore
from kripke.report.statespace import aut_lines, dot_lines
from tests.support.toys import Counters, Graph


def test_aut() -> None:
    assert list(aut_lines(explore(Counters(1), 100))) == [
        "des (0,4,4)",
        '(0,"P:0 x = x + 1",1)',
        '(0,"P:1 y = y + 1",2)',
        '(1,"P:1 y = y + 1",3)',
        '(2,"P:0 x = x + 1",3)',
    ]


def test_aut_has_one_initial_state() -> None:
    space = explore(Graph([[1], []], initial=(0, 1)), 100)
    assert list(aut_lines(space)) == ["des (0,3,3)", '(0,"i",1)', '(0,"i",2)', '(1,"P:0 go 0",2)']


def test_dot() -> None:
    space = explore(Graph([[1, None], []]), 100)
    assert list(dot_lines(space))[3:] == [
        '  0 [label="s = 0", style=bold];',
        '  1 [label="s = 1", color=red];',
        '  0 -> 1 [label="P:0 go 0"];',
        '  violation1 [label="", shape=point, color=red];',
        '  0 -> violation1 [label="P:0 go 1", color=red];',
        "}",
    ]


def test_the_limit() -> None:
    space = explore(Counters(9), 10)
    assert len(space.states) == 10
    assert not space.complete
