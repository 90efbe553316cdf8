import pytest
from hypothesis import given
from hypothesis import strategies as st

from kripke.logic.formula import Formula
from kripke.logic.lasso import Lasso, holds
from kripke.logic.parser import parse
from kripke.logic.stuttering import is_stutter_invariant
from tests.support.random_formulas import ATOMS, formulas, lassos


@pytest.mark.parametrize(
    ("text", "invariant"),
    [
        ("[](p -> <>q)", True),
        ("X p", False),
        ("<>(p && X !p)", True),
        ("<>(p && X p)", False),
        ("[]<> X p", True),
        ("(p && X !p) || (p && X p)", True),
        ("p && X(!p && X []p)", False),
    ],
)
def test_examples(text: str, invariant: bool) -> None:
    assert is_stutter_invariant(parse(text)) is invariant


@given(formulas, lassos(), st.data())
def test_an_invariant_formula_does_not_see_repetitions(formula: Formula, run: Lasso, data: st.DataObject) -> None:
    if is_stutter_invariant(formula):
        at = data.draw(st.integers(0, len(run.letters) - 1))
        letters = (*run.letters[: at + 1], run.letters[at], *run.letters[at + 1 :])
        stuttered = Lasso(letters, run.loop_start + (at < run.loop_start))
        assert holds(formula, run, ATOMS) == holds(formula, stuttered, ATOMS)
