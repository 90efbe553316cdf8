"""HOA, never claims, pictures."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given

from kripke.logic import dot, hoa, never
from kripke.logic.formula import Formula
from kripke.logic.parser import parse
from kripke.logic.translation import buchi, generalised
from kripke.model.source import ModelError
from tests.support.random_formulas import formulas


def test_hoa() -> None:
    assert hoa.written(generalised(parse("[](p -> <>q)"))) == (
        "HOA: v1\n"
        'name: "[](p -> <>q)"\n'
        "States: 2\n"
        "Start: 0\n"
        'AP: 2 "p" "q"\n'
        "acc-name: Buchi\n"
        "Acceptance: 1 Inf(0)\n"
        "properties: trans-labels explicit-labels trans-acc\n"
        'tool: "kripke"\n'
        "--BODY--\n"
        "State: 0\n"
        "[!0 | 1] 0 {0}\n"
        "[0&!1] 1\n"
        "State: 1\n"
        "[1] 0 {0}\n"
        "[!1] 1\n"
        "--END--\n"
    )


@given(formulas)
def test_hoa_round_trip(formula: Formula) -> None:
    for automaton in (generalised(formula), buchi(formula)):
        text = hoa.written(automaton)
        again = hoa.read(text)
        assert hoa.written(again) == text
        assert again.edges == automaton.edges and again.initial == automaton.initial


def test_hoa_of_others_is_read() -> None:
    automaton = hoa.read(
        'HOA: v1 tool: "other" "1.0"\nStart: 1 States: 2\nAP: 2 "a" "x \\"y\\""\n'
        "acc-name: generalized-Buchi 2\nAcceptance: 2 Inf(0)&Inf(1)\nAlias: @a 0 & !1\n/* a comment */ --BODY--\n"
        'State: [!0] 0 "first" 1\nState: 1 {0}\n[@a | (1 & t)] 0\n[!@a] 1 {1}\n--END--\n'
    )
    assert automaton.atoms == ("a", 'x "y"')
    assert automaton.initial == (1,)
    assert [(edge.source, edge.target, edge.marks) for edge in automaton.edges] == [(0, 1, 0), (1, 0, 1), (1, 1, 3)]
    assert [letter for letter in range(4) if automaton.edges[1].allows(letter)] == [1, 2, 3]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected 'HOA:', found the end of the text"),
        ("HOA: v2", "only version v1 of the format can be read"),
        ("HOA: v1 --BODY-- --END--", "there is no 'Acceptance:' line"),
        ("HOA: v1 Acceptance: 1 Fin(0)", "only Büchi and generalised Büchi acceptance can be read"),
        ("HOA: v1 Acceptance: 2 Inf(0)|Inf(1)", "only Büchi and generalised Büchi acceptance can be read"),
        ("HOA: v1 States: 1 Acceptance: 0 t --BODY-- State: 3", "3 is too large for a state"),
        ('HOA: v1 AP: 1 "p" Acceptance: 0 t --BODY-- State: 0 [1] 0', "1 is too large for the number of an atom"),
        ("HOA: v1 Acceptance: 0 t --BODY-- State: 0 [t 0", "expected ']', found '0'"),
        ("HOA: v1 Acceptance: 0 t --BODY-- State: 0 0", "implicit labels cannot be read"),
        ("HOA: v1 Start: 0&1", "alternating automata cannot be read"),
        ("HOA: v1 ; ", "';' means nothing in an automaton"),
        ("HOA: v1 Acceptance: 0 t", "expected a header line, found ''"),
    ],
)
def test_errors_in_hoa(text: str, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        hoa.read(text)
    assert message in caught.value.message
    assert caught.value.span is not None


def test_never_claim() -> None:
    assert never.written(buchi(parse("p U q"))) == (
        "never  {    /* p U q */\n"
        "T0_init:\n\tdo\n\t:: ((p && !q)) -> goto T0_init\n\t:: ((q)) -> goto accept_all\n\tod;\n"
        "accept_all:\n\tskip\n}\n"
    )
    assert never.written(buchi(parse("false"))) == "never  {    /* false */\nT0_init:\n\tfalse;\n}\n"
    with pytest.raises(ValueError, match="one set of accepting states"):
        never.written(generalised(parse("[]<>p && []<>q")))


def test_dot() -> None:
    text = dot.written(generalised(parse("[]<>p && []<>q")))
    assert "start0 -> 0;" in text
    assert '0 -> 0 [label="p && q {0,1}"];' in text
    assert '1 [label="1", shape=doublecircle];' in dot.written(buchi(parse("<>p")))


@pytest.mark.spin
@pytest.mark.skipif(shutil.which("spin") is None, reason="spin is not installed")
@pytest.mark.parametrize(
    "text", ["<>[]p && []<>q", "!([](p -> <>(q U r)))", "true", "false", '[]"n == 0" || (<>p && <>q)']
)
def test_spin_reads_our_claims(text: str, tmp_path: Path) -> None:
    model = "bool p, q, r; byte n;\nactive proctype M() { do :: p = !p :: q = !q :: n = 1 - n od }\n"
    (tmp_path / "m.pml").write_text(model + never.written(buchi(parse(text))))
    run = subprocess.run(["spin", "-a", "m.pml"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0 and not re.search("error", run.stdout + run.stderr), run.stdout + run.stderr
