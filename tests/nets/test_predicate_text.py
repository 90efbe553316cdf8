"""Predicates as people write them: what they mean, and what is wrong with those that mean nothing."""

from __future__ import annotations

import pytest

from kripke.model.source import ModelError
from kripke.nets.place_transition import Arc, Place, PlaceTransitionNet, Transition
from kripke.nets.predicate_text import parse_predicate
from kripke.nets.predicates import AtLeastZero, Fireable, Not, holds

NET = PlaceTransitionNet(
    "net",
    (Place("p", 1), Place("q", 2), Place("odd name", 0)),
    (Transition("t", (Arc(0, 1),), (Arc(1, 1),)), Transition("u", (Arc(2, 1),), ())),
    {"both": (0, 1)},
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p + q <= 3", True),
        ("p + q < 3", False),
        ("2*p == q", True),
        ("q - p * 2 != 0", False),
        ("-p > -2", True),
        ("both = 3", True),
        ("tokens(p, q) >= 3 && tokens(p) == 1", True),
        ('"odd name"', False),
        ('!"odd name" and p', True),
        ("fireable(t)", True),
        ("fireable(u) || fireable(u, t)", True),
        ("deadlock", False),
        ("p > 5 -> false", True),
        ("p == 1 <-> q == 1", False),
        ("not (p and q) or (q >= 2)", True),
        ("(p + q) * 2 == 6", True),
        ("true && !false", True),
    ],
)
def test_meaning(text: str, expected: bool) -> None:
    assert holds(parse_predicate(text, "<invariant 1>", NET), NET, NET.initial) is expected


def test_normal_form() -> None:
    assert parse_predicate("p + q <= 3", "x", NET) == AtLeastZero(((0, -1), (1, -1)), 3)
    assert parse_predicate("!(p >= 1)", "x", NET) == AtLeastZero(((0, -1),), 0)
    assert parse_predicate("!fireable(t)", "x", NET) == Not(Fireable((0,)))


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("p <= ", 5, "the expression ends too early"),
        ("p <= r", 6, "the net has no place r"),
        ("t <= 1", 1, "t is a transition, not a place"),
        ("fireable(p)", 10, "p is a place, not a transition"),
        ("p * q == 1", 3, "tokens cannot be multiplied by tokens"),
        ("p <= 1 <= 2", 8, "comparisons cannot be chained"),
        ("p $ 1", 3, "'$' cannot stand here"),
        ("!p == 1", 1, "it is not clear how far this ! reaches"),
        ("(p == 1", 8, "')' is missing before 'the end'"),
        ("p == 1 q", 8, "'q' cannot follow here"),
        ("(p == 1) + 1 == 2", 10, "'+' needs numbers on both sides, not conditions"),
        ("p <= 9999999999999999999", 3, "the numbers in this comparison are too large"),
        (" <-> ".join(["p < 2"] * 40), 127, "the expression has more than 10,000 parts when written without <->"),
        ("!" * 3 + "(" * 300 + "p" + ")" * 300, 64, "the expression is nested too deeply"),
    ],
)
def test_errors(text: str, column: int, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        parse_predicate(text, "<invariant 1>", NET)
    assert caught.value.message == message
    assert caught.value.span is not None and caught.value.span.column == column
