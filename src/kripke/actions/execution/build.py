"""From the C of a program to an executable, and its run."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Sequence

from kripke.actions.execution.emit import emit_program
from kripke.actions.program import Program
from kripke.compilation.compiler import CompileError, compilers, no_compiler
from kripke.compilation.signals import held_back

_FLAGS = ("-O2", "-std=gnu99", "-fwrapv", "-fno-strict-aliasing", "-w")
_TCC = ("-w",)
_TIMEOUT = 120


def build(program: Program, output: str, *, states: bool = False) -> None:
    """Make an executable. ``states``: one that can write the states it passes."""
    folder = os.path.dirname(os.path.abspath(output))
    with tempfile.TemporaryDirectory(dir=folder, prefix=".kripke-") as workshop:
        source = os.path.join(workshop, "program.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(emit_program(program))
        broken = []
        for compiler in compilers():
            flags = _TCC if compiler.kind == "tcc" else _FLAGS
            made = os.path.join(workshop, "program")
            command = [*compiler.command, *flags, *(("-DLF_STATES",) if states else ()), source, "-o", made]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT, check=False)
            except (OSError, subprocess.TimeoutExpired) as error:
                broken.append((compiler, str(error)))
                continue
            if done.returncode == 0:
                os.replace(made, output)
                return
            broken.append((compiler, (done.stderr or done.stdout).strip()[:2000]))
        if broken:
            compiler, message = broken[0]
            raise CompileError(f"{compiler} does not compile the program: {message}")
        raise no_compiler(broken)


def execute(program: Program, arguments: Sequence[str], *, states: bool = False) -> int:
    """Build a program and run it here; its exit code."""
    with tempfile.TemporaryDirectory(prefix="kripke-run-") as folder:
        path = os.path.join(folder, "program")
        build(program, path, states=states)
        child: subprocess.Popen[bytes] | None = None
        while True:
            try:
                if child is None:
                    with held_back(signal.SIGINT, signal.SIGTERM):
                        child = subprocess.Popen([path, *arguments])
                code = child.wait()
                return code if code >= 0 else 128 - code  # as a shell says that a signal ended it
            except KeyboardInterrupt:  # from a terminal the program got it, too; from elsewhere it did not
                if child is None:
                    raise
                child.send_signal(signal.SIGINT)
