"""A test that fails because a result does not hold shows the trace, not a dataclass."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TESTS = """
import kripke

def test_violated():
    assert kripke.load("m.pml").check(engine="interpreter")

def test_for_another_reason():
    assert 1 == 2

def test_holds():
    assert kripke.load("m.pml").check(engine="interpreter").verdict == "violated"
"""


def test_the_trace_is_shown(tmp_path: Path) -> None:
    (tmp_path / "m.pml").write_text("byte x; active proctype P() { x = 1; assert(x == 2) }")
    (tmp_path / "test_it.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 1 and "2 failed, 1 passed" in ran.stdout
    assert "assert <violated: assertion violated: assert(x == 2) (m.pml:1:38), 2 states>" in ran.stdout
    assert ran.stdout.count("*** assertion violated ***") == 1  # of the first test only
    assert "x == 2 is false:  x = 1" in ran.stdout
