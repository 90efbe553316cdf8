"""Start-up files: which processes a distributed program consists of, one on each line.

    # who is there                              comments
    set check=checks.py:agreement               settings of the whole
    bank: python bank.py 8000 &                 a process that may wait for ever
    ann (crashes=1, restarts=1)@left: NAME=ann python client.py 8000

S. D. Stoller and Y. A. Liu, *Transformations for Model Checking Distributed Java Programs*, SPIN 2001, have the
same for Java.
"""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass, field, fields, replace
from typing import Any


class StartupError(ValueError):
    """A start-up file that cannot be read. The text is for the user."""


@dataclass(frozen=True)
class Faults:
    """What may go wrong for one process, and how often: ``crashes`` (after each it may start again: ``restarts``),
    messages it sends that are lost or doubled, time-outs that come although others could still go on."""

    crashes: int = 0
    restarts: int = 0
    loss: int = 0
    duplication: int = 0
    early_timeouts: int = 0


@dataclass(frozen=True)
class ProcessLine:
    """One process: the file or module it runs, its arguments; ``background``: it may wait for ever at the end."""

    name: str
    target: str
    is_module: bool
    arguments: tuple[str, ...]
    background: bool
    host: str
    environment: tuple[tuple[str, str], ...]
    faults: Faults
    line: int


@dataclass(frozen=True)
class Startup:
    """All processes. ``delay``: messages may come later than others that were sent after them. ``connect``: "wait" lets
    those who connect wait until somebody listens. ``check``: a function that looks at the end of each run.
    ``adversary``: the process that gets every datagram of the others."""

    path: str
    folder: str
    processes: tuple[ProcessLine, ...]
    delay: bool = False
    connect: str = "refuse"
    check: str = ""
    adversary: str = ""
    search: dict[str, Any] = field(default_factory=dict)


_NUMBERS = tuple(each.name for each in fields(Faults))
_LINE = re.compile(
    r"\s*(?:(?P<name>[\w.-]+)\s*(?:\((?P<faults>[^)]*)\))?\s*(?:@(?P<host>[\w.-]+))?\s*:\s+)?(?P<command>\S.*)$"
)
_SETTING = re.compile(r"(?P<name>\w+)=(?P<value>\S*)$")


def read_startup(path: str) -> Startup:
    with open(path, encoding="utf-8") as file:
        return parse_startup(file.read(), path)


def parse_startup(text: str, path: str = "<start-up>", folder: str | None = None) -> Startup:
    faults = Faults()
    settings: dict[str, Any] = {}
    lines: list[tuple[int, str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        plain = line.strip()
        if not plain or plain.startswith("#"):
            continue
        if plain.startswith("set ") and "python" not in plain.split()[0]:
            for word in plain.split()[1:]:
                faults = _set(word, faults, settings, f"{path}:{number}: {plain}")
        else:
            lines.append((number, plain))
    processes: list[ProcessLine] = []
    for number, line in lines:
        processes.append(_process(line, faults, f"{path}:{number}: {line}", number, [each.name for each in processes]))
    if not processes:
        raise StartupError(f"{path}: there is no process: one line for each, such as 'server: python server.py 8000 &'")
    where = folder if folder is not None else os.path.dirname(os.path.abspath(path))
    names = {each.name for each in processes}
    if settings.get("adversary") and settings["adversary"] not in names:
        raise StartupError(f"{path}: there is no process {settings['adversary']}, which was to be the adversary")
    search: dict[str, Any] = {
        name: settings.pop(name)
        for name in ("seconds", "schedules", "search", "seed", "most_steps")
        if name in settings
    }
    return Startup(path, where, tuple(processes), search=search, **settings)


def _set(word: str, faults: Faults, settings: dict[str, Any], where: str) -> Faults:
    found = _SETTING.match(word)
    if found is None:
        raise StartupError(f"{where}\n  a setting is NAME=VALUE, not {word!r}")
    name, value = found["name"], found["value"]
    if name in _NUMBERS:
        return replace(faults, **{name: _number(value, name, where)})
    match name:
        case "delay":
            settings[name] = bool(_number(value, name, where))
        case "connect":
            if value not in ("wait", "refuse"):
                raise StartupError(f"{where}\n  connect is 'wait' or 'refuse', not {value!r}")
            settings[name] = value
        case "search":
            if value not in ("all", "random"):
                raise StartupError(f"{where}\n  search is 'all' or 'random', not {value!r}")
            settings[name] = value
        case "check" | "adversary":
            settings[name] = value
        case "schedules" | "seed" | "most_steps" | "seconds":
            settings[name] = _number(value, name, where)
        case _:
            known = ", ".join(
                (*_NUMBERS, "delay", "connect", "check", "adversary", "search", "seconds", "schedules", "seed")
            )
            raise StartupError(f"{where}\n  there is no setting {name}; there are {known}")
    return faults


def _number(value: str, name: str, where: str) -> int:
    if not value.isdigit() or len(value) > 9:
        raise StartupError(f"{where}\n  {name} is a number, not {value!r}")
    return int(value)


def _process(line: str, faults: Faults, where: str, number: int, names: list[str]) -> ProcessLine:
    found = _LINE.match(line)
    if found is None:
        raise StartupError(f"{where}\n  a process is NAME: python FILE ARGUMENTS")
    for word in re.split(r"[,\s]+", found["faults"] or ""):
        if word:
            settings: dict[str, Any] = {}
            faults = _set(word, faults, settings, where)
            if settings:
                raise StartupError(f"{where}\n  {word} is a setting of the whole: write it as 'set {word}'")
    try:
        words = shlex.split(found["command"])
    except ValueError as problem:
        raise StartupError(f"{where}\n  {problem}") from None
    background = bool(words) and words[-1] == "&"
    if background:
        words.pop()
    environment = []
    while words and re.match(r"\w+=", words[0]):
        name, _, value = words.pop(0).partition("=")
        environment.append((name, value))
    if not words or not re.fullmatch(r"python[\d.]*", os.path.basename(words[0])):
        raise StartupError(f"{where}\n  the command is 'python FILE ARGUMENTS' or 'python -m MODULE ARGUMENTS'")
    words.pop(0)
    is_module = words[:1] == ["-m"]
    if is_module:
        words.pop(0)
    if not words or words[0].startswith("-"):
        raise StartupError(f"{where}\n  no file or module to run; of Python's own options only -m is known here")
    name = found["name"] or os.path.splitext(os.path.basename(words[0]))[0]
    while name in names:
        if found["name"]:
            raise StartupError(f"{where}\n  there is a process {name} already")
        base, _, count = name.rpartition("-")
        name = f"{base}-{int(count) + 1}" if base and count.isdigit() else f"{name}-2"
    return ProcessLine(
        name, words[0], is_module, tuple(words[1:]), background, found["host"] or "localhost", tuple(environment),
        faults, number,
    )  # fmt: skip
