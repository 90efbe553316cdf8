"""Random nets: pieces of markings and sweeps by any sum of tokens see what the full store sees."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from kripke.engines.explicit.safety import check
from kripke.engines.plan import SearchPlan
from kripke.model.source import Sources
from kripke.nets.model import NetModel
from tests.support.random_nets import random_net

MOST_STATES = 2_000
ASKED = SearchPlan(all_errors=True, clarify=False, max_states=MOST_STATES)


@pytest.mark.parametrize("seed", range(12))
def test_the_same_verdict_and_errors(seed: int) -> None:
    net, source = random_net(seed), random.Random(seed)
    terms = tuple((place, source.randint(-3, 3)) for place in range(len(net.places)) if source.random() < 0.6)
    model = NetModel(net, "random.pnml", "pnml", Sources(), measure=(terms, source.randint(-9, 9)))
    full = check(model, ASKED)
    pieces = check(model, replace(ASKED, store="collapse"))
    if not full.complete:
        assert (pieces.complete, pieces.states) == (False, MOST_STATES)
        return
    assert (pieces.states, pieces.transitions, pieces.errors) == (full.states, full.transitions, full.errors)
    assert list(pieces.engine["components"]) == ["parts"]
    sweep = check(model, replace(ASKED, search="sweep", progress="a sum", max_states=None))
    assert (sweep.verdict, sweep.complete, sweep.states >= full.states) == (full.verdict, True, True)
    assert {finding.message for finding in sweep.findings} == {finding.message for finding in full.findings}
    if not sweep.engine["persistent"]:
        assert (sweep.states, sweep.transitions, sweep.errors) == (full.states, full.transitions, full.errors)
