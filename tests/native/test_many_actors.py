"""Fairness to actors with large numbers: there is room for a thousand, and more are refused in words."""

import pytest

from kripke.engines.explicit.native import search
from kripke.engines.explicit.search import SearchRequest
from kripke.logic.automaton import ALWAYS
from kripke.model.observer import Observer, ObserverEdge

#: Every infinite run is wrong. With two moves the observer asks for the same steps twice.
ONE_MOVE = Observer("o", "never", (0,), ((ObserverEdge((ALWAYS,), 0, 1),),), 1, stutters=False)
TWO_MOVES = Observer(
    "o", "never", (0,), ((ObserverEdge((ALWAYS,), 0), ObserverEdge((ALWAYS,), 0, 1)),), 1, stutters=False
)


def request(observer, fairness, last):
    return SearchRequest(order="scc", deadlock=False, observer=observer, fairness=fairness, actors=last + 1)


@pytest.mark.parametrize("observer", [ONE_MOVE, TWO_MOVES], ids=["one move", "two moves"])
@pytest.mark.parametrize("last", [1, 63, 64, 255, 256, 319, 320, 1000])
def test_fairness_to_the_last_actor(build, last, observer):
    alone, together = build("actors", LAST=last), build("actors", LAST=last, TOGETHER=1)
    for fairness in ("weak", "strong"):
        asked = request(observer, fairness, last)
        assert [found.kind for found in search(alone, asked).error_paths] == []
        assert [found.kind for found in search(together, asked).error_paths] == ["cycle"]
    for model in (alone, together):
        assert [found.kind for found in search(model, request(observer, None, last)).error_paths] == ["cycle"]


@pytest.mark.parametrize("defines", [{}, {"TOGETHER": 1}])
@pytest.mark.parametrize("last", [1088, 100_000, 2**32 - 2])
def test_too_many_actors(build, last, defines):
    found = search(build("actors", LAST=f"{last}u", **defines), request(ONE_MOVE, "weak", last))
    assert (found.complete, found.reason, found.error_paths) == (False, "edges", ())
