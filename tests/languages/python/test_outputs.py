"""Programs print what they print under CPython, whichever machine runs them."""

from __future__ import annotations

import contextlib
import io

import pytest

from kripke.languages.python.loading import read
from tests.languages.python.programs import PROGRAMS
from tests.support.random_python import random_sequential


def printed_by_python(text: str) -> str:
    """The very program, run by this interpreter. The programs are ours."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(text, "<program>", "exec"), {"__name__": "__main__"})
    return out.getvalue()


def printed_here(text: str) -> str:
    """One run of the model: the first step of every state."""
    model = read(text)
    (state,) = model.initial()
    shown: list[str] = []
    while steps := model.successors(state):
        step = steps[0]
        shown += [text for part in step.parts if (text := model.printed(part))]
        assert not step.violations, (step, [model.violation_kinds[v.code] for v in step.violations], "".join(shown))
        assert step.target is not None
        state = step.target
    assert model.valid_end(state)
    return "".join(shown)


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_prints_as_cpython_does(name: str) -> None:
    assert printed_here(PROGRAMS[name]) == printed_by_python(PROGRAMS[name])


@pytest.mark.parametrize("seed", range(12))
def test_random_programs_print_as_cpython_does(seed: int) -> None:
    text = random_sequential(seed)
    assert printed_here(text) == printed_by_python(text)
