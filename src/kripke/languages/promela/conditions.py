"""The integer expressions of `#if` and `#elif`: C's operators on 64-bit signed numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from kripke.languages.promela.lexer import GLUED, Token
from kripke.model.source import ModelError, Sources

_PRECEDENCE: Final = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7,
    "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip
_DEEPEST: Final = 100


def evaluate(tokens: list[Token], directive: Token, sources: Sources) -> int:
    """The value of an expression whose macros and `defined` are already replaced; other names count as 0."""
    condition = _Condition(tokens, directive, sources)
    value = condition.conditional()
    if condition.index < len(condition.tokens):
        raise condition.error(f"unexpected '{condition.tokens[condition.index].text}' in the condition")
    return value


class _Condition:
    def __init__(self, tokens: list[Token], directive: Token, sources: Sources) -> None:
        self.tokens = tokens
        self.directive = directive
        self.sources = sources
        self.index = 0
        self.depth = 0
        self.idle = 0

    def error(self, message: str) -> ModelError:
        at = self.tokens[self.index] if self.index < len(self.tokens) else self.directive
        return self.sources.error(f"{message} of #{self.directive.text}", at.span)

    def peek(self) -> str:
        return self.tokens[self.index].text if self.index < len(self.tokens) else ""

    def conditional(self) -> int:
        value = self.binary(1)
        if self.peek() == "?":
            self.index += 1
            then = self.unless(self.conditional, not value)
            if self.peek() != ":":
                raise self.error("expected ':' in the condition")
            self.index += 1
            otherwise = self.unless(self.conditional, bool(value))
            value = then if value else otherwise
        return value

    def unless(self, part: Callable[[], int], idle: bool) -> int:
        """The value of a part; if it is idle (not chosen, or already decided), a division by zero in it is no error."""
        self.idle += idle
        value = part()
        self.idle -= idle
        return value

    def binary(self, lowest: int) -> int:
        left = self.unary()
        while (precedence := _PRECEDENCE.get(self.peek(), 0)) >= lowest:
            operator = self.peek()
            self.index += 1
            decided = (operator == "&&" and not left) or (operator == "||" and left != 0)
            right = self.unless(partial(self.binary, precedence + 1), decided)
            left = self.apply(operator, left, right)
        return left

    def apply(self, operator: str, left: int, right: int) -> int:
        if operator in "/%" and right == 0:
            if self.idle:
                return 0
            raise self.error("division by zero in the condition")
        if operator in ("<<", ">>") and not 0 <= right < 64:
            return 0
        return _wrapped(_OPERATIONS[operator](left, right))

    def unary(self) -> int:
        if self.index >= len(self.tokens):
            raise self.error("a value is missing in the condition")
        if self.depth == _DEEPEST:
            raise self.error("parentheses are nested too deeply in the condition")
        token = self.tokens[self.index]
        self.index += 1
        self.depth += 1
        try:
            match token.kind:
                case "!":
                    return int(not self.unary())
                case "!!":
                    return int(bool(self.unary()))
                case "-":
                    return _wrapped(-self.unary())
                case "+":
                    return self.unary()
                case "~":
                    return ~self.unary()
                case "(":
                    value = self.conditional()
                    if self.peek() != ")":
                        raise self.error("')' is missing in the condition")
                    self.index += 1
                    return value
                case "number":
                    return self.number(token)
                case "char":
                    return _character(token.text)
            if token.text[0].isalpha() or token.text[0] == "_":
                return 0
            self.index -= 1
            raise self.error(f"unexpected '{token.text}' in the condition")
        finally:
            self.depth -= 1

    def number(self, token: Token) -> int:
        digits = token.text.rstrip("uUlL")
        try:
            octal = len(digits) > 1 and digits[0] == "0" and digits.isdigit()
            return _wrapped(int(digits, 8 if octal else 0))
        except ValueError:
            self.index -= 1
            raise self.error(f"'{token.text}' is not a number in the condition") from None


def _quotient(left: int, right: int) -> int:
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


_OPERATIONS: Final[dict[str, Callable[[int, int], int]]] = {
    "||": lambda a, b: int(a != 0 or b != 0),
    "&&": lambda a, b: int(a != 0 and b != 0),
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "&": lambda a, b: a & b,
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    ">": lambda a, b: int(a > b),
    "<=": lambda a, b: int(a <= b),
    ">=": lambda a, b: int(a >= b),
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _quotient,
    "%": lambda a, b: a - b * _quotient(a, b),
}


def _wrapped(value: int) -> int:
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)


_ESCAPES: Final = {"n": 10, "t": 9, "r": 13, "f": 12, "v": 11, "a": 7, "b": 8, "0": 0}


def _character(text: str) -> int:
    inner = text[1:-1]
    if inner[0] == "\\" and len(inner) > 1:
        return _ESCAPES.get(inner[1], ord(inner[1]))
    return ord(inner[0])


def as_number(value: int, at: Token) -> Token:
    return Token("number", str(value), at.file, at.line, at.column, at.end, GLUED)
