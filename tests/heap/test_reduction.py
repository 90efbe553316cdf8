"""Partial-order reduction by the heap: the same answers as without, and the same steps in C as in the interpreter."""

from __future__ import annotations

import random
import shutil
from collections import deque
from dataclasses import replace
from typing import NamedTuple

import pytest

pytest.importorskip("kripke._native", reason="compares the native engine with the interpreter")

from kripke.engines.explicit import automatic
from kripke.engines.explicit.engine import check
from kripke.engines.plan import SearchPlan
from kripke.heap.model import HeapModel
from kripke.languages.python.loading import read
from kripke.model.property import Safety
from tests.heap.test_compiled import CONDITIONS, compare
from tests.support.random_python import random_python


@pytest.fixture(autouse=True)
def _fast_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    if fast := shutil.which("tcc"):
        monkeypatch.setenv("KRIPKE_CC", fast)


class Found(NamedTuple):
    """What must not depend on the reduction. The numbers of threads do: one has that of a thread that has ended."""

    #: is it a deadlock, and what global variables are then
    ends: frozenset[tuple[bool, frozenset[tuple[str, str]]]]
    violations: frozenset[tuple[int, int]]
    truths: frozenset[tuple[bool, ...]]


def walk(model: HeapModel, most: int) -> tuple[int, Found] | None:
    """The whole state space, by the interpreter; None where it has more states."""
    todo = deque(model.initial())
    seen = set(todo)
    ends: set[tuple[bool, frozenset[tuple[str, str]]]] = set()
    violations: set[tuple[int, int]] = set()
    truths: set[tuple[bool, ...]] = set()
    while todo:
        state = todo.popleft()
        steps = model.successors(state)
        truths.add(model.atom_values(state))
        if not steps:
            shown = model.describe(state)
            values = frozenset((name, shown[name]) for name in model.program.global_names if name in shown)
            ends.add((not model.valid_end(state), values))
        for step in steps:
            violations |= {(each.code, each.statement) for each in step.violations}
            if step.target is not None and step.target not in seen:
                if len(seen) == most:
                    return None
                seen.add(step.target)
                todo.append(step.target)
    return len(seen), Found(frozenset(ends), frozenset(violations), frozenset(truths))


def reduced(model: HeapModel) -> HeapModel:
    found = model.reduced(range(len(model.atoms)))
    assert isinstance(found, HeapModel)
    return found


def same_answers(model: HeapModel, most: int) -> tuple[int, int]:
    """How many states there are without and with the reduction; (0, 0) where there are more than ``most``."""
    plain = walk(model, most)
    if plain is None:
        return 0, 0
    fewer = walk(reduced(model), most)
    assert fewer is not None and fewer[1] == plain[1]
    return plain[0], fewer[0]


@pytest.mark.parametrize("seed", range(8))
def test_random_programs(seed: int) -> None:
    model = read(random_python(seed), conditions=CONDITIONS[: seed % 7])
    same_answers(model, 300)
    compare(reduced(model), 60)


FORMULAS = ("[] ({a})", "<> ({a})", "({a}) U ({b})", "[] (({a}) -> <> ({b}))", "<> [] ({a})", "[] <> ({b})")


def same_verdict(seed: int, most: int) -> bool:
    """Of a random formula about a random program; False where there are more states."""
    choice = random.Random(seed)
    first, second = choice.sample(CONDITIONS, 2)
    model = read(random_python(seed), formulas=[choice.choice(FORMULAS).format(a=first, b=second)])
    plan = SearchPlan(engine="interpreter", max_states=most, clarify=False)
    (plain,) = check(model, model.properties, plan, watch=None, origin={})
    if plain.verdict == "unknown":
        return False
    (fewer,) = check(model, model.properties, replace(plan, por=True), watch=None, origin={})
    assert fewer.verdict == plain.verdict, model.properties
    return True


@pytest.mark.parametrize("seed", range(4))
def test_random_formulas(seed: int) -> None:
    same_verdict(seed, 600)


HEAD = "from threading import Lock, Thread\n"
ACCOUNTS = (
    HEAD
    + """
class Account:
    def __init__(self):
        self.sum = 0

accounts = [Account(), Account()]
done = 0
lock = Lock()

def pay(account):
    global done
    account.sum += 1
    account.sum += 1
    with lock:
        done += 1

threads = [Thread(target=pay, args=(each,)) for each in accounts]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert done == 2
"""
)


def test_objects_that_one_thread_reaches_and_what_a_lock_protects() -> None:
    """Only who takes the lock first matters."""
    assert same_answers(read(ACCOUNTS), 2000) == (618, 52)


def test_a_lock_that_somebody_else_gives_back_protects_nothing() -> None:
    text = (
        HEAD
        + """
x = 0
lock = Lock()

def careful():
    global x
    with lock:
        x = 1
        assert x == 1

def careless():
    global x
    lock.release()
    with lock:
        x = 2

Thread(target=careful).start()
Thread(target=careless).start()
"""
    )
    model = read(text)
    plain, fewer = same_answers(model, 2000)
    assert fewer < plain
    assert any(model.violation_kinds[code].name == "assertion" for code, _ in walk(model, 2000)[1].violations)  # type: ignore[index]


def test_nobody_is_put_off_for_ever() -> None:
    """A loop that never ends, on an object that nobody else looks at, and something to be found beside it."""
    text = (
        HEAD
        + """
class Box:
    def __init__(self):
        self.value = 0

box = Box()

def turn(box):
    while True:
        box.value = 1 - box.value

def fail():
    assert False

Thread(target=turn, args=(box,)).start()
Thread(target=fail).start()
box = None
"""
    )
    plain, fewer = same_answers(read(text), 2000)
    assert 0 < fewer < plain


def test_steps_that_a_condition_sees_are_taken_in_every_order() -> None:
    text = (
        HEAD
        + """
a = 0
b = 0

def first():
    global a
    a = 1

def second():
    global b
    b = 1

Thread(target=first).start()
Thread(target=second).start()
"""
    )
    model = read(text, conditions=["a == 1", "b == 1"])
    same_answers(model, 2000)
    one, none = model.reduced([0]), model.reduced([])
    assert isinstance(one, HeapModel) and isinstance(none, HeapModel)
    plain, of_both, of_one, of_none = (walk(each, 2000) for each in (model, reduced(model), one, none))
    assert plain and of_both and of_one and of_none
    assert plain[0] > of_both[0] > of_one[0] >= of_none[0]


@pytest.mark.parametrize("formula", ["<> done == 2", "[] done < 2", "<> [] done == 2", "(done == 0) U (done == 1)"])
def test_formulas(formula: str) -> None:
    model = read(ACCOUNTS, formulas=[formula])
    (plain,) = check(model, model.properties, SearchPlan(), watch=None, origin={})
    (fewer,) = check(model, model.properties, SearchPlan(por=True), watch=None, origin={})
    assert (plain.verdict, fewer.engine["por"]) == (fewer.verdict, True)
    assert fewer.states <= plain.states


def test_daemons_are_refused_with_the_reason() -> None:
    text = HEAD + "Thread(target=print, daemon=True).start()\n"
    found = read(text).reduced([])
    assert isinstance(found, str) and "daemon=True" in found


@pytest.mark.parametrize("formula", ["", "<> done == 2"])
def test_reduction_where_it_pays(formula: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With ``--por auto``, when there are more than a few states."""
    model = read(ACCOUNTS, formulas=[formula] if formula else [])
    asked = model.properties or [Safety()]
    (few,) = check(model, asked, SearchPlan(por="auto"), watch=None, origin={})
    monkeypatch.setattr(automatic, "FEW_STATES", 100)
    (many,) = check(model, asked, SearchPlan(por="auto"), watch=None, origin={})
    assert (few.engine["por"], few.engine["reduction"]) == (False, "none: there are few states")
    assert (many.engine["por"], many.engine["reduction"]) == (True, "what others may still touch")
    assert many.verdict == few.verdict == "holds" and many.states < few.states
