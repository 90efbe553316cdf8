"""What a child of the workbench may do. It reads texts of strangers, so it gets little: so much memory and time of the
processor, the files of the folder and of Python itself to read, its own folder and the cache to write, no connections.

The system enforces the limits. Files are watched by Python's own audit (PEP 578): what lies outside is as if it could
not be read. That is a second fence; loaders have their own (``include_root``).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

_GIB = 1024**3
_ADDRESSES = 3 * _GIB  # that Python, its libraries and their threads reserve beside the memory they use
_LARGEST_FILE = 2 * _GIB
_SYSTEM = ("/proc", "/sys/fs/cgroup", "/dev", "/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime", "/opt")


def limit_resources(memory: int, seconds: int | None = None) -> None:
    """So many bytes of memory; of the processor so many seconds. Where the system has no such limits there are none."""
    try:
        import resource
    except ImportError:
        return
    wanted = [(resource.RLIMIT_AS, memory + _ADDRESSES), (resource.RLIMIT_CORE, 0)]
    wanted += [(resource.RLIMIT_FSIZE, _LARGEST_FILE), (resource.RLIMIT_NOFILE, 256)]
    if seconds is not None:
        wanted.append((resource.RLIMIT_CPU, max(1, seconds)))
    for kind, most in wanted:
        _, hard = resource.getrlimit(kind)
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (allowed, allowed))


def confine(readable: Sequence[str], writable: Sequence[str], *, programs: bool) -> None:
    """From now on nothing but these folders is opened, and nobody is connected to. ``programs``: a C compiler may be
    started. There is no way back."""
    python = {sys.prefix, sys.base_prefix, sys.exec_prefix, *(os.path.realpath(path) for path in sys.path if path)}
    write = tuple(os.path.realpath(path) for path in writable)
    read = (*write, *(os.path.realpath(path) for path in (*readable, *python)), *_SYSTEM)

    def lies_in(path: str, folders: Sequence[str]) -> bool:
        real = os.path.realpath(path)
        return any(real == folder or real.startswith(os.path.join(folder, "")) for folder in folders)

    def look(event: str, given: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = given
            if isinstance(path, int):
                return
            path = os.fsdecode(path)
            writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR)
            if writes and path != os.devnull and not lies_in(path, write):
                raise PermissionError(13, "outside of what the workbench may write", path)
            if not writes and not lies_in(path, read):
                raise PermissionError(13, "outside of the folder of the workbench", path)
        elif event in ("socket.connect", "socket.bind"):
            raise PermissionError(13, "the workbench's processes have no connections")
        elif not programs and event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork"):
            raise PermissionError(13, "this process of the workbench starts no programs")

    sys.addaudithook(look)
