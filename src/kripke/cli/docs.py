"""``kripke docs``: the pages of the manual: list them, or show one."""

from __future__ import annotations

import argparse
import os
from difflib import get_close_matches

from kripke.cli.installed import files_in, folder_of
from kripke.cli.main import UsageError
from kripke.cli.safe_stream import print_lines


def run(options: argparse.Namespace) -> int:
    folder = folder_of("docs")
    pages = {name.removesuffix(".md"): name for name in files_in(folder, (".md",))}
    if options.name is None:
        for name, file in pages.items():
            print(f"{name.ljust(22)}  {_title(os.path.join(folder, file))}")
        print(f"kripke docs PAGE shows one; the files are in {folder}")
        return 0
    wanted = options.name.removesuffix(".md")
    found = [name for name in pages if wanted in (name, os.path.basename(name))]
    if not found:
        close = get_close_matches(wanted, [*pages, *map(os.path.basename, pages)], n=1)
        meant = f"; did you mean {close[0]}?" if close else "; kripke docs lists all"
        raise UsageError(f"there is no page {options.name!r}{meant}")
    with open(os.path.join(folder, pages[found[0]]), encoding="utf-8") as page:
        print_lines(page.read().rstrip("\n"))
    return 0


def _title(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.readline().lstrip("# ").rstrip()
