"""Compiled UML machines and the interpreter: the same states, steps, violations and atoms."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("kripke._native")

from kripke.compilation.compile import compile_model
from kripke.engines.explicit.native import open_model
from kripke.hierarchy.chart.uml_model import UmlModel
from kripke.languages.uml import load
from tests.support.random_uml import random_uml

EXAMPLES = Path(__file__).parents[2] / "examples" / "uml"


def compare(model: UmlModel, most: int) -> int:
    """Walk both forms breadth-first, up to some states; how many were seen."""
    text = model.emit_c()
    assert text is not None, model.finite
    library = open_model(compile_model(text).path)
    states = [state for state in model.initial() if state != b"\0"]
    assert library.initial() == states
    seen = set(states)
    for state in states:
        assert model.layout.encode(model.layout.decode(state)) == state
        steps = model.successors(state)
        emitted, reported = library.successors(state)
        assert {target for target, _ in emitted} == {step.target for step in steps if step.target is not None}
        assert set(reported) == {(v.code, v.statement) for step in steps for v in step.violations}
        assert tuple(library.atoms(state)) == model.atom_values(state)
        for target, _ in emitted:
            if target not in seen and len(states) < most:
                seen.add(target)
                states.append(target)
    return len(states)


@pytest.mark.parametrize("seed", range(8))
def test_random_machines(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "m.puml"
    path.write_text(random_uml(seed))
    compare(load(str(path), queue=1 + seed % 2, conditions=["x == 1"]), 30)


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.puml")), ids=lambda file: file.stem)
def test_examples(file: Path) -> None:
    model = load(str(file))
    if isinstance(model.finite, str):
        pytest.skip(model.finite)
    assert compare(model, 200) > 1
