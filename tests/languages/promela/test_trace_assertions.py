"""``trace`` and ``notrace``: SPIN's counts, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from kripke.engines.explicit.safety import check
from kripke.engines.plan import EngineName, SearchPlan
from kripke.languages.promela import load
from kripke.model.source import ModelError
from tests.spin.compare import Counts, spin_counts, spin_is_here


class Case(NamedTuple):
    """A model and SPIN's states/transitions/errors."""

    what: str
    text: str
    counts: str


HEAD = "mtype = { a, b }; chan p = [2] of { mtype, byte }; chan q = [0] of { mtype };\n"
CASES = [
    Case(
        "a rendezvous is received between two sends; other events pass",
        HEAD
        + """
        active proctype P() { p!a,1; q!b; p!a,2; p!b,3 }
        active proctype Q() { mtype m; byte x; q?m; do :: p?m,x od }
        trace { do :: p!a,1 -> q?b :: p!a,2 od }
        """,
        "10/12/3",
    ),
    Case(
        "both halves of a rendezvous, end labels, anything",
        HEAD
        + """
        active proctype P() { do :: p!a,1; q!b :: p!a,2 :: p!b,3; break od }
        active proctype Q() { mtype m; byte x; do :: q?m :: p?m,x :: timeout -> break od }
        trace { if :: p!a,1; q!b; q?b :: p!a,2 fi; end: do :: p!_,_ od }
        """,
        "26/39/9",
    ),
    Case(
        "a sequence that must not be",
        """
        chan p = [2] of { byte };
        notrace { p?1; p?2; p?1 }
        active [2] proctype P() { byte n; do :: n < 3 -> p!_pid + 1; n++ :: else -> break od }
        active proctype Q() { byte x; do :: p?x :: timeout -> break od }
        """,
        "680/1617/27",
    ),
    Case(
        "a process may not rest where the assertion may not",
        "chan p = [2] of { byte }; active proctype P() { p!1; end: p?9 } trace { p!1; p!2 }",
        "2/2/1",
    ),
    Case(
        "where no process is left, nobody asks",
        "chan p = [2] of { byte }; active proctype P() { p!1 } trace { p!1; p!2 }",
        "3/3/0",
    ),
    Case(
        "channels in variables, arrays and messages; deterministic steps and atomic sequences",
        """
        chan c[2] = [1] of { byte }; chan carrier = [1] of { chan };
        active proctype P() {
          chan d; byte i;
          carrier!c[1]; carrier?d; d!7; i = 1; d_step { c[i]?i; i = i - 7 }; c[i]?7
        }
        active proctype Q() { byte x; atomic { c[1]?<x>; c[0]!x; x = 1 }; end: c[0]?eval(x) }
        trace { c[1]!7; do :: c[0]!7 :: c[1]?7 -> break od; end: do :: c[0]!_ od }
        """,
        "10/11/1",
    ),
]


@pytest.mark.parametrize("engine", ["native", "interpreter"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.what)
def test_counts(case: Case, engine: EngineName, tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text(case.text)
    result = check(load(str(path)), SearchPlan(all_errors=True, engine=engine))
    assert f"{result.states}/{result.transitions}/{result.errors}" == case.counts


@pytest.mark.spin
@pytest.mark.skipif(not spin_is_here(), reason="spin and gcc are needed to compare with (apt-get install spin gcc)")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.what)
def test_counts_are_spins(case: Case) -> None:
    assert spin_counts(case.text, compiler="gcc") == Counts(*map(int, case.counts.split("/")))


def test_the_error_has_a_trace(tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text("chan p = [2] of { byte };\nactive proctype P() { p!1; p!3 }\ntrace { p!1; p!2 }")
    result = check(load(str(path)), SearchPlan())
    assert (result.kind, result.reason) == ("event", f"trace assertion violated: p!3 ({path}:2:28)")
    assert result.trace is not None
    assert [step.statements for step in result.trace.steps] == [("p!1  [1]",), ("p!3  [3]",)]
    assert result.trace.model.describe(result.trace.final)["trace"] == "1"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("p!1; x = 1", "a trace assertion has only sends, receives and control flow"),
        ("p!1; skip", "a trace assertion has only sends, receives and control flow"),
        ("p!x", "a trace assertion has only constants and '_' in its messages"),
        ("p!1 + 1", "a trace assertion has only constants and '_' in its messages"),
        ("p?eval(x)", "a trace assertion has only constants and '_' in its messages"),
        ("p!!1", "a trace assertion has only simple sends: '!'"),
        ("p??1", "a trace assertion has only simple receives: '?'"),
        ("p!1,2", "messages of 'p' have 1 field, 2 given"),
        ("v!1", "a trace assertion names channels that are declared globally with their size"),
        (
            "do :: p!_ -> p!1 :: p!2 od",
            "this trace assertion is not deterministic: one event leads to two places",
        ),
        ("p!1 } trace { p!2", "a second trace or notrace assertion"),
    ],
)
def test_refusals(body: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text(f"chan p = [2] of {{ byte }}; chan v; byte x; init {{ v = p; p!1 }} trace {{ {body} }}")
    with pytest.raises(ModelError) as refused:
        load(str(path))
    assert refused.value.message == message
