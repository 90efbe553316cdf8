"""How much memory there is: of the machine, of the control group the process is in, of the process itself.

A stage that may take much without knowing beforehand calls ``ask()`` now and then, as it asks the deadline. It raises
MemoryError before the system would kill the process. Who is given a limit allows it (``with allowing(bytes):``).
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token

SHARE = 0.8  # of what is free, for a search that was given no limit
_UNLIMITED = 1 << 60  # version 1 of control groups writes a huge number for "no limit"
#: bytes that this process may hold; 0: its share of what it found free
_allowed: ContextVar[int] = ContextVar("memory", default=0)


class allowing:
    """So many more bytes than now may be held in a block; 0: a share of what is free."""

    __slots__ = ("_before", "_more")

    def __init__(self, more: int) -> None:
        self._more = more
        self._before: Token[int] | None = None

    def __enter__(self) -> None:
        self._before = _allowed.set(resident_memory() + self._more if self._more else 0)

    def __exit__(self, *problem: object) -> None:
        if self._before is not None:
            _allowed.reset(self._before)


@contextmanager
def rare_collection() -> Iterator[None]:
    """Garbage is looked for a thousandth as often, in a stage that makes many objects which stay, such as the tree of
    a text: looking for garbage among them takes more than half of the time of a large file."""
    often, *others = gc.get_threshold()
    gc.set_threshold(often * 1000, *others)
    try:
        yield
    finally:
        # What was made counts as old: no collection of the young goes through all of it.
        gc.freeze()
        gc.unfreeze()
        gc.set_threshold(often, *others)


def ask() -> None:
    """MemoryError where this process holds more than it may."""
    held, allowed = resident_memory(), _allowed.get()
    if not allowed:
        free = free_memory()
        allowed = int(SHARE * (held + free)) if free else held
    if held > allowed:
        raise MemoryError


def default_limit() -> int:
    """Bytes a search may take when nobody said how many; 0 where the system does not tell what is free."""
    return int(free_memory() * SHARE)


def free_memory() -> int:
    """Bytes that can be used without swapping or being killed; 0 where unknown."""
    known = [amount for amount in (_free_in_machine(), _free_in_group(), _free_addresses()) if amount is not None]
    return max(0, min(known)) if known else 0


def resident_memory(process: int | str = "self") -> int:
    """Bytes of memory this process, or the one with that number, holds now; 0 where unknown."""
    try:
        with open(f"/proc/{process}/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0


def _free_addresses(limits: str = "/proc/self/limits") -> int | None:
    """What the process may still map where the shell limits it (``ulimit -v``)."""
    try:
        for line in _read(limits).splitlines():
            if line.startswith("Max address space"):
                mapped = int(_read("/proc/self/statm").split()[0]) * os.sysconf("SC_PAGE_SIZE")
                return max(1, int(line.split()[3]) - mapped)
    except (OSError, ValueError, IndexError):  # "unlimited" is no number
        pass
    return None


def _free_in_machine(meminfo: str = "/proc/meminfo") -> int | None:
    try:
        for line in _read(meminfo).splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (OSError, ValueError):
        return None


def _free_in_group(groups: str = "/proc/self/cgroup", root: str = "/sys/fs/cgroup") -> int | None:
    """The least that a group on the way to the root still allows (a limit of an outer group counts as well)."""
    try:
        lines = _read(groups).splitlines()
    except OSError:
        return None
    free: list[int] = []
    for line in lines:
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers == "":
            base, limit, usage, cache = root, "memory.max", "memory.current", "inactive_file"
        elif "memory" in controllers.split(","):
            base, limit, usage = f"{root}/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"
            cache = "total_inactive_file"
        else:
            continue
        # Inside a container the path may be that of the host: then the mount itself is the group.
        names = [name for name in path.split("/") if name]
        for depth in range(len(names), -1, -1):
            left = _left("/".join([base, *names[:depth]]), limit, usage, cache)
            if left is not None:
                free.append(left)
    return min(free) if free else None


def _left(group: str, limit_file: str, usage_file: str, cache_entry: str) -> int | None:
    try:
        limit = _read(f"{group}/{limit_file}").strip()
        if limit == "max" or int(limit) >= _UNLIMITED:
            return None
        used = int(_read(f"{group}/{usage_file}"))
        # File cache that nobody needs now is given back before anything is killed.
        for line in _read(f"{group}/memory.stat").splitlines():
            name, _, amount = line.partition(" ")
            if name == cache_entry:
                used -= int(amount)
        return max(0, int(limit) - used)
    except (OSError, ValueError):
        return None


def _read(path: str) -> str:
    with open(path, encoding="ascii", errors="replace") as file:
        return file.read()
