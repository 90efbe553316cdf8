"""CSP-M as tokens: comments, includes, and every operator of the language by longest match.

Tokens are kept in parallel lists, since scripts of several megabytes are common: a token is its number. ``broken`` says
whether a line ends before it, which is what ends a declaration (the language has no other sign for that).
"""

from __future__ import annotations

import os
import re

from kripke.deadline import current
from kripke.model.source import ModelError, Sources, Span

KEYWORDS = frozenset(
    (
        *("and", "or", "not", "if", "then", "else", "let", "within", "channel", "datatype", "subtype", "nametype"),
        *("transparent", "external", "assert", "print", "module", "exports", "endmodule", "instance", "include"),
        *("Timed", "true", "false"),
    )
)

#: functions that timed sections alone know
TIMED = ("WAIT", "timed_priority")

_TOKEN = re.compile(
    r"""
    (?P<space>[ \t\r\f\v\xa0]+)
  | (?P<newline>\n)
  | (?P<comment>--[^\n]*)
  | (?P<block>\{-)
  | (?P<num>[0-9]+)
  | (?P<id>[A-Za-z][A-Za-z0-9_]*'*)
  | (?P<str>"(?:[^"\\\n]|\\.)*")
  | (?P<char>'(?:[^'\\\n]|\\.)')
  | (?P<model>\[[A-Z]{1,3}=(?!=))
  | (?P<op>\|~\||\|\|\||\|\||\|\]|\|\}|\|>|\|\)|\(\|(?![|~])|\{\||\[\[|\]\]|\[\||\[\]|\[>|\[\+|\+\]|/\\|/\+|\+\\|@@
      |<->|<-|<=|->|=>\*|=>|==|=|!=|>=(?!=)|::|:\[|\.\.|[<>\\@:;,.?!$\#^*/%+\-(){}\[\]&|_])
    """,
    re.VERBOSE,
)
_DEEPEST_INCLUDE = 64


class Tokens:
    """The tokens of a script and all files it includes."""

    def __init__(self, include_root: str | None = None) -> None:
        self.kinds: list[str] = []
        self.texts: list[str] = []
        self.offsets: list[int] = []
        self.files: list[int] = []
        self.broken: list[bool] = []
        self.sources = Sources(include_root)
        self._names: list[str] = []
        self._contents: list[str] = []
        self._starts: list[list[int]] = []

    def open(self, name: str, text: str) -> int:
        self._names.append(name)
        self._contents.append(text)
        self._starts.append([0, *(match.end() for match in re.finditer("\n", text))])
        self.sources.add(name, text)
        return len(self._names) - 1

    def place(self, file: int, offset: int) -> tuple[int, int]:
        """Line and column, from 1."""
        from bisect import bisect_right

        starts = self._starts[file]
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def span_at(self, file: int, start: int, end: int) -> Span:
        line, column = self.place(file, start)
        end_line, end_column = self.place(file, end)
        return Span(self._names[file], line, column, end_line, end_column)

    def span(self, first: int, last: int | None = None) -> Span:
        """From token ``first`` to the end of token ``last``."""
        last = first if last is None else max(first, last)
        if self.files[last] != self.files[first]:
            last = first
        end = self.offsets[last] + len(self.texts[last])
        return self.span_at(self.files[first], self.offsets[first], end)

    def text(self, first: int, last: int) -> str:
        """What stands between two tokens, spaces and line ends as one space."""
        if self.files[last] != self.files[first]:
            return " ".join(self.texts[first : last + 1])
        end = self.offsets[last] + len(self.texts[last])
        content = self._contents[self.files[first]][self.offsets[first] : end]
        return re.sub(r"\s+", " ", re.sub(r"--[^\n]*", "", content))

    def error(self, message: str, token: int, hint: str | None = None) -> ModelError:
        return self.sources.error(message, self.span(token), hint)


def read_text(path: str) -> str:
    """A script's text; older scripts are written in Windows-1252."""
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror or error}") from error
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("cp1252", errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def tokenize(path: str, text: str | None = None, include_root: str | None = None) -> Tokens:
    """All tokens of a file, those of included files in their places."""
    tokens = Tokens(include_root)
    add_tokens(tokens, path, read_text(path) if text is None else text)
    return tokens


def add_tokens(tokens: Tokens, path: str, text: str) -> None:
    """Those of a text, and the end."""
    file = len(tokens._names)
    _tokenize(tokens, path, text, ())
    tokens.kinds.append("end")
    tokens.texts.append("")
    tokens.offsets.append(len(text))
    tokens.files.append(file)
    tokens.broken.append(True)


def _tokenize(tokens: Tokens, path: str, text: str, including: tuple[str, ...]) -> None:
    file = tokens.open(path, text)
    kinds, texts, offsets, files, broken = tokens.kinds, tokens.texts, tokens.offsets, tokens.files, tokens.broken
    match_at = _TOKEN.match
    at, size, after_line = 0, len(text), True
    deadline = current()
    while at < size:
        deadline()
        match = match_at(text, at)
        if match is None:
            raise _unreadable(tokens, file, text, at)
        kind = match.lastgroup
        end = match.end()
        if kind == "space" or kind == "comment":
            at = end
            continue
        if kind == "newline":
            after_line = True
            at = end
            continue
        if kind == "block":
            at = _end_of_comment(tokens, file, text, at)
            continue
        word = match.group()
        if kind == "id":
            if word in KEYWORDS:
                if word == "include":
                    at = _include(tokens, file, path, text, end, including)
                    after_line = True
                    continue
                kind = word
        elif kind == "op":
            kind = word
        kinds.append(str(kind))
        texts.append(word)
        offsets.append(at)
        files.append(file)
        broken.append(after_line)
        after_line = False
        at = end


def _unreadable(tokens: Tokens, file: int, text: str, at: int) -> ModelError:
    span = tokens.span_at(file, at, at + 1)
    if text[at] == '"':
        return tokens.sources.error("this string does not end on its line", span, 'close it with "')
    if text[at] == "'":
        return tokens.sources.error("this is no character: one character stands between single quotes", span)
    return tokens.sources.error(f"the character {text[at]!r} has no meaning in CSP-M", span)


def _end_of_comment(tokens: Tokens, file: int, text: str, start: int) -> int:
    """Comments in braces nest."""
    depth, at = 0, start
    for match in re.compile(r"\{-|-\}").finditer(text, start):
        depth += 1 if match.group() == "{-" else -1
        at = match.end()
        if depth == 0:
            return at
    raise tokens.sources.error("this comment does not end", tokens.span_at(file, start, start + 2), "close it with -}")


_INCLUDED = re.compile(r'[ \t]*"([^"\n]*)"')


def _include(tokens: Tokens, file: int, path: str, text: str, at: int, including: tuple[str, ...]) -> int:
    match = _INCLUDED.match(text, at)
    if match is None:
        raise tokens.sources.error(
            "include wants a file name in double quotes", tokens.span_at(file, at - 7, at), 'write: include "file.csp"'
        )
    name = os.path.join(os.path.dirname(path), match.group(1))
    span = tokens.span_at(file, match.start(1), match.end(1))
    chain = (*including, os.path.abspath(path))
    if os.path.abspath(name) in chain or len(chain) > _DEEPEST_INCLUDE:
        raise tokens.sources.error(f"{match.group(1)} includes itself", span)
    if not os.path.isfile(name):
        raise tokens.sources.error(f"the file {name} does not exist", span)
    tokens.sources.admit(name, span)
    _tokenize(tokens, name, read_text(name), chain)
    return match.end()
