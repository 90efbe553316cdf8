"""What the place we write to can do: how wide it is, whether it shows colours."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TextIO

_STYLES = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "magenta": "35",
    "cyan": "36",
}
_NARROWEST = 40


@dataclass(frozen=True, slots=True)
class Terminal:
    """``width`` None: lines may be as long as they like (a file, a pipe)."""

    width: int | None = None
    colour: bool = False
    #: what begins an escape sequence: a stream that lets only ours pass has a mark of its own
    escape: str = "\x1b"

    @classmethod
    def of_stdout(cls, *, width: int | None = None) -> Terminal:
        return cls.of(sys.stdout, width=width)

    @classmethod
    def of(cls, stream: TextIO, *, width: int | None = None) -> Terminal:
        """As found: colours on a terminal unless NO_COLOR is set, the width of the terminal or of COLUMNS."""
        on_terminal = is_terminal(stream)
        if width is None:
            width = terminal_columns(stream) if on_terminal else _columns_variable()
        dumb = os.environ.get("TERM") == "dumb"
        colour = on_terminal and not dumb and not os.environ.get("NO_COLOR")
        return cls(width, colour, getattr(stream, "mark", "\x1b"))

    def style(self, text: str, *names: str) -> str:
        """The text in bold, red, ... where colours show; the text alone elsewhere."""
        if not self.colour or not text:
            return text
        return f"{self.escape}[{';'.join(_STYLES[name] for name in names)}m{text}{self.escape}[0m"


def is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except (AttributeError, ValueError):  # closed, or no real stream
        return False


def terminal_columns(stream: TextIO) -> int | None:
    forced = _columns_variable()
    if forced is not None:
        return forced
    try:
        columns = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError, AttributeError):
        columns = 0
    return max(columns, _NARROWEST) if columns else 80


def _columns_variable() -> int | None:
    text = os.environ.get("COLUMNS", "")
    return max(int(text), _NARROWEST) if text.isascii() and text.isdigit() else None


def wrap(text: str, width: int | None) -> list[str]:
    """The text in lines of at most ``width``, broken at spaces where there are any."""
    if width is None or len(text) <= width:
        return [text]
    lines: list[str] = []
    while len(text) > width:
        at = text.rfind(" ", 1, width + 1)
        if at <= 0:
            at = width
        lines.append(text[:at].rstrip())
        text = text[at:].lstrip()
    if text:
        lines.append(text)
    return lines
