"""Standard output and standard error such that no text of a model can act on a terminal.

Whatever is written has its control characters shown as escapes, line breaks inside of one ``print`` among them: who
prints several lines prints them one by one (``print_lines``), so that a name with a line break in it cannot look like a
line of ours. Our own colours pass because they are written with a mark that nobody outside of this process knows.
"""

from __future__ import annotations

import os
import sys

from kripke.text import visible

TYPE_CHECKING = False  # the import of typing would cost every start a tenth of its time
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TextIO


class SafeStream:
    """A text stream in front of another one. ``mark`` stands for the escape character in text of our own."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.mark = f"\x1b<{os.urandom(8).hex()}>"

    def write(self, text: str) -> int:
        body, newline = (text[:-1], "\n") if text.endswith("\n") else (text, "")
        shown = "\x1b".join([visible(part, keep="\t") for part in body.split(self.mark)])
        self._stream.write(shown + newline)
        return len(text)

    def write_control(self, text: str) -> None:
        """Text of our own that moves the cursor."""
        self._stream.write(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class SafeStreams:
    """Within it, standard output and standard error are safe."""

    def __enter__(self) -> None:
        self._before = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = SafeStream(sys.stdout), SafeStream(sys.stderr)

    def __exit__(self, *_: object) -> None:
        sys.stdout, sys.stderr = self._before


def print_data(text: str) -> None:
    """Print what is meant for a program or a file; as it is, unless it would go to a terminal."""
    if sys.stdout.isatty():
        print_lines(text.removesuffix("\n"))
    else:
        getattr(sys.stdout, "write_control", sys.stdout.write)(text)


def print_lines(text: str, file: TextIO | None = None) -> None:
    """Print a text of our own that has several lines."""
    for line in text.split("\n"):
        print(line, file=file)
