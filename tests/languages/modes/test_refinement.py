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


PEERS = """
var a: 0..2;
var b: 0..3;

mode Left {                    // goes on only while the other is not ahead
  read write a: 0..2;  read b: 0..3;
  point p;
  de -> p;
  p -> p when b >= a & a < 2 do a := a + 1 pause;
  p -> p when b = 2 & a = 2 do a := 0 pause;
  JUMP
}
mode Right {
  read a: 0..2;  read write b: 0..3;
  point p;
  de -> p;
  p -> p when a > b & b < 2 do b := b + 1 pause;
  p -> p when a = 0 & b = 2 do b := 0 pause;
}
mode SmallLeft {               // what each may rely on: the other takes single steps, or starts again
  read write a: 0..2;
  point p;
  de -> p;
  p -> p when a < 2 do a := a + 1 pause;
  p -> p do a := 0 pause;
  p -> p pause;
}
mode SmallRight {
  read write b: 0..3;
  point p;
  de -> p;
  p -> p when b < 2 do b := b + 1 pause;
  p -> p do b := 0 pause;
  p -> p pause;
}
assume_guarantee small: Left | Right refines SmallLeft | SmallRight;
refinement whole: Left | Right refines SmallLeft | SmallRight;
"""


def test_modes_that_run_together(tmp_path: Path) -> None:
    """The premises hold, and so does what follows from them."""
    path = tmp_path / "peers.modes"
    path.write_text(PEERS.replace("JUMP", ""))
    result = kripke.load(path).check()
    assert [(part.name, part.verdict) for part in result.parts] == [
        ("small (Left)", "holds"),
        ("small (Right)", "holds"),
        ("whole", "holds"),
    ]
    assert result.parts[0].property == "Left | SmallRight refines SmallLeft | SmallRight"


def test_a_premise_that_only_company_keeps(tmp_path: Path) -> None:
    """It would jump if b were 3: the environment may do that, the other mode never does."""
    path = tmp_path / "peers.modes"
    jump = "p -> p when b = 3 & a = 0 do a := 2 pause;"
    text = PEERS.replace("JUMP", jump)
    path.write_text(text + "refinement alone: Left refines SmallLeft;\n")
    verdicts = {part.name: part.verdict for part in kripke.load(path).check().parts}
    assert verdicts == {"small (Left)": "holds", "small (Right)": "holds", "whole": "holds", "alone": "violated"}
    path.write_text(text.replace("b = 3", "b = 1"))
    verdicts = {part.name: part.verdict for part in kripke.load(path).check().parts}
    assert verdicts == {"small (Left)": "violated", "small (Right)": "holds", "whole": "holds"}


def test_together_is_refused() -> None:
    with pytest.raises(ModelError, match="as many modes on both sides"):
        read(PEERS.replace("JUMP", "").replace("SmallLeft | SmallRight;", "SmallLeft;"))
    with pytest.raises(ModelError, match="the assume-guarantee rule is about modes that run together"):
        read("mode A { point p; de -> p; }\nassume_guarantee r: A refines A;\n")
