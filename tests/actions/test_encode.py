"""Action programs in terms: the same steps as the interpreter's, state by state, and the engines that use them."""

from __future__ import annotations

from pathlib import Path

import pytest

import kripke
from kripke.actions.model import ActionModel
from kripke.languages.lf import load
from kripke.terms.narrowing import narrowed
from tests.support.encoded_steps import assert_encoded
from tests.support.random_lf import random_program

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "lf").glob("*.lf"))


def model_of(text: str, folder: Path, **options: object) -> ActionModel:
    path = folder / "m.lf"
    path.write_text(text)
    return load(str(path), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("path", [path for path in EXAMPLES if path.stem != "sieve"], ids=lambda path: path.stem)
def test_examples_have_the_steps_of_the_interpreter(path: Path) -> None:
    states, ended = assert_encoded(load(str(path)), most_states=60, change=narrowed)
    assert states > 0 and ended == 0


@pytest.mark.parametrize("queues", ["sorted", "arrival", "kernel"])
def test_random_programs_have_the_steps_of_the_interpreter(queues: str, tmp_path: Path) -> None:
    for seed in range(8):
        model = model_of(random_program(seed, plain=seed % 2 == 0), tmp_path, queues=queues, fine=seed % 3 == 0)
        states, ended = assert_encoded(model, most_states=40)
        assert states > 0 and ended == 0, seed


REFERENCES = """MODULE M;
TYPE Msg = [put(INT8)];
PORT q : Msg;
VAR a : ARRAY 3 OF INT8; n : INT8;
PROCESS Get(in : Msg; VAR into : INT8);
BEGIN in?put(into) END Get;
PROCESS Both(in : Msg);
VAR own : ARRAY 2 OF INT8; k : INT8;
  PROCESS Inner(VAR x : INT8; step : INT8);
  BEGIN x := x + step; INC(k); IF k < 3 THEN Inner(own[k MOD 2], step) END END Inner;
BEGIN
  CREATE Get(in, a[n]); INC(n);
  Get(in, own[1]);
  Inner(own[0], own[1]);
  ASSERT(k = 3)
END Both;
PROCESS Put(out : Msg);
BEGIN out!put(1); out!put(2) END Put;
BEGIN
  NEW(q); CREATE Both(q); CREATE Put(q)
END M.
"""


@pytest.mark.parametrize("queues", ["sorted", "kernel"])
def test_references_nested_processes_and_calls(queues: str, tmp_path: Path) -> None:
    model = model_of(REFERENCES, tmp_path, queues=queues)
    assert assert_encoded(model, most_states=60)[1] == 0


def test_processes_that_are_created_again_and_again_have_limited_room(tmp_path: Path) -> None:
    text = """MODULE M; PROCESS P; BEGIN RESCHEDULE END P;
PROCESS Q; BEGIN WHILE TRUE DO CREATE P; RESCHEDULE END END Q; BEGIN CREATE Q END M."""
    model = model_of(text, tmp_path)
    assert assert_encoded(model, most_states=300)[1] > 0
    assert {limit.text for limit in model.encode().system.limits} == {"there are more than 6 processes at once"}
    assert {limit.text for limit in model.encode(2).system.limits} == {"there are more than 10 processes at once"}


def test_a_loop_of_an_action_goes_round_as_often_as_it_must(tmp_path: Path) -> None:
    text = """MODULE M; VAR i, s, n : INTEGER; PROCESS P; BEGIN
CHOICE n := 3 OR n := 9 END; RESCHEDULE; i := 0;
WHILE (i < n) OR (i < 30) DO INC(i); IF ODD(i) THEN s := s + i END END; RESCHEDULE; ASSERT(s = 225) END P;
BEGIN CREATE P END M."""
    model = model_of(text, tmp_path)
    assert assert_encoded(model) == (8, 0)


def test_where_nobody_knows_how_often_it_goes_round_the_encoding_says_so(tmp_path: Path) -> None:
    text = """MODULE M; VAR x : INTEGER; PROCESS P; BEGIN RESCHEDULE;
  WHILE x # 1 DO IF ODD(x) THEN x := 3 * x + 1 ELSE x := x DIV 2 END END END P;
BEGIN x := 27; CREATE P END M."""
    model = model_of(text, tmp_path)
    (limit,) = {one.text for one in model.encode().system.limits}
    assert limit.startswith("a loop inside an action goes round more than 16 times") and "m.lf:2:3" in limit
    assert assert_encoded(model)[1] == 1


def test_an_action_that_comes_back_to_where_it_was_does_not_end(tmp_path: Path) -> None:
    text = (
        "MODULE M; VAR x : INT8; PROCESS P; BEGIN RESCHEDULE;\n  WHILE x < 5 DO x := 2 END END P; BEGIN CREATE P END M."
    )
    model = model_of(text, tmp_path)
    assert assert_encoded(model) == (3, 0)
    path = tmp_path / "m.lf"
    for engine in ("bdd", "bmc", "pdr"):
        answer = kripke.load(path).check(engine=engine, clarify=False)
        assert (answer.verdict, answer.kind) == ("violated", "endless")
        assert answer.findings[0].span is not None and str(answer.findings[0].span).endswith("m.lf:2:3")


@pytest.mark.parametrize(
    ("name", "engine", "verdict", "states"),
    [
        ("peterson", "bdd", "holds", 4_461),
        ("philosophers_ordered", "bdd", "holds", 2_372),
        ("prodcons", "bdd", "holds", 308),
        ("prodcons", "pdr", "holds", 0),
        ("interrupt_lost", "bmc", "violated", 0),
        ("lost_update", "induction", "violated", 0),
    ],
)
def test_symbolic_engines(name: str, engine: str, verdict: str, states: int) -> None:
    path = Path(__file__).parents[2] / "examples" / "lf" / f"{name}.lf"
    answer = kripke.load(path).check(engine=engine)
    assert (answer.verdict, answer.states) == (verdict, states)


def test_a_temporal_property_with_decision_diagrams(tmp_path: Path) -> None:
    path = tmp_path / "m.lf"
    path.write_text(
        "MODULE M; VAR p : BOOLEAN; PROCESS P; BEGIN WHILE TRUE DO p := ~p; RESCHEDULE END END P;\n"
        "PROPERTY Never; BEGIN WHILE TRUE DO IF p THEN NOMOVE END; ACCEPT; RESCHEDULE END END Never;\n"
        "BEGIN CREATE P END M.\n"
    )
    model = kripke.load(path)
    for formula, verdict in (("G F p", "holds"), ("F G p", "violated")):
        assert model.check(ltl=formula, engine="bdd").verdict == verdict
        assert model.check(ltl=formula).verdict == verdict
    assert model.check(properties="Never", engine="bdd").verdict == "holds"
