"""Bounds that are only assumed: the same answers, whether they are kept or left."""

import pytest

import kripke
from kripke.cli.main import main
from kripke.deadline import OutOfTime
from kripke.engines.encoded import Encodings
from kripke.terms.bits import variable_bits

#: no bound of ``count`` follows from single commands: how many there are is known from the others
KEPT = """
byte left = 2, count[2];
active [2] proctype P() {
    do
    :: atomic { left > 0 -> left--; count[_pid]++ }
    :: atomic { count[_pid] > 0 -> count[_pid]--; left++ }
    od
}
"""
#: nothing but a long run goes beyond what is seen at first
LEFT = """
byte n, rounds; byte m = 7;
active proctype P() {
    do :: n < 250 -> n++ :: n == 250 -> n = 0; rounds = rounds + 1 + rounds / 3; m = m + n od
}
"""


def load(text, tmp_path):
    path = tmp_path / "m.pml"
    path.write_text(text)
    return kripke.load(path)


def bits(encoding):
    return sum(variable_bits(symbol.sort) for symbol in encoding.system.variables)


def test_bounds_that_were_seen_are_assumed_first(tmp_path):
    narrow, whole = list(Encodings(load(KEPT, tmp_path).model, "bdd"))
    assert (bits(narrow), bits(whole)) == (8, 26)
    assert {limit.text for limit in narrow.system.limits} == {"left", "count[#]"}
    assert not whole.system.limits


@pytest.mark.parametrize("engine", ["bdd", "pdr", "bmc"])
def test_bounds_that_are_kept(engine, tmp_path):
    model = load(KEPT, tmp_path)
    more = {"completeness": "diameter"} if engine == "bmc" else {}
    assert model.check(engine=engine, invariants="left + count[0] + count[1] == 2", **more).verdict == "holds"
    assert model.check(engine=engine, invariants="count[1] < 2").verdict == "violated"


def test_bounds_that_are_left_grow(tmp_path):
    model = load(LEFT, tmp_path)
    explicit = model.check(deadlock=False)
    assert model.check(engine="bdd", deadlock=False).states == explicit.states
    broken = model.check(engine="bdd", deadlock=False, invariants="rounds != 5")
    shortest = model.check(invariants="rounds != 5", search="bfs")
    assert (broken.verdict, len(broken.trace.steps)) == ("violated", len(shortest.trace.steps))


def test_a_model_whose_states_are_hard_to_find_is_not_sampled_for_ever(tmp_path, monkeypatch):
    """The sample is a guess: a step that takes too long to find ends it, and nothing else."""
    model = load(LEFT, tmp_path)
    explicit = model.check(deadlock=False)

    def steps(state):
        raise OutOfTime

    monkeypatch.setattr(model.model, "each_successor", steps, raising=False)
    assert model.check(engine="bdd", deadlock=False).states == explicit.states


def test_a_proof_within_bounds_is_one_of_the_model(tmp_path, capsys):
    load(KEPT, tmp_path)
    proof = tmp_path / "proof.json"
    asked = ["--engine", "pdr", "--invariant", "count[0] <= 2", "--prove", str(proof)]
    assert main(["check", str(tmp_path / "m.pml"), *asked]) == 0
    assert main(["verify-proof", str(proof)]) == 0
    assert "accepted" in capsys.readouterr().out
