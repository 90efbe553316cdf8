"""From text to the syntax tree of an expression.

What is no ECMAScript is a ``SyntaxFault``: SCXML has charts find that out while they run (``error.execution``). What
is ECMAScript but not ours (functions, ``new``, patterns, ...) is ``Unsupported``: it is refused before anything runs.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple, NoReturn

from kripke.hierarchy.script.syntax import (
    ArrayLiteral,
    Assign,
    Binary,
    Call,
    Conditional,
    Expression,
    Lambda,
    Literal,
    Member,
    Name,
    ObjectLiteral,
    Sequence,
    Unary,
)
from kripke.hierarchy.script.values import UNDEFINED, numeral

_DEEPEST: Final = 100
_LONGEST: Final = 100_000
_TOKEN: Final = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
      | (?P<number>0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
      | (?P<name>[A-Za-z_$][\w$]*)
      | (?P<string>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")
      | (?P<sign>>>>=|===|!==|>>>|<<=|>>=|\*\*|=>|==|!=|<=|>=|&&|\|\||\?\?|\+\+|--|\+=|-=|\*=|/=|%=|&=|\|=|\^=|<<|>>
            |[-+*/%<>=!~&|^?:;,.(){}\[\]`])""",
    re.VERBOSE | re.DOTALL,
)
_TEMPORAL: Final = re.compile(r"<->|->|<>|\[\]")  # operators of formulas: an atom ends there
_STRENGTH: Final = {
    "??": 1, "||": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "==": 7, "!=": 7, "===": 7, "!==": 7, "<": 8, ">": 8, "<=": 8,
    ">=": 8, "in": 8, "instanceof": 8, "<<": 9, ">>": 9, ">>>": 9, "+": 10, "-": 10, "*": 11, "/": 11, "%": 11,
    "**": 12,
}  # fmt: skip
_ASSIGNMENTS: Final = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", ">>>="}
_CONSTANTS: Final = {"true": True, "false": False, "null": None, "undefined": UNDEFINED}
_UNSUPPORTED: Final = {
    "new": "new is", "class": "classes are", "this": "this is", "delete": "delete is",
    "yield": "yield is", "await": "await is", "async": "async is", "super": "super is", "import": "import is",
}  # fmt: skip
_RESERVED: Final = frozenset(
    {
        "break", "case", "catch", "const", "continue", "debugger", "default", "do", "else", "enum", "export", "extends",
        "finally", "for", "if", "in", "instanceof", "let", "return", "switch", "throw", "try", "var", "while", "with",
    }
)  # fmt: skip
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}


class ParseError(Exception):
    """``at``: where in the text."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.message = message
        self.at = at


class SyntaxFault(ParseError):
    """The text is no expression."""


class Unsupported(ParseError):
    """The text may be one, but not one of ours."""


class _Token(NamedTuple):
    kind: str
    text: str
    at: int


def parse(text: str) -> Expression:
    """One expression; a semicolon may end it."""
    parser = _Parser(text)
    found = parser.sequence()
    while parser.accept(";"):
        pass
    if parser.token.kind != "end":
        parser.fail(f"'{parser.token.text}' is not expected here")
    return found


def parse_statements(text: str) -> Expression:
    """Expressions separated by semicolons: effects of transitions."""
    parser = _Parser(text)
    items: list[Expression] = []
    while parser.token.kind != "end":
        if not parser.accept(";"):
            items.append(parser.sequence())
            if parser.token.kind not in (";", "end"):
                parser.fail(f"'{parser.token.text}' is not expected here")
    return items[0] if len(items) == 1 else Sequence(0, tuple(items))


def prefix(text: str, start: int) -> tuple[Expression, int]:
    """A comparison, or less, that starts there: an atom of a temporal formula; and where it ends."""
    parser = _Parser(text, start, partial=True)
    found = parser.binary(_STRENGTH["=="])
    return found, parser.last_end


class _Parser:
    def __init__(self, text: str, start: int = 0, *, partial: bool = False) -> None:
        if len(text) > _LONGEST:
            raise SyntaxFault("the expression is too long", 0)
        self.text = text
        self.tokens: list[_Token] = []
        self.ends: list[int] = []
        at = start
        while at < len(text):
            match = _TOKEN.match(text, at)
            if partial and (match is None or _TEMPORAL.match(text, at)):
                break
            if match is None:
                raise SyntaxFault(f"{text[at]!r} is not expected here", at)
            if match.lastgroup != "space":
                kind = match[0] if match.lastgroup == "sign" else str(match.lastgroup)
                self.tokens.append(_Token(kind, match[0], at))
                self.ends.append(match.end())
            at = match.end()
        self.tokens.append(_Token("end", "", at))
        self.ends.append(at)
        self.index = 0
        self.depth = 0

    @property
    def token(self) -> _Token:
        return self.tokens[self.index]

    @property
    def last_end(self) -> int:
        return self.ends[self.index - 1]

    def fail(self, message: str) -> NoReturn:
        if self.token.kind == "end":
            raise SyntaxFault("something is missing at the end", self.token.at)
        raise SyntaxFault(message, self.token.at)

    def accept(self, *kinds: str) -> bool:
        if self.token.kind in kinds:
            self.index += 1
            return True
        return False

    def expect(self, kind: str) -> None:
        if not self.accept(kind):
            self.fail(f"'{kind}' is expected here")

    # --- expressions --------------------------------------------------------------------------------------------------

    def sequence(self) -> Expression:
        first = self.assignment()
        if self.token.kind != ",":
            return first
        items = [first]
        while self.accept(","):
            items.append(self.assignment())
        return Sequence(first.at, tuple(items))

    def assignment(self) -> Expression:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise SyntaxFault("the expression is nested too deeply", self.token.at)
        left = self.conditional()
        if self.token.kind == "=>":
            raise Unsupported("functions are not supported", self.token.at)
        if self.token.kind in _ASSIGNMENTS:
            operator = self.token.kind[:-1]
            self.target(left)
            self.index += 1
            left = Assign(left.at, left, operator, self.assignment())
        self.depth -= 1
        return left

    def target(self, expression: Expression) -> None:
        if not isinstance(expression, (Name, Member)):
            self.fail("only a variable or a part of one can be assigned to")

    def conditional(self) -> Expression:
        condition = self.binary(1)
        if not self.accept("?"):
            return condition
        then = self.assignment()
        self.expect(":")
        return Conditional(condition.at, condition, then, self.assignment())

    def operator(self) -> str:
        token = self.token
        return token.text if token.kind == "name" and token.text in ("in", "instanceof") else token.kind

    def binary(self, lowest: int) -> Expression:
        left = self.unary()
        while (strength := _STRENGTH.get(operator := self.operator(), 0)) >= lowest:
            self.index += 1
            right = self.binary(strength if operator == "**" else strength + 1)
            left = Binary(left.at, operator, left, right)
        return left

    def unary(self) -> Expression:
        token = self.token
        self.depth += 1
        if self.depth > _DEEPEST:
            raise SyntaxFault("the expression is nested too deeply", token.at)
        try:
            if token.kind in ("!", "-", "+", "~") or (token.kind == "name" and token.text in ("typeof", "void")):
                self.index += 1
                return Unary(token.at, token.text, self.unary())
            if token.kind in ("++", "--"):
                self.index += 1
                operand = self.unary()
                self.target(operand)
                return Assign(token.at, operand, token.kind[0], Literal(token.at, 1))
            operand = self.postfix()
            if self.token.kind in ("++", "--"):
                self.target(operand)
                operator = self.token.kind[0]
                self.index += 1
                return Assign(token.at, operand, operator, Literal(token.at, 1), after=True)
            return operand
        finally:
            self.depth -= 1

    def postfix(self) -> Expression:
        found = self.primary()
        while True:
            at = self.token.at
            if self.accept("."):
                if self.token.kind != "name":
                    self.fail("a name is expected here")
                found = Member(at, found, Literal(self.token.at, self.token.text))
                self.index += 1
            elif self.accept("["):
                key = self.sequence()
                self.expect("]")
                found = Member(at, found, key)
            elif self.token.kind == "(":
                found = self.call(found)
            else:
                return found

    def call(self, called: Expression) -> Expression:
        at = self.token.at
        self.index += 1
        arguments: list[Expression] = []
        while not self.accept(")"):
            arguments.append(self.assignment())
            if self.token.kind != ")":
                self.expect(",")
        match called:
            case Name(_, name):
                return Call(called.at, None, name, tuple(arguments))
            case Member(_, object_, Literal(_, str() as name)):
                return Call(called.at, object_, name, tuple(arguments))
        raise Unsupported("only functions known by name can be called", at)

    def primary(self) -> Expression:
        token = self.token
        match token.kind:
            case "number":
                self.index += 1
                text = token.text
                value = int(text, 0) if text[:2].lower() in ("0x", "0b", "0o") else float(text)
                return Literal(token.at, numeral(value))
            case "string":
                self.index += 1
                return Literal(token.at, self.string(token))
            case "name":
                return self.name(token)
            case "(":
                self.index += 1
                inner = self.sequence()
                self.expect(")")
                return inner
            case "[":
                self.index += 1
                items: list[Expression] = []
                while not self.accept("]"):
                    items.append(self.assignment())
                    if self.token.kind != "]":
                        self.expect(",")
                return ArrayLiteral(token.at, tuple(items))
            case "{":
                return self.object(token)
            case "/" | "/=":
                raise Unsupported("patterns /.../ are not supported", token.at)
            case "`":
                raise Unsupported("template strings are not supported", token.at)
        self.fail(f"'{token.text}' is not expected here")

    def name(self, token: _Token) -> Expression:
        self.index += 1
        if token.text in _CONSTANTS:
            return Literal(token.at, _CONSTANTS[token.text])
        if token.text == "NaN":
            return Literal(token.at, float("nan"))
        if token.text == "Infinity":
            return Literal(token.at, float("inf"))
        if token.text == "function":
            return self.function(token)
        if token.text in _UNSUPPORTED:
            raise Unsupported(f"{_UNSUPPORTED[token.text]} not supported", token.at)
        if token.text in _RESERVED:
            self.index -= 1
            self.fail(f"'{token.text}' is not expected here")
        return Name(token.at, token.text)

    def function(self, token: _Token) -> Expression:
        refused = "only functions that return a value, and do nothing else, are supported"
        if self.token.kind == "name":  # its own name, which nobody can use
            self.index += 1
        self.expect("(")
        parameters: list[str] = []
        while not self.accept(")"):
            if self.token.kind != "name":
                raise Unsupported(refused, self.token.at)
            parameters.append(self.token.text)
            self.index += 1
            if self.token.kind != ")":
                self.expect(",")
        self.expect("{")
        if self.token.text != "return":
            raise Unsupported(refused, self.token.at)
        self.index += 1
        body = self.sequence()
        self.accept(";")
        if self.token.kind != "}":
            raise Unsupported(refused, self.token.at)
        self.index += 1
        text = " ".join(self.text[token.at : self.last_end].split())
        return Lambda(token.at, tuple(parameters), body, text)

    def object(self, token: _Token) -> Expression:
        self.index += 1
        items: list[tuple[str, Expression]] = []
        while not self.accept("}"):
            key = self.token
            if key.kind not in ("name", "string", "number"):
                self.fail("the name of a property is expected here")
            self.index += 1
            self.expect(":")
            items.append((self.string(key) if key.kind == "string" else key.text, self.assignment()))
            if self.token.kind != "}":
                self.expect(",")
        return ObjectLiteral(token.at, tuple(items))

    def string(self, token: _Token) -> str:
        def unescaped(match: re.Match[str]) -> str:
            found = match[0][1:]
            if found[0] in "ux":
                digits = match[1] or match[2]
                return chr(int(digits, 16)) if digits else found
            return _ESCAPES.get(found, found)

        return re.sub(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|.)", unescaped, token.text[1:-1], flags=re.DOTALL)
