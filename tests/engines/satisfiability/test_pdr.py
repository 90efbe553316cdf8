"""``--engine pdr``: what it proves, what it finds, and that its proofs are proofs for others, too."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import kripke
from benchmarks.questions import asked, entries
from kripke.cli.main import main
from kripke.engines.encoded import Encodings
from kripke.engines.satisfiability import pdr
from kripke.engines.satisfiability.wrong import Wrong
from kripke.model.property import Safety
from tests.support.processes import wait_for_work
from tests.support.shared_programs import shared_program

ROOT = Path(__file__).parents[3]
LOCK = str(ROOT / "benchmarks" / "models" / "filter_lock.pml")
HOSTILE = """MODULE main
VAR a : unsigned word[64]; b : unsigned word[64];
ASSIGN
  init(a) := 0ud64_1; init(b) := 0ud64_3;
  next(a) := a * b + 0ud64_3; next(b) := a * a + b;
INVARSPEC a != 0ud64_77
"""


def relation_of(text, tmp_path):
    path = tmp_path / "m.pml"
    path.write_text(text)
    model = kripke.load(path).model
    encoding = next(one for one in Encodings(model, "pdr") if not one.system.limits)
    return pdr._Relation(Wrong(encoding, Safety(False, (), True), []))


def test_mutual_exclusion_is_proved_and_the_proof_is_one(tmp_path, capsys):
    proof = str(tmp_path / "proof.json")
    assert main(["check", LOCK, "-D", "N=2", "--engine", "pdr", "--no-deadlock", "--prove", proof]) == 0
    capsys.readouterr()
    assert main(["verify-proof", proof]) == 0
    assert capsys.readouterr().out.startswith("accepted: ")


def test_what_another_solver_does_not_confirm_is_no_proof(tmp_path):
    text = "byte x; active proctype P() { do :: x < 9 -> x++ :: x > 5 -> x = 0 od }"
    relation = relation_of(text, tmp_path)
    search = relation.search()
    assert search.holds(lambda levels, clauses: None)
    assert relation.inductive(search.excluded)
    # A cube that the initial state is in, and one into which a step leads.
    assert not relation.inductive([[]])
    first = relation.coordinates.groups.index(0)
    assert not relation.inductive([[first]])


def test_another_solver_answers_every_question_alike(tmp_path):
    relation = relation_of(shared_program(7), tmp_path)
    search = relation.search(written_down=True)
    search.holds(lambda levels, clauses: None)
    log = list(entries(search.transcript))
    questions = [entry for entry in log if not isinstance(entry, list)]
    assert len(questions) == search.progress[2]
    assert {answer for _, _, answer in questions} == {True, False}
    assert asked("minisat22", log) >= 0.0  # it asserts every answer


@pytest.mark.parametrize("seed", range(40, 52))
def test_random_programs_that_break_something(seed, tmp_path):
    path = tmp_path / "m.pml"
    path.write_text(shared_program(seed))
    model = kripke.load(path)
    explicit = model.check(clarify=False, max_states=20_000)
    answer = model.check(engine="pdr", clarify=False)
    assert explicit.verdict in (answer.verdict, "unknown")
    assert (answer.trace is not None) == (answer.verdict == "violated")


@pytest.mark.parametrize("engine", ["bdd", "pdr", "bmc", "induction"])
def test_a_relation_that_explodes_ends_with_the_limit(engine, tmp_path):
    path = tmp_path / "m.smv"
    path.write_text(HOSTILE)
    begin = time.perf_counter()
    depth = {"depth": 100_000} if engine in ("bmc", "induction") else {}
    result = kripke.load(path).check(engine=engine, time_limit=1.5, memory=1 << 30, **depth)
    assert result.verdict == "unknown"
    assert "limit" in result.reason
    assert time.perf_counter() - begin < 15


def test_an_interruption_ends_it_with_an_answer(tmp_path):
    (tmp_path / "m.smv").write_text(HOSTILE)
    command = [sys.executable, "-m", "kripke", "check", "m.smv", "--engine", "pdr"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as process:
        wait_for_work(process, 1.5)
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=60)
    assert process.returncode == 3
    assert said.startswith("unknown") and "interrupted" in said
