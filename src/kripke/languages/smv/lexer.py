"""Words and signs of an SMV file."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from kripke.deadline import current
from kripke.model.source import Sources, Span

# A name may have $, # and - in it, as in NuSMV; a minus sign before a word needs a space where it is a subtraction.
_TOKEN: Final = re.compile(
    r"""(?P<space>\s+|--[^\n]*|/--.*?--/)
      | (?P<constant>0[us]?[bBoOdDhH]\d*_[0-9a-fA-F_]+)
      | (?P<real>\d+\.\d+(?:[eE][+-]?\d+)?|[fF]'\d+/\d+)
      | (?P<number>\d+)
      | (?P<name>[A-Za-z_][A-Za-z0-9_$\#-]*)
      | (?P<sign>:=|::|\.\.|<->|->|!=|<=|>=|<<|>>|[-+*/<>=!&|?:;,.(){}\[\]\\"])""",
    re.VERBOSE | re.DOTALL,
)

KEYWORDS: Final = frozenset(
    {
        "MODULE", "DEFINE", "MDEFINE", "CONSTANTS", "VAR", "IVAR", "FROZENVAR", "INIT", "TRANS", "INVAR", "SPEC",
        "CTLSPEC", "LTLSPEC", "PSLSPEC", "COMPUTE", "NAME", "INVARSPEC", "FAIRNESS", "JUSTICE", "COMPASSION", "ISA",
        "ASSIGN", "CONSTRAINT", "SIMPWFF", "CTLWFF", "LTLWFF", "PSLWFF", "COMPWFF", "IN", "MIN", "MAX", "MIRROR",
        "PRED", "PREDICATES", "FUN", "PARSYNTH", "process", "array", "of", "boolean", "integer", "real", "clock",
        "word", "word1", "bool", "signed", "unsigned", "extend", "resize", "sizeof", "uwconst", "swconst", "EX", "AX",
        "EF", "AF", "EG", "AG", "E", "A", "F", "O", "G", "H", "X", "Y", "Z", "U", "S", "V", "T", "BU", "EBF", "ABF",
        "EBG", "ABG", "case", "esac", "mod", "next", "init", "union", "in", "xor", "xnor", "self", "TRUE", "FALSE",
        "count", "abs", "max", "min", "toint", "floor", "READ", "WRITE", "CONSTARRAY", "typeof", "READONLY",
    }
)  # fmt: skip

TYPES: Final = frozenset({"boolean", "integer", "real", "clock", "word", "array", "of", "signed", "unsigned"})


class Token(NamedTuple):
    """``kind``: name, number, constant (of a word), real, end; of a sign or keyword the text itself."""

    kind: str
    text: str
    start: int
    end: int
    span: Span


def tokens_of(text: str, file: str, sources: Sources) -> list[Token]:
    """Every token, and one for the end."""
    tokens: list[Token] = []
    at, line, line_start = 0, 1, 0
    deadline = current()
    while at < len(text):
        deadline()
        match = _TOKEN.match(text, at)
        if match is None:
            place = Span(file, line, at - line_start + 1, line, at - line_start + 2)
            if text.startswith("/--", at):
                raise sources.error("this comment has no end", place, "close it with --/")
            if text.startswith(("//", "/*"), at):
                raise sources.error("this is no comment of SMV", place, "a comment starts with --")
            raise sources.error(f"{text[at]!r} means nothing here", place, _habit(text[at]))
        found, group = match[0], str(match.lastgroup)
        if group == "name" and found[-1] == "-" and text.startswith(">", match.end()):
            found = found.rstrip("-")  # a-> b: an arrow, no name that ends in a minus sign
        elif group == "name" and "-" in found and "--" in found:
            found = found[: found.index("--")]  # the rest is a comment
        end = at + len(found)
        if group == "space":
            breaks = found.count("\n")
            if breaks:
                line += breaks
                line_start = at + found.rindex("\n") + 1
        else:
            column = at - line_start + 1
            kind = found if group == "sign" or (group == "name" and found in KEYWORDS) else group
            tokens.append(Token(kind, found, at, end, Span(file, line, column, line, column + len(found))))
        at = end
    column = at - line_start + 1
    tokens.append(Token("end", "", at, at, Span(file, line, column, line, column + 1)))
    return tokens


def _habit(character: str) -> str | None:
    return {"%": "the remainder is written mod", "~": "not is written !", "^": "exclusive or is written xor"}.get(
        character
    )
