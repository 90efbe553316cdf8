"""Slicing of LF: what is left out, equal verdicts, exact counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from kripke.engines.explicit.safety import check
from kripke.engines.plan import SearchPlan
from kripke.languages.lf import load
from tests.support.action_agreement import assert_agreement
from tests.support.random_lf import random_program

# the example of the slicing literature: one process computes two results, and one of them is looked at
RESULTS = """\
MODULE Results;
TYPE Link = [both(INT8, INT16)];
PORT q : Link;
VAR total : INT16; log : ARRAY 4 OF INT8; pair : RECORD a, b : INT8 END;

PROCESS Source(out : Link);
VAR i : INT8; product : INT16;
BEGIN
  product := 1;
  FOR i := 1 TO 4 DO product := product * INT16(i); log[i MOD 4] := i; pair.a := i; out!both(i, product) END
END Source;

PROCESS Add(VAR sum : INT16; x : INT16);
BEGIN
  sum := sum + x
END Add;

PROCESS Client(in : Link);
VAR x, n : INT8; y : INT16;
BEGIN
  WHILE n < 4 DO in?both(x, y); INC(n); Add(total, y) END;
  ASSERT(x <= 6)
END Client;

BEGIN NEW(q); CREATE Source(q); CREATE Source(q); CREATE Client(q); CREATE Client(q) END Results.
"""


def written(tmp_path: Path, text: str) -> str:
    file = tmp_path / "m.lf"
    file.write_text(text)
    return str(file)


def test_what_nobody_looks_at_is_left_out(tmp_path: Path) -> None:
    path = written(tmp_path, RESULTS)
    whole, sliced = load(path), load(path, slice=True)
    (warning,) = sliced.warnings
    assert warning.message == (
        "--slice leaves out total, log, pair, Source.product, Add.x, Client.y: whether these leave their ranges is not "
        "looked for"
    )
    assert assert_agreement(sliced.program, tmp_path, most_states=200) == 200
    results = [check(one, SearchPlan()) for one in (whole, sliced)]
    assert [one.verdict for one in results] == ["holds", "holds"]
    assert [one.states for one in results] == [46001, 27621]
    assert "total" not in sliced.describe(sliced.initial()[0])


def test_what_a_property_reads_stays_with_all_it_comes_from(tmp_path: Path) -> None:
    path = written(tmp_path, RESULTS)
    asked = load(path, slice=True, invariants=["total < 20"])
    assert asked.warnings[0].message.startswith("--slice leaves out log, pair: ")
    plain = check(load(path, invariants=["total < 20"]), SearchPlan(invariants=("total < 20",)))
    sliced = check(asked, SearchPlan(invariants=("total < 20",)))
    assert plain.verdict == sliced.verdict == "violated"
    assert plain.trace is not None and sliced.trace is not None
    assert len(plain.trace.steps) == len(sliced.trace.steps)


def test_a_program_without_anything_to_leave_out_is_as_it_was(tmp_path: Path) -> None:
    text = "MODULE M; VAR x : INT8; BEGIN x := 1; RESCHEDULE; ASSERT(x = 1) END M.\n"
    model = load(written(tmp_path, text), slice=True)
    assert not model.warnings
    assert check(model, SearchPlan()).states == check(load(written(tmp_path, text)), SearchPlan()).states


@pytest.mark.parametrize(
    "statement", ["a[y] := 1", "a[y] := a[0]", "r[y] := r[0]", "r[0] := r[y]", "q!num(a[y])", "q!num(1 DIV (3 - y))"]
)
def test_what_nobody_looks_at_can_still_be_out_of_bounds(tmp_path: Path, statement: str) -> None:
    text = f"""MODULE M;
TYPE Msg = [num(INT8)]; Pair = RECORD f, s : INT8 END;
PORT q : Msg; VAR a : ARRAY 3 OF INT8; r : ARRAY 3 OF Pair;
PROCESS S(); VAR y : INT8; BEGIN y := 2; RESCHEDULE; INC(y); {statement} END S;
PROCESS R(); VAR z : INT8; BEGIN q?num(z) END R;
BEGIN NEW(q); CREATE S(); CREATE R() END M.
"""
    path = written(tmp_path, text)
    for engine in ("native", "interpreter"):
        whole, sliced = (check(load(path, slice=one), SearchPlan(engine=engine)) for one in (False, True))
        assert whole.kind in ("index", "division")
        assert (sliced.kind, sliced.findings[0].span) == (whole.kind, whole.findings[0].span)


@pytest.mark.parametrize("seed", range(12))
def test_random_programs_have_the_same_errors(tmp_path: Path, seed: int) -> None:
    path = written(tmp_path, random_program(seed, plain=seed % 2 == 0))
    plan = SearchPlan(all_errors=True, max_states=3000, engine="native")
    whole, sliced = (check(load(path, slice=one), plan) for one in (False, True))
    if not (whole.complete and sliced.complete):
        return
    errors, left = ({(one.kind, str(one.span)) for one in result.findings} for result in (whole, sliced))
    assert {one for one in errors if one[0] != "range"} <= left
    if all(kind != "range" for kind, _ in errors):
        assert left == errors and sliced.states <= whole.states
