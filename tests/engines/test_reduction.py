"""Partial-order reduction: exact counts, the same choices in both engines, the same verdicts with and without."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kripke.engines.explicit import CheckOptions, Unsupported, check, prepare
from kripke.engines.search import Outcome, SearchOptions
from kripke.languages.promela import load
from kripke.model.result import Result

CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "promela" / "spin-examples"

# Two processes that touch nothing of each other, then meet in a channel.
INDEPENDENT = """
chan q = [1] of { byte };
active proctype left()  { byte i; do :: i < 5 -> i++ :: else -> break od; q!i }
active proctype right() { byte j; do :: j < 5 -> j++ :: else -> break od; q?j; assert(j == 5) }
"""
# The counter runs round for ever; what the other process does must not be put off for ever.
CYCLE = """
byte n;
active proctype round() { do :: n = (n + 1) % 3 od }
active proctype once() { byte x; x = 1; assert(false) }
"""
SHARED = """
byte x;
active [2] proctype p() { byte t; t = x; x = t + 1 }
"""


def written(folder: Path, text: str) -> str:
    path = folder / "model.pml"
    path.write_text(text)
    return str(path)


def searched(path: str, *, por: bool, engine: str = "native", all_errors: bool = True) -> Result:
    options = CheckOptions(search="dfs", por=por, engine=engine, all_errors=all_errors)  # type: ignore[arg-type]
    return check(load(path), options)


@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_independent_steps_are_not_interleaved(tmp_path: Path, engine: str) -> None:
    path = written(tmp_path, INDEPENDENT)
    full, reduced = searched(path, por=False, engine=engine), searched(path, por=True, engine=engine)
    assert (full.verdict, full.states) == ("holds", 60)
    assert (reduced.verdict, reduced.states) == ("holds", 18)


@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_nothing_is_put_off_for_ever(tmp_path: Path, engine: str) -> None:
    assert searched(written(tmp_path, CYCLE), por=True, engine=engine).verdict == "violated"


def test_dependent_steps_are_interleaved(tmp_path: Path) -> None:
    """Reading a shared variable and writing it do not commute: the lost update stays."""
    path = written(tmp_path, SHARED + "active proctype end() { (_nr_pr == 1); assert(x == 2) }")
    assert searched(path, por=True).verdict == searched(path, por=False).verdict


def test_an_invariant_keeps_what_it_sees(tmp_path: Path) -> None:
    text = "byte a, b;\nactive proctype p() { a = 1; a = 0 }\nactive proctype q() { b = 1; b = 0 }"
    model = load(written(tmp_path, text), invariants=("a + b < 2",))
    result = check(model, CheckOptions(por=True, invariants=("a + b < 2",)))
    assert result.verdict == "violated"


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("active proctype p() { skip unless false }", "'unless' is not analysed yet"),
        ("active proctype p() provided (_nr_pr > 0) { skip }", "'provided' makes the steps of a process depend"),
        ("active proctype p() priority 2 { skip }\nactive proctype q() { skip }", "priorities make every step depend"),
    ],
)
def test_what_cannot_be_analysed_is_refused(tmp_path: Path, text: str, refusal: str) -> None:
    with pytest.raises(Unsupported, match=re.escape(f"--por: {refusal}")):
        check(load(written(tmp_path, text)), CheckOptions(por=True))


@pytest.mark.parametrize(
    ("options", "refusal"),
    [
        (CheckOptions(por=True, search="bfs"), "--por goes with depth-first search: leave out --search bfs"),
        (CheckOptions(por=True, max_depth=9), "--por with --max-depth: a depth limit cuts off what the reduction puts"),
    ],
)
def test_what_does_not_go_together_is_refused(tmp_path: Path, options: CheckOptions, refusal: str) -> None:
    with pytest.raises(Unsupported, match=re.escape(refusal)):
        check(load(written(tmp_path, SHARED)), options)


@pytest.mark.skipif(not CORPUS.is_dir(), reason=f"the SPIN examples are not at {CORPUS}")
@pytest.mark.parametrize(
    ("model", "states", "errors"),
    [
        ("leader0.pml", 97, 0),
        ("sort.pml", 135, 0),
        ("peterson.pml", 40, 0),
        ("snoopy.pml", 8_434, 81),  # SPIN: 9,343
        ("Book_1991/p104.2.pml", 860, 0),  # SPIN: 1,579
        ("Book_1991/p337.pftp.ses.pml", 36_701, 0),  # SPIN: 54,110
    ],
)
def test_the_examples_of_spin(model: str, states: int, errors: int) -> None:
    result = searched(str(CORPUS / model), por=True)
    assert (result.states, result.errors) == (states, errors)


@pytest.mark.skipif(not CORPUS.is_dir(), reason=f"the SPIN examples are not at {CORPUS}")
@pytest.mark.parametrize("model", ["leader0.pml", "sort.pml", "peterson.pml", "Book_1991/p104.2.pml"])
def test_both_engines_choose_the_same_steps(model: str) -> None:
    native, reference = (searched(str(CORPUS / model), por=True, engine=e) for e in ("native", "interpreter"))
    assert (native.states, native.transitions) == (reference.states, reference.transitions)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 100_000))
def test_random_programs_keep_their_verdicts(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Every sort of error that is there without reduction is there with it, and never more states."""
    from kripke.model.source import ModelError
    from tests.spin.generator import generate
    from tests.spin.terms import text_of

    path = written(tmp_path_factory.mktemp("por"), text_of(generate(seed)))
    try:
        model = load(path)
    except ModelError:
        return
    if isinstance(model.dependencies(), str):
        return
    engine = prepare(model, "native", dependencies=True)
    asked = SearchOptions(order="dfs", stop_at_first=False, max_states=20_000, time_limit=1.0)
    full = engine.search(model, asked, None)
    if not full.complete:
        return
    analysis = model.dependencies()
    assert not isinstance(analysis, str)
    reduced = engine.search(model, SearchOptions(order="dfs", stop_at_first=False, dependencies=analysis), None)
    assert reduced.states <= full.states
    assert kinds(reduced) == kinds(full)


def kinds(outcome: Outcome) -> set[tuple[str, int, int]]:
    """The sorts of errors found. Which deadlocks, and how many, may differ."""
    return {(found.kind, found.code, found.statement) for found in outcome.discoveries}
