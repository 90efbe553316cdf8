"""Promela in good form: levels indented, one space where one belongs. Line breaks stay as they are.

    do                              do
      ::x>0->x=x-1;   becomes       :: x > 0 -> x = x - 1;
    skip                               skip
     od                             od

Directives and C code are left alone. Whatever happens, the tokens of the text stay the same, and so do the comments.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from kripke.languages.editing.words import scan
from kripke.languages.promela.lexer import KEYWORDS, TYPES, Token, tokenize
from kripke.model.highlighting import Highlighting
from kripke.model.source import ModelError, Sources

_CLOSING: Final = {"{": "}", "(": ")", "[": "]", "do": "od", "if": "fi"}
_CLOSERS: Final = frozenset(_CLOSING.values())
_BINARY: Final = frozenset(
    {"=", "==", "!=", "<=", ">=", "&&", "||", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"}
)
_BINARY_OR_SIGN: Final = frozenset({"<", ">"})  # also a part of `<>` and of `c?<x>`
_ENDS_OPERAND: Final = frozenset({"name", "number", "char", ")", "]", "true", "false", "np_", "timeout"})
_BEGINS_OPERAND: Final = frozenset(
    {*("name", "number", "char", "(", "!", "-", "~", "true", "false", "len", "empty", "full", "nempty", "nfull", "run")}
)
_LEFT_ALONE: Final = frozenset({"ltl", "c_code", "c_expr", "c_decl", "c_state", "c_track"})


class _Piece(NamedTuple):
    """A token or a comment on a line; ``kind`` "comment" for the latter."""

    kind: str
    text: str
    start: int


def formatted(text: str, indent: str) -> str | None:
    """The text in good form; None where it has none, since it is not even made of tokens."""
    try:
        tokens = tokenize(text, "", Sources())
    except ModelError:
        return None
    result = _Formatter(text, tokens, indent).text()
    return result if _same_tokens(text, tokens, result) else None


def _same_tokens(text: str, tokens: Sequence[Token], result: str) -> bool:
    """A second look, which knows nothing of how the first result came about."""
    try:
        after = tokenize(result, "", Sources())
    except ModelError:
        return False
    if [(t.kind, t.text, t.line) for t in tokens] != [(t.kind, t.text, t.line) for t in after]:
        return False
    return [w.text.strip() for w in _comments(text)] == [w.text.strip() for w in _comments(result)]


def _comments(text: str) -> list[_Piece]:
    found = scan(text, Highlighting(KEYWORDS, TYPES, directives="#"))
    return [_Piece("comment", word.text, word.line) for word in found if word.kind == "comment"]


class _Formatter:
    def __init__(self, text: str, tokens: Sequence[Token], indent: str) -> None:
        self.lines = text.split("\n")
        self.indent = indent
        self.pieces: dict[int, list[_Piece]] = {}
        for token in tokens:
            self.pieces.setdefault(token.line - 1, []).append(
                _Piece(token.kind, self._written(token), token.column - 1)
            )
        self.inside_comment: set[int] = set()
        self._place_comments(text)
        self.kept = set(self._kept(tokens))
        #: what is open: the sign, and what the line it stands on begins with
        self.open: list[tuple[str, str]] = []

    def _written(self, token: Token) -> str:
        line = self.lines[token.line - 1]
        return line[token.column - 1 : token.end - 1]

    def _place_comments(self, text: str) -> None:
        last = -1
        for word in scan(text, Highlighting(KEYWORDS, TYPES, directives="#")):
            if word.kind != "comment":
                last = -1
                continue
            if word.line == last + 1 and word.character == 0 and not word.text.lstrip().startswith(("/*", "//")):
                self.inside_comment.add(word.line)
            self.pieces.setdefault(word.line, []).append(_Piece("comment", word.text, word.character))
            last = word.line if not word.text.rstrip().endswith("*/") and not word.text.startswith("//") else -1
        for pieces in self.pieces.values():
            pieces.sort(key=lambda piece: piece.start)

    def _kept(self, tokens: Sequence[Token]) -> Iterator[int]:
        """Lines that stay as they are: directives with their continuations, C code, lines that end in a backslash."""
        number = 0
        while number < len(self.lines):
            if self.lines[number].lstrip().startswith("#"):
                while self.lines[number].endswith("\\") and number + 1 < len(self.lines):
                    yield number
                    number += 1
                yield number
            elif self.lines[number].rstrip().endswith("\\"):
                yield number
                yield number + 1
            number += 1
        index = 0
        while index < len(tokens):
            token = tokens[index]
            index += 1
            if token.kind in _LEFT_ALONE and token.kind != "ltl":
                end = _end_of_block(tokens, index)
                if end > index and tokens[end - 1].line > token.line:
                    yield from range(token.line, tokens[end - 1].line)
                    index = end

    def text(self) -> str:
        return "\n".join(self._line(number) for number in range(len(self.lines)))

    def _line(self, number: int) -> str:
        line = self.lines[number]
        pieces = self.pieces.get(number, [])
        if number in self.kept:
            self._count([] if line.lstrip().startswith("#") else pieces, line[: len(line) - len(line.lstrip())])
            return line
        if not pieces:
            return line if line.strip() else ""
        start = self._start(pieces)
        if number in self.inside_comment:
            self._count(pieces, start)
            return line.rstrip()
        spaced = self._spaced(pieces)
        self._count(pieces, start)
        return start + spaced.rstrip()

    def _start(self, pieces: Sequence[_Piece]) -> str:
        """What a line begins with."""
        if not self.open:
            return ""
        first = pieces[0].kind
        sign, outside = self.open[-1]
        if first in _CLOSERS or (first == "::" and sign in ("do", "if")):
            return outside
        if sign in ("do", "if"):  # below the statement after `::`
            return outside + ("\t" if self.indent == "\t" else "   ")
        plain = [piece.kind for piece in pieces if piece.kind != "comment"]
        return outside if plain == ["name", ":"] else outside + self.indent

    def _count(self, pieces: Sequence[_Piece], start: str) -> None:
        """What the line opens and closes."""
        if pieces and pieces[0].kind == "::":
            start += "\t" if self.indent == "\t" else "   "
        for piece in pieces:
            if piece.kind in _CLOSING:
                self.open.append((piece.kind, start))
            elif piece.kind in _CLOSERS and self.open and _CLOSING[self.open[-1][0]] == piece.kind:
                self.open.pop()

    def _spaced(self, pieces: Sequence[_Piece]) -> str:
        parts = [pieces[0].text]
        alone = pieces[0].kind in _LEFT_ALONE
        for index in range(1, len(pieces)):
            before, piece = pieces[index - 1], pieces[index]
            alone = alone or piece.kind in _LEFT_ALONE
            written = " " * (piece.start - before.start - len(before.text))
            parts.append(written if alone else self._gap(pieces, index, written))
            parts.append(piece.text)
        return "".join(parts)

    def _gap(self, pieces: Sequence[_Piece], index: int, written: str) -> str:
        """What stands between a piece and the one before it."""
        before, piece = pieces[index - 1], pieces[index]
        if "comment" in (before.kind, piece.kind):
            return written or " "
        if piece.kind in (",", ";", ")", "]") or before.kind in ("(", "["):
            return ""
        if before.kind in (",", ";", "::") or "->" in (before.kind, piece.kind):
            return " "
        if (
            piece.kind == "{"
            or (before.kind == "{" and piece.kind != "}")
            or (piece.kind == "}" and before.kind != "{")
        ):
            return " "
        if _is_binary(pieces, index) or _is_binary(pieces, index - 1):
            return " "
        return " " if written else ""


def _is_binary(pieces: Sequence[_Piece], index: int) -> bool:
    kind = pieces[index].kind
    if (kind not in _BINARY and kind not in _BINARY_OR_SIGN) or index == 0 or index + 1 == len(pieces):
        return False
    if pieces[index - 1].kind not in _ENDS_OPERAND:
        return False
    return kind not in _BINARY_OR_SIGN or pieces[index + 1].kind in _BEGINS_OPERAND


def _end_of_block(tokens: Sequence[Token], index: int) -> int:
    """Just after the ``}`` that belongs to the next ``{``."""
    depth = 0
    while index < len(tokens):
        kind = tokens[index].kind
        index += 1
        if kind == "{":
            depth += 1
        elif kind == "}":
            depth -= 1
            if depth == 0:
                return index
        elif depth == 0 and kind not in ("[", "]") and kind == ";":
            return index - 1
    return index
