"""What can be written at a place: names that are known there, keywords, whole statements."""

from __future__ import annotations

from dataclasses import dataclass

from kripke.languages.editing.document import Document, Symbol


@dataclass(frozen=True, slots=True)
class Completion:
    """``text`` is written in the place of the word before the cursor; ``is_snippet``: with ``$1``, ``$2`` to fill in.

    ``kind``: what the name stands for ("process", "variable", ...), "keyword" or "snippet".
    """

    label: str
    kind: str
    text: str
    detail: str = ""
    symbol: Symbol | None = None
    is_snippet: bool = False


def completions(document: Document, line: int, character: int) -> list[Completion]:
    """Everything that fits; the editor chooses by what is already written of the word."""
    word = document.words.at(line, character)
    if word is not None and (
        word.kind in ("comment", "number") or (word.kind == "string" and _inside(word, character))
    ):
        return []
    known = sorted(document.known_at(line, character), key=lambda symbol: symbol.name)
    found = [Completion(symbol.name, symbol.kind, symbol.name, symbol.text, symbol) for symbol in known]
    taken = {symbol.name for symbol in known}
    words = [each for each in document.words_at(line, character) if each not in taken]
    found += [Completion(each, "keyword", each) for each in words]
    snippets = {each: text for each, text in document.snippets.items() if each in words}
    found += [Completion(each, "snippet", text, text, is_snippet=True) for each, text in snippets.items()]
    return found


def _inside(word: tuple[object, ...], character: int) -> bool:
    """Behind a string that is closed, something new begins."""
    text, start = str(word[1]), word[3]
    assert isinstance(start, int)
    return start < character < start + len(text) or len(text) < 2 or text[-1] != text[0]
