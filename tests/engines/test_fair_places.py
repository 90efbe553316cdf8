"""Partial-order reduction under weak fairness (process/dependence/fair_places.py)."""

from __future__ import annotations

from pathlib import Path

import pytest

from kripke.checker.check import check_properties
from kripke.engines.explicit import automatic
from kripke.engines.plan import SearchPlan
from kripke.languages.promela import load
from kripke.model.capabilities.placed import safe_places_of
from kripke.model.model import Model
from kripke.model.result import Result
from tests.soak_fairness import compare
from tests.support.seeds import sample

ENGINES = ["native", "interpreter"]


def model_of(folder: Path, text: str) -> Model:
    path = folder / "m.pml"
    path.write_text(text)
    return load(str(path))


def checked(model: Model, engine: str, por: bool | str = False, fair: str | None = "weak") -> Result:
    return check_properties(model, SearchPlan(engine=engine, fair=fair, por=por, properties=("p",)))  # type: ignore[arg-type]


# Two messages go round. P waits until there is one in `a`, and nothing makes it move if there is none again and again.
# A reduction that sends whenever it can leaves `a` never empty, and says that P moves.
DRAINED = """
chan a = [2] of { bit }; chan b = [2] of { bit }; bool done;
active proctype A() { a!1; do :: b?_; a!1 od }
active proctype R() { b!1; do :: a?_; b!1 od }
active proctype P() { nempty(a); done = true }
ltl p { <> done }
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_steps_that_enable_what_another_process_disables_keep_their_order(tmp_path: Path, engine: str) -> None:
    model = model_of(tmp_path, DRAINED)
    full, reduced = checked(model, engine), checked(model, engine, por=True)
    assert (full.verdict, reduced.verdict) == ("violated", "violated")
    kept, all_of_them = safe_places_of(model, fair=True), safe_places_of(model)
    assert not isinstance(kept, str) and not isinstance(all_of_them, str)
    assert (kept.count, all_of_them.count) == (5, 7)


# Local steps, and messages that nobody but the receiver takes: their order decides nothing.
COUNTING = """
chan q = [2] of { byte }; byte last, a, b;
active proctype sender() { byte i; do :: i = (i + 1) % 5; q!i od }
active proctype receiver() { byte x; do :: q?x; last = x od }
active proctype one() { do :: a = (a + 1) % 3; a = (a + 2) % 5; a = (a * 2) % 7; a = a % 3 od }
active proctype two() { do :: b = (b + 1) % 3; b = (b + 2) % 5; b = (b * 2) % 7; b = b % 3 od }
ltl p { [] <> (last == 3) }
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_fewer_states_and_the_same_answer(tmp_path: Path, engine: str) -> None:
    model = model_of(tmp_path, COUNTING)
    assert checked(model, engine, fair=None).verdict == "violated"
    full, reduced = checked(model, engine), checked(model, engine, por=True)
    assert (full.verdict, reduced.verdict) == ("holds", "holds")
    assert full.states > 4 * reduced.states
    assert reduced.engine["por"] and reduced.engine["reduction"].startswith("safe places: ")


def test_auto(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(automatic, "FEW_STATES", 0)
    model = model_of(tmp_path, COUNTING)
    reduced, automatic_one = checked(model, "native", por=True), checked(model, "native", por="auto")
    assert (automatic_one.verdict, automatic_one.states) == ("holds", reduced.states)


@pytest.mark.parametrize("fair", ["strong", "weak-edges", "strong-edges"])
def test_other_fairness_is_searched_with_every_step(tmp_path: Path, fair: str) -> None:
    model = model_of(tmp_path, COUNTING)
    full, asked = (checked(model, "native", por=por, fair=fair) for por in (False, True))
    assert (asked.verdict, asked.states) == (full.verdict, full.states)
    assert any("under weak fairness to processes, and under no other" in warning for warning in asked.warnings)


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("timeout -> skip", "under fairness nothing is left out beside timeout, enabled() and D_proctype"),
        ("{ skip; skip } unless { x == 7 }", "under fairness nothing is left out beside provided and unless"),
    ],
)
def test_what_the_tables_do_not_say(tmp_path: Path, statement: str, reason: str) -> None:
    text = f"byte x; active proctype A() {{ byte i; do :: i = 1 - i; {statement} od }} active proctype B() {{ x = 1 }}"
    model = model_of(tmp_path, text + "\nltl p { [] <> (x == 1) }")
    assert safe_places_of(model, fair=True) == reason
    result = checked(model, "interpreter", por=True)
    assert any(reason in warning for warning in result.warnings)


@pytest.mark.parametrize("seed", sample(range(1, 19)))
def test_random_programs(tmp_path: Path, seed: int) -> None:
    compare(seed, tmp_path, native=False)
