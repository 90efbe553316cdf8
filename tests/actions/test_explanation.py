"""Reports of action programs say what everybody waits for, and what decides about a condition."""

from __future__ import annotations

from pathlib import Path

from kripke.languages.lf import load
from kripke.model.explanation import FalseAtom, Stuck

TEXT = """MODULE M;
TYPE Msg = [go, stop(INT8)];
PORT q : Msg;
VAR x : INT8;
PROCESS Inner; BEGIN q!go END Inner;
PROCESS Outer; BEGIN Inner END Outer;
PROCESS Other(in : Msg); VAR y : INT8;
BEGIN SELECT WHEN in?stop(y) THEN WHEN in!stop(3) THEN END END Other;
BEGIN NEW(q); x := 5; CREATE Outer; CREATE Other(q) END M.
"""


def test_who_waits_for_what(tmp_path: Path) -> None:
    file = tmp_path / "m.lf"
    file.write_text(TEXT)
    model = load(str(file), invariants=("x < 3",))
    state = model.initial()[0]
    while steps := model.successors(state):
        assert steps[0].target is not None
        state = steps[0].target
    stuck = model.explain(state, Stuck())
    assert stuck is not None
    assert [str(reason) for reason in stuck.reasons] == [
        "Outer:1 waits for the end of Inner",
        "Other:2 waits in line 8 to receive stop from q or send stop on q, and nobody waits for that",
        "Inner:3 waits in line 5 to send go on q, and nobody waits for that",
    ]
    false = model.explain(state, FalseAtom(0))
    assert false is not None and [str(reason) for reason in false.reasons] == ["x < 3:  x = 5"]
    assert model.describe(state)["Outer:1@"] == "line 6, until Inner ends"
