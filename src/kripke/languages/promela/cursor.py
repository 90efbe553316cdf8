"""A place in a list of tokens, and the errors that are raised there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NoReturn

from kripke.languages.promela.lexer import KEYWORDS, Token
from kripke.model.source import Diagnostic, ModelError, Sources, Span

DEEPEST: Final = 150
"""Levels of blocks, options and parentheses inside one another; SPIN itself stops at 128 blocks."""


def end_token(tokens: list[Token], file: str) -> Token:
    last = tokens[-1] if tokens else Token("end", "", file, 1, 1, 1, 0)
    return Token("end", "", last.file, last.line, last.end, last.end + 1, 3)


class Cursor:
    """Walks through tokens. The last token is always "end", and is never passed."""

    def __init__(self, tokens: list[Token], file: str, sources: Sources) -> None:
        self.sources = sources
        self.warnings: list[Diagnostic] = []
        self.depth = 0
        self.tokens = [*tokens, end_token(tokens, file)]
        self.index = 0
        self.token = self.tokens[0]
        self.previous = self.token

    def goto(self, tokens: list[Token], index: int) -> None:
        """Go on at another place, perhaps in other tokens."""
        self.tokens = tokens
        self.index = index
        self.token = tokens[index]

    def advance(self) -> Token:
        token = self.token
        self.previous = token
        self.index += 1
        self.token = self.tokens[self.index]
        return token

    def next_kind(self) -> str:
        return self.tokens[self.index + 1].kind if self.token.kind != "end" else "end"

    def accept(self, kind: str) -> bool:
        if self.token.kind != kind:
            return False
        self.advance()
        return True

    def expect(self, kind: str, hint: str | None = None) -> Token:
        if self.token.kind != kind:
            self.fail(f"expected '{kind}', found {described(self.token)}", hint=hint)
        return self.advance()

    def name(self, what: str) -> str:
        if self.token.kind != "name":
            hint = f"'{self.token.text}' is a keyword of Promela" if self.token.kind in KEYWORDS else None
            self.fail(f"expected {what}, found {described(self.token)}", hint=hint)
        return self.advance().text

    def span_from(self, start: Token) -> Span:
        """From a token to the one just passed."""
        end = self.previous
        if end.line < start.line or end.file != start.file or (end.line == start.line and end.end < start.end):
            end = start
        return Span(start.file, start.line, start.column, end.line, end.end)

    def descend(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            self.fail(f"nested too deeply: more than {DEEPEST} levels")

    def fail(self, message: str, at: Token | None = None, hint: str | None = None) -> NoReturn:
        raise self.error(message, at or self.token, hint)

    def error(self, message: str, at: Token, hint: str | None = None) -> ModelError:
        return self.sources.error(message, at.span, hint)

    def warn(self, message: str, span: Span, hint: str | None = None) -> None:
        self.warnings.append(Diagnostic(message, span, hint))


def described(token: Token) -> str:
    if token.kind == "end":
        return "the end of the text"
    if token.kind == ";" and not token.text:
        return "the end of the line"
    if token.kind == '"':
        return "a string that is not closed"
    return f"'{token.text}'"


def similar(word: str, words: Iterable[str]) -> str | None:
    """The one of the words that `word` is most likely a slip of."""
    import difflib  # slow to import, and needed only for errors

    matches = difflib.get_close_matches(word, sorted(words), 1, 0.6)
    return matches[0] if matches else None
