"""What ``os`` and ``signal`` offer that would leave the program: for processes of a start-up file, else refused."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from typing import Any

from kripke.testing import primitives
from kripke.testing.processes import present_process
from kripke.testing.stopped import OutOfControl

_ADVICE = {
    "fork": "The copy would run the test runner's code too. Write the child as a process of a start-up file "
    "(kripke.testing.explore_system)",
    "subprocess": "What another program does cannot be repeated. Put a function of your own in its place, or write "
    "both as processes of a start-up file (kripke.testing.explore_system)",
    "multiprocessing": "Use threads in the test, or a start-up file (kripke.testing.explore_system)",
    "signal": "When a signal comes is nobody's choice. Call the handler from a thread of the test instead",
}


def _refused(name: str, why: str, real: Callable[..., Any]) -> Callable[..., Any]:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        if primitives.elsewhere():
            return real(*args, **kwargs)
        run = primitives.the_run()
        if run.is_over():
            return None
        where = primitives.here("")
        run.end(OutOfControl(f"{name} at {where.file}:{where.line} is not under control. {_ADVICE[why]}"))

    refuse.__name__ = name
    return refuse


def leave_at_once(code: int) -> Any:
    """In the place of ``os._exit``: it ends one process."""
    if primitives.elsewhere():
        _REAL_EXIT(code)
    process = present_process()
    run = primitives.the_run()
    if process is not None:
        process.exit_at_once(code)
    where = primitives.here("")
    run.end(OutOfControl(f"os._exit({code}) at {where.file}:{where.line} would end the tests: use sys.exit()"))


def process_number() -> int:
    """In the place of ``os.getpid``."""
    process = present_process()
    return _REAL_GETPID() if process is None else 1000 + process.number + 100 * (process.life - 1)


_REAL_EXIT = os._exit
_REAL_GETPID = os.getpid

OF_OS: dict[str, Any] = {"_exit": leave_at_once, "getpid": process_number} | {
    name: _refused(f"os.{name}()", why, getattr(os, name))
    for name, why in (
        ("fork", "fork"),
        ("forkpty", "fork"),
        ("system", "subprocess"),
        ("popen", "subprocess"),
        ("posix_spawn", "subprocess"),
        ("execv", "subprocess"),
        ("execve", "subprocess"),
        ("kill", "signal"),
    )
    if hasattr(os, name)
}
#: Handlers may be set; what makes signals come is refused.
OF_SIGNAL: dict[str, Any] = {
    name: _refused(f"signal.{name}()", "signal", getattr(signal, name))
    for name in ("alarm", "setitimer", "pause", "raise_signal", "sigwait", "pthread_kill")
    if hasattr(signal, name)
}
#: Constructors are methods: the class keeps its identity.
OF_SUBPROCESS: dict[str, Any] = {"__init__": _refused("subprocess.Popen()", "subprocess", subprocess.Popen.__init__)}
OF_MULTIPROCESSING: dict[str, Any] = {
    "start": _refused("multiprocessing.Process.start()", "multiprocessing", BaseProcess.start)
}
REPLACED: tuple[tuple[Any, dict[str, Any]], ...] = (
    (os, OF_OS),
    (signal, OF_SIGNAL),
    (subprocess.Popen, OF_SUBPROCESS),
    (BaseProcess, OF_MULTIPROCESSING),
)
