"""Promela text to tokens.

One scanner serves the preprocessor and the parser: words are words first (a macro may bear the name of a keyword), and
what looks odd is a token too, because it may stand in C code or in text that `#if` leaves out; the parser complains.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from kripke.deadline import current
from kripke.model.source import Sources, Span

KEYWORDS: Final = frozenset(
    """
    active assert atomic bit bool break byte c_code c_decl c_expr c_state c_track chan D_proctype d_step do else empty
    enabled eval false fi for full get_priority goto hidden if init inline int len local ltl mtype nempty never nfull
    notrace np_ od of pc_value pid printf printm priority proctype provided return run select set_priority short show
    skip timeout trace true typedef unless unsigned xr xs
    """.split()  # noqa: SIM905
)
"""`in` is missing: it is a keyword inside the head of a `for` only."""

TYPES: Final = frozenset({"bit", "bool", "byte", "chan", "int", "mtype", "pid", "short", "unsigned"})

# What stands between a token and the one before it: the `lead`.
GLUED: Final = 0
SPACED: Final = 1
WRAPPED: Final = 2  # a line end inside a comment, or after a backslash
FRESH: Final = 3  # a line end proper: this token starts a line, `#` here starts a directive


class CText(NamedTuple):
    """A block of C: its text, the precondition before it, where it all stands, the line of its first word."""

    text: str
    precondition: str | None
    span: Span
    line: int


class Token:
    """`kind` is "name", "number", "string", "char", "end", or for keywords and punctuation the text itself.

    Line and column are where a user should look: for a token out of a macro, the place of the macro's use.
    `value` is set on folded tokens only (C code).
    """

    __slots__ = ("column", "end", "file", "kind", "lead", "line", "painted", "text", "value")

    def __init__(self, kind: str, text: str, file: str, line: int, column: int, end: int, lead: int) -> None:
        self.kind = kind
        self.text = text
        self.file = file
        self.line = line
        self.column = column
        self.end = end
        self.lead = lead
        self.painted = False  # the name of a macro met while that macro was being expanded: never expanded again
        self.value: CText | None = None

    def __repr__(self) -> str:
        return f"Token({self.kind!r}, {self.text!r}, {self.line}:{self.column})"

    @property
    def span(self) -> Span:
        return Span(self.file, self.line, self.column, self.line, self.end)


_TOKEN = re.compile(
    r"""
    ([ \t\r\f\v\x1a]*)
    (?: ([A-Za-z_][A-Za-z0-9_]*(?:\\\n[A-Za-z0-9_]+)*)                       # 2 a word, perhaps over several lines
      | ([0-9][A-Za-z0-9_]*)                                                # 3 a number, or what looks like one in C
      | (//(?:\\\n|[^\n])*)                                                 # 4 a comment
      | (/\*.*?\*/)                                                         # 5 a comment, perhaps over several lines
      | (\n)                                                                # 6
      | ("(?:[^"\\\n]|\\.)*")                                               # 7 a string
      | ('(?:[^'\\\n]|\\[^\n])+')                                           # 8 a character
      | (\\\n)                                                              # 9 a line that goes on
      | (-->|->|--|\+\+|::|\.\.|<<|>>|<=|>=|==|!=|!!|\?\?|&&|\|\||\#\#|/\*)     # 10
      | (\$[^$\n]*\$)                                                       # 11 a string in SPIN's old style
      | ([^ \t\r\f\v\x1a])                                                      # 12 anything else is a sign of its own
    )""",
    re.VERBOSE | re.DOTALL,
)


def tokenize(text: str, file: str, sources: Sources) -> list[Token]:
    """All tokens of a text, comments and white space left out."""
    tokens: list[Token] = []
    append = tokens.append
    deadline = current()
    line, line_start, lead = 1, 0, FRESH
    for match in _TOKEN.finditer(text):
        group = match.lastindex or 1
        if group == 6:
            line += 1
            line_start = match.end()
            lead = FRESH
            if line % 64 == 0:
                deadline()
            continue
        if match.end(1) > match.start() and lead == GLUED:
            lead = SPACED
        if group == 1:
            continue
        word = match.group(group)
        start = match.start(group)
        column = start - line_start + 1
        if group == 2:
            if "\n" in word:
                end = column + word.index("\\")
                line_start = start + word.rindex("\n") + 1
                breaks, word = word.count("\n"), word.replace("\\\n", "")
                append(Token(word if word in KEYWORDS else "name", word, file, line, column, end, lead))
                line += breaks
            else:
                append(Token(word if word in KEYWORDS else "name", word, file, line, column, column + len(word), lead))
        elif group == 10 or group == 12:
            if word == "/*":
                raise sources.error("this comment is never closed", Span(file, line, column, line, column + 2))
            kind = "->" if word == "-->" else word  # SPIN's scanner takes both for an arrow
            append(Token(kind, word, file, line, column, column + len(word), lead))
        elif group == 3:
            append(Token("number", word, file, line, column, column + len(word), lead))
        elif group in (7, 8, 11):
            kind = "char" if group == 8 else "string"
            breaks = word.count("\n")
            shown = word.replace("\\\n", "") if breaks else word
            append(Token(kind, shown, file, line, column, column + len(word.split("\n", 1)[0]), lead))
            if breaks:
                line += breaks
                line_start = start + word.rindex("\n") + 1
        else:
            lead = max(lead, SPACED)
            breaks = word.count("\n")
            if breaks:
                line += breaks
                line_start = start + word.rindex("\n") + 1
                lead = max(lead, WRAPPED)
            continue
        lead = GLUED
    return tokens


def written(tokens: list[Token]) -> str:
    """Tokens as text again: C code after preprocessing, the message of an `#error`. Lines stay lines."""
    parts: list[str] = []
    line = tokens[0].line if tokens else 0
    for token in tokens:
        if token.lead >= WRAPPED:
            parts.append("\n" * max(1, token.line - line) + " " * (token.column - 1))
            line = token.line
        elif token.lead == SPACED:
            parts.append(" ")
        parts.append(token.text)
    return "".join(parts)
