"""Temporal properties beside SPIN: the same verdicts, with and without weak fairness, and with SPIN's own automaton the
same number of states."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from kripke.checker.check import check_properties
from kripke.engines.plan import SearchPlan
from kripke.languages.promela import load
from tests.spin.compare import spin_is_here
from tests.spin.liveness import CORPUS, build, compare_model, compare_states
from tests.support.seeds import sample

pytestmark = [
    pytest.mark.optimised,
    pytest.mark.skipif(not spin_is_here(), reason="spin and gcc are not installed"),
]

# Those that SPIN finishes in a moment; ``python -m tests.spin.liveness`` compares all.
MODELS = [
    "LTL/bakery.pml", "LTL/diskhead.pml", "LTL/ltl_always_eventually.pml", "LTL/ltl_example.pml", "LTL/mobile2.pml",
    "LTL/pftp.pml", "LTL/salesman1.pml", "LTL/salesman2.pml", "LTL/train.pml", "LTL/zune.pml", "Exercises/ex_3a.pml",
    "werkplaats.pml", "Book_1991/p123.pml", "LTL/mobile1.pml", "loops.pml", "Exercises/ex_5.pml",
]  # fmt: skip


@pytest.mark.skipif(not CORPUS.is_dir(), reason=f"the SPIN examples are not at {CORPUS}")
@pytest.mark.parametrize("model", MODELS)
def test_corpus(model: str, tmp_path: Path) -> None:
    assert list(compare_model((CORPUS / model).read_text(), tmp_path))


# --- random formulas --------------------------------------------------------------------------------------------------

TOKENS = """\
byte x, y; chan q = [1] of { bit };
active proctype P() { do :: x < 2 -> x++ :: x == 2 -> atomic { x = 0; y = 1 - y } od }
active proctype Q() { bit b; do :: q!1 :: q?b -> S: skip :: y == 1 && x == 1 -> break od }
"""
ATOMS = ("x == 0", "x == 2", "y == 1", "len(q) == 1", "Q@S", "x < 2")


def formula(rng: random.Random, depth: int) -> str:
    if depth == 0 or rng.random() < 0.15:
        return f"({rng.choice(ATOMS)})"
    if rng.random() < 0.5:
        return f"{rng.choice(('!', '[]', '<>', '[]<>', '<>[]'))} ({formula(rng, depth - 1)})"
    operator = rng.choice(("&&", "||", "->", "U", "V", "W", "U"))
    return f"(({formula(rng, depth - 1)}) {operator} ({formula(rng, depth - 1)}))"


@pytest.mark.parametrize("seed", sample(range(12)))
def test_random_formulas(seed: int, tmp_path: Path) -> None:
    text = TOKENS + f"ltl p {{ {formula(random.Random(seed), 3)} }}\n"
    spin = build(text, tmp_path)
    model = load(str(tmp_path / "model.pml"))
    for options, fair in (((), None), (("-f",), "weak")):
        wrong, states = spin.run(*options)
        for engine in ("native", "interpreter"):
            asked = SearchPlan(engine=engine, properties=("p",), fair=fair)  # type: ignore[arg-type]
            result = check_properties(model, asked)
            assert (text, result.verdict) == (text, "violated" if wrong else "holds")
        claim = spin.claim("p")
        if claim is not None and not wrong and fair is None:
            compare_states(text, claim, "p", states, tmp_path)


# --- labels -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "byte x; active proctype A() { do :: x < 3 -> accept: x++ :: x == 3 -> break od; accept2: skip }",
        "byte x; active proctype A() { do :: x < 3 -> x++ :: x == 3 -> accept: x = 0 od }",
        "byte x; active proctype A() { accept: x = 1; (x == 2) } active proctype B() { do :: x == 1 od }",
        "byte x; active proctype A() { x = 1; accept: (x == 2) }",
        "byte x; active proctype A() { do :: x = 1 - x od } active proctype B() { accept: (x == 5) }",
    ],
)
def test_acceptance_labels(text: str, tmp_path: Path) -> None:
    spin = build(text, tmp_path)
    model = load(str(tmp_path / "model.pml"))
    for options, fair in (((), None), (("-f",), "weak")):
        wrong, _ = spin.run(*options)
        result = check_properties(model, SearchPlan(properties=("acceptance",), fair=fair))  # type: ignore[arg-type]
        assert (fair, result.verdict) == (fair, "violated" if wrong else "holds")


@pytest.mark.parametrize(
    "text",
    [
        "byte x; active proctype A() { x = 1; progress: x = 2 }",
        "byte x; active proctype A() { x = 1; progress: x = 2; (x == 5) }",
        "byte x; active proctype A() { do :: x < 3 -> x++ :: x == 3 -> progress: x = 0 od }",
        "byte x; active proctype A() { do :: x < 3 -> x++ :: x == 3 -> progress: x = 0 od }"
        " active proctype B() { do :: x == 1 -> skip od }",
        "byte x; active proctype A() { progress: (x == 5) } active proctype B() { do :: x = 1 - x od }",
        "bit x; active [2] proctype A() { do :: x == _pid -> x = 1 - x od }"
        " active proctype B() { progress: skip; skip }",
    ],
)
def test_progress_labels(text: str, tmp_path: Path) -> None:
    spin = build(text, tmp_path, "-DNP")
    model = load(str(tmp_path / "model.pml"))
    for options, fair in ((("-l",), None), (("-l", "-f"), "weak")):
        wrong, states = spin.run(*options)
        for engine in ("native", "interpreter"):
            asked = SearchPlan(properties=("progress",), fair=fair, engine=engine)  # type: ignore[arg-type]
            result = check_properties(model, asked)
            assert (fair, result.verdict) == (fair, "violated" if wrong else "holds")
        if not wrong and fair is None:
            assert result.states == states


# --- where SPIN and its own definition part ---------------------------------------------------------------------------


def test_a_claim_that_goes_round_after_the_end_of_a_run(tmp_path: Path) -> None:
    """Nobody can move, so the run is fair; with ``-f`` SPIN misses the cycle of two claim states."""
    text = "active proctype P() { skip }\nnever { accept: true; true; goto accept }\n"
    spin = build(text, tmp_path)
    assert (spin.run()[0], spin.run("-f")[0]) == (True, False)
    model = load(str(tmp_path / "model.pml"))
    for fair in (None, "weak", "strong"):
        for engine in ("native", "interpreter"):
            asked = SearchPlan(properties=("never_0",), fair=fair, engine=engine)  # type: ignore[arg-type]
            assert check_properties(model, asked).verdict == "violated"
