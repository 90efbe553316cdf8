"""Run one child process and measure its wall time and its own peak memory."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

# getrusage counts in kilobytes on Linux and in bytes on macOS.
RSS_UNIT = 1 if sys.platform == "darwin" else 1024


class BenchmarkError(Exception):
    """A run that gives no measurement; the text says why."""


@dataclass(frozen=True)
class Finished:
    code: int
    stdout: str
    stderr: str
    wall: float
    peak_bytes: int
    processor: float  # seconds, of user and system


def run_child(
    command: Sequence[str], *, cwd: Path | None = None, environment: Mapping[str, str] | None = None
) -> Finished:
    """Run `command` to its end.

    `wait4` gives the usage of this child alone; `RUSAGE_CHILDREN` would give the largest child so far.
    Output goes to files, so that a full pipe can never stall the child while we wait for it.
    """
    with tempfile.TemporaryFile("w+") as stdout, tempfile.TemporaryFile("w+") as stderr:
        start = time.perf_counter()
        try:
            process = subprocess.Popen(
                command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr
            )
        except OSError as error:
            raise BenchmarkError(f"cannot start {command[0]}: {error.strerror}") from error
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            process.wait()
            raise
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        stdout.seek(0)
        stderr.seek(0)
        processor = usage.ru_utime + usage.ru_stime
        return Finished(process.returncode, stdout.read(), stderr.read(), wall, usage.ru_maxrss * RSS_UNIT, processor)
