"""Semantic tokens: what every word of a text is, for an editor that colours it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from kripke.languages.editing.document import Document, Symbol
from kripke.languages.editing.words import Word

TYPES: Final = (
    "comment", "string", "number", "keyword", "type", "class", "struct", "enum", "enumMember", "interface", "function",
    "macro", "variable", "parameter", "property", "event", "namespace", "label",
)  # fmt: skip
MODIFIERS: Final = ("declaration", "readonly")
_OF_WORDS: Final = {
    "comment": "comment", "string": "string", "number": "number", "keyword": "keyword", "type": "type",
    "directive": "macro", "attribute": "property",
}  # fmt: skip
_OF_ICONS: Final = {
    "Class": "class", "Struct": "struct", "Enum": "enum", "EnumMember": "enumMember", "Interface": "interface",
    "Function": "function", "Event": "event", "Module": "namespace", "Key": "label", "Field": "property",
    "Property": "property", "TypeParameter": "type",
}  # fmt: skip
_OF_KINDS: Final = {"parameter": "parameter", "macro": "macro"}


class Coloured(NamedTuple):
    word: Word
    type: str
    modifiers: tuple[str, ...] = ()


def coloured(document: Document) -> Iterator[Coloured]:
    """Names that mean nothing known are left to the editor."""
    for word in document.words.all:
        if word.kind != "name":
            yield Coloured(word, _OF_WORDS[word.kind])
            continue
        symbol = document.symbol_at(word.line, word.character)
        if symbol is not None:
            yield Coloured(word, _type(document, symbol), tuple(_modifiers(document, symbol, word)))


def _type(document: Document, symbol: Symbol) -> str:
    return _OF_KINDS.get(symbol.kind) or _OF_ICONS.get(document.icons.get(symbol.kind, ""), "variable")


def _modifiers(document: Document, symbol: Symbol, word: Word) -> Iterator[str]:
    if symbol.name_range[:2] == (word.line, word.character):
        yield "declaration"
    if document.icons.get(symbol.kind) == "Constant":
        yield "readonly"
