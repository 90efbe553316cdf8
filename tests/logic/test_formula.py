import copy
import pickle

import pytest
from hypothesis import given

from kripke.logic.formula import FALSE, TRUE, Formula, Kind, always, atom, conjunction, eventually, negation, until
from kripke.logic.lasso import Lasso, holds, positions
from kripke.logic.parser import parse
from kripke.model.source import ModelError
from tests.support.random_formulas import ATOMS, formulas, lassos

p, q = atom("p"), atom("q")


def test_equal_formulas_are_the_same_object() -> None:
    assert until(p, conjunction([q, p])) is until(atom("p"), conjunction([p, q]))
    assert pickle.loads(pickle.dumps(always(p))) is always(p)
    assert copy.deepcopy(always(p)) is always(p)


def test_superfluous_parts_are_dropped() -> None:
    assert negation(negation(p)) is p
    assert conjunction([p, TRUE, p]) is p
    assert conjunction([p, negation(p)]) is FALSE
    assert eventually(eventually(p)) is eventually(p)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("always (p implies eventually q)", "[](p -> <>q)"),
        ("[]<>p && <>[]!q", "[]<>p && <>[]!q"),
        ("GF p & FG ~q", "[]<>p && <>[]!q"),
        ("p U q V r", "(p U q) V r"),
        ("p until q", "p U q"),
        ("p stronguntil q", "p U q"),
        ("p weakuntil q", "p W q"),
        ("p release q", "p V q"),
        ("next p equivalent q", "X p <-> q"),
        ("a || b && c U d -> e", "a || b && c U d -> e"),
        ("p P q", "p V !q"),
        ('[] ("x == 1" -> done)', "[]((x == 1) -> done)"),
        ("1 U (q)", "<>q"),
        ("response(p, q)", "[](p -> <>q)"),
        ("precedence(p, q) before (r || s)", "<>(r || s) -> !q U (p || r || s)"),
        ("absence(p) after q until r", "[](!r && q -> !p W r)"),
        ("!universality(p) between q and r", "![](q && !r && <>r -> p U r)"),
    ],
)
def test_spellings(text: str, written: str) -> None:
    formula = parse(text)
    assert formula is parse(written.replace("(x == 1)", '"x == 1"'))
    assert parse(str(formula).replace("(x == 1)", '"x == 1"')) is formula


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "1:1", "expected a formula, found the end of the formula"),
        ("p &&", "1:5", "expected a formula, found the end of the formula"),
        ("[] (p ->\n <> )", "2:5", "expected a formula, found ')'"),
        ("(p U q", "1:1", "this '(' is not closed"),
        ("p q", "1:3", "expected an operator or the end of the formula, found 'q'"),
        ("p ? q", "1:3", "'?' means nothing in a formula"),
        ("<> 3", "1:4", "the number 3 is no condition"),
        ('<> ""', "1:4", "there is nothing between the quotes"),
        ("!" * 500 + "p", "1:101", "nested too deeply: more than 100 levels"),
        ("(" * 500, "1:101", "nested too deeply: more than 100 levels"),
        ("p U q W " * 250 + "p", "1:399", "nested too deeply: more than 100 levels"),
        ("reponse(p, q)", "1:8", "expected an operator after 'reponse', found '('"),
        ("response(p)", "1:1", "response takes 2 arguments: response(p, s)"),
        ("absence(p) between q", "1:21", "expected 'and', found the end of the formula"),
        ("absence(p", "1:8", "this '(' is not closed"),
    ],
)
def test_errors_have_a_place(text: str, place: str, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        parse(text, "--ltl")
    assert str(caught.value.span) == f"--ltl:{place}"
    assert caught.value.message == message


def test_a_language_reads_its_own_atoms() -> None:
    def read(text: str, position: int) -> tuple[tuple[str, str], int] | None:
        if text[position] != "{":
            return None
        end = text.index("}", position)
        return ("expression", text[position + 1 : end]), end + 1

    formula = parse("[] ({x > 1} -> <> {y[2] == 0})", read_atom=read)
    assert formula.atoms() == (("expression", "x > 1"), ("expression", "y[2] == 0"))


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("p && !q", Kind.BOOLEAN | Kind.SAFETY | Kind.GUARANTEE | Kind.OBLIGATION | Kind.NEXT_FREE),
        ("[]p", Kind.UNIVERSAL | Kind.SAFETY | Kind.OBLIGATION | Kind.NEXT_FREE),
        ("[]<>p", Kind.UNIVERSAL | Kind.EVENTUAL | Kind.NEXT_FREE),
        ("X <>p", Kind.EVENTUAL | Kind.GUARANTEE | Kind.OBLIGATION),
        ("[]p || <>q", Kind.OBLIGATION | Kind.NEXT_FREE),
        ("p U []q", Kind.UNIVERSAL | Kind.NEXT_FREE),
    ],
)
def test_kinds(text: str, kinds: Kind) -> None:
    assert parse(text).kinds == kinds


@given(formulas, lassos())
def test_eventual_and_universal_mean_what_they_say(formula: Formula, run: Lasso) -> None:
    from kripke.logic.rewriting import Rewriting

    formula = Rewriting(ATOMS).normal(formula)
    where = positions(formula, run, ATOMS)
    if formula.has(Kind.EVENTUAL):
        assert where == positions(eventually(formula), run, ATOMS)
    if formula.has(Kind.UNIVERSAL):
        assert where == positions(always(formula), run, ATOMS)


def test_values_on_a_lasso() -> None:
    run = Lasso((0b01, 0b10, 0b00), 1)  # p, then q and nothing in turn
    atoms = ("p", "q")
    assert holds(parse("p U q"), run, atoms)
    assert holds(parse("[]<>q && !<>[]q"), run, atoms)
    assert holds(parse("X(q && X(!q && X q))"), run, atoms)
    assert not holds(parse("q V p"), run, atoms)
    assert holds(parse("p W (q M !p)"), run, atoms)
    assert positions(parse("<>p"), run, atoms) == 0b001
