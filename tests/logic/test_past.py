"""Operators of the past: the automaton that remembers accepts exactly the runs that satisfy the formula."""

from random import Random

import pytest

import kripke
from kripke.logic.formula import MAKERS, atom, conjunction, disjunction, negation
from kripke.logic.lasso import Lasso, accepts, holds
from kripke.logic.parser import parse
from kripke.logic.translation import TranslationTooLarge, buchi, generalised

ATOMS = ("p", "q")


def of_present_and_past(chance, depth):
    if depth == 0 or chance.random() < 0.2:
        return atom(chance.choice(ATOMS))
    inner = [of_present_and_past(chance, depth - 1) for _ in range(2)]
    match chance.choice(["Y", "Z", "O", "H", "S", "T", "not", "and", "or"]):
        case "not":
            return negation(inner[0])
        case "and":
            return conjunction(inner)
        case "or":
            return disjunction(inner)
        case operator:
            return MAKERS[operator](*inner[: 2 if operator in "ST" else 1])


def any_formula(chance, depth):
    if depth == 0 or chance.random() < 0.3:
        return of_present_and_past(chance, 2)
    inner = [any_formula(chance, depth - 1) for _ in range(2)]
    operator = chance.choice(["X", "F", "G", "U", "R", "not", "and", "or", "->"])
    if operator in ("and", "or"):
        return (conjunction if operator == "and" else disjunction)(inner)
    return MAKERS[operator](*inner[: 2 if operator in ("U", "R", "->") else 1])


@pytest.mark.parametrize("seed", range(40))
def test_automata_accept_what_the_formula_says(seed):
    chance = Random(seed)
    formula = any_formula(chance, 2)
    automata = [generalised(formula, atoms=ATOMS), buchi(formula, atoms=ATOMS)]
    negated = generalised(formula, negated=True, atoms=ATOMS)
    for _ in range(60):
        letters = tuple(chance.randrange(4) for _ in range(chance.randrange(1, 7)))
        lasso = Lasso(letters, chance.randrange(len(letters)))
        wanted = holds(formula, lasso, ATOMS)
        assert [accepts(automaton, lasso) for automaton in automata] == [wanted, wanted], (formula, lasso)
        assert accepts(negated, lasso) != wanted, (formula, lasso)


@pytest.mark.parametrize(
    ("text", "letters", "loop", "truth"),
    [
        ("G (q -> once p)", (0, 1, 2), 2, True),
        ("G (q -> once p)", (0, 2, 1), 2, False),
        ("F (p && historically !q)", (0, 1, 2), 0, True),
        ("G (p -> previously q)", (2, 1), 0, True),
        ("G (p -> previously q)", (1, 2), 0, False),
        ("G (p -> weakpreviously q)", (1, 2), 0, True),
        ("F G (p since q)", (2, 1, 1), 1, True),
        ("F (p triggered q)", (0, 2), 1, False),
    ],
)
def test_what_they_mean(text, letters, loop, truth):
    assert holds(parse(text), Lasso(letters, loop), ATOMS) is truth


def test_words_for_the_past_are_names_where_no_operand_follows():
    assert parse("[] once").atoms() == ("once",)
    assert parse("once U p").atoms() == ("once", "p")
    assert str(parse("[] (p -> once q)")) == "[](p -> once q)"
    assert str(parse("[] (p since q)")) == "[](p since q)"


def test_the_future_inside_the_past_is_refused():
    with pytest.raises(TranslationTooLarge, match="has a part about the future"):
        generalised(parse("once G p"))


TICKETS = """
byte asked, served;
active proctype Client() { do :: asked < 3 -> asked++ od }
active proctype Server() { do :: served < asked -> served++ od }
"""


@pytest.mark.parametrize("engine", ["native", "interpreter", "bdd", "bmc"])
@pytest.mark.parametrize(
    ("formula", "verdict"),
    [
        ("[] (served == 2 -> once (asked == 2))", "holds"),
        ("[] (served == 2 -> previously (asked == 3))", "violated"),
        ("[] ((served <= asked) since (asked == 0))", "holds"),
        ("<> (served == 3 && historically (served == asked))", "violated"),
    ],
)
def test_every_engine_knows_them(engine, formula, verdict, tmp_path):
    path = tmp_path / "m.pml"
    path.write_text(TICKETS)
    bound = {"completeness": "recurrence"} if engine == "bmc" else {}
    assert kripke.load(path).check(ltl=formula, engine=engine, **bound).verdict == verdict
