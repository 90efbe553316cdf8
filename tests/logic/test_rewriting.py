import pytest
from hypothesis import given
from hypothesis import strategies as st

from kripke.logic.formula import Formula
from kripke.logic.implication import Refinement
from kripke.logic.lasso import Lasso, holds
from kripke.logic.parser import parse
from kripke.logic.rewriting import Rewriting, simplified, with_shared_delay
from tests.support.random_formulas import ATOMS, formulas, lassos


@pytest.mark.parametrize(
    ("text", "simpler"),
    [
        ("!(p -> q)", "p && !q"),
        ("<>(p U q)", "<>q"),
        ("[]<>p || []<>q", "[]<>(p || q)"),
        ("<>[]p && <>[]q", "<>[](p && q)"),
        ("p U (p U q)", "p U q"),
        ("(p || q) U q", "p U q"),
        ("p U <>q", "<>q"),
        ("[](p W q)", "[](p || q)"),
        ("(p W q) && <>q", "p U q"),
        ("X p U X q", "X (p U q)"),
        ("X []<>p", "[]<>p"),
        ("p U (q || []p)", "p W q"),
        ("<>[]e -> []<>x", "[]<>(!e || x)"),
        ("p && (!p || []q)", "p && []q"),
        ("[]p && <>!p", "false"),
        ("(p && q) || (p && !q) || !p", "true"),
    ],
)
def test_rules(text: str, simpler: str) -> None:
    assert simplified(parse(text)) is simplified(parse(simpler))
    assert len(str(simplified(parse(text)))) <= len(simpler)


@given(formulas, st.lists(lassos(), min_size=8, max_size=8))
def test_rewriting_keeps_the_meaning(formula: Formula, runs: list[Lasso]) -> None:
    positive, negative = simplified(formula), simplified(formula, negated=True)
    delayed = with_shared_delay(positive)
    for run in runs:
        value = holds(formula, run, ATOMS)
        assert holds(positive, run, ATOMS) == holds(delayed, run, ATOMS) == value
        assert holds(negative, run, ATOMS) != value


@given(formulas, formulas, st.lists(lassos(), min_size=8, max_size=8))
def test_found_implications_are_implications(left: Formula, right: Formula, runs: list[Lasso]) -> None:
    rewriting = Rewriting(ATOMS)
    left, right = rewriting.normal(left), rewriting.normal(right)
    refinement = Refinement(rewriting.guards, rewriting.function)
    if rewriting.implies(left, right) or refinement.holds(left, right):
        assert all(holds(right, run, ATOMS) for run in runs if holds(left, run, ATOMS))


def test_premises_of_strong_fairness_wait_together() -> None:
    formula = with_shared_delay(simplified(parse("([]<>a -> []<>b) && ([]<>c -> []<>d)")))
    assert formula is parse("<>(([]!a || []<>b) && ([]!c || []<>d))")
