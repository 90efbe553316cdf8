"""Files a verb writes: one that cannot be written, or that it reads, is refused before the work begins."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Mapping

from kripke.cli.main import UsageError

#: by verb: the options that name files it writes, and those that name files it reads, beside the model
_OUTPUTS = {
    "check": ("trace", "spin_trail", "prove", "json", "html", "checkpoint", "junit", "sarif"),
    "test": ("json", "junit", "sarif"),
    "sweep": ("json",),
    "simulate": ("save", "output"),
    "replay": ("save",),
    "verify-proof": ("html",),
    "explore": ("output",),
    "merge": ("output",),
    "sql": ("json",),
    "info": ("json",),
    "emit": ("output",),
    "lts": ("output",),
    "doctor": ("json",),
}
_INPUTS = {
    "lts": ("files",),
    "check": ("claims", "formula_files", "files"),
    "simulate": ("trace",),
    "replay": ("spin_trail", "model"),
}


def refuse_outputs(verb: str, options: argparse.Namespace) -> None:
    """Better now than after an hour of searching. What is written is known as ``options.outputs`` from here on."""
    names = {f"--{name.replace('_', '-')}": getattr(options, name) for name in _OUTPUTS.get(verb, ())}
    if getattr(options, "workers", None) and verb == "explore":
        names = {}  # a folder, which its verb makes
    options.outputs = {option: name for option, name in names.items() if name not in (None, "-")}
    read: list[str | None] = [getattr(options, "file", None)]
    for name in _INPUTS.get(verb, ()):
        value = getattr(options, name)
        read += value if isinstance(value, list | tuple) else [value]
    refuse_overwriting(options.outputs, read)
    for name in options.outputs.values():
        _refuse_unwritable(name)


def _refuse_unwritable(name: str) -> None:
    folder = os.path.dirname(name) or "."
    if os.path.isdir(name):
        raise UsageError(f"cannot write {name}: it is a directory")
    if not os.path.isdir(folder):
        raise UsageError(f"cannot write {name}: there is no directory {folder}")
    if not os.access(name if os.path.exists(name) else folder, os.W_OK):
        raise UsageError(f"cannot write {name}: permission denied")


def refuse_overwriting(outputs: Mapping[str, str], inputs: Iterable[str | None]) -> None:
    """No output takes the place of something that is read, or of another output. Outputs by their options."""
    read = [name for name in inputs if name is not None]
    written: dict[str, str] = {}
    for option, name in outputs.items():
        if any(_same(name, other) for other in read):
            raise UsageError(f"{option} {name} would overwrite a file that is read: choose another name")
        for other, before in written.items():
            if _same(name, before):
                raise UsageError(f"{other} and {option} would both write {name}: choose two names")
        written[option] = name


def _same(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:  # one of them is not there
        return os.path.realpath(one) == os.path.realpath(other)


def write_text(name: str, text: str) -> None:
    try:
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"cannot write {name}: {error.strerror or error}") from error
