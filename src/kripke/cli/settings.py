"""The checks of a project: ``kripke.toml``, or ``[tool.kripke]`` in ``pyproject.toml``.

[[check]]
file = "peterson.pml"          # or a pattern, such as "models/*.pml"
ltl = "[] (inside <= 1)"       # every option of kripke check, under its name
verdict = "holds"              # what is expected: verdict, kind, states, transitions, depth, errors
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping
from glob import glob
from typing import Any

from kripke.cli.jobs import Job
from kripke.cli.main import UsageError

NAMES = ("kripke.toml", "pyproject.toml")
EXPECTED = ("verdict", "kind", "states", "transitions", "depth", "errors")
_OWN = ("file", "name", "options")


def find_project(folder: str) -> str:
    """The file with the checks: in this folder, or in the nearest one around it."""
    start = at = os.path.abspath(folder)
    while True:
        for name in NAMES:
            path = os.path.join(at, name)
            if os.path.isfile(path) and (name != NAMES[1] or _section(path) is not None):
                return path
        if os.path.dirname(at) == at:
            raise UsageError(
                f"there is no kripke.toml, and no [tool.kripke] in a pyproject.toml, in {start} or above it; write one "
                'with [[check]], file = "model.pml", verdict = "holds"'
            )
        at = os.path.dirname(at)


def jobs_of(path: str) -> list[Job]:
    """What the file asks for; UsageError says what is wrong with it."""
    section = _section(path)
    if section is None:
        raise UsageError(f"{path} has no [tool.kripke]")
    unknown = section.keys() - {"check", "defaults"}
    if unknown:
        raise UsageError(f"{path}: there is no setting {min(unknown)!r}: there are check and defaults")
    defaults, checks = section.get("defaults", {}), section.get("check", [])
    if not isinstance(defaults, dict) or not isinstance(checks, list):
        raise UsageError(f"{path}: defaults is a table, and check a list of tables, written [[check]]")
    jobs = [job for number, check in enumerate(checks, 1) for job in _jobs(path, number, check, defaults)]
    if not jobs:
        raise UsageError(f"{path} has no [[check]]")
    return jobs


def read_toml(path: str) -> dict[str, Any]:
    import tomllib

    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {error}") from error


def _section(path: str) -> dict[str, Any] | None:
    content = read_toml(path)
    if os.path.basename(path) != NAMES[1]:
        return content
    section = content.get("tool", {}).get("kripke")
    return section if isinstance(section, dict) else None


def _jobs(path: str, number: int, check: Any, defaults: Mapping[str, Any]) -> Iterator[Job]:
    where = f"{path}: check {number}"
    if not isinstance(check, dict) or not isinstance(check.get("file"), str):
        raise UsageError(f'{where} needs a file: file = "model.pml"')
    wanted = {**defaults, **check}
    expected = {"verdict": "holds"} | {key: wanted[key] for key in EXPECTED if key in wanted}
    for file in _files(path, where, check["file"]):
        yield Job(str(wanted.get("name", file)), check_options(where, file, wanted), expected)


def check_options(where: str, file: str, wanted: Mapping[str, Any]) -> argparse.Namespace:
    """The options of ``kripke check`` for a file, from settings under their names."""
    from kripke.cli.arguments import parse

    try:
        options = parse("check", [file, *_arguments(where, wanted)])
    except SystemExit as refusal:
        raise UsageError(f"{where}: its options are wrong, see above") from refusal
    options.outputs = {}
    return options


def _files(path: str, where: str, pattern: str) -> list[str]:
    folder = os.path.dirname(path)
    whole = os.path.join(folder, pattern)
    found = sorted(glob(whole, recursive=True)) if any(sign in pattern for sign in "*?[") else [whole]
    if not found:
        raise UsageError(f"{where}: no file is called {pattern}")
    return [os.path.relpath(file) for file in found]


def _arguments(where: str, wanted: Mapping[str, Any]) -> Iterator[str]:
    """Settings as options of the command."""
    for key, value in wanted.items():
        if key in EXPECTED or key in _OWN:
            continue
        name = {"invariants": "invariant", "properties": "property"}.get(key, key).replace("_", "-")
        flag = f"-{name}" if len(name) == 1 else f"--{name}"
        if isinstance(value, bool):
            if value:
                yield flag
        elif isinstance(value, dict):
            for macro, text in value.items():
                yield from ("-D", f"{macro}={text}")
        else:
            for each in value if isinstance(value, list) else [value]:
                yield from (flag, str(each))
    options = wanted.get("options", [])
    if not isinstance(options, list) or not all(isinstance(option, str) for option in options):
        raise UsageError(f'{where}: options is a list of texts, such as ["--fair", "weak"]')
    yield from options
