"""Why nothing can fire, or a condition is false."""

from __future__ import annotations

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
