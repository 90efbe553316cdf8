"""Known bugs of public packages, where somebody has installed those (``benchmarks/real_bugs.py`` does)."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.testing.real_bugs import BUGS

ROOT = Path(__file__).parent.parent.parent


def test_bodies_are_short() -> None:
    for bug in BUGS.values():
        assert len(inspect.getsource(bug.body).splitlines()) <= 30


@pytest.mark.parametrize("is_mended", [False, True])
@pytest.mark.parametrize("name", BUGS)
def test_bug(name: str, is_mended: bool) -> None:
    bug = BUGS[name]
    folder = os.environ.get("KRIPKE_REAL_BUGS", "")
    target = Path(folder) / f"{bug.package}=={bug.mended if is_mended else bug.faulty}"
    if not folder or not target.is_dir():
        pytest.skip("KRIPKE_REAL_BUGS does not name a folder of benchmarks/real_bugs.py with this package")
    ran = subprocess.run(
        [sys.executable, "-m", "tests.testing.real_bugs", name],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(target)},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == (0 if is_mended else 1), ran.stdout + ran.stderr
    assert (bug.words in ran.stdout) is not is_mended
