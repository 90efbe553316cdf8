"""Processes that tests start: how much processor time they had, which does not depend on what else the machine does."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path


def wait_for_work(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Until the process and its children have worked for so long, or it has ended."""
    until = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < until:
        if _worked(process.pid) >= seconds:
            return
        time.sleep(0.02)


def _worked(process: int) -> float:
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:  # it has ended
        return 0
    own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return own + sum(_worked(int(child)) for child in children)


def wait_for_processor_time(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Until the process itself has worked for so long, or has ended."""
    ticks = os.sysconf("SC_CLK_TCK")
    until = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < until:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        if (int(fields[11]) + int(fields[12])) / ticks >= seconds:
            return
        time.sleep(0.02)
