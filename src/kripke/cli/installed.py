"""The folders ``examples`` and ``docs``: in an installed package inside of it, in a checkout beside it."""

from __future__ import annotations

import os

from kripke.cli.main import UsageError


def folder_of(name: str) -> str:
    import kripke

    package = os.path.dirname(os.path.abspath(kripke.__file__))
    for folder in (os.path.join(package, name), os.path.join(package, "..", "..", name)):
        if os.path.isdir(folder):
            return os.path.normpath(folder)
    raise UsageError(f"the folder {name} was not installed with Kripke")


def files_in(folder: str, endings: tuple[str, ...] = ()) -> list[str]:
    """Names of files below a folder, with slashes; none that are hidden."""
    found: list[str] = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__")))
        for name in sorted(names):
            if not endings or name.endswith(endings):
                found.append(os.path.relpath(os.path.join(place, name), folder).replace(os.sep, "/"))
    return found
