"""Compile emitted C with sanitizers and ask it for successors, through ``harness.c``."""

from __future__ import annotations

import functools
import os
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kripke.process.emit import emit_c

HERE = Path(__file__).parent
NATIVE = HERE.parents[1] / "native" / "model"
COMPILER = os.environ.get("KRIPKE_CC") or shutil.which("gcc") or shutil.which("clang") or shutil.which("cc")
STRICT = (
    "-std=c99",
    "-Wall",
    "-Wextra",
    "-Werror",
    # Models may compare what they like and compute what is not needed.
    *("-Wno-" + name for name in ("tautological-compare", "bool-compare", "int-in-bool-context", "type-limits")),
    *("-Wno-" + name for name in ("unused-variable", "unused-but-set-variable", "sign-compare", "bool-operation")),
    "-fsanitize=undefined,address",
    "-fno-sanitize-recover=all",
)


@functools.cache
def _harness_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="kripke-harness-")


@functools.cache
def _harness(flags: tuple[str, ...]) -> str:
    """``harness.c`` as an object file: it is the same for every program, and compiled once."""
    target = os.path.join(_harness_folder().name, f"{len(os.listdir(_harness_folder().name))}.o")
    _compile([*flags, f"-I{NATIVE}", "-c", str(HERE / "harness.c"), "-o", target])
    return target


def _compile(arguments: list[str]) -> None:
    assert COMPILER is not None
    result = subprocess.run([COMPILER, *arguments], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr[:4000]


@dataclass
class Answer:
    """What the compiled model says about a state: (bytes, label) and (code, label) in order."""

    states: list[tuple[bytes, int]] = field(default_factory=list)
    violations: list[tuple[int, int]] = field(default_factory=list)
    valid_end: bool = False
    atoms: tuple[bool, ...] = ()


class Compiled:
    """A program compiled to an executable in a folder. ``emit``: what makes the C of it, for other families."""

    def __init__(
        self,
        program: Any,
        folder: Path,
        flags: Iterable[str] = STRICT,
        emit: Callable[[Any], str] = emit_c,
    ) -> None:
        self.program = program
        self.source = emit(program)
        self.executable = folder / "model"
        path = folder / "model.c"
        path.write_text(self.source)
        flags = tuple(flags)
        _compile([*flags, f"-I{NATIVE}", str(path), _harness(flags), "-o", str(self.executable)])

    def initial(self) -> Answer:
        return self._ask([])[0]

    def successors(self, *states: bytes) -> list[Answer]:
        return self._ask(states)[1:]

    def covered(self, states: Iterable[bytes]) -> bytes:
        """One byte per statement: was it executed on the way out of these states?"""
        return self._run(states, "--covered")[-max(1, len(self.program.statements)) :]

    def _run(self, states: Iterable[bytes], *options: str) -> bytes:
        question = b"".join(struct.pack("=I", len(state)) + state for state in states)
        result = subprocess.run([self.executable, *options], input=question, capture_output=True)
        assert result.returncode == 0, result.stderr.decode()[:4000]
        return result.stdout

    def _ask(self, states: Iterable[bytes]) -> list[Answer]:
        text, at, answers = self._run(states), 0, [Answer()]
        count = 0
        while at < len(text):
            record, (first, second) = text[at : at + 1], struct.unpack_from("=II", text[at + 1 : at + 9].ljust(8))
            if record == b"S":
                answers[-1].states.append((text[at + 9 : at + 9 + first], second))
                at += 9 + first
            elif record == b"V":
                answers[-1].violations.append((first, second))
                at += 9
            else:
                assert record == b"E", record
                at += 5
                answers[-1].valid_end = bool(first)
                if count:
                    width = len(self.program.atoms)
                    answers[-1].atoms = tuple(map(bool, struct.unpack_from(f"={width}I", text, at)))
                    at += 4 * width
                count += 1
                answers.append(Answer())
        return answers[:-1]
