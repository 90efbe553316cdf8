"""Compiled programs and the interpreter: the same states, steps, violations and atoms, in the same order."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest

pytest.importorskip("kripke._native")

from kripke.compilation.compile import compile_model
from kripke.engines.explicit.native import open_model
from kripke.heap.model import HeapModel
from kripke.heap.program import Options
from kripke.languages.python.loading import read
from tests.languages.python.programs import PROGRAMS
from tests.support.compiled import COMPILER, Compiled
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


SANITIZED = (
    "-std=gnu99", "-fwrapv", "-fno-strict-aliasing", "-w", "-fsanitize=undefined,address", "-fno-sanitize-recover=all",
)  # fmt: skip


def compare_sanitized(model: HeapModel, most: int) -> int:
    """The same successors, from a program that stops at the first access to memory that is not its own."""
    states = model.initial()
    seen, expected = set(states), []
    for state in states:
        steps = [step for step in model.successors(state) if step.target is not None]
        expected.append([(step.target, step.parts[-1].statement) for step in steps])
        for target, _ in expected[-1]:
            if target is not None and target not in seen and len(states) < most:
                seen.add(target)
                states.append(target)
    with tempfile.TemporaryDirectory() as folder:
        compiled = Compiled(model, Path(folder), SANITIZED, lambda each: str(each.emit_c()))
        assert [answer.states for answer in compiled.successors(*states)] == expected
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


#: numbers that need 16 bits or more, in what threads share and in what they have for themselves; lists that change
WIDTHS = """
import threading

class Box:
    def __init__(self, value):
        self.value = value
        self.next = None

x = {first}
box = Box({second})
items = [1, 2]
lock = threading.Lock()

def work(mine):
    global x
    with lock:
        x += 1
        box.value = mine
    mine -= 2
    items.append(mine)
    x -= 1
    items.pop()
    box.value = items[0]
    box.next = box if mine else lock

for mine in ({third}, 1):
    threading.Thread(target=work, args=(mine,)).start()
"""


@pytest.mark.parametrize("backtracking", ["difference", "copy"])
@pytest.mark.parametrize("numbers", [(8190, 1, 2), (8191, 8192, 3), (1 << 40, 1, 8193), (0, -8193, 1 << 40)])
def test_states_by_difference(backtracking: str, numbers: tuple[int, int, int]) -> None:
    """A state that is written as the difference from the one before is the one that is written as a whole."""
    first, second, third = numbers
    text = WIDTHS.format(first=first, second=second, third=third)
    compare(read(text, options=Options(backtracking=backtracking)), 250)


@pytest.mark.skipif(COMPILER is None, reason="needs gcc or clang")
def test_under_sanitizers() -> None:
    model = read(WIDTHS.format(first=8191, second=8192, third=3), conditions=["x > 8191"]).reduced([0])
    assert isinstance(model, HeapModel)
    assert compare_sanitized(model, 80) > 40


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_programs_of_one_schedule(name: str) -> None:
    """In small steps, so that what is wrong is seen before it is forgotten."""
    compare(read(PROGRAMS[name]), 10_000)
