"""Nets written for other tools: what Kripke reads itself comes back alike, the rest is compared as text."""

from __future__ import annotations

from pathlib import Path

import pytest

from kripke.engines.explicit.safety import check
from kripke.engines.plan import SearchPlan
from kripke.languages import pep, pnml
from kripke.nets.export import written
from kripke.nets.place_transition import Arc, Place, PlaceTransitionNet, Transition
from tests.support.random_nets import model_of, random_net

SMALL = PlaceTransitionNet(
    "small",
    (Place("a b", 2), Place("a,b"), Place('"<&', 7)),
    (Transition("go", (Arc(0, 2),), (Arc(1, 1), Arc(2, 3))), Transition("1", (), (Arc(0, 1),))),
)


def shape(net: PlaceTransitionNet) -> object:
    return net.initial, [(t.preset, t.postset) for t in net.transitions]


@pytest.mark.parametrize("seed", range(20))
def test_what_is_written_is_read(tmp_path: Path, seed: int) -> None:
    net = random_net(seed)
    for form, load in (("pnml", pnml.load), ("ll_net", pep.load)):
        file = tmp_path / f"net.{form}"
        file.write_text(written(net, form))
        again = load(str(file)).net
        assert shape(again) == shape(net)
        assert [place.name for place in again.places] == [place.name for place in net.places]


def test_strange_names(tmp_path: Path) -> None:
    file = tmp_path / "net.pnml"
    file.write_text(written(SMALL, "pnml"))
    assert [place.name for place in pnml.load(str(file)).net.places] == ["a b", "a,b", '"<&']
    file = tmp_path / "net.ll_net"
    file.write_text(written(SMALL, "ll_net"))
    assert [place.name for place in pep.load(str(file)).net.places] == ["a b", "a,b", "?<&"]


def test_lola() -> None:
    assert (
        written(SMALL, "lola")
        == """PLACE
    a.b,
    p1.a.b,
    p2.<&;

MARKING
    a.b: 2,
    p2.<&: 7;

TRANSITION go
    CONSUME a.b: 2;
    PRODUCE p1.a.b: 1, p2.<&: 3;

TRANSITION t1.1
    CONSUME ;
    PRODUCE a.b: 1;
"""
    )


def test_pictures() -> None:
    assert (
        written(SMALL, "dot")
        == """digraph net {
  node [fontname="monospace", fontsize=10];
  p0 [label="a b\\n●●", shape=ellipse];
  p1 [label="a,b", shape=ellipse];
  p2 [label="\\"<&\\n7", shape=ellipse];
  t0 [label="go", shape=box];
  p0 -> t0 [label="2"];
  t0 -> p1;
  t0 -> p2 [label="3"];
  t1 [label="1", shape=box];
  t1 -> p0;
}
"""
    )


@pytest.mark.parametrize("seed", range(12))
def test_maria_has_the_same_states(seed: int, tmp_path: Path) -> None:
    from kripke.languages.maria import load as load_maria

    net = random_net(seed)
    file = tmp_path / "net.pn"
    file.write_text(written(net, "pn"))
    limits = SearchPlan(max_states=300, deadlock=False, engine="interpreter")
    own, other = check(model_of(net), limits), check(load_maria(str(file)), limits)
    assert (own.states, own.complete) == (other.states, other.complete)
    assert own.transitions == other.transitions or not own.complete  # where a limit ends it, the order decides
