"""C text under construction: lines, indentation, fresh names, comments that cannot end early."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from kripke.model.source import Span

_LONGEST_COMMENT = 100


class Code:
    """The lines of a C file or function. ``fresh`` names are unique in one object."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._depth = 0
        self._numbers: dict[str, int] = {}

    def line(self, text: str = "") -> None:
        self.lines.append("    " * self._depth + text if text else "")

    def label(self, name: str) -> None:
        """A jump target; the empty statement lets it stand at the end of a block."""
        self.lines.append("    " * max(0, self._depth - 1) + f"{name}:;")

    def fresh(self, stem: str) -> str:
        number = self._numbers.get(stem, 0) + 1
        self._numbers[stem] = number
        return f"{stem}{number}"

    @contextmanager
    def block(self, head: str = "", tail: str = "") -> Iterator[None]:
        """``head { ... } tail``"""
        self.line(f"{head} {{" if head else "{")
        self._depth += 1
        yield
        self._depth -= 1
        self.line("}" + tail)

    @contextmanager
    def captured(self) -> Iterator[list[str]]:
        """Collect the lines written inside, one level deeper, instead of adding them."""
        outer, inner = self.lines, list[str]()
        self.lines = inner
        self._depth += 1
        yield inner
        self._depth -= 1
        self.lines = outer

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"


def comment(text: str) -> str:
    """A one-line comment that shows the text but cannot be left by it."""
    shown = re.sub(r"[^ -~]+", " ", text).replace("\\", "/")
    if len(shown) > _LONGEST_COMMENT:
        shown = shown[:_LONGEST_COMMENT] + "..."
    while "*/" in shown or "/*" in shown or "??" in shown:
        shown = shown.replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?")
    return f"/* {shown} */"


def place_of(span: Span | None) -> str:
    """``file:line`` of a span, empty where it is not known. No folders: the same text anywhere gives the same C."""
    if span is None or not span.line:
        return ""
    name = span.file.replace("\\", "/").rpartition("/")[2]
    return f"{name}:{span.line}: "


def string(text: str) -> str:
    """A C string literal with the letters, digits and harmless signs of the text."""
    return '"' + re.sub(r"[^A-Za-z0-9 _.,:/+-]", "_", text) + '"'


def number(value: int) -> str:
    """A C expression for a 32-bit signed integer, safe as an operand."""
    value = ((value + 0x80000000) & 0xFFFFFFFF) - 0x80000000
    if value == -0x80000000:
        return "(-2147483647 - 1)"
    return str(value) if value >= 0 else f"({value})"


def literal(text: str) -> int | None:
    """The value of what ``number`` wrote; None for any other C expression."""
    plain = text[1:-1] if text.startswith("(-") else text
    if plain.lstrip("-").isdigit():
        return int(plain)
    return -0x80000000 if plain == "-2147483647 - 1" else None
