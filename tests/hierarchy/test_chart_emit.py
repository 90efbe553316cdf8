"""Compiled charts and the interpreter: the same states, steps, violations and atoms, in the same order."""
# ruff: noqa: E501

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("kripke._native")

from kripke.compilation.compile import compile_model
from kripke.engines.explicit.native import open_model
from kripke.hierarchy.chart.model import ChartModel
from kripke.languages.scxml import load
from tests.support.random_charts import random_chart

EXAMPLES = Path(__file__).parents[2] / "examples" / "scxml"
ATOMS = ["x == 1", "b && In(s0)", "x % 2 == 0"]


def compare(model: ChartModel, most: int) -> int:
    """Walk both forms breadth-first, up to some states; how many were seen."""
    text = model.emit_c()
    if text is None:
        assert model.start is None
        return 0
    library = open_model(compile_model(text).path)
    states = model.initial()
    assert library.initial() == states
    seen = set(states)
    for state in states:
        assert model.layout.encode(model.layout.decode(state)) == state
        steps = model.successors(state)
        emitted, reported = library.successors(state)
        assert emitted == [(step.target, step.parts[-1].statement) for step in steps if step.target is not None]
        assert reported == [(v.code, v.statement) for step in steps for v in step.violations]
        assert tuple(library.atoms(state)) == model.atom_values(state)
        for target, _ in emitted:
            if target not in seen and len(states) < most:
                seen.add(target)
                states.append(target)
    return len(states)


@pytest.mark.parametrize("seed", range(12))
def test_random_charts(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "m.scxml"
    path.write_text(random_chart(seed))
    compare(load(str(path), environment=("a", "b", "c"), queue=1 + seed % 2, conditions=ATOMS), 40)


def test_the_microwave() -> None:
    assert compare(load(str(EXAMPLES / "microwave.scxml")), 100) == 21


def test_numbers_have_32_bits(tmp_path: Path) -> None:
    path = tmp_path / "m.scxml"
    path.write_text(
        '<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><datamodel><data id="x" expr="1000000"/></datamodel>'
        '<state id="s0"><transition event="a" cond="x &lt; 2147483647"><assign location="x" expr="x * 1000"/></transition>'
        "</state></scxml>"
    )
    model = load(str(path))
    assert compare(model, 10) == 2
    assert [
        step.violations[0].code for step in model.successors(model.successors(model.initial()[0])[0].target or b"")
    ] == [3]
