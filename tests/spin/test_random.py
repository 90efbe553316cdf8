"""Random programs through SPIN and Kripke: the same counts, whatever the program.

A sample that is the same every day; ``python -m tests.spin.soak`` runs as many as one likes.
"""

from __future__ import annotations

import shutil

import pytest

from tests.spin.compare import MODES, Difference, Incomparable, compare, spin_is_here
from tests.spin.generator import generate
from tests.spin.terms import text_of
from tests.support.seeds import sample

PROGRAMS = 60
PORTION = 10

pytestmark = [
    pytest.mark.spin,
    pytest.mark.skipif(not spin_is_here(), reason="spin and gcc are needed to compare with (apt-get install spin gcc)"),
]


@pytest.fixture(autouse=True)
def _fast_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small models compile faster than they are searched: tcc where it is installed."""
    if shutil.which("tcc"):
        monkeypatch.setenv("KRIPKE_CC", "tcc")


@pytest.mark.parametrize("first", sample(range(1, PROGRAMS + 1, PORTION)))
def test_random_programs_count_as_in_spin(first: int) -> None:
    compared = 0
    for seed in range(first, first + PORTION):
        text = text_of(generate(seed))
        try:
            outcome = compare(text, (MODES[seed % len(MODES)],), most_interpreted=1000, most_states=20_000)
        except Incomparable:
            continue
        assert not isinstance(outcome, Difference), f"seed {seed}: {outcome}\n{text}"
        compared += 1
    assert compared >= PORTION // 4, "SPIN could not check most of the programs: has it changed?"


def test_the_same_seed_gives_the_same_program() -> None:
    assert text_of(generate(7)) == text_of(generate(7))
    assert text_of(generate(7)) != text_of(generate(8))
