"""Expressions of SMV, those of temporal logic included: one grammar, as in NuSMV's manual (section 2.2).

Loosest first: ``->`` (groups to the right), ``<->``, ``?:``, ``| xor xnor``, ``&``, ``U V S T``, the temporal operators
with one operand, ``= != < > <= >=``, ``in``, ``union``, ``..``, ``<< >>``, ``+ -``, ``* / mod``, ``::``, ``-``, ``!``,
``[ ] .``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from kripke.languages.smv.lexer import KEYWORDS, Token, tokens_of
from kripke.languages.smv.syntax import (
    ArrayOf,
    Bits,
    Bounded,
    Case,
    Expression,
    Identifier,
    Index,
    Interval,
    Member,
    Name,
    Number,
    Operation,
    Set,
    Truth,
    WordConstant,
)
from kripke.model.source import ModelError, Sources, Span

_DEEPEST: Final = 120
#: of a word
MOST_BITS: Final = 256
_FUNCTIONS: Final = {
    "next": 1, "toint": 1, "bool": 1, "word1": 1, "unsigned": 1, "signed": 1, "sizeof": 1, "abs": 1, "floor": 1,
    "extend": 2, "resize": 2, "uwconst": 2, "swconst": 2, "max": 2, "min": 2, "count": None, "init": 1,
}  # fmt: skip
_PATHS: Final = frozenset({"X", "F", "G", "Y", "Z", "O", "H", "EX", "EF", "EG", "AX", "AF", "AG"})
_BOUNDED_PATHS: Final = {"EBF": "EF", "EBG": "EG", "ABF": "AF", "ABG": "AG"}
_BASES: Final = {"b": 2, "o": 8, "d": 10, "h": 16}


class ExpressionParser:
    def __init__(self, text: str, file: str, sources: Sources) -> None:
        self.text = text
        self.sources = sources
        self.tokens = tokens_of(text, file, sources)
        self.index = 0
        self.depth = 0
        self.inside_path = False

    # --- tokens -------------------------------------------------------------------------------------------------------

    @property
    def token(self) -> Token:
        return self.tokens[self.index]

    def error(self, message: str, span: Span | None = None, hint: str | None = None) -> ModelError:
        return self.sources.error(message, span or self.token.span, hint)

    def shown(self) -> str:
        return f"'{self.token.text}'" if self.token.text else "the end of the text"

    def advance(self) -> Token:
        token = self.token
        self.index += token.kind != "end"
        return token

    def accept(self, kind: str) -> Token | None:
        return self.advance() if self.token.kind == kind else None

    def expect(self, kind: str, where: str) -> Token:
        token = self.accept(kind)
        if token is None:
            raise self.error(f"expected '{kind}' {where}, found {self.shown()}".replace("  ", " "))
        return token

    def at_name(self) -> bool:
        return self.token.kind == "name"

    def name(self, what: str) -> Name:
        token = self.token
        if token.kind != "name":
            hint = f"{token.text} is a word of the language" if token.text in KEYWORDS else None
            raise self.error(f"expected {what}, found {self.shown()}", hint=hint)
        self.advance()
        return Name(token.text, token.span)

    # --- from loose to tight ------------------------------------------------------------------------------------------

    def whole(self) -> Expression:
        """Nothing but an expression."""
        found = self.expression()
        if self.token.kind != "end":
            raise self.error(f"expected an operator or the end of the expression, found {self.shown()}")
        return found

    def expression(self) -> Expression:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self.error("this is nested too deeply", hint="give parts of it names under DEFINE")
        left = self.equivalence()
        if self.accept("->"):
            left = self.operation("->", left, self.expression())
        self.depth -= 1
        return left

    def operation(self, operator: str, *operands: Expression, span: Span | None = None) -> Operation:
        return Operation((span or operands[0].span).to(operands[-1].span), operator, operands)

    def equivalence(self) -> Expression:
        left = self.conditional()
        while self.accept("<->"):
            left = self.operation("<->", left, self.conditional())
        return left

    def conditional(self) -> Expression:
        condition = self.disjunction()
        if not self.accept("?"):
            return condition
        then = self.expression()
        self.expect(":", "between the two values")
        otherwise = self.expression()
        span = condition.span.to(otherwise.span)
        return Case(span, ((condition, then), (Truth(otherwise.span, True), otherwise)))

    def disjunction(self) -> Expression:
        left = self.conjunction()
        while self.token.kind in ("|", "xor", "xnor"):
            operator = self.advance().kind
            left = self.operation(operator, left, self.conjunction())
        return left

    def conjunction(self) -> Expression:
        left = self.until()
        while self.accept("&"):
            left = self.operation("&", left, self.until())
        return left

    def until(self) -> Expression:
        left = self.path_formula()
        while self.token.kind in ("U", "V", "S", "T") and not self.inside_path:
            operator = self.advance().kind
            left = self.operation(operator, left, self.path_formula())
        return left

    def path_formula(self) -> Expression:
        token = self.token
        if token.kind in _PATHS:
            self.advance()
            if self.token.kind == "[" and token.kind in ("F", "G", "O", "H"):
                self.advance()
                low, high = self.moments("]", ",")
                operand = self.deeper(self.path_formula)
                return Bounded(token.span.to(operand.span), token.kind, low, high, (operand,))
            return self.operation(token.kind, self.deeper(self.path_formula), span=token.span)
        if token.kind in _BOUNDED_PATHS:
            self.advance()
            low, high = self.moments("", "..")
            operand = self.deeper(self.path_formula)
            return Bounded(token.span.to(operand.span), _BOUNDED_PATHS[token.kind], low, high, (operand,))
        if token.kind in ("E", "A"):
            self.advance()
            self.expect("[", f"after {token.kind}")
            return self.path_until(token)
        return self.comparison()

    def path_until(self, start: Token) -> Expression:
        """``E [ p U q ]``: here U is looser than all else."""
        outer, self.inside_path = self.inside_path, True
        left = self.expression()
        bounds = None
        if self.accept("BU"):
            bounds = self.moments("", "..")
        elif not self.accept("U"):
            raise self.error(f"expected U, as in {start.kind} [ p U q ], found {self.shown()}")
        right = self.expression()
        self.inside_path = outer
        close = self.expect("]", "after the formula")
        span, operator = start.span.to(close.span), start.kind + "U"
        if bounds is not None:
            return Bounded(span, operator, *bounds, (left, right))
        return Operation(span, operator, (left, right))

    def deeper(self, read: Callable[[], Expression]) -> Expression:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self.error("this is nested too deeply", hint="give parts of it names under DEFINE")
        found = read()
        self.depth -= 1
        return found

    def moments(self, close: str, between: str) -> tuple[int, int | None]:
        """Bounds of a temporal operator."""
        low = self.number("the first moment")
        self.expect(between, "between the first and the last moment")
        high = None
        if self.token.kind == "name" and self.token.text in ("oo", "infinity"):
            self.advance()
        else:
            high = self.number("the last moment")
        if close:
            self.expect(close, "after the bounds")
        if high is not None and high < low:
            raise self.error(f"from {low} to {high} there is no moment", self.tokens[self.index - 1].span)
        return low, high

    def number(self, what: str) -> int:
        token = self.token
        if token.kind != "number":
            raise self.error(f"expected a number, {what}, found {self.shown()}")
        self.advance()
        return int(token.text)

    def comparison(self) -> Expression:
        left = self.membership()
        while self.token.kind in ("=", "!=", "<", ">", "<=", ">="):
            operator = self.advance().kind
            left = self.operation(operator, left, self.membership())
        return left

    def membership(self) -> Expression:
        left = self.union()
        while self.accept("in"):
            left = self.operation("in", left, self.union())
        return left

    def union(self) -> Expression:
        left = self.interval()
        while self.accept("union"):
            left = self.operation("union", left, self.interval())
        return left

    def interval(self) -> Expression:
        low = self.shift()
        if self.accept(".."):
            high = self.shift()
            return Interval(low.span.to(high.span), low, high)
        return low

    def shift(self) -> Expression:
        left = self.sum()
        while self.token.kind in ("<<", ">>"):
            operator = self.advance().kind
            left = self.operation(operator, left, self.sum())
        return left

    def sum(self) -> Expression:
        left = self.product()
        while self.token.kind in ("+", "-"):
            operator = self.advance().kind
            left = self.operation(operator, left, self.product())
        return left

    def product(self) -> Expression:
        left = self.concatenation()
        while self.token.kind in ("*", "/", "mod"):
            operator = self.advance().kind
            left = self.operation(operator, left, self.concatenation())
        return left

    def concatenation(self) -> Expression:
        left = self.sign()
        while self.accept("::"):
            left = self.operation("::", left, self.sign())
        return left

    def sign(self) -> Expression:
        token = self.token
        if token.kind == "-":
            self.advance()
            operand = self.deeper(self.sign)
            if isinstance(operand, Number):
                return Number(token.span.to(operand.span), -operand.value)
            return self.operation("negative", operand, span=token.span)
        if token.kind == "!":
            self.advance()
            return self.operation("!", self.deeper(self.negated), span=token.span)
        return self.selection()

    def negated(self) -> Expression:
        """``!`` binds as tightly as can be; before a temporal operator it takes all of that."""
        if self.token.kind in _PATHS or self.token.kind in _BOUNDED_PATHS or self.token.kind in ("E", "A"):
            return self.path_formula()
        return self.sign()

    def selection(self) -> Expression:
        found = self.primary()
        while True:
            if self.accept("["):
                first = self.expression()
                if self.accept(":"):
                    second = self.expression()
                    close = self.expect("]", "after the bits")
                    found = Bits(found.span.to(close.span), found, first, second)
                else:
                    close = self.expect("]", "after the index")
                    found = Index(found.span.to(close.span), found, first)
            elif self.accept("."):
                found = self.member(found)
            else:
                return found

    def member(self, of: Expression) -> Expression:
        token = self.token
        if token.kind == "number":  # a.1 is an element in old files
            self.advance()
            return Index(of.span.to(token.span), of, Number(token.span, int(token.text)))
        name = self.name("a name after the dot")
        return Member(of.span.to(name.span), of, name)

    def path(self) -> Expression:
        """What can be assigned to: ``a``, ``a.b``, ``a[3]``."""
        token = self.token
        if token.kind not in ("name", "self"):
            raise self.error(f"expected a variable, found {self.shown()}")
        return self.selection()

    # --- what stands for itself ---------------------------------------------------------------------------------------

    def primary(self) -> Expression:
        token = self.token
        match token.kind:
            case "number":
                self.advance()
                return Number(token.span, int(token.text))
            case "TRUE" | "FALSE":
                self.advance()
                return Truth(token.span, token.kind == "TRUE")
            case "constant":
                self.advance()
                return self.word_constant(token)
            case "name" | "self":
                self.advance()
                return Identifier(token.span, token.text)
            case "(":
                self.advance()
                outer, self.inside_path = self.inside_path, False
                found = self.expression()
                self.expect(")", "to close the parenthesis")
                self.inside_path = outer
                return found
            case "{":
                return self.set()
            case "case":
                return self.case()
            case "real":
                raise self.error("fractions are not supported", hint="SMV files have integers and words here")
            case kind if kind in _FUNCTIONS:
                return self.call()
            case "READ" | "WRITE" | "CONSTARRAY" | "typeof":
                raise self.error(f"{token.kind}, of arrays without bounds, is not supported", hint="use array 0..N of")
        raise self.error(f"expected an expression, found {self.shown()}")

    def word_constant(self, token: Token) -> Expression:
        text = token.text
        head, _, digits = text.partition("_")
        signed = head[1:2] == "s"
        rest = head[1:].lstrip("us")
        digits = digits.replace("_", "")
        base = _BASES[rest[0].lower()]
        try:
            value = int(digits, base)
        except ValueError:
            raise self.error(f"{digits!r} is no number with the base {base}", token.span) from None
        bits = {2: 1, 8: 3, 16: 4}.get(base)
        if not rest[1:] and bits is None:
            raise self.error("a decimal word needs its number of bits", token.span, "write 0ud8_200 for 8 bits")
        width = int(rest[1:]) if rest[1:] else len(digits) * (bits or 1)
        if not 1 <= width <= MOST_BITS:
            raise self.error(f"a word has from 1 to {MOST_BITS} bits", token.span)
        # One more than the greatest signed number stands behind a minus sign.
        highest = (1 << width) - 1 if base != 10 or not signed else 1 << (width - 1)
        if value > highest:
            raise self.error(f"{value} does not fit into {width} bits", token.span)
        if signed and value >> (width - 1) == 1:
            value -= 1 << width
        return WordConstant(token.span, value, width, signed)

    def call(self) -> Expression:
        token = self.advance()
        self.expect("(", f"after {token.kind}")
        operands = [self.expression()]
        while self.accept(","):
            operands.append(self.expression())
        close = self.expect(")", f"after what {token.kind} is of")
        wanted = _FUNCTIONS[token.kind]
        if wanted is not None and len(operands) != wanted:
            values = "one value" if wanted == 1 else "two values"
            raise self.error(f"{token.kind} takes {values}, not {len(operands)}", token.span)
        if token.kind in ("floor", "init"):
            raise self.error(f"{token.kind} is not supported in expressions", token.span)
        return Operation(token.span.to(close.span), token.kind, tuple(operands))

    def set(self) -> Expression:
        start = self.expect("{", "")
        items = [self.expression()]
        while self.accept(","):
            items.append(self.expression())
        close = self.expect("}", "after the values of the set")
        return Set(start.span.to(close.span), tuple(items))

    def case(self) -> Expression:
        start = self.expect("case", "")
        branches: list[tuple[Expression, Expression]] = []
        while not self.accept("esac"):
            condition = self.expression()
            self.expect(":", "between condition and value")
            value = self.expression()
            self.expect(";", "after the value")
            branches.append((condition, value))
        if not branches:
            raise self.error("this case has no branch", start.span)
        return Case(start.span.to(self.tokens[self.index - 1].span), tuple(branches))

    def array_or_expression(self) -> Expression:
        """In a definition there may be an array, also of arrays: ``[[1, 2], [3, 4]]``."""
        start = self.accept("[")
        if start is None:
            return self.expression()
        items = [self.array_or_expression()]
        while self.accept(","):
            items.append(self.array_or_expression())
        close = self.expect("]", "after the elements")
        return ArrayOf(start.span.to(close.span), tuple(items))
