"""What was never executed is the same, whichever engine has looked: start values and deterministic steps included."""

from __future__ import annotations

from pathlib import Path

import pytest

import kripke

ROOT = Path(__file__).parents[2]
STEPS = """byte x, i;
active proctype P() {
    byte own = 1 - _pid;
    d_step { x == 0 -> x = own; do :: i < 2 -> i++ :: else -> break od }
    d_step { x == 5 -> x = 1 }
}
"""
EXAMPLES = ["promela/peterson", "promela/semaphore_pool", "promela/philosophers_deadlock", "protocols/use_after_free"]


def unreached(file: Path, engine: str) -> tuple[list[str], int]:
    result = kripke.load(file).check(properties="safety", all_errors=True, engine=engine, clarify=False)
    assert result.unreached is not None
    return [f"{statement.text} {statement.span.line}" for statement in result.unreached], result.statement_count


def test_start_values_and_deterministic_steps(tmp_path: Path) -> None:
    (tmp_path / "m.pml").write_text(STEPS)
    for engine in ("native", "interpreter"):
        assert unreached(tmp_path / "m.pml", engine) == (
            ["start 0", "x == 5 5", "x = 1 5", "d_step { x == 5 -> x = 1 } 5", "-end- 6"],
            12,
        )


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name: str) -> None:
    file = ROOT / "examples" / f"{name}.pml"
    assert unreached(file, "native") == unreached(file, "interpreter")
