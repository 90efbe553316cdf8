"""The words of an XML text: names of elements and attributes, and what their values say."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from kripke.languages.editing.words import Word, WordKind

_PART = re.compile(
    r"""(?P<newline>\n)
      | (?P<comment><!--.*?(?:-->|\Z))
      | (?P<data><!\[CDATA\[)
      | (?P<other><[?!][^>]*>?)
      | (?P<close></\s*[\w:.-]+)
      | (?P<open><[A-Za-z_][\w:.-]*)
      | (?P<attribute>(?<=\s)[A-Za-z_][\w:.-]*(?=\s*=\s*["']))
      | (?P<value>"[^"<]*"|'[^'<]*')
      | (?P<end>/?>)
      | (?P<text>[^<>\n"'=\s/][^<\n]*)
      | (?P<sign>.)""",
    re.VERBOSE | re.DOTALL,
)
_TEXT = re.compile(r"[^<\n]+")

#: how the names in a value look, by its context (``state@id``; ``data@`` for the text in an element); None: no names
NamesOf = Callable[[str], "re.Pattern[str] | None"]


def scan_markup(text: str, names_of: NamesOf) -> Iterator[Word]:
    """Keywords are elements, and values of attributes and texts are names where ``names_of`` says so."""
    line, line_start, at = 0, 0, 0
    inside, attribute = False, ""
    opened: list[str] = []

    def pieces(kind: WordKind, start: int, found: str, context: str = "") -> Iterator[Word]:
        nonlocal line, line_start
        for number, part in enumerate(found.split("\n")):
            if number:
                line, line_start = line + 1, start
            if part.strip():
                yield Word(kind, part, line, start - line_start, context)
            start += len(part) + 1

    def named(start: int, found: str, context: str) -> Iterator[Word]:
        nonlocal line, line_start
        pattern = names_of(context)
        if pattern is None:
            yield from pieces("string", start, found, context)
            return
        for match in re.compile(rf"\n|&\#?\w+;|{pattern.pattern}", pattern.flags).finditer(found):
            if match.group() == "\n":
                line, line_start = line + 1, start + match.end()
            elif not match.group().startswith("&"):
                yield Word("name", match.group(), line, start + match.start() - line_start, context)

    while at < len(text):
        match = (_PART if inside or text[at] in "<>\n" else _TEXT).match(text, at)
        if match is None:  # pragma: no cover - one of the signs always matches
            break
        kind, start, found = match.lastgroup or "text", match.start(), match.group()
        at = match.end()
        if kind == "newline":
            line, line_start = line + 1, at
        elif kind in ("comment", "other", "data"):
            yield from pieces("comment" if kind == "comment" else "directive", start, found)
        elif kind in ("open", "close"):
            name = found.lstrip("</").strip()
            yield from pieces("keyword", start + len(found) - len(name), name)
            inside = True
            if kind == "open":
                opened.append(name.rpartition(":")[2])
            elif opened:
                opened.pop()
        elif kind == "attribute":
            attribute = found
            yield from pieces("attribute", start, found)
        elif kind == "value" and inside:
            yield from named(start + 1, found[1:-1], f"{opened[-1] if opened else ''}@{attribute}")
        elif kind == "end":
            inside = False
            if found == "/>" and opened:
                opened.pop()
        elif kind in ("text", "value") and not inside:
            yield from named(start, found, f"{opened[-1] if opened else ''}@")
