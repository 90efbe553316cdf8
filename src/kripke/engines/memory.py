"""How much memory there is: of the machine, of the control group the process is in, of the process itself."""

from __future__ import annotations

import os
from pathlib import Path

SHARE = 0.8  # of what is free, for a search that was given no limit
_UNLIMITED = 1 << 60  # version 1 of control groups writes a huge number for "no limit"


def default_limit() -> int:
    """Bytes a search may take when nobody said how many; 0 where the system does not tell what is free."""
    return int(free_memory() * SHARE)


def free_memory() -> int:
    """Bytes that can be used without swapping or being killed; 0 where unknown."""
    known = [amount for amount in (_free_in_machine(), _free_in_group()) if amount is not None]
    return max(0, min(known)) if known else 0


def resident_memory() -> int:
    """Bytes of memory this process holds now; 0 where unknown."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0


def _free_in_machine(meminfo: Path = Path("/proc/meminfo")) -> int | None:
    try:
        for line in meminfo.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (OSError, ValueError):
        return None


def _free_in_group(groups: Path = Path("/proc/self/cgroup"), root: Path = Path("/sys/fs/cgroup")) -> int | None:
    """The least that a group on the way to the root still allows (a limit of an outer group counts as well)."""
    try:
        lines = groups.read_text().splitlines()
    except OSError:
        return None
    free: list[int] = []
    for line in lines:
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers == "":
            base, limit, usage, cache = root, "memory.max", "memory.current", "inactive_file"
        elif "memory" in controllers.split(","):
            base, limit, usage = root / "memory", "memory.limit_in_bytes", "memory.usage_in_bytes"
            cache = "total_inactive_file"
        else:
            continue
        folder = base / path.strip("/")
        # Inside a container the path may be that of the host: then the mount itself is the group.
        for group in [folder, *folder.parents]:
            if not group.is_relative_to(base):
                break
            left = _left(group, limit, usage, cache)
            if left is not None:
                free.append(left)
    return min(free) if free else None


def _left(group: Path, limit_file: str, usage_file: str, cache_entry: str) -> int | None:
    try:
        limit = (group / limit_file).read_text().strip()
        if limit == "max" or int(limit) >= _UNLIMITED:
            return None
        used = int((group / usage_file).read_text())
        # File cache that nobody needs now is given back before anything is killed.
        for line in (group / "memory.stat").read_text().splitlines():
            name, _, amount = line.partition(" ")
            if name == cache_entry:
                used -= int(amount)
        return max(0, int(limit) - used)
    except (OSError, ValueError):
        return None
