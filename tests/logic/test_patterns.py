"""The specification patterns: what they mean, on all short lassos."""

import importlib.util
import shutil
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from kripke.logic.formula import atom, negation
from kripke.logic.lasso import Lasso, holds
from kripke.logic.parser import parse
from kripke.logic.patterns import PATTERNS, SCOPES, pattern
from kripke.logic.translation import buchi

NAMES = ("p", "s", "q", "r")
P, S, Q, R = 1, 2, 4, 8
RUNS = [
    Lasso(letters, start)
    for length in (1, 2, 3)
    for letters in product([0, P, S, Q, R, P | S, P | Q, Q | R, S | R, P | R], repeat=length)
    for start in range(length)
]


def unrolled(run: Lasso) -> list[int]:
    """Long enough for what happens at all to happen twice."""
    loop = run.letters[run.loop_start :]
    return [*run.letters, *loop * 8]


def segments(run: Lasso, scope: str) -> list[tuple[list[int], bool]]:
    """The parts of a run a scope speaks about, and whether each goes on forever."""
    letters = unrolled(run)
    ends = [i for i, letter in enumerate(letters) if letter & R]
    starts = [i for i, letter in enumerate(letters) if letter & Q]
    match scope:
        case "globally":
            return [(letters, True)]
        case "before":
            return [(letters[: ends[0]], False)] if ends else []
        case "after":
            return [(letters[starts[0] :], True)] if starts else []
    found = []
    for start in starts[: len(run.letters)]:
        if letters[start] & R:
            continue
        end = next((i for i in ends if i > start), None)
        if end is not None:
            found.append((letters[start:end], False))
        elif scope == "after_until":
            found.append((letters[start:], True))
    return found


def responded(part: list[int], forever: bool) -> bool:
    last = len(part) - 3 if forever else len(part)  # a loop has at most three letters
    return all(any(later & S for later in part[i:]) for i, letter in enumerate(part[:last]) if letter & P)


MEANING: dict[str, Callable[[list[int], bool], bool]] = {
    "absence": lambda part, _: not any(letter & P for letter in part),
    "universality": lambda part, _: all(letter & P for letter in part),
    "existence": lambda part, _: any(letter & P for letter in part),
    "precedence": lambda part, _: next((bool(letter & S) for letter in part if letter & (P | S)), True),
    "response": responded,
}


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("name", MEANING)
def test_meaning(name: str, scope: str) -> None:
    arguments = [atom(parameter) for parameter in PATTERNS[name].parameters]
    start = atom("q") if scope in ("after", "between", "after_until") else None
    end = atom("r") if scope in ("before", "between", "after_until") else None
    formula = pattern(name, *arguments, scope=scope, start=start, end=end)
    for run in RUNS:
        expected = all(MEANING[name](part, forever) for part, forever in segments(run, scope))
        assert holds(formula, run, NAMES) == expected, (str(formula), run)


@pytest.mark.spin
@pytest.mark.skipif(shutil.which("spin") is None, reason="spin is not installed")
@pytest.mark.parametrize("name", list(MEANING))
def test_never_more_states_than_spin(name: str) -> None:
    spec = importlib.util.spec_from_file_location("ltl", Path(__file__).parents[2] / "benchmarks" / "ltl.py")
    assert spec is not None and spec.loader is not None
    benchmark = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(benchmark)
    for text in PATTERNS[name].formulas:
        for formula in (parse(text), negation(parse(text))):
            states = benchmark.spin_states(formula, 5)
            assert states is None or buchi(formula).states <= states, str(formula)


def test_there_are_eleven_in_five_scopes() -> None:
    assert len(PATTERNS) == 11
    assert all(len(found.formulas) == len(SCOPES) == 5 for found in PATTERNS.values())


def test_wrong_uses() -> None:
    p = atom("p")
    with pytest.raises(ValueError, match="there is no pattern 'nothing'"):
        pattern("nothing", p)
    with pytest.raises(ValueError, match="there is no scope 'ever'"):
        pattern("absence", p, scope="ever")
    with pytest.raises(ValueError, match="scope 'before' needs an end"):
        pattern("absence", p, scope="before")
    with pytest.raises(ValueError, match="scope 'globally' has no start"):
        pattern("absence", p, start=p)
