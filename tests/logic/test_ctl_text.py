"""Formulas of branching time as text."""

from __future__ import annotations

import pytest

from kripke.logic.ctl import (
    FALSE,
    TRUE,
    And,
    Atom,
    ExistsNext,
    ExistsStep,
    ExistsUntil,
    FixPoint,
    Not,
    Or,
    Same,
    Variable,
    always_finally,
    always_globally,
    always_release,
    always_until,
    exists_finally,
    exists_weak_until,
)
from kripke.logic.ctl_text import parse
from kripke.model.source import ModelError

P, Q, R = Atom("p"), Atom("q"), Atom("r")


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("AG (p -> AF q)", always_globally(Or((Not(P), always_finally(Q))))),
        ("p && q || !r", Or((And((P, Q)), Not(R)))),
        ("p -> q -> r", Or((Not(Or((Not(P), Q))), R))),  # to the left, as in linear time
        ("p <-> q", Same(P, Q)),
        ("E[p U q]", ExistsUntil(P, Q)),
        ("E(p W q)", exists_weak_until(P, Q)),
        ("A[p U q]", always_until(P, Q)),
        ("A[ p R A [q U r] ]", always_release(P, always_until(Q, R))),
        ("EF x == 2", exists_finally(Atom("x == 2"))),
        ("AG (a[i+1] > len(q) && P[0]@done)", always_globally(And((Atom("a[i+1] > len(q)"), Atom("P[0]@done"))))),
        ("(x + 1) * 2 == y", Atom("(x + 1) * 2 == y")),
        ("(x + 1 == y)", Atom("x + 1 == y")),
        ('EX "p-1" + Unit <= 3', ExistsNext(Atom('"p-1" + Unit <= 3'))),
        ("E[Up U WR.R]", ExistsUntil(Atom("Up"), Atom("WR.R"))),
        ("!(x == 2)", Not(Atom("x == 2"))),
        ("true && 0", And((TRUE, FALSE))),
        ("x & 3", Atom("x & 3")),
        ("A == 1", Atom("A == 1")),  # a variable of that name
    ],
)
def test_formulas(text: str, formula) -> None:
    assert parse(text, "ctl") == formula


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("mu X. p || <> X", FixPoint("X", Or((P, ExistsNext(Variable("X")))), greatest=False)),
        ("nu Y. p && [] Y", FixPoint("Y", And((P, Not(ExistsNext(Not(Variable("Y")))))), greatest=True)),
        ("<a, b c> p", ExistsStep(("a", "b c"), False, P)),
        ('["x > 3"] p', Not(ExistsStep(("x > 3",), False, Not(P)))),
        ("<!a> true", ExistsStep(("a",), True, TRUE)),
        ("EF <a> true", exists_finally(ExistsStep(("a",), False, TRUE))),
        ("mu == 2", Atom("mu == 2")),
    ],
)
def test_fix_points(text: str, formula) -> None:
    assert parse(text, "mu") == formula


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("AG", "expected a formula, found the end of the formula", 3),
        ("", "expected a formula, found the end of the formula", 1),
        ("AG (p", "this bracket is not closed", 4),
        ("p q) r", "expected an operator or the end of the formula", 4),
        ("A[p]", "expected 'U', 'W' or 'R'", 4),
        ("E[p U q", "this bracket is not closed", 2),
        ("! x == 2", "it is not clear what '!' negates", 1),
        ("mu X. p", "'mu' belongs to the mu-calculus", 1),
        ("<a> p", "a step <...> belongs to the mu-calculus", 1),
        ("(" * 80 + "p" + ")" * 80, "nested too deeply: more than 60 levels", 61),
        ("!" * 5000 + "p", "nested too deeply: more than 60 levels", 61),
        ("p" + " -> p" * 100, "nested too deeply: more than 60 of these in a row", 308),
    ],
)
def test_mistakes(text: str, message: str, column: int) -> None:
    with pytest.raises(ModelError) as error:
        parse(text, "ctl")
    assert error.value.message == message
    assert error.value.span.column == column


@pytest.mark.parametrize(
    "text", ["mu X. !X", "nu X. p && (X -> q)", "mu X. nu X. !X", "mu X. p <-> X", "mu X p", "<!> p", "<a", "[a,"]
)
def test_mistakes_of_fix_points(text: str) -> None:
    with pytest.raises(ModelError):
        parse(text, "mu")
