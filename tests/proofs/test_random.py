"""A proof is found exactly where the search finds no counterexample, and the checker accepts it."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from kripke.checker.check import check_properties
from kripke.engines.plan import SearchPlan
from kripke.logic.formula import Formula
from kripke.model.property import Temporal
from kripke.proofs.certificate import Fairness, text_of
from kripke.proofs.construction import Unprovable, prove
from kripke.proofs.verification import Checker
from kripke.report.proof_report import proof_text
from tests.support.proof_systems import Walks
from tests.support.random_formulas import ATOMS, formulas


@st.composite
def walks(draw: st.DrawFn) -> Walks:
    count = draw(st.integers(1, 5))
    edge = st.tuples(st.integers(0, 2), st.integers(0, count - 1))
    steps = [draw(st.lists(edge, max_size=3, unique=True)) for _ in range(count)]
    truth = [draw(st.tuples(*(st.booleans() for _ in ATOMS))) for _ in range(count)]
    return Walks(steps, truth, ATOMS)


@given(walks(), formulas, st.sampled_from([None, "weak", "strong"]))
def test_proofs_and_counterexamples_exclude_each_other(model: Walks, formula: Formula, fair: Fairness | None) -> None:
    property_ = Temporal("f", "ltl", "f", formula=formula)
    model.properties = (property_,)
    holds = bool(check_properties(model, SearchPlan(engine="interpreter", properties=("f",), fair=fair)))
    try:
        proof = prove(model, property_, fair=fair)
    except Unprovable:
        assert not holds, str(formula)
        return
    assert holds, str(formula)
    shown = Checker(json.loads(text_of(proof.to_json())), model, formula).checked()
    assert list(proof_text(shown.record, model))
