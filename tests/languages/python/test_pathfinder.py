"""Figures 2, 3 and 4 of F. Lerda and W. Visser, *Addressing dynamic issues of program model checking*, SPIN 2001.

Their programs in Python, with a line of source as a step, as there: a constructor is entered and left, a method
returns, and the jump behind a branch is a step of its own. Classes of Python are there from the start, so figure 2 has
a list of those that were loaded, in their order; with symmetry, a set.
"""

from __future__ import annotations

import pytest

from kripke.heap.program import Options
from kripke.languages.python.loading import read

CLASSES = """
from threading import Thread

class Main(Thread):
    def __init__(self, a, loaded):
        super().__init__()
        self.a, self.loaded = a, loaded
        return

    def run(self):
        if self.a:
            self.x = self.loaded.{load}(1)
            self.a
        else:
            self.x = self.loaded.{load}(2)
        return

Main(True, loaded := {loaded}).start()
Main(False, loaded).start()
done = True
"""

OBJECTS = """
from threading import Thread

def new_object():
    return object()

class ThreadOne(Thread):
    def __init__(self):
        super().__init__()

    def run(self):
        self.o = {made}
        return

class ThreadTwo(Thread):
    def __init__(self):
        super().__init__()

    def run(self):
        self.o = {made}
        return

ThreadOne().start()
ThreadTwo().start()
done = True
"""


def counted(text: str, numbering: str) -> tuple[int, int]:
    """States and transitions. JPF keeps objects here; nothing that was made is garbage while it matters."""
    model = read(text, options=Options("line", numbering, "none"))
    states = model.initial()
    seen, steps = set(states), 0
    for state in states:
        for step in model.successors(state):
            steps += 1
            assert step.target is not None and not step.violations
            if step.target not in seen:
                seen.add(step.target)
                states.append(step.target)
    return len(states), steps


def test_figure_2_classes_by_the_order_of_loading_or_by_name() -> None:
    assert counted(CLASSES.format(load="append", loaded="[]"), "site") == (82, 152)
    assert counted(CLASSES.format(load="add", loaded="set()"), "site") == (70, 132)


@pytest.mark.parametrize(("numbering", "expected"), [("order", (54, 89)), ("site", (30, 51))])
def test_figure_3_objects_by_the_place_that_is_free_or_by_their_instruction(
    numbering: str, expected: tuple[int, int]
) -> None:
    assert counted(OBJECTS.format(made="object()"), numbering) == expected


@pytest.mark.parametrize(("numbering", "expected"), [("order", (122, 237)), ("site", (86, 168)), ("thread", (68, 135))])
def test_figure_4_two_threads_at_one_instruction(numbering: str, expected: tuple[int, int]) -> None:
    assert counted(OBJECTS.format(made="new_object()"), numbering) == expected
