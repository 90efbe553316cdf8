"""Formulas as text, in all of SPIN's spellings and the usual ones of the literature.

Loosest first: `->` `<->`, then `||`, `&&`, then `U V R W M P since triggered`, then `! [] <> X F G` and, of the past,
`previously weakpreviously once historically`; operators of the same strength
group to the left, as in SPIN. An atom is a name, or any text in double quotes; a front end that has atoms of its own
gives a function that reads them, or builds the formula from its own syntax tree with the functions of `formula`. In
the place of a formula there may be a specification pattern by name: `response(p, s) after q` (see `patterns`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Final, NamedTuple

from kripke.logic.formula import FALSE, MAKERS, TRUE, Formula, atom, conjunction, disjunction

if TYPE_CHECKING:
    from kripke.model.source import ModelError

AtomReader = Callable[[str, int], "tuple[Hashable, int] | None"]
"""Given the text and a position: the atom that starts there and the position after it, or None."""

_DEEPEST: Final = 100

_TOKEN: Final = re.compile(
    r"""\s*(?:
        (?P<word> [A-Za-z_]\w* )
      | (?P<number> \d+ )
      | (?P<sign> <-> | <=> | -> | => | \[\] | <> | \(\) | && | \|\| | /\\ | \\/ | [!~&|(),] )
      | (?P<quoted> "(?P<inside>[^"]*)" )
    )""",
    re.VERBOSE,
)
_WORDS: Final = {
    "always": "G", "eventually": "F", "next": "X", "until": "U", "stronguntil": "U", "weakuntil": "W", "release": "R",
    "implies": "->", "equivalent": "<->", "U": "U", "V": "R", "R": "R", "W": "W", "M": "M", "P": "P",
    "X": "X", "F": "F", "G": "G", "not": "not", "and": "and", "or": "or", "precedes": "P",
}  # fmt: skip
_SIGNS: Final = {
    "[]": "G", "<>": "F", "()": "X", "!": "not", "~": "not", "&&": "and", "&": "and", "/\\": "and", "||": "or",
    "|": "or", "\\/": "or", "->": "->", "=>": "->", "<->": "<->", "<=>": "<->",
}  # fmt: skip
_STRENGTH: Final = {"->": 1, "<->": 1, "or": 2, "and": 3, "U": 4, "R": 4, "W": 4, "M": 4, "P": 4, "S": 4, "T": 4}
_UNARY: Final = frozenset({"not", "X", "F", "G", "Y", "Z", "O", "H"})
_OF_PAST: Final = {"previously": "Y", "weakpreviously": "Z", "once": "O", "historically": "H"}
_BETWEEN_PAST: Final = {"since": "S", "triggered": "T"}
_BETWEEN: Final = "|".join((*(word for word in _WORDS if _WORDS[word] in _STRENGTH), *_BETWEEN_PAST))
# A word for the past is a name as well, unless an operand follows.
_OPERAND: Final = re.compile(rf"""\s*(?!(?:{_BETWEEN})\b)(?:[\w(!~"]|\[\]|<>)""")


def parse(text: str, file: str = "formula", read_atom: AtomReader | None = None) -> Formula:
    """The formula a text says. Raises ModelError with the place of what is wrong."""
    parser = _Parser(text, file, read_atom)
    formula = parser.binary(1)
    if parser.token.kind != "end":
        raise parser.error(f"expected an operator or the end of the formula, found {parser.token.shown}")
    return formula


class _Token(NamedTuple):
    kind: str  # an operator as in Formula.operator, ( ) true false atom end
    shown: str
    start: int
    end: int
    atom: Hashable = None


class _Parser:
    def __init__(self, text: str, file: str, read_atom: AtomReader | None) -> None:
        self.text = text
        self.file = file
        self.read_atom = read_atom
        self.depth = 0
        self.pending: list[_Token] = []
        self.behind_arguments = False
        self.token = self.read(0)

    # --- tokens -------------------------------------------------------------------------------------------------------

    def advance(self) -> _Token:
        token = self.token
        self.token = self.pending.pop() if self.pending else self.read(token.end)
        return token

    def read(self, position: int) -> _Token:
        text = self.text
        while position < len(text) and text[position].isspace():
            position += 1
        if position == len(text):
            return _Token("end", "the end of the formula", position, position)
        match = _TOKEN.match(text, position)
        if match is not None and match["sign"]:
            sign = match["sign"]
            return _Token(_SIGNS.get(sign, sign), f"'{sign}'", position, match.end())
        if match is not None and match["word"]:
            word = match["word"]
            operator = _WORDS.get(word) or (word if word in ("true", "false") else None)
            if operator is None and _OPERAND.match(text, match.end()):
                operator = _OF_PAST.get(word) or _BETWEEN_PAST.get(word)
            if operator is not None:
                return _Token(operator, f"'{word}'", position, match.end())
            if not word.strip("FGX"):
                return self.run_of_operators(word, position)
        if self.read_atom is not None and not self.is_pattern(match):
            found = self.read_atom(text, position)
            if found is not None:
                return _Token("atom", f"'{text[position : found[1]]}'", position, found[1], found[0])
        if match is None:
            raise self.error(f"'{text[position]}' means nothing in a formula", position, position + 1)
        if match["number"]:
            if match["number"] in ("0", "1"):
                return _Token("true" if match["number"] == "1" else "false", match["number"], position, match.end())
            hint = 'put conditions on variables into double quotes: "x == 2"'
            raise self.error(f"the number {match['number']} is no condition", position, match.end(), hint)
        name = match["word"] or match["inside"].strip()
        if not name:
            raise self.error("there is nothing between the quotes", position, match.end())
        return _Token("atom", f"'{name}'", position, match.end(), name)

    def is_pattern(self, match: re.Match[str] | None) -> bool:
        """The name of a pattern before its arguments, or of a scope behind them: no atom of the front end's."""
        if match is None or not match["word"]:
            return False
        if self.behind_arguments:
            return match["word"] in ("globally", "before", "after", "between")
        from kripke.logic.patterns import PATTERNS

        return match["word"] in PATTERNS and self.text[match.end() :].lstrip().startswith("(")

    def run_of_operators(self, word: str, position: int) -> _Token:
        """`GF p`, `XX p`"""
        tokens = [_Token(letter, f"'{letter}'", position + i, position + i + 1) for i, letter in enumerate(word)]
        self.pending = tokens[:0:-1]
        return tokens[0]

    def error(self, message: str, start: int = -1, end: int = -1, hint: str | None = None) -> ModelError:
        from kripke.model.source import Sources, Span

        if start < 0:
            start, end = self.token.start, self.token.end
        lines = self.text[:start].split("\n")
        line, column = len(lines), len(lines[-1]) + 1
        sources = Sources()
        sources.add(self.file, self.text)
        width = max(end - start, 1) if "\n" not in self.text[start:end] else 1
        return sources.error(message, Span(self.file, line, column, line, column + width), hint)

    # --- grammar ------------------------------------------------------------------------------------------------------

    def binary(self, lowest: int) -> Formula:
        left = self.unary()
        while (strength := _STRENGTH.get(self.token.kind, 0)) >= lowest:
            operator = self.token.kind
            if operator in ("and", "or"):
                operands = [left]
                while self.token.kind == operator:
                    self.advance()
                    operands.append(self.binary(strength + 1))
                left = conjunction(operands) if operator == "and" else disjunction(operands)
            else:
                sign = self.advance()
                left = MAKERS[operator](left, self.binary(strength + 1))
                if left.depth > _DEEPEST:
                    raise self.too_deep(sign)
        return left

    def unary(self) -> Formula:
        token = self.token
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self.too_deep(token)
        try:
            match token.kind:
                case "true":
                    self.advance()
                    return TRUE
                case "false":
                    self.advance()
                    return FALSE
                case "atom":
                    self.advance()
                    if self.token.kind == "(" and token.atom == self.text[token.start : token.end]:
                        return self.pattern(token)
                    return atom(token.atom)
                case "(":
                    return self.parenthesised()
                case kind if kind in _UNARY:
                    self.advance()
                    return MAKERS[kind](self.unary())
        finally:
            self.depth -= 1
        hint = "'=' assigns; compare with '=='" if token.shown == "'='" else None
        raise self.error(f"expected a formula, found {token.shown}", hint=hint)

    def parenthesised(self) -> Formula:
        opening = self.advance()
        inner = self.binary(1)
        if self.token.kind != ")":
            if self.token.kind == "end":
                raise self.error("this '(' is not closed", opening.start, opening.end)
            raise self.error(f"expected ')' or an operator, found {self.token.shown}")
        self.advance()
        return inner

    def pattern(self, name: _Token) -> Formula:
        """`name(f, g) before r`, `after q`, `between q and r`, `after q until r`; the ends of scopes in parentheses
        or single.
        """
        from kripke.logic.patterns import PATTERNS, pattern

        if name.atom not in PATTERNS:
            hint = f"the patterns are {', '.join(PATTERNS)}"
            raise self.error(f"expected an operator after {name.shown}, found '('", hint=hint)
        arguments = self.arguments()
        scope, start, end = "globally", None, None
        match self.token.atom if self.token.kind == "atom" else None:
            case "globally":
                self.advance()
            case "before":
                self.advance()
                scope, end = "before", self.unary()
            case "after":
                self.advance()
                scope, start = "after", self.unary()
                if self.token.kind == "U" and self.token.shown == "'until'":
                    self.advance()
                    scope, end = "after_until", self.unary()
            case "between":
                self.advance()
                start = self.unary()
                if self.token.kind != "and":
                    raise self.error(f"expected 'and', found {self.token.shown}")
                self.advance()
                scope, end = "between", self.unary()
        try:
            return pattern(str(name.atom), *arguments, scope=scope, start=start, end=end)
        except ValueError as problem:
            raise self.error(str(problem), name.start, name.end) from None

    def arguments(self) -> list[Formula]:
        opening = self.advance()
        found = [self.binary(1)]
        while self.token.kind == ",":
            self.advance()
            found.append(self.binary(1))
        if self.token.kind != ")":
            raise self.error("this '(' is not closed", opening.start, opening.end)
        self.behind_arguments = True
        self.advance()
        self.behind_arguments = False
        return found

    def too_deep(self, token: _Token) -> ModelError:
        return self.error(f"nested too deeply: more than {_DEEPEST} levels", token.start, token.end)
