"""Which machines: those of ``--hosts``, those of an allocation of Slurm or PBS, or this one alone."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kripke.engines.unsupported import Unsupported

# A name goes to ssh as an argument: so none begins with a dash.
_NAME = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9_.-]*@)?[A-Za-z0-9_][A-Za-z0-9_.-]*")
_MOST_LISTED = 100_000  # hosts that a bracket may stand for


@dataclass(frozen=True, slots=True)
class Host:
    """``slots``: workers that there may be; None: any number."""

    name: str
    slots: int | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """So many workers on a host."""

    host: str
    count: int


HERE = Host("localhost")


def read_hosts(path: str) -> list[Host]:
    """A name on each line, with ``:4`` or ``slots=4`` where there is room for so many workers."""
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise Unsupported(
            f"--hosts {path}: it cannot be read ({why}); it has the name of a machine on each line"
        ) from error
    found: list[Host] = []
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        host = _host(text)
        if host is None:
            raise Unsupported(
                f"{path}:{number}: {line.strip()[:80]!r} is no host: write a name, or name:4 for up to four workers"
            )
        found.append(host)
    if not found:
        raise Unsupported(f"--hosts {path}: it names no host")
    return _joined(found)


def _host(text: str) -> Host | None:
    name, *more = text.split()
    name, colon, count = name.partition(":")
    for option in more:
        key, _, value = option.partition("=")
        if key == "slots" and not colon:
            colon, count = "=", value
        elif key != "max_slots":
            return None
    if not _NAME.fullmatch(name) or (colon and not (count.isascii() and count.isdigit() and 0 < int(count) < 10**6)):
        return None
    return Host(name, int(count) if colon else None)


def _joined(hosts: Sequence[Host]) -> list[Host]:
    """A host that is named again has that many slots more."""
    slots: dict[str, int | None] = {}
    for host in hosts:
        more = host.slots or 1
        slots[host.name] = host.slots if host.name not in slots else (slots[host.name] or 1) + more
    return [Host(name, count) for name, count in slots.items()]


def allocated(environment: Mapping[str, str]) -> tuple[str, list[Host]]:
    """The manager of the allocation that this process is in, and its hosts. None: there is none."""
    if "SLURM_JOB_NODELIST" in environment:
        names = expanded(environment["SLURM_JOB_NODELIST"])
        counts = _slurm_counts(environment.get("SLURM_TASKS_PER_NODE", ""))
        if len(counts) != len(names):
            return "slurm", [Host(name) for name in names]
        return "slurm", [Host(name, count) for name, count in zip(names, counts, strict=True)]
    if "PBS_NODEFILE" in environment:
        listed = read_hosts(environment["PBS_NODEFILE"])
        if any(host.slots for host in listed):  # a line for each processor: what is there once has one
            listed = [Host(host.name, host.slots or 1) for host in listed]
        return "pbs", listed
    return "", []


def _slurm_counts(text: str) -> list[int]:
    """Of ``2(x3),1``: 2, 2, 2, 1."""
    counts: list[int] = []
    for part in filter(None, text.split(",")):
        found = re.fullmatch(r"(\d{1,6})(?:\(x(\d{1,6})\))?", part)
        if not found:
            return []
        counts += [int(found[1])] * int(found[2] or 1)
    return counts


def expanded(listed: str) -> list[str]:
    """Of Slurm's ``n[01-03,7],login``: n01, n02, n03, n7, login."""
    names: list[str] = []
    for part in re.findall(r"(?:[^,\[]|\[[^\]]*\])+", listed):
        made = [""]
        for text, bracket in re.findall(r"([^\[]*)(\[[^\]]*\])?", part):
            made = [name + text for name in made]
            if bracket:
                made = [name + number for name in made for number in _numbers(bracket[1:-1])]
            if len(made) > _MOST_LISTED:
                raise Unsupported(f"SLURM_JOB_NODELIST has more hosts than anybody: {listed[:80]!r}")
        names += made
    if not names or listed.count("[") != listed.count("]") or not all(map(_NAME.fullmatch, names)):
        raise Unsupported(f"SLURM_JOB_NODELIST is no list of hosts: {listed[:80]!r}")
    return names


def _numbers(text: str) -> list[str]:
    found: list[str] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        last = last or first
        if not (first.isascii() and first.isdigit() and last.isascii() and last.isdigit()):
            raise Unsupported(f"SLURM_JOB_NODELIST is no list of hosts: [{text[:80]}]")
        if int(last) - int(first) > _MOST_LISTED:
            raise Unsupported(f"SLURM_JOB_NODELIST has more hosts than anybody: [{text[:80]}]")
        found += [f"{number:0{len(first)}}" for number in range(int(first), int(last) + 1)]
    return found


def spread(hosts: Sequence[Host], workers: int) -> list[Place]:
    """Neighbours on the same host. Hosts without a number of slots share what the others leave."""
    room = sum(host.slots or 0 for host in hosts)
    open_hosts = [host for host in hosts if host.slots is None]
    if not open_hosts and room < workers:
        raise Unsupported(f"--workers {workers}: the hosts have room for {room}; give fewer workers, or more slots")
    # As evenly as the slots allow.
    counts = [0] * len(hosts)
    left = workers
    while left:
        for number, host in enumerate(hosts):
            if left and (host.slots is None or counts[number] < host.slots):
                counts[number] += 1
                left -= 1
    return [Place(host.name, count) for host, count in zip(hosts, counts, strict=True) if count]


def is_here(name: str) -> bool:
    """Is that host this machine? By its names alone: no network is asked."""
    own = socket.gethostname()
    return name in ("localhost", "127.0.0.1", own, own.partition(".")[0]) and not os.environ.get("KRIPKE_AGENT")
