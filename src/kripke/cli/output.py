"""Files a verb writes: one that cannot be written is refused before the work begins."""

from __future__ import annotations

import os

from kripke.cli.main import UsageError


def refuse_unwritable(name: str | None) -> None:
    """Better now than after an hour of searching."""
    if name is None or name == "-":
        return
    folder = os.path.dirname(name) or "."
    if os.path.isdir(name):
        raise UsageError(f"cannot write {name}: it is a directory")
    if not os.path.isdir(folder):
        raise UsageError(f"cannot write {name}: there is no directory {folder}")
    if not os.access(name if os.path.exists(name) else folder, os.W_OK):
        raise UsageError(f"cannot write {name}: permission denied")


def write_text(name: str, text: str) -> None:
    try:
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"cannot write {name}: {error.strerror or error}") from error
