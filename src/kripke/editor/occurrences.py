"""Where a thing is mentioned."""

from __future__ import annotations

import os

from kripke.languages.editing.document import Document, Symbol
from kripke.languages.editing.words import Word


def is_same(one: Symbol | None, other: Symbol) -> bool:
    """Are these declared at the same place?"""
    if one is None or one.name_range[:2] != other.name_range[:2]:
        return False
    return one.file == other.file or os.path.realpath(one.file) == os.path.realpath(other.file)


def occurrences(document: Document, symbol: Symbol) -> list[Word]:
    """The names in a document that mean the symbol, its declaration included."""
    return [
        word for word in document.mentions(symbol) if is_same(document.symbol_at(word.line, word.character), symbol)
    ]
