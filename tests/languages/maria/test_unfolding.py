"""High-level nets as place/transition nets: their sizes, and that they behave alike."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kripke.engines.explicit.exploration import explore
from kripke.model.source import ModelError, Sources
from kripke.nets.high_level.model import HighLevelModel
from kripke.nets.high_level.unfolding import NotExpressible, unfold
from kripke.nets.model import NetModel
from tests.support.high_level_nets import random_text
from tests.support.maria_corpus import SLOW_TO_UNFOLD, UNFOLDED, Edits, loaded, needed

Read = Callable[..., HighLevelModel]


@needed
@pytest.mark.parametrize(("name", "edits", "flags", "sizes"), UNFOLDED[:-SLOW_TO_UNFOLD])
def test_sizes_are_those_of_maria(
    tmp_path: Path, name: str, edits: Edits, flags: str, sizes: tuple[int, int, int]
) -> None:
    model = loaded(tmp_path, name, edits, flags).model
    assert isinstance(model, HighLevelModel)
    net = unfold(model.net).net
    found = len(net.places), len(net.transitions), sum(len(t.preset) + len(t.postset) for t in net.transitions)
    assert found == sizes


def behaviour(model: HighLevelModel | NetModel) -> tuple[int, int] | None:
    space = explore(model, 150)
    return (len(space.states), sum(edge.target is not None for edge in space.edges)) if space.complete else None


@pytest.mark.parametrize("seed", range(1000, 1060))
def test_unfolded_nets_behave_alike(read: Read, seed: int) -> None:
    """Where no step breaks a capacity or is rejected, which an unfolded net does not know."""
    try:
        model = read(random_text(seed))
        net = unfold(model.net).net
    except (ModelError, NotExpressible):
        return
    space = explore(model, 150)
    broken = {v.code for state in space.states for step in model.successors(state) for v in step.violations}
    names = {model.violation_kinds[code].name for code in broken}
    if not space.complete or names & {"capacity", "implicit", "reject"}:
        return
    assert behaviour(NetModel(net, "net", "maria", Sources())) == behaviour(model)


def test_names_tell_token_and_binding(read: Read) -> None:
    net = unfold(read("place p unsigned (0..1): 0; trans t in { p: x; } gate x < 1 out { p: +x; };").net).net
    assert [place.name for place in net.places] == ["p(0)", "p(1)"]
    assert [transition.name for transition in net.transitions] == ["t(x=0)"]
    assert net.place_groups == {"p": (0, 1)}


def test_priorities_cannot_be_expressed(read: Read) -> None:
    with pytest.raises(NotExpressible):
        unfold(read("place p bool: true; trans t! in { p: x; };").net)
