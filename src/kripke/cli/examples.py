"""``kripke examples``: the models that come with Kripke: list them, show one, copy them."""

from __future__ import annotations

import argparse
import os
from difflib import get_close_matches

from kripke.cli.installed import files_in, folder_of
from kripke.cli.main import UsageError
from kripke.cli.safe_stream import print_lines
from kripke.numbers import counted


def run(options: argparse.Namespace) -> int:
    folder = folder_of("examples")
    files = files_in(folder)
    wanted = files if options.name is None else [file for file in files if _is_meant(file, options.name)]
    if not wanted:
        close = get_close_matches(options.name, files, n=1)
        meant = f"; did you mean {close[0]}?" if close else "; kripke examples lists all"
        raise UsageError(f"there is no example {options.name!r}{meant}")
    if options.copy is not None:
        return _copy(folder, wanted, options.copy)
    if len(wanted) == 1 and options.name is not None:
        with open(os.path.join(folder, wanted[0]), encoding="utf-8") as file:
            print_lines(file.read().rstrip("\n"))
        return 0
    for name in wanted:
        if not name.endswith("manifest.toml"):
            print(name)
    if options.name is None:
        print("kripke examples NAME shows one, kripke examples --copy FOLDER copies all; kripke check takes the copies")
    return 0


def _is_meant(file: str, name: str) -> bool:
    return (
        file == name or file.startswith(name.rstrip("/") + "/") or os.path.splitext(os.path.basename(file))[0] == name
    )


def _copy(folder: str, files: list[str], target: str) -> int:
    for file in files:
        place = os.path.join(target, file)
        if os.path.exists(place):
            raise UsageError(f"{place} is there already: choose another folder")
    for file in files:
        place = os.path.join(target, file)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(os.path.join(folder, file), "rb") as source, open(place, "wb") as copy:
            copy.write(source.read())
    print(f"{counted(len(files), 'file')} copied to {target}")
    return 0
