"""What SPIN's scanner does between the preprocessor and the grammar: C code becomes one token, and semicolons that a
line end or a `}` stands for are put in.

SPIN makes most semicolons optional. It takes one as read
- inside a body or typedef, outside parentheses, at a line end after a token that can end a statement;
- after `}`, except before a token that closes or goes on with something;
- after `else`.
"""

from __future__ import annotations

from typing import Final

from kripke.languages.promela.lexer import WRAPPED, CText, Token, written
from kripke.model.source import Sources, Span

_C_TEXT: Final = frozenset({"c_code", "c_decl", "c_expr"})
_BODY: Final = frozenset({"proctype", "D_proctype", "init", "never", "trace", "notrace", "typedef"})
_ENDS_STATEMENT: Final = frozenset(
    {
        *("}", ")", "]", "od", "fi", "else", "break", "c_code", "c_decl", "c_expr"),
        *("name", "number", "char", "true", "false", "skip", "timeout", "np_", "++", "--"),
    }
)
_NEVER_BEFORE: Final = frozenset({"::", "fi", "od", "}", "unless", ";", "->", "end"})
"""No semicolon before these: SPIN puts none there either, or its grammar passes over it."""
_NEVER_AFTER_BRACE: Final = _NEVER_BEFORE | {"proctype", "init", "never", ",", ")"}


def fold_c(tokens: list[Token], sources: Sources) -> list[Token]:
    """`c_code [..] {..}` and the like as one token each, the text in its `value`."""
    if not any(token.kind in _C_TEXT for token in tokens):
        return tokens
    out: list[Token] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        index += 1
        out.append(token)
        if token.kind not in _C_TEXT:
            continue
        precondition = None
        if index < len(tokens) and tokens[index].kind == "[":
            stop = _closing(tokens, index, "[", "]", token, sources)
            precondition = written(tokens[index + 1 : stop]).strip()
            index = stop + 1
        if index == len(tokens) or tokens[index].kind != "{":
            raise sources.error(f"'{token.kind}' needs C code in braces after it", token.span)
        stop = _closing(tokens, index, "{", "}", token, sources)
        # A directive for the C compiler is written `\#` to get it past the preprocessor.
        text = written(tokens[index + 1 : stop]).replace("\\#", "\n#").strip()
        end = tokens[stop]
        whole = Span(token.file, token.line, token.column, max(end.line, token.line), end.end)
        token.value = CText(text, precondition, whole if end.file == token.file else token.span, tokens[index + 1].line)
        index = stop + 1
    return out


def _closing(tokens: list[Token], start: int, opening: str, closing: str, keyword: Token, sources: Sources) -> int:
    depth = 0
    for index in range(start, len(tokens)):
        kind = tokens[index].kind
        if kind == opening:
            depth += 1
        elif kind == closing:
            depth -= 1
            if depth == 0:
                return index
    raise sources.error(f"the '{opening}' after this '{keyword.kind}' is never closed", keyword.span)


def separate_module(tokens: list[Token]) -> list[Token]:
    """A whole text with the semicolons put in. Bodies of inlines stay as they are: they are treated at every call."""
    out: list[Token] = []
    index, total = 0, len(tokens)
    body_expected = False
    while index < total:
        token = tokens[index]
        kind = token.kind
        if kind in _BODY:
            body_expected = True
        if kind == "{" and body_expected:
            stop = matching_brace(tokens, index)
            out += separate_body(tokens[index : stop + 1])
            body_expected = False
        elif kind in ("inline", "ltl"):
            while index < total and tokens[index].kind != "{":
                out.append(tokens[index])
                index += 1
            stop = matching_brace(tokens, index)
            out += tokens[index : stop + 1]
        else:
            out.append(token)
            stop = index
        index = stop + 1
    return out


def matching_brace(tokens: list[Token], start: int) -> int:
    """The index of the `}` for the `{` at `start`, or of the last token."""
    depth = 0
    for index in range(start, len(tokens)):
        kind = tokens[index].kind
        if kind == "{":
            depth += 1
        elif kind == "}":
            depth -= 1
            if depth == 0:
                return index
    return len(tokens) - 1


def separate_body(tokens: list[Token]) -> list[Token]:
    """The tokens from a `{` to its `}`, with the semicolons put in (their text is empty)."""
    out: list[Token] = []
    append = out.append
    parentheses = 0
    previous: Token | None = None
    before = ""
    for token in tokens:
        kind = token.kind
        if previous is not None and (
            (token.lead >= WRAPPED and before in _ENDS_STATEMENT and parentheses == 0 and kind not in _NEVER_BEFORE)
            or (before == "}" and kind not in _NEVER_AFTER_BRACE)
            or (before == "else" and kind not in _NEVER_BEFORE)
        ):
            append(Token(";", "", previous.file, previous.line, previous.end, previous.end, 0))
        if kind == "(":
            parentheses += 1
        elif kind == ")" and parentheses:
            parentheses -= 1
        append(token)
        previous = token
        before = kind
    return out
