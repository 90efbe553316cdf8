"""What is no LF is refused with a message, whatever it is."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from kripke.languages.lf import load
from kripke.languages.lf.lexer import WORDS
from kripke.model.source import ModelError
from tests.support.lf_texts import FIGURE_5, FIGURE_7, FIGURE_9, peterson
from tests.support.random_lf import random_program

TEXTS = (FIGURE_5, FIGURE_7.replace("{toggle}", "p := ~p"), FIGURE_9, peterson(2, "while"))
PIECES = (
    *sorted(WORDS),
    *"();:=.,!?[]{}&~#<>+-*/",
    "..",
    ":=",
    "x",
    "q",
    "0",
    "99999999999",
    "0FFX",
    "'a'",
    '"text"',
    "\n",
)


@pytest.mark.parametrize("seed", range(40))
def test_damaged_programs(tmp_path: Path, seed: int) -> None:
    source = random.Random(seed)
    text = source.choice((*TEXTS, random_program(seed)))
    for _ in range(source.randint(1, 4)):
        at = source.randrange(len(text))
        end = min(len(text), at + source.choice((0, 1, 5, 40)))
        text = text[:at] + source.choice((" ", "")) + source.choice(PIECES) + " " + text[end:]
    file = tmp_path / "damaged.lf"
    file.write_text(text)
    try:
        model = load(str(file), close=True)
    except ModelError:
        return
    for state in model.initial():
        model.successors(state)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "MODULE",
        "MODULE M; BEGIN " + "IF TRUE THEN " * 400,
        "MODULE M; VAR x : INT8; BEGIN x := " + "(" * 5000,
        "MODULE M; VAR x : INT8; BEGIN x := " + "1 + " * 5000 + "1 END M.",
        "MODULE M; VAR a : " + "ARRAY 9 OF " * 300 + "INT8; END M.",
        "MODULE M; TYPE T = RECORD x : T END; END M.",
        "MODULE M; PROCESS P; BEGIN P END P; BEGIN P END M.",
        "\0",
        "MODULE M; VAR x : INT8; BEGIN x := 1 DIV (1 - 1) END M.",
    ],
)
def test_extremes(tmp_path: Path, text: str) -> None:
    file = tmp_path / "extreme.lf"
    file.write_text(text)
    try:
        model = load(str(file))
    except ModelError:
        return
    model.successors(model.initial()[0])


def test_recursion_without_end_is_an_error_of_the_run(tmp_path: Path) -> None:
    from kripke.engines.explicit.safety import check
    from kripke.engines.plan import SearchPlan

    file = tmp_path / "recursion.lf"
    file.write_text("MODULE M; PROCESS P; BEGIN P END P; BEGIN P END M.")
    result = check(load(str(file)), SearchPlan())
    assert (result.verdict, result.kind, result.states) == ("violated", "processes", 127)


def test_an_action_that_does_not_end_is_reported(tmp_path: Path) -> None:
    from kripke.engines.explicit.safety import check
    from kripke.engines.plan import SearchPlan

    file = tmp_path / "endless.lf"
    file.write_text("MODULE M; VAR x : INT8; BEGIN WHILE x = 0 DO x := 0 END END M.")
    result = check(load(str(file)), SearchPlan())
    assert (result.verdict, result.kind) == ("violated", "endless")


def test_a_step_that_fails_at_once_tells_who_moves(tmp_path: Path) -> None:
    file = tmp_path / "port.lf"
    file.write_text("MODULE M; TYPE T = [s]; PORT q : T; PROCESS P; BEGIN q!s END P; BEGIN CREATE P END M.")
    model = load(str(file))
    (created,) = model.successors(model.initial()[0])
    assert created.target is not None
    (step,) = model.successors(created.target)
    assert step.target is None and [part.actor for part in step.parts] == [1]
    assert [model.violation_kinds[violation.code].name for violation in step.violations] == ["channel"]
