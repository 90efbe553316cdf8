"""Which call is being written, and which of its arguments."""

from __future__ import annotations

from typing import NamedTuple

from kripke.languages.editing.document import Document, Symbol

_MOST_LINES = 50  # of a call


class Signature(NamedTuple):
    symbol: Symbol
    argument: int


def signature_at(document: Document, lines: list[str], line: int, character: int) -> Signature | None:
    """Of the innermost call around a place; None where there is none, or nobody knows what is called."""
    hidden = {
        (word.line, at)
        for word in document.words.all
        if word.kind in ("comment", "string") and line - _MOST_LINES < word.line <= line
        for at in range(word.character, word.character + len(word.text))
    }
    depth, argument = 0, 0
    for number in range(line, max(-1, line - _MOST_LINES), -1):
        text = lines[number] if number < len(lines) else ""
        end = min(character, len(text)) if number == line else len(text)
        for at in range(end - 1, -1, -1):
            sign = text[at]
            if (number, at) in hidden:
                continue
            if sign in ")]}":
                depth += 1
            elif sign in "([{":
                depth -= 1
                if depth < 0:
                    symbol = document.symbol_at(number, len(text[:at].rstrip())) if sign == "(" else None
                    called = symbol is not None and symbol.parameters is not None
                    return Signature(symbol, argument) if symbol is not None and called else None
            elif sign == "," and depth == 0:
                argument += 1
            elif sign == ";" and depth == 0 and number != line:
                return None
    return None
