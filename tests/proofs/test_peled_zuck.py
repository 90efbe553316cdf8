"""The worked examples of Peled and Zuck: sizes, rules, ranks, formulas of the bits."""

from __future__ import annotations

import json
from collections import Counter

from kripke.logic.parser import parse
from kripke.model.model import Model
from kripke.model.property import Temporal
from kripke.proofs.certificate import Proof, Vertex, text_of
from kripke.proofs.construction import prove
from kripke.proofs.terms import written
from kripke.proofs.verification import Accepted, Checker
from kripke.report.proof_report import proof_html, proof_text
from tests.support.proof_systems import CR, NT, TR, Mutex, Walks


def proved(model: Model, text: str, **options) -> tuple[Proof, Accepted]:
    formula = parse(text, "--ltl")
    proof = prove(model, Temporal(text, "ltl", text, formula=formula), **options)
    record = json.loads(text_of(proof.to_json()))
    return proof, Checker(record, model, formula).checked()


def test_two_states_that_alternate() -> None:
    model = Walks([[(0, 1)], [(0, 0)]], [[True], [False]])
    proof, shown = proved(model, "[]<>p")
    assert [written(node.refutation) for node in proof.automaton.nodes] == ["X []<>p", "X <>p || p"]
    assert (proof.automaton.initial, proof.automaton.successors) == ((0, 1), ((0, 1), (1,)))
    assert [bool(node.promises) for node in proof.automaton.nodes] == [True, False]  # accepting edges: (x2, x2)
    assert [(line.rule, [tuple(v) for v in line.at]) for line in proof.lines] == [
        ("FAIL", [(1, 0)]),
        ("SUCC", [(1, 1)]),
        ("IND", [(0, 0), (0, 1)]),
        ("CONJ", [(-1, 0)]),
    ]
    assert (shown.states, shown.vertices, shown.failed, shown.inductions) == (2, 4, 1, 1)
    text = list(proof_text(shown.record, model))
    start = text.index("The proof")
    assert text[start + 3 : text.index("The ranking function") - 1] == [
        "  1.  FAIL  x2 where s = 0: the state is not as the node says, so X <>p || p",
        "  2.  SUCC  x2 where s = 1: every successor is one of the lines above",
        "  3.        line 1 applied to 2: X <>p || p",
        "  4.  IND   x1 where true: no run stays here, as <>[]!p would be put off for ever",
        "  5.        lines 1, 3 applied to 4: X []<>p in each",
        "  6.  CONJ  in every initial state: X []<>p && (X <>p || p) implies []<>p",
        "  7.        lines 1, 5 applied to 6: []<>p",
    ]


def test_mutual_exclusion() -> None:
    model = Mutex()
    proof, shown = proved(model, "[]<>(cr0 || cr1)")
    assert (shown.states, shown.vertices, shown.edges, shown.failed) == (12, 24, 48, 4)
    components = [line for line in proof.lines if line.rule != "CONJ"]
    assert len(components) == 13
    assert Counter(line.rule for line in proof.lines) == {"FAIL": 4, "SUCC": 8, "IND": 1, "CONJ": 2}
    induction = next(line for line in proof.lines if line.rule == "IND")
    assert (len(induction.at), induction.rank, {vertex.node for vertex in induction.at}) == (12, 4, {0})

    ranks = {vertex: line.rank for line in components for vertex in line.at}

    def expected(state: bytes) -> int:
        if CR in state[:2]:
            return 0
        return {(TR, TR): 1, (TR, NT): 2, (NT, TR): 2, (NT, NT): 3}[state[0], state[1]]

    assert all(ranks[Vertex(1, n)] == expected(state) for n, state in enumerate(proof.states))
    nt_nt, tr_nt = (("pc0", "nt0"), ("pc1", "nt1")), (("pc0", "tr0"), ("pc1", "nt1"))
    nt_tr, tr_tr = (("pc0", "nt0"), ("pc1", "tr1")), (("pc0", "tr0"), ("pc1", "tr1"))
    beta = proof.ranking.bits[1]
    assert [set(predicate) for predicate in beta] == [{tr_tr, nt_nt}, {tr_nt, nt_tr, nt_nt}, set()]
    assert proof.ranking.bits[0] == ((), (), ((),))  # 4, whatever the state


def test_the_page_has_the_ranking_table() -> None:
    _, shown = proved(Mutex(), "[]<>(cr0 || cr1)")
    page = proof_html(shown.record, shown.model)
    cells = (
        "<td>x2</td><td>(pc0 = tr0 &amp;&amp; pc1 = nt1) || (pc0 = nt0 &amp;&amp; pc1 = tr1)</td><td>2</td><td>010</td>"
    )
    assert cells in page
    assert "3 * (pc0 = nt0 &amp;&amp; pc1 = nt1)" in page
    assert page.startswith("<!doctype html>") and page.endswith("</html>\n")


def test_weak_fairness_is_a_premise() -> None:
    # Process 0 may loop in state 0 for ever, process 1 can always leave it.
    model = Walks([[(0, 0), (1, 1)], []], [[False], [True]])
    proof, shown = proved(model, "<> p", fair="weak")
    assert [line.missed.to_json() for line in proof.lines if line.missed is not None] == [{"weak": 1}]
    text = "\n".join(proof_text(shown.record, model))
    assert "Proof: every weakly fair run of toy.pml satisfies <> p" in text
    assert "as process 1 could always move and never does" in text


def test_strong_fairness_takes_components_apart() -> None:
    # Process 1 can leave state 0 only; process 0 goes 0, 1, 0, ...
    model = Walks([[(0, 1), (1, 2)], [(0, 0)], []], [[False], [False], [True]])
    proof, _ = proved(model, "<> p", fair="strong")
    missed = [line.missed for line in proof.lines if line.missed is not None]
    assert [(m.kind, m.what, len(m.parts)) for m in missed] == [("strong", 1, 1)]
