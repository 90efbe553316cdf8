"""printf and printm: what SPIN's simulation prints, to the letter."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kripke.engines.explicit.safety import check
from kripke.engines.runs.simulation import choose_at_random, simulate
from kripke.languages.promela import load
from kripke.process.passes import Passes

MODEL = r"""mtype = { red, green };
mtype:fruit = { apple, pear };
mtype m = green;
mtype:fruit f = pear;
int neg = -5;
short s = -3;
byte b = 200;
bool t = true;
init {
  printf("%d %u %x %o %c|\n", neg, neg, neg, neg, 65);
  printf("%e %e\n", m, f);
  printf("%d%%\n", b);
  printf("a\tb\\c\"d'\n");
  printm(m); printm(f); printm(red); printf("\n");
  printf("%e %e\n", b, 0);
  printf("%d %u\n", t, b);
  printf("%c%c\n", 'a', 'b');
  printm(b); printf("\n");
  printf("%o %x\n", s, s);
  printf("\n\ntwo\n");
  printf("abc"); printf("def\n")
}
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "m.pml"
    path.write_text(MODEL)
    return path


def test_the_same_text_as_spin(model: Path) -> None:
    answer = subprocess.run(["spin", "-T", model.name], cwd=model.parent, capture_output=True, text=True, check=True)
    expected = answer.stdout.removesuffix("1 process created\n")
    run = simulate(load(str(model), passes=Passes(merge=False, dead="off")), choose_at_random(1))
    assert "".join(step.printed or "" for step in run.trace.steps) == expected


WRITTEN = """byte x = 7, y;
active proctype P() { y = 3; x = 8; printf("x %d, y %d, %d\\n", x, y, 5); assert(y == 4) }
"""


@pytest.mark.parametrize(
    ("passes", "printed"),
    [
        (Passes(), "x ?, y 3, 5\n"),
        (Passes(dead="off"), "x 8, y 3, 5\n"),
        (Passes(dead="off", slice=True), "x ?, y 3, 5\n"),
    ],
)
def test_what_was_left_out_of_the_state_is_not_known(passes: Passes, printed: str, tmp_path: Path) -> None:
    """x is never read: its value does not belong to the state."""
    path = tmp_path / "m.pml"
    path.write_text(WRITTEN)
    trace = check(load(str(path), passes=passes)).trace
    assert trace is not None
    assert "".join(step.printed or "" for step in trace.steps) == printed
