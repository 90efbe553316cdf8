"""Compiled programs and the interpreter: the same states, steps, violations and atoms, in the same order."""

from __future__ import annotations

import shutil

import pytest

pytest.importorskip("kripke._native")

from kripke.compilation.compile import compile_model
from kripke.engines.explicit.native import open_model
from kripke.heap.model import HeapModel
from kripke.heap.program import Options
from kripke.languages.python.loading import read
from tests.languages.python.programs import PROGRAMS
from tests.support.random_python import random_python


@pytest.fixture(autouse=True)
def _fast_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most of the time of these tests is a compiler's."""
    if fast := shutil.which("tcc"):
        monkeypatch.setenv("KRIPKE_CC", fast)


def compare(model: HeapModel, most: int) -> int:
    """Walk both forms breadth-first, up to some states; how many were seen."""
    library = open_model(compile_model(model.emit_c()).path)
    states = model.initial()
    assert library.initial() == states
    seen = set(states)
    for state in states:
        assert model.codec.encode(model.codec.decode(state)) == state
        steps = model.successors(state)
        emitted, reported = library.successors(state)
        assert emitted == [(step.target, step.parts[-1].statement) for step in steps if step.target is not None]
        assert sorted(reported) == sorted((v.code, v.statement) for step in steps for v in step.violations)
        assert tuple(library.atoms(state)) == model.atom_values(state)
        assert library.valid_end(state) == model.valid_end(state)
        for target, _ in emitted:
            if target not in seen and len(states) < most:
                seen.add(target)
                states.append(target)
    return len(states)


CONDITIONS = ["x > y", "len(items) == 2", "box.next is None", "table['k'] == 2", "pair.b", "x in items"]


@pytest.mark.parametrize("seed", range(8))
def test_random_programs(seed: int) -> None:
    compare(read(random_python(seed), conditions=CONDITIONS[: seed % 7]), 60)


@pytest.mark.parametrize("numbering", ["order", "site", "thread"])
@pytest.mark.parametrize("collection", ["sweep", "count", "none"])
def test_numberings(numbering: str, collection: str) -> None:
    options = Options("access", numbering, collection)
    compare(read(random_python(7), options=options), 40)


@pytest.mark.parametrize("granularity", ["line", "instruction"])
def test_granularities(granularity: str) -> None:
    compare(read(random_python(3), options=Options(granularity)), 60)


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_programs_of_one_schedule(name: str) -> None:
    """In small steps, so that what is wrong is seen before it is forgotten."""
    compare(read(PROGRAMS[name]), 10_000)
