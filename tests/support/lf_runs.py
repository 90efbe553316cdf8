"""Programs that run, and the states they pass."""

from __future__ import annotations

import struct
import subprocess
from itertools import pairwise
from pathlib import Path

from kripke.actions.execution.build import build
from kripke.actions.interpreter import Interpreter
from kripke.actions.memory import Memory
from kripke.actions.program import Program


def states_of_run(
    program: Program, folder: Path, *arguments: str
) -> tuple[list[bytes], subprocess.CompletedProcess[str]]:
    """The states a run passes, the initial one first, and how it ended. A program is built once in a folder."""
    executable, file = folder / "program", folder / "states"
    if not executable.exists():
        build(program, str(executable), states=True)
    done = subprocess.run(
        [executable, "--states", file, *arguments], capture_output=True, text=True, timeout=60, check=False
    )
    data, at, found = file.read_bytes(), 0, []
    while at < len(data):
        (length,) = struct.unpack_from("=I", data, at)
        found.append(data[at + 4 : at + 4 + length])
        at += 4 + length
    return found, done


def assert_run_is_a_path(program: Program, folder: Path, *arguments: str) -> tuple[int, int]:
    """Every state of a run is a successor, in the checked program, of the one before, and it ends as it may; how many
    actions it took, and its exit code."""
    states, done = states_of_run(program, folder, *arguments)
    interpreter = Interpreter(program)
    assert states[0] == interpreter.initial()
    for before, after in pairwise(states):
        targets = [step.target for step in interpreter.successors(before)]
        assert after in targets, (before.hex(), after.hex())
    last = interpreter.successors(states[-1])
    if "error:" in done.stderr:
        assert done.returncode == 1 and any(step.violations for step in last), done.stderr
    elif "deadlock:" in done.stderr:
        assert done.returncode == 1 and not last and not interpreter.valid_end(states[-1]), done.stderr
    elif len(states) - 1 < int(arguments[arguments.index("--actions") + 1]):
        assert done.returncode == 0 and not Memory(program, states[-1]).at, done.stderr
    return len(states) - 1, done.returncode
