"""Tokens of Maria's language, with the preprocessor: directives start with ``#`` in column one, symbols are flags."""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from kripke.deadline import current
from kripke.model.source import ModelError, Sources, Span

_WORDS = (
    "atom cardinality const deadlock empty enabled enum equals false fatal gate hide id in infinite intersect is map"
    " max min minus out place prop queue reject release stack strongly_fair struct subnet subset trans true typedef"
    " undefined union until weakly_fair"
)
WORDS = frozenset(_WORDS.split())
_TOKEN = re.compile(
    r"""(?P<blank>[ \t\r\f\v]+)
      | (?P<newline>\n)
      | (?P<comment>//[^\n]*|/\*(?s:.*?)\*/)
      | (?P<open>/\*)
      | (?P<name>(?:[A-Za-z_]|\\(?s:.))(?:[A-Za-z0-9_]|\\(?s:.))*)
      | (?P<quoted>"(?:[^"\\]|\\(?s:.))*")
      | (?P<number>0[xX][0-9a-fA-F]+|[0-9]+)(?![A-Za-z0-9_])
      | (?P<char>'(?:[^'\\\n]|\\(?:[0-7]{1,3}|x[0-9a-fA-F]{1,2}|[^0-7x\n]))')
      | (?P<sign><=>|=>|\^\^|\|\||&&|<>|\[\]|\(\)|==|!=|>=|<=|<<|>>|\.\.|[-+*/%~&^|!?:;,.=<>(){}\[\]\#])
    """,
    re.VERBOSE,
)
_DIRECTIVE = re.compile(r"#[ \t]*(?P<word>[A-Za-z]+|!)?(?P<rest>[^\n]*)")
_CONDITION = re.compile(r"^#[ \t]*(ifdef|ifndef|else|endif)\b([^\n]*)", re.MULTILINE)
_SYMBOL = re.compile(r"[ \t]+([A-Za-z_]\w*)[ \t\r]*(?://.*|/\*.*)?$")
_FILE = re.compile(r'[ \t]*"([^"]*)"[ \t\r]*(?://.*|/\*.*)?$')
_LINE = re.compile(r'[ \t]+([0-9]+)[ \t]*(?:"([^"]*)")?[ \t\r]*(?://.*|/\*.*)?$')
_REST = re.compile(r"[ \t\r]*(?://.*|/\*.*)?$")
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_ESCAPE = re.compile(r"\\([0-7]{1,3}|x[0-9a-fA-F]{1,2}|(?s:.))")
_DEEPEST_INCLUDE = 50
_LARGEST = (1 << 32) - 1
LONGEST_TEXT = 4_000_000  # bytes of a file
_MOST_TOKENS = 2_000_000  # of a net, with all files it includes


class Token(NamedTuple):
    """``kind`` is "name", "number", "char", "word" (reserved), "sign" or "end"; ``number`` of the second and third."""

    kind: str
    text: str
    span: Span
    number: int = 0


@dataclass
class _Conditional:
    """An open #ifdef."""

    span: Span
    otherwise: bool = False


def tokenize(
    path: str, text: str, sources: Sources, symbols: set[str], include_paths: Sequence[str] = ()
) -> list[Token]:
    """All tokens of a file and those it includes, ended by one of kind "end". ``symbols`` are the defined flags."""
    sources.add(path, text)
    lexer = _Lexer(path, text, sources, symbols, include_paths, 0)
    tokens = list(islice(lexer.tokens(), _MOST_TOKENS))
    if len(tokens) == _MOST_TOKENS:
        raise ModelError(f"{path}, with the files it includes, is too long")
    tokens.append(Token("end", "", lexer.span(len(text), len(text))))
    return tokens


def read_text(path: str) -> str:
    """The text of a file: UTF-8 where it is, else Latin-1, as the tool's own examples are."""
    try:
        if os.path.getsize(path) > LONGEST_TEXT:
            raise ModelError(
                f"{path} has more than {LONGEST_TEXT:,} bytes, which is too long for a net in this language"
            )
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror}") from error
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n")


class _Lexer:
    def __init__(
        self,
        path: str,
        text: str,
        sources: Sources,
        symbols: set[str],
        include_paths: Sequence[str],
        depth: int,
    ) -> None:
        self.path = self.file = path
        self.text = text
        self.sources = sources
        self.symbols = symbols
        self.include_paths = include_paths
        self.depth = depth
        self.line, self.line_start = 1, 0
        self.conditionals: list[_Conditional] = []

    def span(self, start: int, end: int) -> Span:
        column = start - self.line_start + 1
        return Span(self.file, self.line, column, self.line, column + end - start)

    def _advance(self, start: int, end: int) -> None:
        """Count the lines in a piece of text."""
        count = self.text.count("\n", start, end)
        if count:
            self.line += count
            self.line_start = self.text.rindex("\n", start, end) + 1

    def tokens(self) -> Iterator[Token]:
        at, text, deadline = 0, self.text, current()
        while at < len(text):
            deadline()
            if text[at] == "#" and at == self.line_start:
                at = yield from self._directive(at)
                continue
            match = _TOKEN.match(text, at)
            if match is None:
                raise self._strange(at)
            kind, start, at = match.lastgroup, at, match.end()
            if kind in ("blank",):
                continue
            if kind in ("newline", "comment"):
                self._advance(start, at)
                continue
            if kind == "open":
                raise self.sources.error("this comment has no end", self.span(start, at))
            token = self._token(str(kind), match.group(), self.span(start, at))
            self._advance(start, at)
            yield token
        if self.conditionals:
            raise self.sources.error("this condition has no #endif", self.conditionals[-1].span)

    def _strange(self, at: int) -> ModelError:
        character = self.text[at]
        if character == '"':
            return self.sources.error("this name has no closing quote", self.span(at, at + 1))
        if character == "'":
            return self.sources.error("this is no character constant", self.span(at, at + 1), "'c', '\\n', '\\x41'")
        if character.isdigit():
            return self.sources.error("this is no number", self.span(at, at + 1))
        return self.sources.error(f"a character that has no meaning here: {character!r}", self.span(at, at + 1))

    def _token(self, kind: str, text: str, span: Span) -> Token:
        match kind:
            case "name":
                name = _ESCAPE.sub(lambda match: match[1], re.sub(r"\\\n[ \t]*", "", text))
                return Token("word" if text in WORDS else "name", name, span)
            case "quoted":
                return Token("name", _unescaped(re.sub(r"\\\n[ \t]*", "", text[1:-1])), span)
            case "number":
                base = 16 if text[:2].lower() == "0x" else 8 if text[0] == "0" and len(text) > 1 else 10
                try:
                    number = int(text, base)
                except ValueError:
                    raise self.sources.error("this is no octal number", span) from None
                if number > _LARGEST:
                    raise self.sources.error(f"a number above {_LARGEST:,}", span)
                return Token("number", text, span, number)
            case "char":
                number = ord(_unescaped(text[1:-1]))
                if number > 255:
                    raise self.sources.error("a character beyond the 256 there are", span)
                return Token("char", text, span, number)
            case _:
                return Token("sign", text, span)

    # --- directives ---------------------------------------------------------------------------------------------------

    def _directive(self, at: int) -> Generator[Token, None, int]:
        match = _DIRECTIVE.match(self.text, at)
        assert match is not None
        word, rest, end = match["word"] or "", match["rest"], match.end()
        span = self.span(at, end)
        if word == "!":
            return end
        if word in ("define", "undef", "ifdef", "ifndef"):
            symbol = _SYMBOL.match(rest)
            if symbol is None:
                hint = "symbols are flags: they have no value" if word == "define" else None
                raise self.sources.error(f"#{word} takes one name", span, hint)
            return self._flag(word, symbol[1], span, end)
        if word in ("else", "endif"):
            self._checked_rest(rest, word, span)
            return self._close(word, span, end)
        if word == "include":
            file = _FILE.match(rest)
            if file is None:
                raise self.sources.error('#include takes a file name: #include "file"', span)
            yield from self._include(file[1], span)
            return end
        if word == "line":
            line = _LINE.match(rest)
            if line is None:
                raise self.sources.error('#line takes a number and a file name: #line 3 "file"', span)
            self.file = line[2] if line[2] is not None else self.file
            lines = self.text.split("\n")
            self.sources.add_alias(self.file, int(line[1]), lines, self.text.count("\n", 0, end) + 1)
            self.line = int(line[1]) - 1
            return end
        raise self.sources.error(f"there is no directive #{word}", span, "there is no #if and no macro expansion")

    def _checked_rest(self, rest: str, word: str, span: Span) -> None:
        if not _REST.match(rest):
            raise self.sources.error(f"#{word} takes no name", span, "write it as a comment: // NAME")

    def _flag(self, word: str, symbol: str, span: Span, end: int) -> int:
        if word == "define":
            self.symbols.add(symbol)
        elif word == "undef":
            self.symbols.discard(symbol)
        else:
            self.conditionals.append(_Conditional(span))
            if (symbol in self.symbols) != (word == "ifdef"):
                return self._skip(end)
        return end

    def _close(self, word: str, span: Span, end: int) -> int:
        if not self.conditionals:
            raise self.sources.error(f"#{word} without #ifdef", span)
        if word == "endif":
            self.conditionals.pop()
            return end
        self._else(span)
        return self._skip(end)

    def _else(self, span: Span) -> None:
        if self.conditionals[-1].otherwise:
            raise self.sources.error("a second #else", span)
        self.conditionals[-1].otherwise = True

    def _skip(self, at: int) -> int:
        """Past the part that is left out: after its #else, or its #endif."""
        depth = 0
        for match in _CONDITION.finditer(self.text, at):
            word = match[1]
            self._advance(at, match.start())
            at = match.start()
            span = self.span(at, match.end())
            if word in ("ifdef", "ifndef"):
                depth += 1
            elif word == "endif":
                if depth == 0:
                    self.conditionals.pop()
                    return match.end()
                depth -= 1
            elif depth == 0:
                self._else(span)
                return match.end()
        raise self.sources.error("this condition has no #endif", self.conditionals[-1].span)

    def _include(self, name: str, span: Span) -> Iterator[Token]:
        if self.depth >= _DEEPEST_INCLUDE:
            raise self.sources.error("files include each other too deeply", span)
        folders = [os.path.dirname(self.path), *self.include_paths]
        for folder in folders:
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                break
        else:
            raise self.sources.error(f"cannot find {name}", span, "-I names folders to look in")
        self.sources.admit(path, span, self.include_paths)
        text = read_text(path)
        self.sources.add(path, text)
        inner = _Lexer(path, text, self.sources, self.symbols, self.include_paths, self.depth + 1)
        yield from inner.tokens()


def _unescaped(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        escape = match[1]
        if escape[0] == "x" and len(escape) > 1:
            return chr(int(escape[1:], 16))
        if escape[0] in "01234567":
            return chr(int(escape, 8) & 255)
        return _ESCAPES.get(escape, escape)

    return _ESCAPE.sub(character, text)
