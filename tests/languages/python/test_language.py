"""What is refused and where, and what properties say, by the interpreter."""

from __future__ import annotations

from pathlib import Path

import pytest

import kripke
from kripke.heap.program import Options
from kripke.languages.python.loading import read
from kripke.model.source import ModelError

COUNTER = """
import threading
counter = 0
def add():
    global counter
    counter += 1
threads = [threading.Thread(target=add) for _ in range(2)]
for thread in threads:
    thread.start()
"""


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("import os", 1, 1, "the module os"),
        ("x = 1\nimport numpy as np", 2, 1, "the module numpy"),
        ("from threading import get_ident", 1, 1, "threading.get_ident"),
        ("eval('1')", 1, 1, "a call of eval"),
        ("x = 1 / 2", 1, 5, "the operator /"),
        ("class A: pass\nclass B: pass\nclass C(A, B): pass", 3, 12, "more than one base class"),
        ("def f():\n    class A: pass", 2, 5, "a class inside of a function"),
        ("match 1:\n    case 1: pass", 1, 1, "this statement (Match)"),
        ("x = undefined", 1, 5, "the name 'undefined' is not defined"),
        ("x = b'a'", 1, 5, "a constant of type bytes"),
        ("x = 1 << 1\ny = 99999999999999999999", 2, 5, "an integer of more than 64 bits"),
        ("x = (1", 1, 5, "not Python"),
        ("x = [1, 2]\nx[0:1] = [3]", 2, 1, "an assignment to a slice"),
        ("async def f():\n    yield 1", 1, 1, "an asynchronous generator"),
    ],
)
def test_refused_with_its_place(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        read(text, "program.py")
    assert message in caught.value.message
    assert caught.value.span is not None
    assert (caught.value.span.line, caught.value.span.column) == (line, column)


def reached(text: str, **asked: list[str]) -> tuple[int, set[tuple[bool, ...]], set[str]]:
    """How many states there are, the values of the atoms, and the kinds of violations."""
    model = read(text, **asked)  # type: ignore[arg-type]
    states = model.initial()
    seen, kinds = set(states), set[str]()
    for state in states:
        for step in model.successors(state):
            kinds.update(model.violation_kinds[each.code].name for each in step.violations)
            if step.target is not None and step.target not in seen:
                seen.add(step.target)
                states.append(step.target)
    return len(states), {model.atom_values(state) for state in states}, kinds


def test_a_read_and_a_write_are_two_steps() -> None:
    _, values, kinds = reached(COUNTER, conditions=["counter == 2", "counter == 1"])
    assert values == {(False, False), (False, True), (True, False)}
    assert kinds == set()


def test_an_invariant_waits_for_its_variables() -> None:
    _, values, _ = reached(COUNTER, invariants=["counter < 2"], conditions=["counter < 2"])
    assert values == {(True, False), (True, True), (False, False)}


def test_formulas_read_conditions_to_the_next_operator() -> None:
    model = read(COUNTER, formulas=["[] (counter >= 0 && len(threads) <= 2) -> <> counter == 2"])
    conditions = ["counter >= 0", "len(threads) <= 2", "counter == 2"]
    assert list(model.atoms) == [*conditions, "counter, threads have values"]


@pytest.mark.parametrize(
    ("formula", "holds"),
    [
        ("[] counter >= 0", True),
        ("[] counter < 2", False),
        ("counter == 0", True),
        ("counter == 1", False),
        ("<> counter >= 1", True),
        ("<> counter == 2", False),
    ],
)
def test_a_formula_waits_for_its_variables(formula: str, holds: bool, tmp_path: Path) -> None:
    file = tmp_path / "counter.py"
    file.write_text(COUNTER)
    result = kripke.load(str(file)).check(ltl=formula, engine="interpreter")
    assert bool(result) == holds


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("assert 1 == 2", "assertion"),
        ("[][0]", "exception"),
        ("x = 2 ** 62\nx = x * 4", "overflow"),
        ("x = [0] * 100000", "memory"),
        ("class E:\n    def __eq__(self, other):\n        return True\nx = [E()] == [E()]", "unsupported"),
        ("x = []\nx.append(x)\ny = []\ny.append(y)\nx == y", "unsupported"),
    ],
)
def test_what_a_run_can_find(text: str, kind: str) -> None:
    assert reached(text)[2] == {kind}


def test_choices_of_the_checker() -> None:
    text = "import random\nx = random.choice([1, 2, 3]) + random.randint(0, 1)"
    _, values, _ = reached(text, conditions=[f"x == {number}" for number in range(6)])
    assert {value.index(True) for value in values if True in value} == {1, 2, 3, 4}


def test_threads_that_wait_for_each_other_are_a_deadlock() -> None:
    text = "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()"
    model = read(text)
    state = model.initial()[0]
    while steps := model.successors(state):
        target = steps[0].target
        assert target is not None
        state = target
    assert not model.valid_end(state)


GARBAGE = """
class Node:
    pass
def work():
    while True:
        node = Node()
        node.me = node
        random.choice([1])
import random
work()
"""


def test_garbage_is_no_part_of_a_state() -> None:
    """A circle of references is garbage as well; counting references does not see that, and leaving it grows."""
    sizes = {}
    for numbering, collection in (("heap", "sweep"), ("site", "sweep"), ("site", "count"), ("site", "none")):
        model = read(GARBAGE, options=Options("access", numbering, collection))
        states = model.initial()
        while len(states) < 12:
            (step,) = model.successors(states[-1])
            assert step.target is not None
            if step.target in states:
                break
            states.append(step.target)
        sizes[numbering, collection] = len(states)
    assert sizes["heap", "sweep"] == 2
    assert sizes["site", "sweep"] == 3  # the new object is made before the old one is garbage: two numbers in turn
    assert sizes["site", "count"] == sizes["site", "none"] == 12


COMPARED = """
import threading
{decorator}
items = [P(2), P(1)]
found = True

def change():
    items[0].a = 1
    items[1].a = 2

def look():
    global found
    found = P(1) in items

threads = [threading.Thread(target=each) for each in (change, look)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert found
"""
DATACLASS = """
from dataclasses import dataclass
@dataclass
class P:
    a: int
    b: int = 0
"""
OWN = """
class P:
    def __init__(self, a):
        self.a = a
    def __eq__(self, other):
        return self.a == other.a
"""


@pytest.mark.parametrize("text", [DATACLASS, OWN, DATACLASS.replace("@dataclass", "@dataclass(frozen=True)")])
@pytest.mark.parametrize("por", [False, True])
def test_others_come_between_where_python_runs_code_to_compare(text: str, por: bool, tmp_path: Path) -> None:
    """One item is always P(1), but not the one that is looked at."""
    path = tmp_path / "compared.py"
    path.write_text(COMPARED.format(decorator=text), encoding="utf-8")
    result = kripke.load(str(path)).check(engine="interpreter", por=por)
    assert result.kind == ("exception" if "frozen" in text else "assertion")
