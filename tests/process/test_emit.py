"""The emitted C: exact successors of small programs, and agreement with the interpreter on all kinds of programs."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from agreement import assert_agreement
from compiled import COMPILER, STRICT
from hypothesis import given, settings
from random_programs import programs

from kripke.process.program import Program

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C compiler")


@settings(max_examples=30)
@given(programs())
def test_random_programs_agree_with_the_interpreter(program: Program) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert_agreement(program, Path(folder), most_states=300, flags=("-O0", *STRICT))

