"""``--engine bdd --fair``: the verdicts of the explicit search, and formulas of branching time about fair paths."""

import pytest

import kripke
from kripke.engines.plan import Unsupported
from tests.support.looping_programs import looping_program

LTL = ["[] <> (x == 0)", "<> [] (y == 1)", "<> (x == 2)", "(x == 0) U (y == 2)", "[] <> (x == 1)", "<> (y == 1)"]
SAME = [("<> (x == 2)", "AF x == 2"), ("[] <> (y == 1)", "AG AF y == 1"), ("[] (x != 2)", "AG x != 2")]


def load(text, tmp_path):
    path = tmp_path / "m.pml"
    path.write_text(text)
    return kripke.load(path)


@pytest.mark.parametrize("fair", ["weak", "strong"])
def test_random_programs(fair, tmp_path):
    mattered = 0
    for seed in range(12):
        model, formula = load(looping_program(seed), tmp_path), LTL[seed % len(LTL)]
        explicit = model.check(ltl=formula, fair=fair, clarify=False)
        answer = model.check(ltl=formula, fair=fair, engine="bdd", clarify=False)
        assert answer.verdict == explicit.verdict, (seed, formula, answer.reason)
        assert answer.verdict == "holds" or answer.trace is not None
        mattered += model.check(ltl=formula, clarify=False).verdict != explicit.verdict
    assert mattered


@pytest.mark.parametrize("fair", ["weak", "strong", None])
def test_formulas_of_branching_time_are_about_fair_paths(fair, tmp_path):
    for seed in range(8):
        model = load(looping_program(seed), tmp_path)
        linear, branching = SAME[seed % len(SAME)]
        wanted = model.check(ltl=linear, fair=fair, clarify=False).verdict
        assert model.check(ctl=branching, fair=fair, engine="bdd").verdict == wanted, (seed, linear)


TWO = """
bit x, y;
active proctype A() { do :: x = 1 - x od }
active proctype B() { do :: y = 1 - y od }
"""


def test_an_idle_process_is_unfair(tmp_path):
    model = load(TWO, tmp_path)
    assert model.check(engine="bdd", ltl="<> (y == 1)").verdict == "violated"
    assert model.check(engine="bdd", ltl="<> (y == 1)", fair="weak").verdict == "holds"
    assert model.check(engine="bdd", ctl="EG y == 0").verdict == "holds"
    assert model.check(engine="bdd", ctl="EG y == 0", fair="weak").verdict == "violated"
    with pytest.raises(Unsupported, match="it is fair to processes; choose weak or strong"):
        model.check(engine="bdd", ltl="<> (y == 1)", fair="weak-edges")
