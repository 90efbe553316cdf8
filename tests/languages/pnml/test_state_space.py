"""Nets of the model checking contest: states, transitions and tokens as known from independent tools."""

from __future__ import annotations

from pathlib import Path

import pytest

from kripke.engines.explicit.safety import check
from kripke.engines.plan import SearchPlan
from kripke.languages.pnml import load

CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "pnml"
pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason=f"the contest's nets are not at {CORPUS}")
INSTANCES = sorted(folder.name for folder in CORPUS.glob("*") if (folder / "model.pnml").exists())


@pytest.mark.parametrize("name", INSTANCES)
def test_states_and_transitions(name: str) -> None:
    pytest.importorskip("kripke._native")
    known = {}
    for line in (CORPUS / name / "oracle" / f"{name}-SS.out").read_text().splitlines():
        words = line.split()
        if words and words[0] == "STATE_SPACE":
            known[words[1]] = int(words[2])
    result = check(load(str(CORPUS / name / "model.pnml")), SearchPlan(deadlock=False))
    # The initial state counts as a transition to it.
    assert (result.states, result.transitions - 1) == (known["STATES"], known["TRANSITIONS"])
