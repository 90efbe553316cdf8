"""Compiled modes and the interpreter: the same states, steps, violations and atoms, in the same order."""

from __future__ import annotations

import pytest

pytest.importorskip("kripke._native")

from kripke.compilation.compile import compile_model
from kripke.engines.explicit.native import open_model
from kripke.hierarchy.mode_model import ModeModel
from kripke.languages.modes import read
from tests.support.random_modes import random_modes


def compare(model: ModeModel, most: int) -> int:
    """Walk both forms breadth-first, up to some states; how many were seen."""
    text = model.emit_c()
    assert text is not None
    library = open_model(compile_model(text).path)
    states = model.initial()
    assert library.initial() == states
    seen = set(states)
    for state in states:
        assert model.tree.encode(model.tree.decode(state)) == state
        assert b"".join(model.tree.cut(model.tree.decode(state))) == state
        steps = model.successors(state)
        emitted, reported = library.successors(state)
        assert emitted == [(step.target, step.parts[-1].statement) for step in steps if step.target is not None]
        assert sorted(reported) == sorted((v.code, v.statement) for step in steps for v in step.violations)
        assert tuple(library.atoms(state)) == model.atom_values(state)
        for target, _ in emitted:
            if target not in seen and len(states) < most:
                seen.add(target)
                states.append(target)
    return len(states)


@pytest.mark.parametrize("seed", range(20))
def test_random_modes(seed: int) -> None:
    compare(read(random_modes(seed), conditions=["x = 2 & b", "in(t0)", "in(t0.p0)", "12 / x = 4"]), 150)
