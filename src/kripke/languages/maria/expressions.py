"""Expressions of Maria's language: precedence climbing over tokens."""

from __future__ import annotations

from kripke.languages.maria.lexer import Token
from kripke.languages.maria.syntax import Syntax
from kripke.model.source import ModelError, Sources

_DEEPEST = 150
# how tightly operators bind, loosest first
_TERNARY, _UNTIL, _IMPLIES, _OR, _XOR, _AND, _TEMPORAL = range(1, 8)
_HASH, _UNARY, _SET_FUNCTION, _ATOM, _POSTFIX = 16, 17, 18, 23, 24
_LEFT = {
    "until": _UNTIL, "release": _UNTIL, "=>": _IMPLIES, "<=>": _IMPLIES, "||": _OR, "^^": _XOR, "&&": _AND,
    "|": 8, "^": 9, "&": 10, "!=": 11, "==": 11, ">=": 12, "<=": 12, "<": 12, ">": 12, "<<": 13, ">>": 13,
    "+": 14, "-": 14, "*": 15, "/": 15, "%": 15, "equals": 19, "subset": 20, "minus": 21, "union": 21,
    "intersect": 22,
}  # fmt: skip
_PREFIX = frozenset("~-!|+*/%")
_TEMPORAL_SIGNS = {"<>": "eventually", "[]": "always", "()": "next"}


class Cursor:
    """A place in a list of tokens, with what every rule of the grammar needs."""

    def __init__(self, tokens: list[Token], sources: Sources) -> None:
        self.tokens = tokens
        self.sources = sources
        self.at = 0
        self.nesting = 0

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def ahead(self, number: int = 1) -> Token:
        return self.tokens[min(self.at + number, len(self.tokens) - 1)]

    def next(self) -> Token:
        token = self.tokens[self.at]
        if token.kind != "end":
            self.at += 1
        return token

    def sees(self, *texts: str) -> bool:
        return self.token.kind in ("sign", "word") and self.token.text in texts

    def accept(self, *texts: str) -> Token | None:
        return self.next() if self.sees(*texts) else None

    def expect(self, text: str, where: str) -> Token:
        if not self.sees(text):
            raise self.error(f"{text} expected {where}")
        return self.next()

    def expect_name(self, what: str) -> Token:
        if self.token.kind != "name":
            hint = f'{self.token.text} is reserved; quoted it is a name: "{self.token.text}"'
            raise self.error(f"{what} expected", hint if self.token.kind == "word" else None)
        return self.next()

    def error(self, message: str, hint: str | None = None) -> ModelError:
        token = self.token
        found = "the end of the text" if token.kind == "end" else repr(token.text)
        return self.sources.error(f"{message}, found {found}", token.span, hint)

    # --- expressions --------------------------------------------------------------------------------------------------

    def marking_list(self) -> Syntax:
        """``M, M``: one expression, or a list of several."""
        first = self.expression()
        if not self.sees(","):
            return first
        parts = [first]
        while self.accept(","):
            parts.append(self.expression())
        return Syntax("list", first.span.to(parts[-1].span), tuple(parts))

    def expression(self, tightness: int = _TERNARY) -> Syntax:
        self.nesting += 1
        if self.nesting > _DEEPEST:
            raise self.sources.error("expressions are nested too deeply", self.token.span)
        left = self._infix(self._prefix(), tightness)
        self.nesting -= 1
        return left

    def _infix(self, left: Syntax, tightness: int) -> Syntax:
        while True:
            if left.depth > _DEEPEST:
                raise self.sources.error("expressions are nested too deeply", left.span)
            token = self.token
            if token.kind not in ("sign", "word"):
                return left
            text = token.text
            strength = _LEFT.get(text, 0)
            if strength >= tightness and strength:
                self.next()
                right = self.expression(strength + 1)
                kind = text if text in ("until", "release") else "binary"
                left = Syntax(kind, left.span.to(right.span), (left, right), text)
            elif text == "?" and tightness <= _TERNARY:
                left = self._conditional(left)
            elif text == "#" and tightness <= _HASH:
                self.next()
                right = self.expression(_HASH)
                left = Syntax("binary", left.span.to(right.span), (left, right), "#")
            elif text == "is" and tightness <= _HASH:
                self.next()
                name = self.expect_name("the name of a component")
                left = Syntax("is", left.span.to(name.span), (left,), name.text)
            elif text == ".":
                left = self._selection(left)
            elif text == "[":
                self.next()
                index = self.expression()
                end = self.expect("]", "after an index")
                left = Syntax("index", left.span.to(end.span), (left, index))
            else:
                return left

    def _conditional(self, condition: Syntax) -> Syntax:
        self.next()
        branches = [self.expression()]
        while self.accept(":"):
            branches.append(self.expression())
        return Syntax("if", condition.span.to(branches[-1].span), (condition, *branches))

    def _selection(self, left: Syntax) -> Syntax:
        self.next()
        if not self.accept("{"):
            name = self.expect_name("the name of a component")
            return Syntax("component", left.span.to(name.span), (left,), name.text)
        if self.accept("["):
            index = self.expression()
            self.expect("]", "after an index")
            value = self.expression()
            end = self.expect("}", "after the new value")
            return Syntax("put", left.span.to(end.span), (left, index, value))
        name = self.expect_name("the name of a component")
        value = self.expression()
        end = self.expect("}", "after the new value")
        return Syntax("replace", left.span.to(end.span), (left, value), name.text)

    def _prefix(self) -> Syntax:
        token = self.token
        match token.kind:
            case "number" | "char":
                self.next()
                return Syntax(token.kind, token.span, number=token.number)
            case "name":
                return self._named()
            case "word":
                return self._word()
            case "sign":
                return self._sign()
        raise self.error("an expression expected")

    def _named(self) -> Syntax:
        name, after = self.next(), self.token
        if after.kind == "name":
            return self._quantified(name, self.next())
        if after.kind != "sign":
            return Syntax("name", name.span, name=name.text)
        if after.text == "!":
            return self._output(name, None)
        if after.text == "()":
            self.next()
            return Syntax("call", name.span.to(after.span), name=name.text)
        if after.text == "(":
            self.next()
            arguments = []
            while not self.sees(")"):
                arguments.append(self.expression())
                if not self.accept(","):
                    break
            end = self.expect(")", "after the arguments")
            return Syntax("call", name.span.to(end.span), tuple(arguments), name.text)
        if after.text == "=":
            self.next()
            value = self.expression(_UNTIL)
            return Syntax("inject", name.span.to(value.span), (value,), name.text)
        return Syntax("name", name.span, name=name.text)

    def _output(self, type_: Token, name: Token | None) -> Syntax:
        end = self.expect("!", "after an output variable")
        operands: tuple[Syntax, ...] = ()
        span = type_.span.to(end.span)
        if self.accept("("):
            operands = (self.expression(),)
            span = type_.span.to(self.expect(")", "after the condition").span)
        return Syntax("output", span, operands, names=(type_.text, name.text if name else ""))

    def _quantified(self, type_: Token, name: Token) -> Syntax:
        if self.sees("!"):
            return self._output(type_, name)
        operands: tuple[Syntax, ...] = ()
        if self.accept("("):
            operands = (self.expression(),)
            self.expect(")", "after the condition")
        sign = self.accept(":", "&&", "||")
        if sign is None:
            raise self.error(
                "':', '&&' or '||' expected after a quantified variable", "two names: a type and a variable of it"
            )
        body = self.expression()
        kind = {":": "sum", "&&": "all", "||": "exists"}[sign.text]
        names = (type_.text, name.text)
        return Syntax(kind, type_.span.to(body.span), (*operands, body), names=names, flag=bool(operands))

    def _word(self) -> Syntax:
        token = self.next()
        match token.text:
            case "true" | "false" | "undefined" | "fatal" | "empty":
                return Syntax(token.text, token.span)
            case "atom":
                operand = self.expression(_ATOM)
                return Syntax("atom", token.span.to(operand.span), (operand,))
            case "is":
                name = self.expect_name("the name of a type")
                operand = self.expression(_ATOM)
                return Syntax("cast", token.span.to(operand.span), (operand,), name.text)
            case "place":
                name = self.expect_name("the name of a place")
                return Syntax("place", token.span.to(name.span), name=name.text)
            case "cardinality" | "max" | "min":
                operand = self.expression(_SET_FUNCTION)
                return Syntax("unary", token.span.to(operand.span), (operand,), token.text)
            case "subset" | "map":
                return self._comprehension(token)
        self.at -= 1
        raise self.error("an expression expected")

    def _comprehension(self, token: Token) -> Syntax:
        names = [self.expect_name("the name of a variable").text]
        if token.text == "map" and self.accept("#"):
            names.append(self.expect_name("the name of a variable").text)
        self.expect("{", "before the multi-set")
        tokens = self.marking_list()
        self.expect("}", "after the multi-set")
        body = self.expression(_SET_FUNCTION)
        kind = "filter" if token.text == "subset" else "map" if len(names) == 1 else "mapeach"
        return Syntax(kind, token.span.to(body.span), (tokens, body), names=tuple(names))

    def _sign(self) -> Syntax:
        token = self.next()
        text = token.text
        if text == "(":
            inner = self.marking_list()
            end = self.expect(")", "to close the parenthesis")
            if inner.kind in ("list", "sum"):  # a comma or colon after it belongs to something else
                return Syntax("list", token.span.to(end.span), (inner,))
            return inner
        if text == "{":
            return self._compound(token)
        if text in _TEMPORAL_SIGNS:
            operand = self.expression(_TEMPORAL)
            return Syntax(_TEMPORAL_SIGNS[text], token.span.to(operand.span), (operand,))
        if text in ("#", "<", ">"):
            name = self.expect_name("the name of a type")
            kind = {"#": "count", "<": "least", ">": "greatest"}[text]
            return Syntax(kind, token.span.to(name.span), name=name.text)
        if text in _PREFIX:
            operand = self.expression(_UNARY)
            return Syntax("unary", token.span.to(operand.span), (operand,), text)
        if text in (".", ":") and self.token.kind == "name":
            name = self.next()
            quantifier = self.next() if self.token.kind == "name" else None
            span = token.span.to((quantifier or name).span)
            names = (name.text, quantifier.text if quantifier else "")
            return Syntax("indexed", span, names=names, flag=text == ":")
        self.at -= 1
        raise self.error("an expression expected")

    def _compound(self, start: Token) -> Syntax:
        operands: list[Syntax] = []
        names: list[str] = []
        while not self.sees("}"):
            if self.token.kind == "name" and self.ahead().kind == "sign" and self.ahead().text == ":":
                names.append(self.next().text)
                self.next()
            else:
                names.append("")
            operands.append(self.expression())
            if not self.accept(","):
                break
        end = self.expect("}", "to close the compound value")
        return Syntax("compound", start.span.to(end.span), tuple(operands), names=tuple(names))
