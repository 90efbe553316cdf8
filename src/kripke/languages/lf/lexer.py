"""Tokens of LF: Oberon's, with ``!`` and ``?`` for communication. Comments are ``(* ... *)`` and nest."""

from __future__ import annotations

import re
from typing import NamedTuple

from kripke.deadline import current
from kripke.model.source import ModelError, Sources, Span

_WORDS = (
    "ACCEPT ARRAY ASSERT BEGIN BY CHOICE CONST CREATE DEADLINE DEC DIV DO ELSE ELSIF END EXCL FALSE FOR IF IMPORT IN"
    " INC INCL MOD MODULE NEW NOMOVE OF OR PORT PORTIN PORTOUT PROCESS PROPERTY RECORD REPEAT RESCHEDULE SELECT THEN TO"
    " TRUE TYPE UNTIL VAR WHEN WHILE"
)
WORDS = frozenset(_WORDS.split())
_TOKEN = re.compile(
    r"""(?P<blank>[ \t\r\f\v]+)
      | (?P<newline>\n)
      | (?P<open>\(\*)
      | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<number>[0-9][0-9A-F]*[HX]|[0-9]+)(?![A-Za-z0-9_])
      | (?P<string>"[^"\n]*"|'[^'\n]*')
      | (?P<sign>:=|<=|>=|\.\.|[-+*/~&=\#<>(){}\[\].,;:!?|])
    """,
    re.VERBOSE,
)
LONGEST_TEXT = 4_000_000
LARGEST_NUMBER = (1 << 32) - 1


class Token(NamedTuple):
    """``kind``: "name", "word" (reserved), "number", "char" (``number`` is its value), "string", "sign", "end"."""

    kind: str
    text: str
    span: Span
    number: int = 0


def tokenize(path: str, text: str, sources: Sources) -> list[Token]:
    """All tokens of a text, ended by one of kind "end"."""
    sources.add(path, text)
    tokens: list[Token] = []
    at, line, start_of_line = 0, 1, 0
    deadline = current()

    def span(start: int, end: int) -> Span:
        column = start - start_of_line + 1
        return Span(path, line, column, line, column + end - start)

    while at < len(text):
        deadline()
        match = _TOKEN.match(text, at)
        if match is None:
            raise _strange(text, at, span, sources)
        start, at = at, match.end()
        kind, found = match.lastgroup, match.group()
        if kind == "newline":
            line, start_of_line = line + 1, at
        elif kind == "open":
            end = _end_of_comment(text, start)
            if end < 0:
                raise sources.error("this comment has no end", span(start, at), hint="close it with *)")
            lines = text.count("\n", start, end)
            if lines:
                line, start_of_line = line + lines, text.rindex("\n", start, end) + 1
            at = end
        elif kind == "name":
            tokens.append(Token("word" if found in WORDS else "name", found, span(start, at)))
        elif kind == "number":
            tokens.append(_number(found, span(start, at), sources))
        elif kind == "string":
            content = found[1:-1]
            if found[0] == "'" and len(content) != 1:
                raise sources.error("a character in single quotes is one character", span(start, at))
            if any(ord(character) > 255 for character in content):
                raise sources.error("a character has one byte; this one has more", span(start, at))
            one = len(content) == 1
            tokens.append(Token("char" if one else "string", content, span(start, at), ord(content) if one else 0))
        elif kind == "sign":
            tokens.append(Token("sign", found, span(start, at)))
    tokens.append(Token("end", "", span(len(text), len(text))))
    return tokens


def _number(text: str, span: Span, sources: Sources) -> Token:
    digits, base = (text[:-1], 16) if text[-1] in "HX" else (text, 10)
    value = int(digits, base) if len(digits) < 40 else LARGEST_NUMBER + 1
    if text[-1] == "X":
        if value > 255:
            raise sources.error(f"{text} is no character: they end at 0FFX", span)
        return Token("char", text, span, value)
    if value > LARGEST_NUMBER:
        raise sources.error(f"the number {text} is too large", span, hint="numbers have at most 32 bits")
    return Token("number", text, span, value)


def _end_of_comment(text: str, start: int) -> int:
    """The position after the comment that starts here; -1 where it does not end."""
    depth, at = 0, start
    while True:
        opening, closing = text.find("(*", at), text.find("*)", at)
        if 0 <= opening < closing:
            depth, at = depth + 1, opening + 2
        elif closing >= 0:
            depth, at = depth - 1, closing + 2
            if not depth:
                return at
        else:
            return -1


def _strange(text: str, at: int, span: object, sources: Sources) -> ModelError:
    assert callable(span)
    character = text[at]
    place = span(at, at + 1)
    if character in "\"'":
        return sources.error("this string has no end on its line", place)
    word = re.match(r"[A-Za-z0-9_]+", text[at:])
    if word is not None:
        return sources.error(
            f"{word.group()} is neither a name nor a number",
            span(at, at + word.end()),
            hint="names start with a letter; hexadecimal numbers start with a digit and end in H: 2FFH",
        )
    return sources.error(f"the character {character!r} does not belong to the language", place)
