"""Why nothing can fire, or a condition is false."""

from __future__ import annotations

from pathlib import Path

import kripke
from kripke.model.explanation import FalseAtom, Stuck
from kripke.nets.explanation import explain
from kripke.nets.place_transition import Arc, Place, PlaceTransitionNet, Transition
from kripke.nets.predicates import AtLeastZero

NET = PlaceTransitionNet(
    "n",
    (Place("p"), Place("q", 2), Place("r")),
    (
        Transition("one", (Arc(0, 1),), ()),
        Transition("many", (Arc(0, 1), Arc(1, 3)), (Arc(2, 1),)),
    ),
)


def test_every_transition_lacks_something() -> None:
    why = explain(NET, [], (0, 2, 0), Stuck())
    assert why is not None
    assert [str(reason) for reason in why.reasons] == [
        "one needs a token in p",
        "many needs a token in p, 3 tokens in q:  q = 2",
    ]


def test_the_places_of_a_false_condition() -> None:
    why = explain(NET, [AtLeastZero(((0, 1), (1, -1)), 0)], (0, 2, 0), FalseAtom(0))
    assert why is not None
    assert [str(reason) for reason in why.reasons] == ["p is empty", "q holds 2"]


def test_of_many_transitions_some_are_named() -> None:
    net = PlaceTransitionNet("n", (Place("p"),), tuple(Transition(f"t{i}", (Arc(0, 1),), ()) for i in range(50)))
    why = explain(net, [], (0,), Stuck())
    assert why is not None
    assert len(why.reasons) == 13
    assert str(why.reasons[-1]) == "and 38 more transitions"


HIGH_LEVEL = """\
typedef unsigned (1..2) n_t;
place left (0..2) n_t: 1;
place right (0..2) n_t: 2;
place free (0..1) struct {};
trans meet in { left: x; right: x; };
trans leave in { left: x; free: {}; };
trans pass in { left: x; } gate x > 1 out { right: x; };
deadlock true;
prop both: cardinality place left == 1 && cardinality place free == 1;
"""


def test_high_level_nets(tmp_path: Path) -> None:
    file = tmp_path / "m.pn"
    file.write_text(HIGH_LEVEL)
    trace = kripke.load(file).check().trace
    assert trace is not None and trace.explanation is not None
    assert trace.explanation.summary == "no transition finds the tokens it needs"
    assert [str(reason) for reason in trace.explanation.reasons] == [
        "no tokens fit the arcs of meet:  left = 1, right = 2",
        "leave needs a token in free",
        "no tokens fit the arcs of pass and its gate:  left = 1",
    ]
    trace = kripke.load(file).check(invariants=["both"], deadlock=False).trace
    assert trace is not None and trace.explanation is not None
    assert [str(reason) for reason in trace.explanation.reasons] == ["left holds 1", "free is empty"]
