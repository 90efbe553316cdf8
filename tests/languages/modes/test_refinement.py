"""Refinement between modes: every trace of one is a trace of the other."""

from __future__ import annotations

from pathlib import Path

import pytest

import kripke
from kripke.languages.modes import read
from kripke.model.source import ModelError

EXAMPLE = Path(__file__).parents[3] / "examples" / "modes" / "lights.modes"

COUNTERS = """
var x: 0..3;

mode Any {
  read write x: 0..3;
  point p;
  de -> p;
  p -> p do x := 0 pause;
  p -> p when x < 3 do x := x + 1 pause;
  p -> p pause;
}

mode Up {
  read write x: 0..3;
  point p;
  de -> p;
  p -> p when x < 3 do x := x + 1 pause;
}

mode UpTwice {
  read write x: 0..3;
  local done: bool;
  point p;
  de -> p;
  p -> p when x < 3 & !done do x := x + 1, done := true;
  p -> p when x < 3 & done do x := x + 1, done := false pause;
}

refinement some: Up refines Any;
refinement twice: UpTwice refines Any;
refinement back: Any refines Up;
"""


def test_the_example() -> None:
    result = kripke.load(EXAMPLE).check()
    assert (result.verdict, result.states) == ("holds", 5)


def test_which_refine_which(tmp_path: Path) -> None:
    path = tmp_path / "counters.modes"
    path.write_text(COUNTERS)
    result = kripke.load(path).check()
    assert [(part.name, part.verdict) for part in result.parts] == [
        ("some", "holds"),
        ("twice", "violated"),
        ("back", "violated"),
    ]
    assert "the implementation does (x=0 -> x=2)" in result.parts[1].reason
    assert "the implementation does (x=0 -> x=0)" in result.parts[2].reason
    assert result.parts[1].trace is not None and len(result.parts[1].trace) == 1


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("system { a: Up; }", "a file with refinements has neither a system nor properties"),
        ("refinement some: Up refines Up;", "there are two of the name some (refinement)"),
        ("refinement other: Up refines Down;", "there is no mode Down"),
        ("mode Part { entry i; exit o; i -> o; }\nrefinement other: Part refines Up;", "Part is no top-level mode"),
    ],
)
def test_refused(more: str, message: str) -> None:
    with pytest.raises(ModelError) as error:
        read(COUNTERS + more)
    assert error.value.message == message
