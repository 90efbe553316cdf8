"""The words of a text: where each stands and what it is. They are known also while the text cannot be read."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from kripke.languages.editing.document import Range
from kripke.model.highlighting import Highlighting

WordKind = Literal["comment", "string", "number", "keyword", "type", "name", "directive", "attribute"]


class Word(NamedTuple):
    """One word, never more than a line of it; lines and characters count from 0.

    ``context``: in XML, the element and the attribute it stands in, as ``state@id``.
    """

    kind: WordKind
    text: str
    line: int
    character: int
    context: str = ""

    @property
    def range(self) -> Range:
        return Range(self.line, self.character, self.line, self.character + len(self.text))


class Words:
    """All words of a text, in order."""

    def __init__(self, words: Sequence[Word]) -> None:
        self.all = words
        self._lines = [word.line for word in words]

    def at(self, line: int, character: int) -> Word | None:
        """The word at a place, or just before it."""
        found = None
        index = bisect_right(self._lines, line) - 1
        while index >= 0 and self.all[index].line == line:
            word = self.all[index]
            if word.character <= character <= word.character + len(word.text):
                if character > word.character or character == word.character + len(word.text):
                    return found or word
                found = word  # the word before may end here, but this one begins here
            index -= 1
        return found

    def names(self, text: str) -> Iterator[Word]:
        return (word for word in self.all if word.text == text and word.kind == "name")


def scan(text: str, highlighting: Highlighting) -> Iterator[Word]:
    """The words of a text in a language that is coloured like this."""
    keywords, types = frozenset(highlighting.keywords), frozenset(highlighting.types)
    token = _token(
        highlighting.line_comments,
        highlighting.block_comment,
        highlighting.quotes,
        highlighting.word,
        highlighting.directives,
    )
    at, line, line_start = 0, 0, 0
    while (match := token.search(text, at)) is not None:
        kind, start, end = match.lastgroup, match.start(), match.end()
        if kind == "newline":
            line, line_start, at = line + 1, end, end
            continue
        if kind == "block":
            assert highlighting.block_comment is not None
            end = _end_of_comment(text, start, highlighting.block_comment, nested=highlighting.nested)
        at = end
        found = text[start:end]
        if kind == "name":
            sort: WordKind = "type" if found in types else "keyword" if found in keywords else "name"
            yield Word(sort, found, line, start - line_start)
            continue
        sort = "comment" if kind in ("block", "line") else kind  # type: ignore[assignment]
        for number, part in enumerate(found.split("\n")):
            if number:
                line += 1
                line_start = start
            if part:
                yield Word(sort, part, line, start - line_start)
            start += len(part) + 1


@lru_cache(maxsize=32)
def _token(
    line_comments: tuple[str, ...], block: tuple[str, str] | None, quotes: str, word: str, directives: str
) -> re.Pattern[str]:
    parts = [r"(?P<newline>\n)"]
    if directives:
        parts.append(rf"(?P<directive>^[ \t]*{re.escape(directives)}[ \t]*\w+)")
    if block is not None:
        parts.append(f"(?P<block>{re.escape(block[0])})")
    if line_comments:
        parts.append(f"(?P<line>(?:{'|'.join(map(re.escape, line_comments))})[^\\n]*)")
    strings = "|".join(rf"{quote}(?:[^{quote}\\\n]|\\.)*{quote}?" for quote in quotes)
    if strings:
        parts.append(f"(?P<string>{strings})")
    parts += [rf"(?P<name>{word})", r"(?P<number>\d\w*)"]
    return re.compile("|".join(parts), re.MULTILINE)


def _end_of_comment(text: str, start: int, signs: tuple[str, str], *, nested: bool) -> int:
    """Just after the comment that begins here; the end of the text where it is never closed."""
    opening, closing = signs
    if not nested:
        end = text.find(closing, start + len(opening))
        return len(text) if end < 0 else end + len(closing)
    depth, sign = 0, re.compile(f"{re.escape(opening)}|{re.escape(closing)}")
    for match in sign.finditer(text, start):
        depth += 1 if match.group() == opening else -1
        if depth == 0:
            return match.end()
    return len(text)
