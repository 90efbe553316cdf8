"""The live line of a running search, on a terminal only."""

from __future__ import annotations

import sys
from typing import TextIO

from kripke.engines.explicit.search import Progress
from kripke.numbers import rate_text, size_text, time_text
from kripke.report.terminal import Terminal, is_terminal


class ProgressLine:
    """Writes and rewrites one line on standard error; ``clear`` takes it away. Use as a ``watch``."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._shown = False

    def __call__(self, now: Progress) -> None:
        width = Terminal.of(self._stream).width or 80
        # A line that wraps could not be rewritten.
        self._write("\r" + progress_text(now)[: width - 1] + "\x1b[K")
        self._shown = True

    def clear(self) -> None:
        if self._shown:
            self._write("\r\x1b[K")
            self._shown = False

    def _write(self, text: str) -> None:
        try:
            getattr(self._stream, "write_control", self._stream.write)(text)
            self._stream.flush()
        except OSError:
            pass  # the terminal went away: no reason to lose the search


def progress_line(stream: TextIO | None = None) -> ProgressLine | None:
    """A line to watch a search with, or None where nobody could see it."""
    stream = stream or sys.stderr
    return ProgressLine(stream) if is_terminal(stream) else None


def progress_text(now: Progress) -> str:
    parts = f"  {now.workers} workers, balance {now.balance:.2f}" if now.workers > 1 else ""
    return (
        f"{now.states:,} states  {rate_text(now.states, now.seconds)}  queue {now.queue:,}  depth {now.depth:,}  "
        f"{size_text(now.bytes)}  {time_text(now.seconds)}{parts}"
    )
