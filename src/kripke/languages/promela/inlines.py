"""Inlines: a body of tokens that takes the place of every call, arguments in the place of parameters."""

from __future__ import annotations

from typing import Final, NamedTuple

from kripke.languages.promela.lexer import SPACED, Token
from kripke.languages.promela.separators import separate_body

MOST_TOKENS: Final = 1_000_000


class Definition(NamedTuple):
    name: Token
    parameters: tuple[str, ...]
    body: list[Token]  # from `{` to `}`


def instantiate(definition: Definition, arguments: list[list[Token]]) -> list[Token]:
    """The body with arguments in the place of parameters, ready for the grammar.

    Any word that is a parameter is replaced, a field's name too, but not inside strings and C code. Arguments take the
    place of the parameter in the text: messages about the body show the body.
    """
    actual = dict(zip(definition.parameters, arguments, strict=True))
    out: list[Token] = []
    for token in definition.body:
        replacement = actual.get(token.text) if token.kind == "name" else None
        if replacement is None:
            out.append(token)
            continue
        lead = token.lead
        for part in replacement:
            new = Token(part.kind, part.text, token.file, token.line, token.column, token.end, lead)
            new.value = part.value
            out.append(new)
            lead = SPACED
    return separate_body(out)
