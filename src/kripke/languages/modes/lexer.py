"""Words and signs of a ``.modes`` file."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from kripke.deadline import current
from kripke.model.source import Sources, Span

_TOKEN: Final = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<number>\d+)
      | (?P<sign>->|:=|\.\.|==|!=|<=|>=|=>|&&|\|\||[-+*/%<>=!&|?:;,.(){}\[\]~])""",
    re.VERBOSE | re.DOTALL,
)
_SAME: Final = {"=": "==", "&": "&&", "|": "||", "and": "&&", "or": "||", "not": "!"}


class Token(NamedTuple):
    """``kind``: name, number, end, or the sign itself."""

    kind: str
    text: str
    start: int
    end: int
    span: Span


def tokens_of(text: str, file: str, sources: Sources, start: int = 0, *, partial: bool = False) -> list[Token]:
    """Every token, and one for the end. ``partial``: what follows may be another language, which ends it."""
    tokens: list[Token] = []
    at, line, line_start = start, 1, 0
    deadline = current()
    while at < len(text):
        deadline()
        match = _TOKEN.match(text, at)
        if match is None and partial:
            break
        if match is None:
            place = Span(file, line, at - line_start + 1, line, at - line_start + 2)
            if text.startswith("/*", at):
                raise sources.error("this comment has no end", place, "close it with */")
            raise sources.error(f"{text[at]!r} means nothing here", place)
        found = match[0]
        if match.lastgroup == "space":
            breaks = found.count("\n")
            if breaks:
                line += breaks
                line_start = at + found.rindex("\n") + 1
        else:
            column = at - line_start + 1
            kind = _SAME.get(found, found) if match.lastgroup == "sign" else str(match.lastgroup)
            kind = _SAME.get(found, kind)
            tokens.append(Token(kind, found, at, match.end(), Span(file, line, column, line, column + len(found))))
        at = match.end()
    column = at - line_start + 1
    tokens.append(Token("end", "", at, at, Span(file, line, column, line, column + 1)))
    return tokens
